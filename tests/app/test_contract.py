"""The contract of `meta`: the scripts read the types that Python declares, and a figure that breaks
it is noticed. Every figure of every choice is compared with it in `test_every_choice`.
"""

from copy import deepcopy

import pytest

from app.figures.annotations import at_end
from app.figures.axis_scales import linear
from app.figures.panels import Panel, figure
from app.figures.plot import Plot
from app.figures.traces import line
from tests.app.contract import FILE, breaches, written


def test_the_types_of_the_scripts_are_those_of_python():
    assert FILE.read_text(encoding="utf-8") == written(), "python -m tests.app.contract"


def drawn() -> Plot:
    one = line([1, 2], [3, 4], "loss", "query", "%{y}")
    level, upright = linear("step", [1, 2]), linear("loss", [3, 4])
    return figure(Panel(level, upright, [one], [at_end(2, 4, "loss", "query")]), description="")


def test_a_figure_of_panels_keeps_to_it():
    assert list(breaches(drawn())) == []


@pytest.mark.parametrize(
    ("place", "said", "breach"),
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
def test_what_is_not_declared_is_noticed(place: tuple, said: dict, breach: str):
    made = deepcopy(drawn())
    part = made
    for step in place:
        part = part[step]
    part |= said
    assert any(one.startswith(breach) for one in breaches(made))
