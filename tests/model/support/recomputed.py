"""What holds of every run, whatever was read: its names are the vocabulary's, and each number
follows from its operands.
"""

import math

from model.analyses.explain import explain
from model.runs.run import Run
from tests.rounding import SINGLE, same


def corners_and_middle(shape: tuple[int, ...]) -> list[str]:
    """The first cell, the last, and one in between."""
    places = [[0] * len(shape), [n - 1 for n in shape], [n // 2 for n in shape]]
    return [",".join(map(str, place)) for place in places]


def assert_every_number_follows(of: Run) -> None:
    for name, row in of.vocabulary.items():
        for at in corners_and_middle(of.trace[name].shape):
            fields = explain(of, name=name, at=at).fields
            recorded = of.trace[name][tuple(map(int, at.split(",")))].item()
            if recorded == -math.inf:
                assert (fields["value"], fields["recomputed"]) == (None, None)
            else:
                assert fields["value"] == recorded
                same(
                    fields["recomputed"],
                    recorded,
                    SINGLE,
                    scale=1,
                    what=(
                        name,
                        at,
                        row.rule,
                    ),
                )


def assert_axes_fit(of: Run) -> None:
    assert list(of.trace) == list(of.vocabulary)
    for name, row in of.vocabulary.items():
        assert tuple(of.axes[axis].size for axis in row.axes) == tuple(of.trace[name].shape), name
