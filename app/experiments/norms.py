"""Norms: how the stream grows with depth, by where the norm stands; and what a norm is."""

from bisect import bisect_right
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from pydantic import Field

from app.captions import Question, axes, fields
from app.captions.exercises import Decision, Exercise
from app.captions.fields import Condition, choice, counts, displayed, found, named, setting, where
from app.captions.findings import finding
from app.captions.plain_names import AVERAGES
from app.captions.text import number
from app.captions.words import Words
from app.experiment import Experiment, in_words
from app.figures import placements
from app.figures.marks import Cells, Lines, Look, Rule, Scale
from app.limits import Limit
from app.schema.bounds import up_to
from app.schema.controls import COSTLY, Control
from app.schema.questions import Channels, Clinic, Placed, Placement
from model.layers.choice_names import NORM_NAMES
from model.words import text

if TYPE_CHECKING:
    from model.answers.answer import Answer

SHORTCUT = Limit(
    "shortcut",
    1.5,
    "ratio",
    "The shortcut of `/norms` may multiply the stream by this much.",
    float,
)


NormName = Literal[*NORM_NAMES]  # ty: ignore[invalid-type-form]
"""Every norm of the table; a type checker wants them typed once more."""


class Norms(Placed, Clinic):
    placement: Placement = "pre"
    norm: Annotated[NormName, Control(NORM_NAMES)] = Field(
        "layer",
        description=text("norms", "Norms.norm", {"names": tuple(NORM_NAMES.values())}, "en"),
    )
    depth: Annotated[int, Field(ge=2), up_to("depth"), COSTLY, Control((12, 24, 48, 64))] = 48
    d_model: Annotated[Channels, COSTLY, Control((32, 64, 128), "width d")] = 64
    shortcut: Annotated[float, Field(ge=0.5), up_to(SHORTCUT), Control((0.9, 1, 1.1), "λ")] = 1.0

    def sizes(self) -> dict[str, float]:
        read = self.MEMORY_SUBLAYERS if self.stack == "decoder" else 0
        sublayers = self.seeds * (self.depth + read)
        return {
            "answer": 1,
            "sublayers": sublayers,
            "channels": sublayers * self.d_model,
            "products": sublayers * self.d_model**2,
            "jacobians": self.d_model**2,
        }


DOTTED = "2px,4px"
SUBLAYERS = {"encoder": 2, "decoder": 3}


def placement_lines(answer: "Answer", question: Question) -> dict[str, dict[str, str]]:
    """A line for each placement; the chosen one has seeds. A stack without a norm grows by decades
    and is drawn only where it was chosen.
    """
    chosen = question["placement"]
    return {
        name: {"tensor": "stream"} if name == chosen else {"placement": name}
        for name in axes.labels(answer, "placement")
        if name != "none" or chosen == "none"
    }


def bound(name: str) -> Rule:
    """A bound of Lemma 2 at the end of each layer, where it speaks of the stream."""

    def lemma(answer: "Answer", question: Question) -> np.ndarray | None:
        if not bounded(question):
            return None
        size, ends = SUBLAYERS[question["stack"]], np.full(answer.axes["sublayer"].size, np.nan)
        layers = answer.cut("lemma", bound=name).data.numpy()
        ends[size - 1 :: size] = layers[: len(ends[size - 1 :: size])]
        return ends

    hover = f"{name} bound of Lemma 2, after sub-layer %{{x}}<br>length %{{y:.3g}}"
    return Rule(f"{name} bound", lemma, hover, dash=DOTTED, law=True, last=True)


STREAM = Lines(
    "stream.all",
    x="sublayer",
    parts=placement_lines,
    looks=placements.look_of,
    seeds="above",
    names="both",
    rules=[bound("lower"), bound("upper")],
    hover="{name}, after sub-layer %{x}<br>length <b>%{y:.3g}</b>",
    x_scale=Scale("sub-layer n", kind="measured"),
    y=Scale("length |x|", kind="rounded"),
)
"""The length of a token's vector by depth, a line for each placement."""


def style_of(scale: Any, question: Question) -> Look:
    chosen = scale == question["shortcut"]
    return Look(f"λ = {scale:g}", "stream" if chosen else PATH_ROLES[scale], dots=chosen)


PATH_ROLES = {0.9: "head:0", 1.0: "head:1", 1.1: "head:2"}
PATH = Lines(
    "path",
    x="sublayer",
    by="scale",
    looks=style_of,
    names="both",
    hover="{name}, after %{x} residual connections<br><b>%{y:.3g}</b> of the input’s length",
    x_scale=Scale("sub-layer n", low=0.5, beyond=0.5),
    y=Scale("length / initial length", kind="log"),
)
"""What the shortcuts alone leave of a vector's length, a line for each scale."""


def bounded(question: Question) -> bool:
    """Whether Lemma 2 speaks of the stream: of Pre-LN with plain shortcuts."""
    return question["placement"] == "pre" and question["shortcut"] == 1


def growth(answer: "Answer", question: Question) -> str:
    """What the norm and the shortcuts do to the length of a vector."""
    shortcut = question["shortcut"]
    if question["placement"] == "none":
        return "free"
    return "fades" if shortcut < 1 else "grows" if shortcut > 1 else "level"


NEAR_A_ROOT = 0.1
"""How far from 1/2 the exponent of a growth may be that is called that of a square root."""


def ending(answer: "Answer", question: Question) -> str:
    """How much longer the chosen stream becomes, as it is printed, and how that depends on the
    depth where the law speaks of it.
    """
    first, *_, last = map(number, answer.tensors["stream"].data.tolist())
    exponent = finding(answer, "stream_exponent")
    if first == last:
        return "kept"
    grows = times(answer, question) > 1
    if exponent.verdict == "not applicable" or grows != (exponent.number > 0):
        return "longer"
    return "root" if abs(exponent.number - 0.5) <= NEAR_A_ROOT else "power"


def times(answer: "Answer", question: Question) -> float:
    """How many times as long as at first a vector is at last, as it is drawn."""
    first, *_, last = answer.tensors["stream"].data.tolist()
    return last / first


def ratios(answer: "Answer") -> list[float]:
    """The same for each seed."""
    lengths = answer.tensors["stream.by_seed"].data
    return (lengths[:, -1] / lengths[:, 0]).tolist()


def grown(answer: "Answer", question: Question) -> Decision:
    """The choices of the exercise that any seed gives; one seed says nothing of others."""
    by_placement = ratios(answer)
    choices = (
        range(3)
        if len(by_placement) == 1
        else {bisect_right((0.5, 2), ratio) for ratio in by_placement}
    )
    return choices, WORDS("asks.reason", answer, question)


WORDS = Words(
    "norms",
    fields={
        **setting("whole", "depth", "d_model"),
        **setting("decimal", "shortcut"),
        **counts("seeds"),
        **named("placement", placements.NAMES),
        **named("norm", NORM_NAMES),
        **fields.lengths("sublayer"),
        **found("decimals", "stream_exponent"),
        **fields.means("number", "stream", sublayer=("first",)),
        "times": fields.Field(times, "number"),
        "lowest": fields.Field(lambda answer, _: min(ratios(answer)), "number"),
        "highest": fields.Field(lambda answer, _: max(ratios(answer)), "number"),
        "placements": fields.Field(
            lambda *inputs: [placements.NAMES[name] for name in placement_lines(*inputs)],
            "names",
            measured=False,
        ),
        "scales": fields.Field(
            lambda answer, _: ", ".join(answer.cut("path").along("scale")), "text", measured=False
        ),
        "near_one": fields.Field(
            lambda answer, _: int((answer.cut("singular").data > 0.5).sum()), "whole"
        ),
    },
    conditions={
        **displayed("singular", "leak"),
        **choice("stack", "encoder", "decoder"),
        **where("centred", lambda question: question["norm"] == "layer"),
        "growth": Condition(growth, ("level", "fades", "grows", "free")),
        "ending": Condition(ending, ("kept", "longer", "root", "power")),
        **where("normed", lambda question: question["placement"] != "none"),
        **where("bounds", bounded),
    },
)
EXPERIMENT = Experiment(
    question=Norms,
    example="placement=branch&depth=8&d_model=32",
    figures={
        "stream": in_words(STREAM),
        "path": in_words(PATH),
        "singular": in_words(
            Lines(
                "singular",
                x="channel",
                looks={"": Look("singular value × σ", "stream")},
                names="none",
                hover="rank %{x}<br>singular value × σ = <b>%{y:.3g}</b>",
                x_scale=Scale("rank of singular value", low=0.5, beyond=0.5),
                y=Scale("singular value × σ", low=-0.02, high=1.1),
            )
        ),
        "leak": in_words(
            Cells(
                "leak",
                x="source",
                y="averages",
                columns="resampled",
                rows="norm",
                names=AVERAGES,
                unit="largest change",
                text=number,
                hover="%{y}, %{x} resampled<br>changes a token by at most <b>%{z:.3g}</b>",
            )
        ),
    },
    words=WORDS,
    opening={"shown": "other", "growth": "level"},
    rests_on=("stream.post", "lemma_2"),
    exercise=Exercise(
        ("half", "neither", "twice"),
        grown,
        {"placement=post": "post", "shortcut=0.9": "shortcut", "placement=none": "none"},
    ),
)
