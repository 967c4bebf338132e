"""What the prose of a page says in general is so at other settings than those it opens on, or its
sentence names the setting: each is asked there.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from model import analyses
from model.answers.answer import Answer
from tests.app.questions import CLINICS, ask, asked_with

TEMPLATES = Path(__file__).parents[3] / "templates" / "pages"
Fields = dict[str, Any]


@dataclass(frozen=True)
class Stated:
    """A sentence of a page, the settings at which it is asked, and whether an answer has it so."""

    page: str
    words: str
    settings: tuple[Fields, ...]
    so: Callable[[Answer], bool]


def shares(answer: Answer, placement: str) -> list[float]:
    """The share of the newest sub-layer at the first and at the last depth."""
    return answer.cut("dependency.all", placement=placement).data[[0, -1]].tolist()


STATED = (
    Stated(
        "dependency",
        "choose Pre-LN and go from 2 to 12 layers: the newest sub-layer’s fraction falls",
        ({"layers": 12, "seeds": 2}, {"layers": 12, "seeds": 2, "d_model": 32}),
        lambda answer: shares(answer, "pre")[1] < shares(answer, "pre")[0],
    ),
    Stated(
        "dependency",
        "With Post-LN, it doesn’t",
        ({"layers": 12, "seeds": 2}, {"layers": 12, "seeds": 2, "d_model": 32}),
        lambda answer: shares(answer, "post")[1] > shares(answer, "post")[0],
    ),
)


def prose(page: str) -> str:
    """The text of a page's template, with its formulas as they are typed."""
    text = (TEMPLATES / f"{page}.html").read_text(encoding="utf-8")
    text = re.sub(r'\{\{ tex\("(.*?)"\) \}\}', r"\1", text)
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]*>", "", text)))


@pytest.mark.parametrize("stated", STATED, ids=lambda claim: f"{claim.page}: {claim.words[:40]}")
def test_a_general_sentence_of_a_page_is_so_at_other_settings(stated: Stated):
    assert stated.words in prose(stated.page)
    clinic = CLINICS[stated.page]
    for setting in stated.settings:
        whole = asked_with(clinic)(**setting).model_dump()
        assert stated.so(ask(stated.page, whole)), setting


@pytest.mark.parametrize("heads", [1, 3, 5, 8, 12])
def test_the_head_that_favours_near_keys_most_is_the_one_with_the_steepest_slope(heads: int):
    """Where the number of heads is no power of two, it is not the first (Press et al. 2022)."""
    answer = analyses.answer("positions", {"scheme": "alibi", "heads": heads, "length": 16})
    steepest = answer.tensors["bias"].data.abs().amax(1).argmax()
    assert (int(steepest) != 0) == (heads in (3, 5, 12))
    assert "the steeper its slope, the more this head favors nearby keys" in prose("positions")
