"""`make bench`, or `make bench ARGS="tracing cost"` for some: measures, and prints one
table of ratios with their goals.
"""

import os
import sys
from importlib import import_module

from tests.benchmarks.timing import Row, table

PARTS = (
    "tracing",
    "figures",
    "worker",
    "decoding",
    "sweeps",
    "service",
    "classroom",
    "pages",
    "cost",
    "patching",
    "cluster",
    "course",
    "large",
)


def main(chosen: list[str]) -> int:
    unknown = [name for name in chosen if name not in PARTS]
    if unknown:
        print(
            f"There is no benchmark named {unknown[0]!r}; there are {', '.join(PARTS)}.",
            file=sys.stderr,
        )
        return 2
    found: list[Row] = []
    for name in chosen or PARTS:
        print(f"Measuring: {name} …", file=sys.stderr, flush=True)
        found += import_module(f"tests.benchmarks.{name}").rows()
    print(table(found))
    print(
        f"\n{os.cpu_count()} cores, of which {os.getloadavg()[1]:.1f} were asked for in the last"
        " five minutes."
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
