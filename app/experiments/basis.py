"""Basis: a residual stream in other coordinates."""

from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np
from annotated_types import Le
from pydantic import Field

from app.captions import Question
from app.captions.exercises import Exercise, by_findings
from app.captions.findings import finding
from app.captions.text import label, number
from app.captions.verdicts import Claim
from app.experiment import Experiment, Figure
from app.figures import theme
from app.figures.axis_scales import linear, named
from app.figures.panels import Panel, figure
from app.figures.plot import Plot
from app.figures.traces import bars, dots, heat_map
from app.schema.bounds import Fixed
from app.schema.controls import Control, Slider
from app.schema.questions import Clinic

if TYPE_CHECKING:
    from model.answers.answer import Answer


HALF_TURN = Fixed(Le(180), "a rotation by more than 180 degrees is one by less the other way")


class Basis(Clinic):
    norm: Annotated[
        Literal["layer", "rms"], Control({"rms": "RMSNorm", "layer": "LayerNorm"}, key="layer")
    ] = Field(
        "rms",
        description="The norm of the network: `layer` subtracts the mean, and `rms` does not.",
    )
    folded: Annotated[bool, Control({"true": "folded", "false": "in the norm"}, "gains")] = Field(
        True, description="Whether each norm's gain is moved into the matrices that read it."
    )
    rotation: Annotated[
        Literal["any", "fixing-ones"], Control({"any": "any", "fixing-ones": "keeps 1, …, 1"})
    ] = Field("any", description="`any` rotation, or one that leaves the vector of ones as it is.")

    angle: Annotated[
        float,
        Field(ge=0),
        HALF_TURN,
        Slider(0, 180, 10, "angle, °", key="step"),
    ] = Field(
        90,
        description="By how many degrees the stream is rotated, in planes at right angles to each"
        " other.",
    )

    def estimated_seconds(self) -> float:
        """Fitted to measurements on one core of a two-core server; wrong by a factor of at most
        1.5.
        """
        return 0.0044 + 0.021 * self.seeds


def strip(answer: "Answer", question: Question) -> Plot:
    """The stream after the rotation: a row for each token, a column for each channel. The colours
    keep their meaning at every angle.
    """
    after = answer.tensors["stream"].data.numpy()[1]
    # Rotations keep lengths, so no channel is ever larger than the longest vector is long; half of
    # it shows the usual ones.
    high = float(np.linalg.norm(after, axis=-1).max()) / 2
    hover = "token %{y}, channel %{x}<br><b>%{z:.3g}</b>"
    rows, channels = ([str(i + 1) for i in range(n)] for n in after.shape)
    panel = Panel(
        named("channel", channels),
        named("token", rows, down=True),
        [heat_map(after, hover, "signed", ends=(-high, high), unit="value")],
    )
    said = f"The stream rotated by {question['angle']:g} degrees, {len(rows)} tokens."
    return figure(panel, description=said)


def probabilities(answer: "Answer", question: Question) -> Plot:
    """The probability of each token of the vocabulary after the last position, twice."""
    before, after = answer.tensors["probabilities"].data.numpy()
    tokens = list(range(len(before)))
    told = "token %{x}, PLACE the rotation<br>probability <b>%{y:.3g}</b>"
    traces = [
        bars(tokens, before, "before", "ink-soft", told.replace("PLACE", "before"), legend=True),
        bars(
            tokens,
            after,
            "after",
            "attention",
            told.replace("PLACE", "after"),
            legend=True,
            width=0.4,
        ),
    ]
    panel = Panel(
        linear("token", tokens, low=-0.5, high=len(tokens) - 0.5),
        linear("probability of the next token", [before, after]),
        traces,
    )
    farthest = number(float(np.abs(after - before).max()))
    said = f"Probabilities before and after the rotation; the largest change is {farthest}."
    return figure(panel, description=said)


def stream(answer: "Answer", question: Question) -> Plot:
    """The channels of the stream before and after the rotation."""
    before, after = answer.tensors["stream"].data.numpy()
    return rotated(before, after, "channel", "channel", "stream")


def logits(answer: "Answer", question: Question) -> Plot:
    """The logits before and after a rotation of the stream."""
    before, after = answer.tensors["logits"].data.numpy()
    return rotated(before, after, "logit", "logit of token", "attention")


def hidden(answer: "Answer", question: Question) -> Plot:
    """The logits before and after a rotation of the hidden units of the feed-forward."""
    before = answer.tensors["logits"].data.numpy()[0]
    after = answer.tensors["hidden_logits"].data.numpy()
    return rotated(before, after, "logit", "logit of token", "feed-forward")


def rotated(before: np.ndarray, after: np.ndarray, what: str, column: str, role: str) -> Plot:
    """A point for each position (row) and channel or token (column)."""
    rows, columns = before.shape
    names = [f"position {i}, {column} {j}" for i in range(rows) for j in range(columns)]
    farthest = number(float(np.abs(after - before).max()))
    said = f"Each {what} after against before; the largest change is {farthest}."
    return figure(compared(before, after, names, what, role), description=said)


def compared(
    before: np.ndarray, after: np.ndarray, names: list[str], what: str, role: str
) -> Panel:
    """Each number after something against the same before it, over the diagonal of no change. Both
    axes have the same range, around 0, and the same length.
    """
    first, second = before.ravel(), after.ravel()
    both = np.concatenate([first, second])
    high = 1.05 * float(np.abs(both).max(initial=1e-12))
    low = -high
    hover = "%{customdata}<br>%{x:.3g} before, <b>%{y:.3g}</b> after"
    return Panel(
        linear(f"{what}, before", both, low=low, high=high, wanted=8),
        linear(f"{what}, after", both, low=low, high=high, wanted=8),
        [dots(first, second, what, role, hover, customdata=[label(name) for name in names])],
        shapes=[
            {
                "type": "line",
                "x0": low,
                "x1": high,
                "y0": low,
                "y1": high,
                "line": {"color": theme.colour("rule-strong"), "width": 1, "dash": "4px,4px"},
                "layer": "below",
                "name": "no change",
            }
        ],
        even=True,
    )


CLAIM = "No channel of the residual stream is special"
LOOK_FOR = (
    "On the left each row is the vector of one token, with a colour for each channel. On the right"
    " are the probabilities of the next token. Move the angle: every channel changes, and no"
    " probability does."
)
THEN = {
    "any": " Then choose LayerNorm, and the probabilities move too.",
    "fixing-ones": " Then choose LayerNorm and any rotation, and the probabilities move too.",
}
LOGITS = (
    "Each point on the right is one logit, before the rotation (across) and after it (up). On the"
    " diagonal, the two are equal. Move the angle, and compare the points with the diagonal."
)
HIDDEN = (
    "Each point on the right is one logit, before and after the hidden units of the feed-forward"
    " are"
    " rotated by random rotations. The points leave the diagonal, because ReLU acts on each unit"
    " alone."
)
CHANGED = {
    "gains": "Every channel of the residual stream is special: each gain belongs to one",
    "layer": "One direction of the residual stream is special: LayerNorm singles it out",
}
UNCHANGED = {
    0: "A rotation by 0° is none, and changes no logit",
    180: "A rotation by 180° turns every x into −x, and changes no logit",
}
LOOK_FOR_CHANGE = (
    "Move the angle: the channels on the left change, and now the probabilities on the right change"
    " as well. {} Then the probabilities stand still."
)
REMEDY = {
    "gains": "Fold the gains into the matrices after the norms, with RMSNorm.",
    "layer": "Choose the rotation that keeps the direction 1, 1, …, 1.",
}
STILL = {
    0: "An angle of 0° rotates nothing. Move the angle, and watch the two figures.",
    180: (
        "At 180° every vector x becomes −x. A norm turns −x into −norm(x), so nothing that is read"
        " from the stream changes. Choose 90°, and compare."
    ),
}
ROUNDING = 1e-9


def claim(answer: "Answer", question: Question) -> Claim:
    """The heading, and the findings that say whether it holds."""
    if finding(answer, "logit_change").kind == "exact":
        text = UNCHANGED[question["angle"]] if is_still(question) else CLAIM
        return Claim(text, ("logit_change", "stream_less_rotated"))
    return Claim(CHANGED[reason(question)], ("logit_change",))


def is_still(question: Question) -> bool:
    """Whether the angle alone keeps the logits, whatever the network. A rotation that keeps the
    direction 1, 1, …, 1 never turns x into −x.
    """
    angle = question["angle"]
    return angle == 0 or (angle == 180 and question["rotation"] == "any")


def reason(question: Question) -> str:
    """What keeps a rotation from passing the norm."""
    return "layer" if question["folded"] else "gains"


def look_for(answer: "Answer", question: Question) -> str:
    """What to look for in the figures."""
    if "probabilities" not in question["figures"]:
        if "hidden" in question["figures"]:
            return HIDDEN
        if "logits" in question["figures"]:
            return LOGITS
    exact = finding(answer, "logit_change").kind == "exact"
    if exact and is_still(question):
        return STILL[question["angle"]]
    if exact:
        return LOOK_FOR + THEN[question["rotation"]]
    return LOOK_FOR_CHANGE.format(REMEDY[reason(question)])


def reading(answer: "Answer", question: Question) -> str:
    """The number to read off, of what is rotated in the figure on the right."""
    if "hidden" in question["figures"]:
        moved = number(finding(answer, "hidden_rotation").number)
        return (
            f"A rotation of the hidden units changes a logit by up to {moved}; another order of"
            " them changes none."
        )
    stream, logit = (finding(answer, name).number for name in ("stream_change", "logit_change"))
    logits = (
        "no logit by more than rounding does"
        if logit < ROUNDING
        else f"a logit by up to {number(logit)}"
    )
    return (
        f"The rotation by {question['angle']:g}° moves the stream by {number(stream)} times its"
        f" length and changes {logits}."
    )


def asks(question: Question) -> str:
    """The exercise: whether a rotation changes the logits."""
    norm = "LayerNorm" if question["norm"] == "layer" else "RMSNorm"
    kept = ", which leaves the vector of ones as it is," if question["rotation"] != "any" else ""
    return (
        f"Every vector of the stream of a network with {norm} is turned by the same rotation of"
        f" {question['angle']:g}°{kept} and every matrix that writes to the stream or reads from it"
        " is turned to match. The gains of the norms are"
        f" {'' if question['folded'] else 'not '}folded into the matrices. Do the logits of the"
        " next token change?"
    )


EXPERIMENT = Experiment(
    question=Basis,
    sentence="How far the logits change when the residual stream is rotated, together with every"
    " matrix that reads or writes it",
    example="norm=layer",
    figure="stream",
    figures={
        "strip": Figure("The stream after the rotation", strip, tensor="stream"),
        "probabilities": Figure("The next token", probabilities, tensor="probabilities"),
        "stream": Figure("The stream, rotated", stream, tensor="stream"),
        "logits": Figure("The logits, stream rotated", logits, tensor="logits"),
        "hidden": Figure("The logits, hidden units rotated", hidden, tensor="hidden_logits"),
    },
    claim=CLAIM,
    claim_of=claim,
    look_for=LOOK_FOR,
    look_for_of=look_for,
    reading=reading,
    exercise=Exercise(
        asks,
        ("No, by rounding at most", "Yes"),
        by_findings({"logit_change": (1e-10,)}),
        {
            "norm=layer": "LayerNorm",
            "norm=layer&rotation=fixing-ones": "LayerNorm, and the vector of ones kept",
            "folded=false": "gains not folded",
        },
    ),
)
