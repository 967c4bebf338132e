"""Norms: how long the stream's vectors become with depth, by where the norm stands; and what a
norm itself is.
"""

from bisect import bisect_right
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from pydantic import Field

from app.captions import Question, axes
from app.captions.exercises import Decision, Exercise
from app.captions.findings import finding
from app.captions.plain_names import AVERAGES
from app.captions.text import decimals, number
from app.experiment import Experiment, Figure
from app.figures import placements
from app.figures.annotations import end_of
from app.figures.axis_scales import at_values, rounded
from app.figures.marks import Cells, Lines, Look, Scale
from app.figures.panels import Panel, figure
from app.figures.plot import Plot
from app.figures.traces import line, of_seeds
from app.limits import Limit
from app.schema.bounds import up_to
from app.schema.controls import COSTLY, Control
from app.schema.questions import Channels, Clinic, Placed, Placement

if TYPE_CHECKING:
    from model.answers.answer import Answer

SHORTCUT = Limit(
    "shortcut",
    1.5,
    "ratio",
    "The shortcut of `/norms` may multiply the stream by this much.",
    float,
)


NORMS = {"layer": "LayerNorm", "rms": "RMSNorm", "scale": "ScaleNorm"}


class Norms(Placed, Clinic):
    placement: Placement = "pre"
    norm: Annotated[
        Literal["layer", "rms", "scale"],
        Control(NORMS),
    ] = Field("layer", description="Which norm it is: LayerNorm, RMSNorm or ScaleNorm.")
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
    lengths = dict(
        zip(
            axes.labels(answer, "placement"), answer.tensors["stream.all"].data.numpy(), strict=True
        )
    )
    if chosen != "none":
        del lengths["none"]
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
    of_lemma = chosen == "pre" and question["shortcut"] == 1
    bounds = answer.tensors["lemma"].data.numpy() if of_lemma else np.empty((0, 0))
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
    said = ", ".join(placements.NAMES[name] for name in lengths)
    lemma = ", with the bounds of Lemma 2" if len(bounds) else ""
    return figure(
        Panel(at_values("sub-layer n", powers_of_two(depths), log=True), y, traces, ends),
        description=f"Length of a token's vector by depth: {said}{lemma}.",
    )


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


def path_sentence(answer: "Answer", question: Question) -> str:
    scales = ", ".join(answer.cut("path").along("scale"))
    return f"Length after n shortcuts, as a share of the input's: λ = {scales}."


def ones(answer: "Answer", question: Question) -> str:
    near = int((answer.cut("singular").data > 0.5).sum())
    return f"Singular values of the norm's Jacobian times σ: {near} are near 1, the others near 0."


def depths_of(answer: "Answer") -> np.ndarray:
    return np.array(axes.values(answer, "sublayer"))


LOOK_FOR = (
    "Left, the lines of Post-LN, Admin and B2T lie flat on one another at √d, because each of their"
    " sub-layers ends with a norm. Pre-LN and x + LN(f) grow about like the root of the depth."
)
NO_NORM = (
    "Left, without a norm nothing keeps the length: after the last sub-layer a vector is {} times"
    " as long as after the first. Choose another placement, and compare how long its vectors are."
)
SCALED = (
    "Each shortcut multiplies the stream by λ = {}, so under Pre-LN what a sub-layer wrote {}"
    " exponentially: n shortcuts later it is λⁿ times as large. Post-LN, Admin and B2T stay flat,"
    " because they end with a norm."
)
SINGULAR = (
    "Right, each singular value says how much the norm stretches a small change of a token in one"
    " direction. Times σ it is 1, except {}."
)
LOST = {
    True: "for two directions that are lost: along the vector, and all channels alike",
    False: "for one direction that is lost, the one along the vector",
}
LEAK = (
    "Right, each number says how much a token changes when what stands elsewhere is drawn anew."
    " LayerNorm reads one token alone, so its row is 0. BatchNorm and InstanceNorm also average"
    " over"
    " other samples or other positions."
)
NEAR_A_ROOT = 0.1
"""How far from 1/2 the exponent of a growth may be that is called that of a square root."""


def look_for(answer: "Answer", question: Question) -> str:
    """What to look for in the figures, as they are drawn."""
    shortcut, figures = question["shortcut"], question["figures"]
    if "path" not in figures and "singular" in figures:
        return SINGULAR.format(LOST[question["norm"] == "layer"])
    if "path" not in figures and "leak" in figures:
        return LEAK
    if question["placement"] == "none":
        lengths = answer.tensors["stream"].data.tolist()
        return NO_NORM.format(number(lengths[-1] / lengths[0]))
    if shortcut != 1:
        return SCALED.format(f"{shortcut:g}", "fades" if shortcut < 1 else "grows")
    return LOOK_FOR


def reading(answer: "Answer", question: Question) -> str:
    """How much longer the chosen stream becomes, as it is drawn, and how that depends on the depth
    where the law speaks of it.
    """
    lengths = answer.tensors["stream"].data.tolist()
    placement = question["placement"]
    where = "Without a norm" if placement == "none" else f"Under {placements.NAMES[placement]}"
    if question["stack"] == "decoder":
        where = f"In a decoder {where[0].lower()}{where[1:]}"
    first, last, many = number(lengths[0]), number(lengths[-1]), len(lengths)
    exponent = finding(answer, "stream_exponent")
    if first == last:
        return f"{where} a token’s vector keeps its length of {first} over {many} sub-layers."
    times = number(lengths[-1] / lengths[0])
    said = f"{where} a token’s vector is {times} times as long after the last sub-layer as at first"
    if exponent.verdict == "not applicable":
        return f"{said}."
    power = decimals(exponent.number)
    like_a_root = abs(exponent.number - 0.5) <= NEAR_A_ROOT
    like = "square root of the depth" if like_a_root else f"depth to the power {power}"
    return f"{said}, about like the {like}."


def asks(question: Question) -> str:
    """The exercise: what the depth does to a length."""
    normed = question["placement"] != "none"
    norm = f" The norm is {NORMS[question['norm']]}." if normed else ""
    return (
        f"{question['depth']} sub-layers of {placements.stack_in_words(question)} add to one"
        f" stream, which is multiplied by λ = {question['shortcut']:g} before each.{norm} How long"
        " is a token’s vector after the last sub-layer, beside its length after the first?"
    )


def grown(answer: "Answer", question: Question) -> Decision:
    """The choices of the exercise that any seed gives; one seed says nothing of others."""
    lengths = answer.tensors["stream.by_seed"].data
    ratios = (lengths[:, -1] / lengths[:, 0]).tolist()
    ends = f"{number(min(ratios))} and {number(max(ratios))}"
    said = f"Last length over first, lowest and highest: {ends}"
    if len(ratios) == 1:
        return range(3), f"{said}, 1 seed."
    return {bisect_right((0.5, 2), ratio) for ratio in ratios}, f"{said}, {len(ratios)} seeds."


EXPERIMENT = Experiment(
    question=Norms,
    sentence="How long the vectors of the stream become with depth, by placement and kind of the"
    " norm, and what a norm lets leak between tokens and samples",
    example="placement=branch&depth=8&d_model=32",
    figures={
        "stream": Figure("How long a token’s vector is", stream, tensor="stream.all"),
        "path": Figure("What the shortcuts alone let through", path, path_sentence, "path"),
        "singular": Figure(
            "The Jacobian of one norm",
            Lines(
                "singular",
                x="channel",
                looks={"": Look("singular value × σ", "stream")},
                names="none",
                hover="number %{x}<br>singular value × σ = <b>%{y:.3g}</b>",
                x_scale=Scale("singular value, from the largest", low=0.5, beyond=0.5),
                y=Scale("singular value of dy/dx, times σ", low=-0.02, high=1.1),
            ),
            ones,
        ),
        "leak": Figure(
            "What leaks into a token",
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
            ),
            "How much a token changes when what stands elsewhere does.",
        ),
    },
    claim="Post-LN fixes the length of a token’s vector, Pre-LN lets it grow",
    rests_on=("stream.post", "lemma_2"),
    look_for=LOOK_FOR,
    look_for_of=look_for,
    reading=reading,
    exercise=Exercise(
        asks,
        (
            "Half as long or shorter",
            "Neither half as long nor twice as long",
            "Twice as long or longer",
        ),
        grown,
        {"placement=post": "Post-LN", "shortcut=0.9": "λ = 0.9", "placement=none": "no norm"},
    ),
)
