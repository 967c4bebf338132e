"""Circuits theory: two layers of attention alone, as a sum of paths."""

import math
from functools import partial
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from app.captions import Question, axes, fields
from app.captions.exercises import Exercise, by_findings
from app.captions.fields import Condition, choice, displayed, found, means, setting, stated
from app.captions.findings import finding, measured
from app.captions.text import decimals, number
from app.captions.words import Words
from app.experiment import Experiment, Figure, in_words
from app.figures.marks import Cells
from app.schema.answers import ClinicAnswer
from app.schema.bounds import up_to
from app.schema.controls import Control
from app.schema.questions import Clinic

if TYPE_CHECKING:
    from torch import Tensor

    from model.answers.answer import Answer

BY = {"q": "queries", "k": "keys", "v": "values"}
STEPS = (
    0,
    50,
    100,
    150,
    200,
    250,
    300,
    350,
    400,
    500,
    600,
    700,
    800,
    1000,
    1200,
    1400,
    1700,
    2000,
    2500,
    3000,
)


class CircuitsTheory(Clinic):
    weights: Annotated[
        Literal["constructed", "random", "trained"],
        Control({"constructed": "constructed", "random": "random", "trained": "trained"}),
    ] = "constructed"
    step: Annotated[
        Annotated[int, Field(ge=0), up_to("kept_step")] | None,
        Control({n: f"{n} steps" for n in STEPS}, "trained for", key="head", opens=3000),
    ] = None

    def sizes(self) -> dict[str, float]:
        return {"trained" if self.weights == "trained" else "untrained": self.seeds}


class CircuitsTheoryFigures(CircuitsTheory):
    display_fields: ClassVar = ("position", "composition")

    position: Annotated[
        Literal["0", "1", "2", "3", "4", "5", "6", "7"],
        Control({n: str(n) for n in range(8)}, key="step"),
    ] = "3"
    composition: Annotated[
        Literal["q", "k", "v"],
        Control(BY, "composition through", key="layer"),
    ] = "k"


class CircuitsTheoryAnswer(ClinicAnswer):
    letters: str
    period: int
    expected: float
    pair: list[str]
    step: int | None = None


PAST = "past"


def paths(tensor: str, rows: str, columns: str) -> Figure:
    """What each path gives at the chosen position, with the sum of each row. The scale of colours
    is the same at all positions.
    """
    down, across = WAYS[tensor]

    def values(answer: "Answer", question: Question) -> np.ndarray:
        return answer.tensors[tensor].data[int(question["position"])].numpy()

    def ends(answer: "Answer", question: Question) -> tuple[float, float]:
        most = 2.0 ** math.ceil(math.log2(answer.tensors[tensor].data.abs().max().item()))
        return -most, most

    def ways(answer: "Answer", question: Question) -> list[list[str]]:
        names = [axes.labels(answer, axis) for axis in (down, across)]
        return [[SAYS[tensor](row, column) for column in names[1]] for row in names[0]]

    def hover(answer: "Answer", question: Question) -> str:
        total = number(values(answer, question).sum())
        return f"%{{customdata}}<br><b>%{{z:.3g}}</b> of the total {total}"

    mark = Cells(
        tensor,
        numbers=values,
        x=across,
        y=down,
        columns=columns,
        rows=rows,
        scale="signed",
        ends=ends,
        text=partial(decimals, digits=1),
        says=ways,
        sums=True,
        even=True,
        hover=hover,
    )
    return in_words(mark)


def through(second: str, first: str) -> str:
    """A path past or through the heads of both layers."""
    heads = [head for head in (first, second) if head != PAST]
    return f"through {', then '.join(heads)}" if heads else "direct path"


def query_and_key(query: str, key: str) -> str:
    """How query and key came to the head of layer 1."""
    sources = ["directly" if way == PAST else f"through {way}" for way in (query, key)]
    return f"query {sources[0]}, key {sources[1]}"


WAYS = {"logit_paths": ("way_2", "way_1"), "score_paths": ("query", "key")}
SAYS = {"logit_paths": through, "score_paths": query_and_key}
PAIRS = Cells(
    "composition",
    at={"composition": "{composition}"},
    x="first",
    y="second",
    columns="head of layer 0",
    rows="head of layer 1",
    scale="signed",
    ends=lambda answer, _: (0, 2 * answer.fields["expected"]),
    text=decimals,
    even=True,
    hover=lambda answer, question: (
        f"%{{x}} → %{{y}} through {BY[question['composition']]}"
        f"<br><b>%{{z:.3g}}</b>; {WORDS('random', answer, question)}"
    ),
)
"""The composition of each pair of heads. The scale goes from nothing to twice what random pairs are
expected to have, where it has no colour.
"""


HALF = 0.5
GUESSED = 0.15
"""Twice what a guess among 15 letters would be right for, in round numbers."""
RESTS_ON = ("accuracy", "share.layer_2", "over_baseline", "ablated.1.0")


def rests_on(answer: "Answer", question: Question) -> tuple[str, ...]:
    """The findings on which the heading rests. In the random network its pair
    composes as random pairs do, which is the law there and no part of the claim.
    """
    by_weights = {
        "constructed": (*RESTS_ON, "ablated.2.0"),
        "random": ("accuracy", "share.score"),
        "trained": RESTS_ON,
    }
    return by_weights[question["weights"]]


def state(answer: "Answer", question: Question) -> str:
    """How far the network has learned."""
    if question["weights"] == "constructed":
        return "constructed"
    right = measured(answer, "accuracy")
    if question["weights"] == "random" or right < HALF:
        return "guessing" if right < GUESSED else "beginning"
    return "learned" if all(finding(answer, name).holds for name in RESTS_ON) else "learning"


def at_position(answer: "Answer", question: Question, tensor: str) -> "Tensor":
    """What the paths give at the chosen position."""
    return answer.tensors[tensor].data[int(question["position"])].double()


def path(answer: "Answer", question: Question) -> tuple[float, float]:
    """What the one path adds in the figure that is shown, and what all others add."""
    first, second = (int(name.split("H")[1]) for name in answer.fields["pair"])
    score = "score" in question["figures"]
    paths = at_position(answer, question, "score_paths" if score else "logit_paths")
    part = paths[0, 1 + first] if score else paths[1 + second, 0]
    return part.item(), (paths.sum() - part).item()


def letters(answer: "Answer", question: Question) -> tuple[str, str]:
    """The two letters up to the chosen position of the repetition, and the one after them."""
    text = answer.fields["letters"]
    here = len(text) - 1 - len(axes.labels(answer, "position")) + int(question["position"])
    return text[here - 1 : here + 1], text[here + 1]


def over(answer: "Answer", question: Question) -> float:
    """This pair’s virtual weights for the chosen composition, divided by a random pair’s."""
    chosen, (first, second) = question["composition"], answer.fields["pair"]
    value = answer.cut("composition", composition=chosen, second=second, first=first)
    return (
        value.data.item() / answer.cut("baseline", composition=chosen, statistic="mean").data.item()
    )


WORDS = Words(
    "circuits_theory",
    fields={
        **stated("text", "pair.0", "pair.1"),
        "sequence": fields.Field(
            lambda answer, _: answer.fields["letters"][1:], "text", measured=False
        ),
        "read": fields.Field(lambda *inputs: letters(*inputs)[0], "text", measured=False),
        "following": fields.Field(lambda *inputs: letters(*inputs)[1], "text", measured=False),
        "part": fields.Field(lambda *inputs: path(*inputs)[0], "tenths"),
        "rest": fields.Field(lambda *inputs: path(*inputs)[1], "tenths"),
        "over": fields.Field(over, "decimals"),
        **means(
            "number",
            "baseline",
            {"composition": "{composition}"},
            statistic=("mean", "standard deviation"),
        ),
        "logit_total": fields.Field(
            lambda *inputs: at_position(*inputs, "logit_paths").sum().item(), "number"
        ),
        "score_total": fields.Field(
            lambda *inputs: at_position(*inputs, "score_paths").sum().item(), "number"
        ),
        **setting("whole", "step"),
        **found("fraction", "accuracy", "ablated.1.0", "ablated.2.0"),
    },
    conditions={
        **choice("weights", "constructed", "random", "trained"),
        **choice("composition", "q", "k", "v"),
        **displayed("score"),
        "state": Condition(state, ("constructed", "guessing", "beginning", "learning", "learned")),
        "spared": Condition(
            lambda answer, _: "yes" if measured(answer, "ablated.2.0") > HALF else "no",
            ("yes", "no"),
        ),
        "ends": Condition(
            lambda _, question: "last" if question.get("step") is None else "earlier",
            ("last", "earlier"),
        ),
    },
)


EXPERIMENT = Experiment(
    question=CircuitsTheory,
    answer=CircuitsTheoryAnswer,
    example="weights=random",
    figure_query=CircuitsTheoryFigures,
    figures={
        "logit": paths("logit_paths", "through layer 1", "through layer 0"),
        "score": paths("score_paths", "query through layer 0", "key through layer 0"),
        "pairs": in_words(PAIRS),
    },
    words=WORDS,
    opening={
        "weights": "constructed",
        "state": "constructed",
        "composition": "k",
        "pair_0": "L0H0",
        "pair_1": "L1H0",
    },
    rests_on=rests_on,
    exercise=Exercise(
        ("little", "part", "most"),
        by_findings({"share.logit": (0.2, 0.8)}),
        {"weights=trained": "trained", "weights=random": "random"},
    ),
)
