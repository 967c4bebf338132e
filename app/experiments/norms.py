"""Norms: how long the stream's vectors become with depth, by where the norm stands; and what a
norm itself is.
"""

from bisect import bisect_right
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from pydantic import Field

from app.captions import Question, axes, fields
from app.captions.exercises import Decision, Exercise
from app.captions.fields import Condition, choice, counts, found, named, setting, shown, where
from app.captions.findings import finding
from app.captions.plain_names import AVERAGES
from app.captions.text import number
from app.captions.words import Words
from app.experiment import Experiment, in_words
from app.figures import placements
from app.figures.annotations import end_of
from app.figures.axis_scales import at_values, rounded
from app.figures.marks import Cells, Lines, Look, Scale
from app.figures.panels import Panel, figure
from app.figures.plot import Plot
from app.figures.traces import line, of_seeds
from app.limits import Limit
from app.parameters import listed
from app.schema.bounds import up_to
from app.schema.controls import COSTLY, Control
from app.schema.questions import Channels, Clinic, Placed, Placement
from model.layers.choice_names import NORM_NAMES

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
        "layer", description=f"Which norm it is: {listed([*NORM_NAMES.values()], 'or')}."
    )
    depth: Annotated[int, Field(ge=2), up_to("depth"), COSTLY, Control((12, 24, 48, 64))] = Field(
        48, description="How many sub-layers the stack has."
    )
    d_model: Annotated[Channels, COSTLY, Control((32, 64, 128), "d")] = Field(
        64, description="How many channels the residual stream has, a multiple of 4."
    )
    shortcut: Annotated[float, Field(ge=0.5), up_to(SHORTCUT), Control((0.9, 1, 1.1), "λ")] = Field(
        1.0, description="The number λ by which every shortcut multiplies the stream."
    )

    def estimated_seconds(self) -> float:
        """Fitted to measurements on one core of a two-core server; wrong by a factor of at most
        1.5.
        """
        d = self.d_model
        sub_layers = self.depth if self.stack == "encoder" else 1.1 * self.depth + 12
        sub_layer = 0.0022 + 8.9e-6 * d + 2e-8 * d**2
        return 0.05 + self.seeds * sub_layers * sub_layer + 9e-6 * d**2


DOTTED = "2px,4px"
SUBLAYERS = {"encoder": 2, "decoder": 3}


def stream(answer: "Answer", question: Question) -> Plot:
    """The length of a token's vector by depth, a line for each placement; for Pre-LN with plain
    shortcuts, of which Lemma 2 speaks, its bounds too. A stack without a norm grows by decades and
    is drawn only where it was asked for.
    """
    depths = depths_of(answer)
    chosen = question["placement"]
    lengths = {
        name: answer.cut("stream.all", placement=name).data.numpy()
        for name in drawn(answer, question)
    }
    traces = [
        line(
            depths,
            row,
            placements.NAMES[name],
            placements.ROLES[name],
            f"{placements.NAMES[name]}, after sub-layer %{{x}}<br>length <b>%{{y:.3g}}</b>",
            dots=name == chosen,
            dash=placements.dash(name),
        )
        for name, row in lengths.items()
    ]
    bounds = answer.tensors["lemma"].data.numpy() if bounded(question) else np.empty((0, 0))
    size = SUBLAYERS[question["stack"]]
    layers = depths[size - 1 :: size]  # where a layer ends
    traces += [
        line(
            layers,
            bound[: len(layers)],
            f"{name} bound",
            "ink-soft",
            f"{name} bound of Lemma 2, after sub-layer %{{x}}<br>length %{{y:.3g}}",
            law=True,
            dash=DOTTED,
            legend=False,
        )
        for name, bound in zip(axes.labels(answer, "bound"), bounds, strict=False)
    ]
    y = rounded("length |x|", np.concatenate([trace["y"] for trace in traces]))
    ends = [end_of(trace, True, True) for trace in traces]
    traces += of_seeds(
        depths,
        answer.tensors["stream.by_seed"].data.numpy(),
        axes.values(answer, "seed"),
        placements.NAMES[chosen],
        placements.ROLES[chosen],
        "after sub-layer %{x}, length <b>%{y:.3g}</b>",
    )
    x = at_values("sub-layer n", powers_of_two(depths), log=True)
    return figure(Panel(x, y, traces, ends))


def drawn(answer: "Answer", question: Question) -> list[str]:
    """The placements that have a line."""
    names = axes.labels(answer, "placement")
    return [name for name in names if name != "none" or question["placement"] == "none"]


def powers_of_two(depths: np.ndarray) -> list[int]:
    """The places that are marked on an axis of depths: powers of two, and the last depth."""
    last = int(depths[-1])
    powers = [2**i for i in range(last.bit_length())]
    return [power for power in powers if power < 0.8 * last or power == 1 or power == last] + (
        [last] if last not in powers else []
    )


def path(answer: "Answer", question: Question) -> Lines:
    """What the shortcuts alone leave of a vector's length, a line for each scale."""
    scales = answer.cut("path").numbers("scale")

    def look(scale: Any, question: Question) -> Look:
        chosen = scale == question["shortcut"]
        role = "stream" if chosen else f"head:{scales.index(scale)}"
        return Look(f"λ = {scale:g}", role, dots=chosen)

    return Lines(
        "path",
        x="sublayer",
        by="scale",
        looks=look,
        names="both",
        hover="{name}, after %{x} shortcuts<br><b>%{y:.3g}</b> of the input's length",
        x_scale=Scale("sub-layer n", low=0.5, beyond=0.5),
        y=Scale("share of the length that is left", kind="log"),
    )


def depths_of(answer: "Answer") -> np.ndarray:
    return np.array(axes.values(answer, "sublayer"))


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
    if exponent.verdict == "not applicable":
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
    given = ratios(answer)
    choices = range(3) if len(given) == 1 else {bisect_right((0.5, 2), ratio) for ratio in given}
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
            lambda *given: ", ".join(placements.NAMES[name] for name in drawn(*given)),
            "text",
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
        **shown("singular", "leak"),
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
    sentence="How long the vectors of the stream become with depth, by placement and kind of the"
    " norm, and what a norm lets leak between tokens and samples",
    example="placement=branch&depth=8&d_model=32",
    figures={
        "stream": in_words(stream, tensor="stream.all"),
        "path": in_words(path, tensor="path"),
        "singular": in_words(
            Lines(
                "singular",
                x="channel",
                looks={"": Look("singular value × σ", "stream")},
                names="none",
                hover="number %{x}<br>singular value × σ = <b>%{y:.3g}</b>",
                x_scale=Scale("singular value, from the largest", low=0.5, beyond=0.5),
                y=Scale("singular value of dy/dx, times σ", low=-0.02, high=1.1),
            )
        ),
        "leak": in_words(
            Cells(
                "leak",
                x="source",
                y="averages",
                columns="drawn anew",
                rows="norm",
                names=AVERAGES,
                unit="change",
                text=number,
                hover="%{y}, %{x} drawn anew<br>moves a token by <b>%{z:.3g}</b> at most",
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
