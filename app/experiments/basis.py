"""Basis: a residual stream in other coordinates."""

from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np
from annotated_types import Le
from pydantic import Field

from app.captions import Question, fields
from app.captions.exercises import Exercise, by_findings
from app.captions.fields import Condition, choice, found, lengths, setting, shown
from app.captions.findings import finding, measured
from app.captions.text import label
from app.captions.verdicts import Claim
from app.captions.words import Words
from app.experiment import Experiment, Figure, in_words
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
    return figure(panel)


def probabilities(answer: "Answer", question: Question) -> Plot:
    """The probability of each token of the vocabulary after the last position, twice."""
    before, after = states(answer, "probabilities")
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
    return figure(panel)


def states(answer: "Answer", tensor: str) -> tuple[np.ndarray, np.ndarray]:
    """The numbers of a tensor before a rotation and after it; of `hidden_logits`, that of the
    hidden units of the feed-forward.
    """
    data = answer.tensors[tensor].data.numpy()
    if tensor == "hidden_logits":
        return answer.tensors["logits"].data.numpy()[0], data
    return data[0], data[1]


def rotated(tensor: str, what: str, column: str, role: str) -> Figure:
    """A point for each position (row) and channel or token (column)."""

    def points(answer: "Answer", question: Question) -> Plot:
        before, after = states(answer, tensor)
        rows, columns = before.shape
        names = [f"position {i}, {column} {j}" for i in range(rows) for j in range(columns)]
        return figure(compared(before, after, names, what, role))

    return in_words(points, tensor=tensor)


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
        **shown("hidden", "logits"),
        **choice("norm", "layer", "rms"),
        **choice("rotation", "any", "fixing-ones"),
        **choice("folded", "True", "False"),
        "turned": Condition(turned, ("moves", "stays", "opposite", "seen")),
        "logits": Condition(logits, ("rounded", "changed")),
    },
)


def claim(answer: "Answer", question: Question) -> Claim:
    """The heading, and the findings that say whether it holds."""
    seen = turned(answer, question) == "seen"
    rests_on = ("logit_change",) if seen else ("logit_change", "stream_less_rotated")
    return Claim(WORDS("claim", answer, question), rests_on)


EXPERIMENT = Experiment(
    question=Basis,
    sentence="How far the logits change when the residual stream is rotated, together with every"
    " matrix that reads or writes it",
    example="norm=layer",
    figure="stream",
    figures={
        "strip": in_words(strip, tensor="stream"),
        "probabilities": in_words(probabilities, tensor="probabilities"),
        "stream": rotated("stream", "channel", "channel", "stream"),
        "logits": rotated("logits", "logit", "logit of token", "attention"),
        "hidden": rotated("hidden_logits", "logit", "logit of token", "feed-forward"),
    },
    words=WORDS,
    opening={"turned": "moves", "shown": "other", "rotation": "any"},
    claim_of=claim,
    exercise=Exercise(
        ("no", "yes"),
        by_findings({"logit_change": (1e-10,)}),
        {"norm=layer": "layer", "norm=layer&rotation=fixing-ones": "ones", "folded=false": "gains"},
    ),
)
