"""The contract of `meta`: the scripts read the types that Python declares, and a figure that breaks
it is noticed. Every figure of every choice is compared with it in `test_every_choice`.
"""

from copy import deepcopy

import pytest

from app.figures.axis_scales import linear
from app.figures.plot import Panel, Plot, figure
from app.figures.traces import at_end, line
from tests.app.contract import FILE, breaches, declarations


def test_the_types_of_the_scripts_are_those_of_python():
    assert FILE.read_text(encoding="utf-8") == declarations(), "python -m tests.app.contract"


def example_plot() -> Plot:
    trace = line([1, 2], [3, 4], "loss", "query", "%{y}")
    level, upright = linear("step", [1, 2]), linear("loss", [3, 4])
    return figure(Panel(level, upright, [trace], [at_end(2, 4, "loss", "query")]), description="")


def test_a_figure_of_panels_keeps_to_it():
    assert list(breaches(example_plot())) == []


@pytest.mark.parametrize(
    ("place", "change", "breach"),
    [
        (("layout", "meta"), {"titel": "Loss"}, "layout.meta.titel is not declared"),
        (("layout", "meta"), {"title": 3}, "layout.meta.title is 3"),
        (("layout", "meta"), {"notes": []}, "layout.meta.notes: not one for each annotation"),
        (("layout", "meta"), {"notes": [{"kind": "end"}]}, "layout.meta.notes[0] is"),
        (("layout", "meta"), {"facts": [{"term": "n"}]}, "layout.meta.facts[0].value is missing"),
        (("layout", "meta"), {"kind": "guessed"}, "layout.meta.kind is 'guessed'"),
        (("data", 0, "meta"), {"role": ["query", 1]}, "data[0].meta.role is ['query', 1]"),
        (("data", 0, "meta"), {"across": True}, "data[0].meta.across is True"),
    ],
)
def test_what_is_not_declared_is_noticed(place: tuple, change: dict, breach: str):
    plot = deepcopy(example_plot())
    part = plot
    for step in place:
        part = part[step]
    part |= change
    assert any(each.startswith(breach) for each in breaches(plot))
