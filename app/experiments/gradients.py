"""Gradients: how large they are at the last layer and on the way down."""

import math
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from app.captions import Question
from app.captions.exercises import Exercise, by_findings
from app.captions.findings import measured
from app.captions.text import decimals, number
from app.captions.verdicts import Claim
from app.experiment import Experiment, Figure
from app.figures import placements
from app.figures.marks import Lines, Rule, Scale
from app.limits import Limit
from app.schema.bounds import at_most_long, up_to
from app.schema.controls import COSTLY, Control
from app.schema.questions import Channels, Clinic, Commas, Placed, Stack

if TYPE_CHECKING:
    from model.answers.answer import Answer

LAYERS = Limit("gradient_layers", 32, "layers", "`/gradients` may measure stacks this deep.")
DEPTHS = Limit("gradient_depths", 8, "depths", "`/gradients` may measure at this many depths.")


class Gradients(Placed, Clinic):
    stack: Annotated[Stack, Control(("encoder", "decoder"), key="layer", opens="decoder")] = (
        "encoder"
    )
    depths: Annotated[
        list[Annotated[int, Field(ge=1), up_to(LAYERS)]],
        Field(min_length=3),
        at_most_long(DEPTHS),
        Commas,
        COSTLY,
    ] = Field(
        [2, 4, 8, 16, 32],
        description="The numbers of layers of the stacks whose gradients are measured.",
    )
    d_model: Annotated[Channels, COSTLY, Control((32, 64, 128), "d")] = Field(
        64, description="How many channels the residual stream has, a multiple of 4."
    )
    seeds: Annotated[int, Field(ge=1), up_to("seeds"), COSTLY, Control((4, 8, 16))] = Field(
        8,
        description="How many times the experiment is repeated with other draws. The gradients of a"
        " deep Post-LN decoder differ by factors from one draw to the next, so 8 is the default"
        " here.",
    )

    def estimated_seconds(self) -> float:
        """Fitted to measurements on one core of a two-core server; wrong by a factor of at most
        1.5.
        """
        deepest = max(18, *self.depths)
        own = {"admin": (1.8, 1.5), "branch": (1.3, 1.3), "none": (1.3, 1.3)}
        once, squared = own.get(self.placement, (1.0, 1.0))
        layer = 0.0039 * once + 2.9e-7 * squared * self.d_model**2
        seconds = 0.055 + self.seeds * (deepest + 18) * layer
        seconds += 0.008 * self.seeds * len(self.depths)
        return seconds + (0.0009 * self.seeds * deepest if self.stack == "decoder" else 0)


def root_law(answer: "Answer", question: Question) -> list[float]:
    """1/√L through the first Pre-LN depth: the slope that the theorem bounds."""
    last = answer.cut("last", placement="pre")
    first, *_ = depths = last.numbers("depth")
    return [last.data[0].item() * math.sqrt(first / depth) for depth in depths]


def by_depth(tensor: str, hover: str, y: Scale, *rules: Rule) -> Lines:
    """One line for each placement against depth."""
    return Lines(
        tensor,
        x="depth",
        by="placement",
        looks=placements.look,
        rules=rules,
        seeds="above",
        names="both",
        hover=f"{{name}}, %{{x}} layers<br>{hover}",
        x_scale=Scale("layers L", kind="measured"),
        y=y,
    )


def by_layer(tensor: str, title: str) -> Lines:
    """The stack that was asked for by layer, one line for each placement."""
    return Lines(
        tensor,
        x="layer",
        by="placement",
        at={"stack": "{stack}"},
        looks=placements.look,
        seeds="above",
        names="both",
        hover="{name}, depth %{x}, norm <b>%{y:.3g}</b>",
        x_scale=Scale(
            "depth in layers; the loss reads the last",
            kind="every",
            every=6,
            marks=(1,),
            margin=0,
            before=0.5,
            beyond=0.5,
        ),
        y=Scale(title, kind="log"),
    )


def stack_figure(title: str, mark: Lines, by: str) -> Figure:
    """A figure that says which placements it has."""

    def sentence(answer: "Answer", question: Question) -> str:
        return f"{mark.y.title} of the {question['stack']}{by}: {placements.listed(answer)}."

    return Figure(title, mark, sentence)


ENCODER = "In a deep Post-LN encoder the gradient does not vanish"
CLAIM = "In a deep Post-LN decoder the gradient vanishes on its way to the first layer"
FOLLOW = "Right, follow each line from the last layer, which the loss reads, down to the first."
ALONG = {
    ("decoder", True): (
        " In a decoder the line of Post-LN falls by a factor of more than a hundred, and those of"
        " B2T and Pre-LN do not fall by a factor of ten."
    ),
    ("encoder", True): (
        " In an encoder no line falls by a factor of ten. Choose the decoder and compare."
    ),
    ("decoder", False): " Compare how far the lines of Post-LN, Pre-LN and B2T fall.",
    ("encoder", False): " Compare how far the lines fall, and choose the decoder.",
}
"""What is said of a stack, if it is as the papers have it and if it is not."""
LOOK_FOR = FOLLOW + ALONG["decoder", True]
COSINE = "Right, all tokens point in the same direction where their mean cosine is 1."
ALIKE = {
    True: (
        " Under Post-LN they nearly do in the deepest stack, because each attention adds an average"
        " over tokens to every token."
    ),
    False: " Under Post-LN they do not nearly do so here, not even in the deepest stack.",
}
NEARLY = 0.95
"""The least cosine of tokens that are nearly one vector."""


def claim(answer: "Answer", question: Question) -> Claim:
    """The heading of the stack, and the finding of the figure that is shown."""
    return Claim(CLAIM if question["stack"] == "decoder" else ENCODER, (f"{falls(question)}.post",))


def falls(question: Question) -> str:
    """The findings of the weights, or of the stream where that is shown."""
    return f"first_over_last{'.residual' if 'residual' in question['figures'] else ''}"


def look_for(answer: "Answer", question: Question) -> str:
    """What to look for in the figures that are shown, as the lines are drawn."""
    if "cosine" in question["figures"]:
        cosine = answer.cut("token_cosine", placement="post").data[-1].item()
        return COSINE + ALIKE[cosine >= NEARLY]
    stack = question["stack"]
    drawn = "residual" if "residual" in question["figures"] else "parameter"
    lines = answer.cut(drawn, stack=stack)
    ends = dict(
        zip(lines.along("placement"), (lines.data[:, 0] / lines.data[:, -1]).tolist(), strict=True)
    )
    if stack == "encoder":
        as_known = min(ends.values()) > 0.1
    else:
        as_known = ends["post"] < 0.01 and min(ends["pre"], ends["b2t"]) > 0.1
    return FOLLOW + ALONG[stack, as_known]


def reading(answer: "Answer", question: Question) -> str:
    """The number of the figure on the right under Post-LN and under Pre-LN, as it is drawn."""
    cosines = answer.cut("token_cosine")
    names = cosines.along("placement")
    post, pre = names.index("post"), names.index("pre")
    if "cosine" in question["figures"]:
        depth = cosines.along("depth")[-1]
        alike = cosines.at(depth=depth).data.tolist()
        return (
            f"After {depth} layers of the {question['stack']}, the mean cosine between two tokens"
            f" is {decimals(alike[post], 3)} under Post-LN and {decimals(alike[pre], 3)} under"
            " Pre-LN."
        )
    left = {name: measured(answer, f"{falls(question)}.{name}") for name in names}
    what = "stream" if "residual" in question["figures"] else "weights"
    return (
        f"In this {answer.axes['layer'].size}-layer {question['stack']} the gradient of the {what}"
        f" at the first layer is {beside(left['post'])} that at the last layer under Post-LN, and"
        f" {beside(left['pre'])} it under Pre-LN."
    )


def beside(ratio: float) -> str:
    """How large one gradient is beside another, by their ratio: a 191st is 191 times smaller."""
    if number(ratio) == "1":
        return "as large as"
    return f"{number(ratio)} times" if ratio > 1 else f"1/{number(1 / ratio)} of"


def asks(question: Question) -> str:
    """The exercise: how far the gradient falls."""
    return (
        f"The 18 layers of {placements.stack_in_words(question)} have just been initialised. How"
        " large is the gradient of the weights of the first layer, beside that of the last?"
    )


EXPERIMENT = Experiment(
    question=Gradients,
    sentence="How large the gradients of a fresh stack are at its last layer and on the way down,"
    " by depth and placement of the norm",
    example="depths=1,2,4&d_model=16",
    figures={
        "last": stack_figure(
            "The last layer’s gradient, by depth",
            by_depth(
                "last",
                "norm <b>%{y:.3g}</b>",
                Scale("|∂ℒ/∂W₂| of the last layer", kind="rounded", holds=("last",)),
                Rule(
                    "1/√L",
                    root_law,
                    "1/√L through the first Pre-LN depth<br>%{x} layers: norm %{y:.3g}",
                    dash="2px,4px",
                    law=True,
                    last=True,
                ),
            ),
            " by depth",
        ),
        "parameter": stack_figure(
            "Gradient of the weights, layer by layer",
            by_layer("parameter", "|∂ℒ/∂W₂| of each layer"),
            "",
        ),
        "residual": stack_figure(
            "Gradient of the stream, layer by layer",
            by_layer("residual", "|∂ℒ/∂x| after each layer"),
            "",
        ),
        "cosine": stack_figure(
            "How alike the tokens are, by depth",
            by_depth(
                "token_cosine",
                "cosine <b>%{y:.3g}</b>",
                Scale("mean cosine between two tokens", low=0, high=1.03),
            ),
            " by depth",
        ),
    },
    claim=CLAIM,
    claim_of=claim,
    look_for=LOOK_FOR,
    look_for_of=look_for,
    reading=reading,
    exercise=Exercise(
        asks,
        (
            "Less than a tenth: it vanishes",
            "The same within a factor of 10",
            "More than ten times as large: it explodes",
        ),
        by_findings({"first_over_last.{placement}": (0.1, 10)}),
        {
            "stack=encoder": "an encoder",
            "stack=decoder&placement=b2t": "B2T in a decoder",
            "stack=decoder&placement=none": "no norm in a decoder",
        },
    ),
)
