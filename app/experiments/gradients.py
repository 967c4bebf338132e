"""Gradients: how large they are at the last layer and on the way down."""

import math
from typing import TYPE_CHECKING, Annotated, ClassVar

from pydantic import Field

from app.captions import Question, fields
from app.captions.exercises import Exercise, by_findings
from app.captions.fields import Condition, choice, displayed, lasts, lengths, means, setting
from app.captions.findings import measured
from app.captions.words import Words
from app.experiment import Experiment, in_words
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


PROFILED = 18
"""Layers of the stack whose gradients are measured at every layer."""


class Gradients(Placed, Clinic):
    compared: ClassVar = ("post", "pre", "b2t")

    stack: Annotated[Stack, Control(("encoder", "decoder"), key="layer", opens="decoder")] = (
        "encoder"
    )
    depths: Annotated[
        list[Annotated[int, Field(ge=1), up_to(LAYERS)]],
        Field(min_length=3),
        at_most_long(DEPTHS),
        Commas,
        COSTLY,
    ] = Field([2, 4, 8, 16, 32])
    d_model: Annotated[Channels, COSTLY, Control((32, 64, 128), "width d")] = 64
    seeds: Annotated[int, Field(ge=1), up_to("seeds"), COSTLY, Control((4, 8, 16))] = 8

    def sizes(self) -> dict[str, float]:
        """Both stacks are measured, each of at least PROFILED layers."""
        deepest = max(PROFILED, *self.depths)
        layers = self.seeds * self.n_placements * (deepest + PROFILED)
        return {
            "answer": 1,
            "layers": layers,
            "products": layers * self.d_model**2,
            "depths": self.seeds * len(self.depths),
            "decoder_layers": self.seeds * deepest * (self.stack == "decoder"),
            "admin_layers": self.seeds * (deepest + PROFILED) * (self.placement == "admin"),
        }


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
        looks=placements.look_of,
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
        looks=placements.look_of,
        seeds="above",
        names="both",
        hover="{name}, depth %{x}: norm <b>%{y:.3g}</b>",
        x_scale=Scale(
            "layer (the loss follows the last)",
            kind="every",
            every=6,
            marks=(1,),
            margin=0,
            before=0.5,
            beyond=0.5,
        ),
        y=Scale(title, kind="log"),
    )


NEARLY = 0.95
"""The least cosine of tokens that are nearly one vector."""


def rests_on(answer: "Answer", question: Question) -> tuple[str, ...]:
    """The finding of the figure that is shown."""
    return (f"{falls(question)}.post",)


def falls(question: Question) -> str:
    """The findings of the weights, or of the stream where that is shown."""
    return f"first_over_last{'.residual' if 'residual' in question['figures'] else ''}"


def falling(answer: "Answer", question: Question) -> str:
    """The stack, and whether its lines are as the papers have them."""
    stack = question["stack"]
    name = "residual" if "residual" in question["figures"] else "parameter"
    lines = answer.cut(name, stack=stack)
    left = dict(
        zip(lines.along("placement"), (lines.data[:, 0] / lines.data[:, -1]).tolist(), strict=True)
    )
    if stack == "encoder":
        as_known = min(left.values()) > 0.1
    else:
        as_known = left["post"] < 0.01 and min(left["pre"], left["b2t"]) > 0.1
    return f"{stack}_as_known" if as_known else stack


def alike(answer: "Answer", question: Question) -> str:
    """Whether tokens are nearly one vector under Post-LN, in the deepest stack."""
    cosine = answer.cut("token_cosine", placement="post").data[-1].item()
    return "yes" if cosine >= NEARLY else "no"


def left(placement: str) -> fields.Of:
    """How large the gradient at the first layer is beside that at the last."""
    return lambda answer, question: measured(answer, f"{falls(question)}.{placement}")


def beside(placement: str) -> Condition:
    """Whether the gradient at the first layer is above that at the last."""
    ratio = left(placement)
    return Condition(lambda *inputs: "above" if ratio(*inputs) > 1 else "below", ("above", "below"))


WORDS = Words(
    "gradients",
    fields={
        **setting("whole", "d_model"),
        **fields.named("placement", placements.NAMES),
        **lengths("layer"),
        **lasts("whole", "depth"),
        **means("thousandths", "token_cosine", {"depth": "last"}, placement=("post", "pre")),
        "post_left": fields.Field(left("post"), "ratio"),
        "pre_left": fields.Field(left("pre"), "ratio"),
        "placements": fields.Field(
            lambda answer, _: placements.listed(answer), "names", measured=False
        ),
    },
    conditions={
        **choice("stack", "encoder", "decoder"),
        **fields.where("normed", lambda question: question["placement"] != "none"),
        **displayed("cosine", "residual"),
        "falling": Condition(
            falling, ("decoder_as_known", "encoder_as_known", "decoder", "encoder")
        ),
        "alike": Condition(alike, ("yes", "no")),
        "post_beside": beside("post"),
        "pre_beside": beside("pre"),
    },
)


EXPERIMENT = Experiment(
    question=Gradients,
    example="depths=1,2,4&d_model=16",
    figures={
        "last": in_words(
            by_depth(
                "last",
                "norm <b>%{y:.3g}</b>",
                Scale("|∂ℒ/∂W₂| in the last layer", kind="rounded", holds=("last",)),
                Rule(
                    "1/√L",
                    root_law,
                    "1/√L, fitted to the first Pre-LN depth<br>%{x} layers: norm %{y:.3g}",
                    dash="2px,4px",
                    law=True,
                    last=True,
                ),
            )
        ),
        "parameter": in_words(by_layer("parameter", "|∂ℒ/∂W₂| in each layer")),
        "residual": in_words(by_layer("residual", "|∂ℒ/∂x| after each layer")),
        "cosine": in_words(
            by_depth(
                "token_cosine",
                "cosine <b>%{y:.3g}</b>",
                Scale("mean cosine of two tokens", low=0, high=1.03),
            )
        ),
    },
    words=WORDS,
    opening={"stack": "decoder", "shown": "other", "falling": "decoder_as_known"},
    rests_on=rests_on,
    exercise=Exercise(
        ("vanishes", "keeps", "explodes"),
        by_findings({"first_over_last.{placement}": (0.1, 10)}),
        {
            "stack=encoder": "encoder",
            "stack=decoder&placement=b2t": "b2t",
            "stack=decoder&placement=none": "none",
        },
    ),
)
