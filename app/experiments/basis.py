"""Basis: a residual stream in other coordinates."""

from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from annotated_types import Le
from pydantic import Field

from app.captions import Question, fields
from app.captions.exercises import Exercise, by_findings
from app.captions.fields import Condition, choice, displayed, found, lengths, setting
from app.captions.findings import finding, measured
from app.captions.words import Words
from app.experiment import Experiment, Figure, in_words
from app.figures import theme
from app.figures.axis_scales import linear
from app.figures.marks import Bar, Cells, Of, Point, Points, Records, Scale
from app.schema.bounds import Fixed
from app.schema.controls import Control, Slider
from app.schema.questions import Clinic

if TYPE_CHECKING:
    from model.answers.answer import Answer


HALF_TURN = Fixed(Le(180), "a rotation by more than 180 degrees is one by less the other way")


class Basis(Clinic):
    norm: Annotated[
        Literal["layer", "rms"], Control({"rms": "RMSNorm", "layer": "LayerNorm"}, key="layer")
    ] = "rms"
    folded: Annotated[
        bool, Control({"true": "folded into the next matrix", "false": "left in the norm"}, "gains")
    ] = True
    rotation: Annotated[
        Literal["any", "fixing-ones"], Control({"any": "any", "fixing-ones": "preserves 1, …, 1"})
    ] = "any"

    angle: Annotated[
        float,
        Field(ge=0),
        HALF_TURN,
        Slider(0, 180, 10, "angle (°)", key="step"),
    ] = 90

    def sizes(self) -> dict[str, float]:
        return {"answer": 1, "seeds": self.seeds}


def reach(answer: "Answer", question: Question) -> tuple[float, float]:
    """The ends of the colours, which keep their meaning at every angle: rotations keep lengths, so
    no channel is ever larger than the longest vector is long; half of it shows the usual ones.
    """
    high = answer.cut("stream", state="after").data.norm(dim=-1).max().item() / 2
    return -high, high


STRIP = Cells(
    "stream",
    at={"state": "after"},
    x=lambda answer, _: [str(i + 1) for i in range(answer.axes["channel"].size)],
    y="position",
    first=1,
    columns="channel",
    rows="token",
    scale="signed",
    ends=reach,
    unit="value",
    hover="token %{y}, channel %{x}<br><b>%{z:.3g}</b>",
)
"""The stream after the rotation: a row for each token, a column for each channel."""


def probabilities(answer: "Answer", question: Question) -> list[Bar]:
    """The probability of each token of the vocabulary after the last position, twice."""
    return [
        Bar(token, str(token), probability, name, role, name)
        for values, name, role in zip(
            states(answer, "probabilities"),
            ("before", "after"),
            ("ink-soft", "attention"),
            strict=True,
        )
        for token, probability in enumerate(values.tolist())
    ]


PROBABILITIES = Records(
    probabilities,
    places="token",
    lengths=Scale("next-token probability"),
    hover="token %{x}, {name} the rotation<br>probability <b>%{y:.3g}</b>",
)


def states(answer: "Answer", tensor: str) -> tuple[np.ndarray, np.ndarray]:
    """The numbers of a tensor before a rotation and after it; of `hidden_logits`, that of the
    hidden units of the feed-forward.
    """
    data = answer.tensors[tensor].data.numpy()
    if tensor == "hidden_logits":
        return answer.tensors["logits"].data.numpy()[0], data
    return data[0], data[1]


def rotated(tensor: str, what: str, column: str, role: str) -> Figure:
    """Each number after the rotation against the same before it, over the diagonal of no change: a
    point for each position (row) and channel or token (column). Both axes have the same range,
    around 0, and the same length.
    """

    def points(answer: "Answer", question: Question) -> list[Point]:
        before, after = states(answer, tensor)
        return [
            Point(before[i, j], after[i, j], f"position {i}, {column} {j}", role, what)
            for i, j in np.ndindex(before.shape)
        ]

    def high(answer: "Answer") -> float:
        return 1.05 * max(
            float(np.abs(state).max(initial=1e-12)) for state in states(answer, tensor)
        )

    def axis(when: str) -> Of:
        return lambda answer, _: linear(
            f"{what} {when} rotation", [], low=-high(answer), high=high(answer), wanted=8
        )

    def diagonal(answer: "Answer", question: Question) -> list[dict[str, Any]]:
        low = -high(answer)
        line = {"color": theme.colour("rule-strong"), "width": 1, "dash": "4px,4px"}
        ends = {"x0": low, "x1": -low, "y0": low, "y1": -low}
        return [{"type": "line", **ends, "line": line, "layer": "below", "name": "no change"}]

    mark = Points(
        points,
        x=axis("before"),
        y=axis("after"),
        hover="%{customdata}<br>%{x:.3g} before, <b>%{y:.3g}</b> after",
        size=5,
        opacity=0.6,
        legend=False,
        even=True,
        shapes=diagonal,
    )
    return in_words(mark, tensor=tensor)


ROUNDING = 1e-9


def turned(answer: "Answer", question: Question) -> str:
    """What the rotation does: the logits have seen it, or they have not. An angle alone keeps them,
    whatever the network; a rotation that keeps the direction 1, 1, …, 1 never turns x into −x.
    """
    angle = question["angle"]
    if finding(answer, "logit_change").kind != "exact":
        return "seen"
    if angle == 180 and question["rotation"] == "any":
        return "opposite"
    return "stays" if angle == 0 else "moves"


def logits(answer: "Answer", question: Question) -> str:
    """Whether more than rounding has changed them."""
    return "rounded" if measured(answer, "logit_change") < ROUNDING else "changed"


def farthest(tensor: str) -> fields.Field:
    """The largest change of a number of a tensor."""

    def change(answer: "Answer", question: Question) -> float:
        before, after = states(answer, tensor)
        return float(np.abs(after - before).max())

    return fields.Field(change, "number")


WORDS = Words(
    "basis",
    fields={
        **setting("decimal", "angle"),
        **lengths("position"),
        **found("number", "stream_change", "logit_change", "hidden_rotation"),
        **{
            f"farthest_{tensor}": farthest(tensor)
            for tensor in ("probabilities", "stream", "logits", "hidden_logits")
        },
    },
    conditions={
        **displayed("hidden", "logits"),
        **choice("norm", "layer", "rms"),
        **choice("rotation", "any", "fixing-ones"),
        **choice("folded", "True", "False"),
        "turned": Condition(turned, ("moves", "stays", "opposite", "seen")),
        "logits": Condition(logits, ("rounded", "changed")),
    },
)


def rests_on(answer: "Answer", question: Question) -> tuple[str, ...]:
    """The findings on which the heading rests."""
    is_turned = turned(answer, question) == "seen"
    return ("logit_change",) if is_turned else ("logit_change", "stream_less_rotated")


EXPERIMENT = Experiment(
    question=Basis,
    example="norm=layer",
    figure="stream",
    figures={
        "strip": in_words(STRIP),
        "probabilities": in_words(PROBABILITIES, tensor="probabilities"),
        "stream": rotated("stream", "channel", "channel", "stream"),
        "logits": rotated("logits", "logit", "logit of token", "attention"),
        "hidden": rotated("hidden_logits", "logit", "logit of token", "feed-forward"),
    },
    words=WORDS,
    opening={"turned": "moves", "shown": "other", "rotation": "any", "norm": "rms"},
    rests_on=rests_on,
    exercise=Exercise(
        ("no", "yes"),
        by_findings({"logit_change": (1e-10,)}),
        {"norm=layer": "layer", "norm=layer&rotation=fixing-ones": "ones", "folded=false": "gains"},
    ),
)
