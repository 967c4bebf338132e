"""`make mutants` makes every false change of the lists, one after another in copies of the tree,
and says of each whether the tests that are named for it see it. `ARGS="scaling probes"` takes those
whose sentence or file holds one of these words. It ends with 1 if one is not seen, if the code no
longer holds what a change replaces, or if tests are red without any change, which then say nothing
of the changes that they are named for.
"""

import importlib
import multiprocessing
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.mutants import mutants, selections
from tests.mutants.mutants import Mutant

ROOT = Path(__file__).parents[2]
PROCESSES = 2
HEAVY = ("torch", "numpy", "scipy.special", "plotly.graph_objects", "fastapi", "pytest")
"""What takes long to import, and holds no thread: imported once, before the first fork."""

copy: Path
"""The tree of this process."""


def main(words: Sequence[str]) -> int:
    wanted, begun = mutants.chosen(words), time.monotonic()
    if not wanted:
        print(f"No false change has one of these words: {', '.join(words)}.")
        return 1
    lost = [(mutant, why) for mutant in wanted if (why := mutant.trouble(ROOT))]
    for mutant, why in lost:
        print(f"LOST      {mutant.name}\n          {why}")
    present = [mutant for mutant in wanted if not mutant.trouble(ROOT)]
    os.environ |= {"TREE": str(ROOT), "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    for name in HEAVY:
        importlib.import_module(name)
    bad = len(lost)
    with (
        tempfile.TemporaryDirectory(prefix="vitrine-mutants-") as folder,
        multiprocessing.get_context("fork").Pool(PROCESSES, own_copy, (folder,)) as pool,
    ):
        failing = dict(filter(None, pool.imap_unordered(red, together(present))))
        apart = sorted({test for mutant in present for test in mutant.tests})
        places = tuple(shlex.split(selection)[0] for selection in failing)
        failing = dict(filter(None, pool.imap_unordered(red, of_places(apart, places))))
        for selection, line in failing.items():
            bad += 1
            print(f"RED       {selection}, without any change\n          {line}", flush=True)
        present = [mutant for mutant in present if not failing.keys() & set(mutant.tests)]
        for is_seen, verdict in pool.imap_unordered(tried, present):
            bad += not is_seen
            print(verdict, flush=True)
    seconds = time.monotonic() - begun
    print(f"{len(wanted)} false changes in {seconds:.0f} s: {bad or 'no'} trouble.")
    return int(bad > 0)


def own_copy(folder: str) -> None:
    """A tree for this process: what git tracks or would track; without git all but what is made."""
    global copy
    copy = Path(tempfile.mkdtemp(dir=folder))
    listing = ["git", "-C", str(ROOT), "ls-files", "-co", "--exclude-standard", "-z"]
    found = subprocess.run(listing, capture_output=True, text=True, check=False)
    if found.returncode:
        ignored = shutil.ignore_patterns(".venv", "dist", "build", "__pycache__", ".git")
        shutil.copytree(ROOT, copy, ignore=ignored, dirs_exist_ok=True)
        return
    for name in filter(None, found.stdout.split("\0")):
        if (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, copy / name)


def together(wanted: Sequence[Mutant]) -> list[str]:
    """All selections, those of one place as one: they must be green without any change."""
    keywords: dict[str, set[str]] = {}
    for selection in {test for mutant in wanted for test in mutant.tests}:
        place, *more = shlex.split(selection)
        keywords.setdefault(place, set()).add(more[1] if more else "")
    return [
        place if "" in words else f"{place} -k {shlex.quote(' or '.join(sorted(words)))}"
        for place, words in sorted(keywords.items())
    ]


def of_places(apart: Sequence[str], places: Sequence[str]) -> list[str]:
    """The selections of these places: which of them is it that is red?"""
    return [selection for selection in apart if shlex.split(selection)[0] in places]


def red(selection: str) -> tuple[str, str] | None:
    """The selection with the first line of why, if it is red in the tree as it is."""
    found = selections.outcome(selection, copy, copy / "output.txt", selections.OF_ALL)
    return None if found.code == selections.GREEN else (selection, found.line)


def tried(mutant: Mutant) -> tuple[bool, str]:
    """Whether the tests of a false change see it, and a line that says so."""
    path = copy / mutant.file
    before = path.read_text(encoding="utf-8")
    lines = []
    for selection in mutant.tests:
        rewrite(path, before.replace(mutant.old, mutant.new))
        found = selections.outcome(selection, copy, copy / "output.txt")
        rewrite(path, before)
        if found.code == selections.RED:
            return True, f"seen      {mutant.name}\n          {found.line}"
        lines.append(f"{selection}: {REASONS.get(found.code, found.line)}")
    return False, f"NOT SEEN  {mutant.name}\n          {'; '.join(lines)}"


REASONS = {selections.GREEN: "green", selections.NONE: "no such test"}

ticks: Iterator[int] = iter(range(1, sys.maxsize))


def rewrite(path: Path, text: str) -> None:
    """A compiled module is known by the second and the size of its source: each text gets a second
    of its own.
    """
    path.write_text(text, encoding="utf-8")
    second = time.time() + 2 * next(ticks)
    os.utime(path, (second, second))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
