"""Gradients: how large they are at the last layer and on the way down."""

import math
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from app.captions import Question, fields
from app.captions.exercises import Exercise, by_findings
from app.captions.fields import Condition, choice, lasts, lengths, means, setting, shown
from app.captions.findings import measured
from app.captions.verdicts import Claim
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
    ] = Field([2, 4, 8, 16, 32])
    d_model: Annotated[Channels, COSTLY, Control((32, 64, 128), "d")] = 64
    seeds: Annotated[int, Field(ge=1), up_to("seeds"), COSTLY, Control((4, 8, 16))] = 8

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


NEARLY = 0.95
"""The least cosine of tokens that are nearly one vector."""


def claim(answer: "Answer", question: Question) -> Claim:
    """The heading of the stack, and the finding of the figure that is shown."""
    return Claim(WORDS("claim", answer, question), (f"{falls(question)}.post",))


def falls(question: Question) -> str:
    """The findings of the weights, or of the stream where that is shown."""
    return f"first_over_last{'.residual' if 'residual' in question['figures'] else ''}"


def falling(answer: "Answer", question: Question) -> str:
    """The stack, and whether its lines are as the papers have them."""
    stack = question["stack"]
    drawn = "residual" if "residual" in question["figures"] else "parameter"
    lines = answer.cut(drawn, stack=stack)
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
    return Condition(lambda *given: "above" if ratio(*given) > 1 else "below", ("above", "below"))


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
            lambda answer, _: placements.listed(answer), "text", measured=False
        ),
    },
    conditions={
        **choice("stack", "encoder", "decoder"),
        **fields.where("normed", lambda question: question["placement"] != "none"),
        **shown("cosine", "residual"),
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
                Scale("|∂ℒ/∂W₂| of the last layer", kind="rounded", holds=("last",)),
                Rule(
                    "1/√L",
                    root_law,
                    "1/√L through the first Pre-LN depth<br>%{x} layers: norm %{y:.3g}",
                    dash="2px,4px",
                    law=True,
                    last=True,
                ),
            )
        ),
        "parameter": in_words(by_layer("parameter", "|∂ℒ/∂W₂| of each layer")),
        "residual": in_words(by_layer("residual", "|∂ℒ/∂x| after each layer")),
        "cosine": in_words(
            by_depth(
                "token_cosine",
                "cosine <b>%{y:.3g}</b>",
                Scale("mean cosine between two tokens", low=0, high=1.03),
            )
        ),
    },
    words=WORDS,
    opening={"stack": "decoder", "shown": "other", "falling": "decoder_as_known"},
    claim_of=claim,
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
