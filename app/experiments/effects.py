"""/effects: what becomes of a model's answer when one part of it after another is turned off."""

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Field

from app.captions import Question
from app.captions.effects import captions
from app.experiment import Experiment, Figure
from app.figures import effects
from app.schema.answers import Answer, Confidence, PageWords, StrictModel, optional
from app.schema.bounds import up_to
from app.schema.model_sizes import sizes_of
from app.schema.questions import AboutModel, Layer, Name, Seed
from model.shown import DEEP
from model.words import text

if TYPE_CHECKING:
    from model.answers.answer import Answer as RawAnswer

OPENS = 4
"""How many seconds of one core parts are turned off where no layers are named."""


class Effects(AboutModel):
    ablation: Literal["zero", "mean", "resample"] = "zero"
    unit: Literal["head", "sublayer", "position", "neurons"] = "head"
    groups: Annotated[int, Field(ge=1), up_to("neuron_groups")] = 16
    draws: Annotated[int, Field(ge=0), up_to("resamples")] = 4
    seed: Seed = 0
    first_layer: Layer | None = Field(
        None,
        description=text("effects", "Effects.first_layer", {"most": DEEP, "seconds": OPENS}),
    )
    layers: Annotated[int, Field(ge=1), up_to("layers")] | None = None
    loss: bool = True

    def arguments(self) -> dict:
        given, window = super().arguments(), self.window()
        some = len(window) < sizes_of(self.model).depth
        return given | ({"first_layer": window.start, "layers": len(window)} if some else {})

    def window(self) -> range:
        """The layers whose parts are turned off."""
        depth = max(1, sizes_of(self.model).depth)
        if self.first_layer is not None or self.layers is not None:
            first = self.first_layer or 0
            return range(first, first + (DEEP if self.layers is None else self.layers))
        firsts = range(depth if depth > DEEP else 1)
        return next(
            (w for f in firsts if self.seconds_of(w := range(f, depth)) <= OPENS),
            range(depth - 1, depth),
        )

    def estimated_seconds(self) -> float:
        return self.seconds_of(self.window())

    def seconds_of(self, window: range) -> float:
        """Fitted to measurements on one core of a two-core server; wrong by a factor of at most
        1.5 above 0.1 s. Each unit is a run, and one for each example that it is taken from. A run
        begins in the layer of its unit, on average half way through the window. The products of
        large matrices take less time a number.
        """
        model = sizes_of(self.model)
        depth = max(1, model.depth)
        some = min(len(window), max(depth - window.start, 0)) / depth
        read = model.tokens(self.text or self.source)
        draws = min(self.draws, model.examples)
        units = {
            "head": model.heads,
            "sublayer": model.sublayers,
            "position": model.shown(read) * (1 + model.pairs),
            "neurons": model.feed_forwards * self.groups,
        }[self.unit]
        sublayer = 3.8e-5 + 9e-9 * model.scores(read)
        share = 1 - window.start / depth - some / 2
        if self.unit == "position":
            some = share = 1
        passed = model.layers_cost * share * (0.67 if model.wide > 1 else 1)
        run = sublayer * model.sublayers + 4e-6 * read * passed
        run += 0.007 * model.between_rows
        if model.segment:  # no batches: the segments before the last are read again for each run
            run = 0.007 + 6e-5 * read
        written = model.writing_cost * (read + draws * model.example_tokens)
        logits = 4e-6 * model.vocabulary_cost * ((read if self.loss else 1) + draws)
        whole = 0.01 + some * units * ((1 + draws) * run + logits) + 6e-4 * written
        return whole * (2.0 if self.ablation == "mean" else 1.0)


class EffectsFigures(Effects):
    display_fields: ClassVar = ("chosen",)

    chosen: Name | None = None


class Reply(StrictModel):
    """What the model says of the input, whose log-probability is measured."""

    kind: Literal["target", "next token", "blanks", "class", "shapes"]
    tokens: list[str]
    positions: list[int]


class Unedited(StrictModel):
    """The run in which nothing is turned off."""

    log_probability: float
    by_token: list[float]
    loss: float | None
    says: list[str]


class Unit(StrictModel):
    """One part that was turned off."""

    name: str
    stack: str
    layer: int | None
    part: str
    indices: list[int]
    token: str | None
    says: list[str]
    edits: list[dict[str, Any]]


class Window(StrictModel):
    """The layers whose parts were turned off, of how many, and how many parts all layers have."""

    first_layer: int
    layers: int
    of_layers: int
    of_units: int


class EffectsAnswer(Answer):
    """Its `unedited` is the unedited answer, with which all others are compared."""

    model: str
    input: dict[str, str]
    prediction: str = optional()
    certainty: str = optional()
    unlike: list[str] = optional()
    confidence: Confidence = optional()
    ablation: str
    unit: str
    groups: int | None
    draws: int
    seed: int
    reply: Reply
    unedited: Unedited
    units: list[Unit]
    order: list[int]
    usual_change: float | None
    examples: list[dict[str, str]]
    window: Window = optional()


def captions_with_cost(answer: "RawAnswer", question: Question) -> dict[str, Any]:
    """What the page says, and of a window of layers what all of them would cost."""
    asked = {name: question[name] for name in Effects.model_fields if name in question}
    depth = range(answer.fields.get("window", {}).get("of_layers", 1))
    return captions(answer, question, Effects(**asked).seconds_of(depth))


EXPERIMENT = Experiment(
    question=Effects,
    answer=EffectsAnswer,
    figure_query=EffectsFigures,
    example="model=translator&source=I+don't+speak+French.&unit=head",
    figures={
        "map": Figure("What each part is worth to the answer", effects.by_place, tensor="change"),
        "sorted": Figure("The largest changes, in order", effects.RANKED, tensor="change"),
        "tokens": Figure(
            "Token by token, with the part and without", effects.TOKENS, tensor="log_probability"
        ),
    },
    captions=captions_with_cost,
    captions_type=PageWords,
)
