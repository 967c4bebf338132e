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
from model.display_limits import DEEP

if TYPE_CHECKING:
    from model.answers.answer import Answer as RawAnswer

OPENS = 4
"""How many seconds of one core parts are turned off where no layers are named."""


class Effects(AboutModel):
    ablation: Literal["zero", "mean", "resample"] = Field(
        "zero",
        description=(
            "What takes the place of a unit: `zero` 0, `mean` its mean over all positions of all"
            " examples of the model, `resample` what it is in another example. Position i takes"
            " position i of that example, and positions beyond its end take its last."
        ),
    )
    unit: Literal["head", "sublayer", "position", "neurons"] = Field(
        "head",
        description=(
            "What is turned off, one after another: `head` every head of every attention, before"
            " the output projection; `sublayer` the output of every sub-layer; `position` the"
            " embedding at every position; `neurons` groups of neighbouring neurons of every"
            " feed-forward network, after the activation."
        ),
    )
    groups: Annotated[int, Field(ge=1), up_to("neuron_groups")] = Field(
        16, description="With `unit` neurons: into how many groups each layer is cut."
    )
    draws: Annotated[int, Field(ge=0), up_to("resamples")] = Field(
        4,
        description=(
            "From how many other examples each unit is taken, drawn without replacement. If the"
            " model has fewer, all are taken. With 0 there is nothing to compare the changes with."
        ),
    )
    seed: Seed = Field(0, description="Where the draw of the examples begins.")
    first_layer: Layer | None = Field(
        None,
        description=(
            "The first of the layers whose parts are turned off, counted from 0; a position is"
            " turned off in any case. If it and `layers` are left out, they are all layers of a"
            f" model of at most {DEEP}, and of a deeper one as many of the last as take one core"
            f" about {OPENS} s."
        ),
    )
    layers: Annotated[int, Field(ge=1), up_to("layers")] | None = Field(
        None,
        description=(
            "In how many layers parts are turned off. If it is left out and `first_layer` is given,"
            " there are 8."
        ),
    )
    loss: bool = Field(
        True,
        description=(
            "Whether the loss over the tokens of the input is measured without each part, too. With"
            " a large vocabulary this takes about as long as everything else."
        ),
    )

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

    chosen: Name | None = Field(
        None,
        description=(
            "The name of the unit that is drawn token by token, as `units` has it. If it is left"
            " out, or no unit has this name, it is the one without which the answer loses most."
        ),
    )


class Reply(StrictModel):
    """What the model says of the input, whose log-probability is measured."""

    kind: Literal["target", "next token", "blanks", "class", "shapes"] = Field(
        description=(
            "`target`: the tokens of the target, each after those before it. `next token`: the"
            " likeliest token after the text. `blanks`: the likeliest word at each blank. `class`:"
            " the likeliest class. `shapes`: the class of each object query that finds a shape;"
            " where its box is drawn is not counted."
        )
    )
    tokens: list[str]
    positions: list[int] = Field(description="The positions of the logits that they are read at.")


class Unedited(StrictModel):
    """The run in which nothing is turned off."""

    log_probability: float = Field(description="ln p of the answer, in nats.")
    by_token: list[float] = Field(description="ln p of each of its tokens; they sum to it.")
    loss: float | None = Field(
        description=(
            "The mean cross-entropy over the tokens that the input has next, in nats a token; null"
            " where none is known or `loss` is false."
        )
    )
    says: list[str] = Field(description="The likeliest token at each position of the answer.")


class Unit(StrictModel):
    """One part that was turned off."""

    name: str
    stack: str
    layer: int | None = Field(description="Null for a position, which is turned off at the start.")
    part: str
    indices: list[int] = Field(
        description="Which head, position or neurons; empty for a whole sub-layer."
    )
    token: str | None = Field(description="With `unit` position: the token there.")
    says: list[str] = Field(
        description=(
            "The likeliest token at each position of the answer with this unit off, after the"
            " unedited tokens before it (teacher forcing); of resampled units in the first draw."
        )
    )
    edits: list[dict[str, Any]] = Field(
        description=(
            "The edits that turn it off, as every question about a run takes them; of resampled"
            " units those of the first draw."
        )
    )


class Window(StrictModel):
    """The layers whose parts were turned off, of how many, and how many parts all layers have."""

    first_layer: int
    layers: int
    of_layers: int
    of_units: int


class EffectsAnswer(Answer):
    """Its `unedited` is the unedited answer, with which all others are compared."""

    model: str = Field(description="The model's id.")
    input: dict[str, str] = Field(description="The input as the model read it.")
    prediction: str = optional("What the model says of the input.")
    certainty: str = optional("How far that is to be trusted, as in answers about a run.")
    unlike: list[str] = optional(
        "A sentence for each measure by which the input is unlike the texts held out of training."
    )
    confidence: Confidence = optional(
        "How sure the model is of what it says, where it says something of its own."
    )
    ablation: str
    unit: str
    groups: int | None
    draws: int = Field(description="How many other examples were drawn.")
    seed: int
    reply: Reply
    unedited: Unedited
    units: list[Unit]
    order: list[int] = Field(
        description="The numbers of the units, the one without which the answer loses most first."
    )
    usual_change: float | None = Field(
        description=(
            "The mean of |`resampled`| over units and draws, the scale on which to read a change;"
            " null where no other example was drawn."
        )
    )
    examples: list[dict[str, str]] = Field(
        description=(
            "The examples that a mean was taken over, or else those that were drawn, in order."
        )
    )
    window: Window = optional("Where the parts of some layers alone were turned off.")


def captions_with_cost(answer: "RawAnswer", question: Question) -> dict[str, Any]:
    """What the page says, and of a window of layers what all of them would cost."""
    asked = {name: question[name] for name in Effects.model_fields if name in question}
    depth = range(answer.fields.get("window", {}).get("of_layers", 1))
    return captions(answer, question, Effects(**asked).seconds_of(depth))


EXPERIMENT = Experiment(
    question=Effects,
    answer=EffectsAnswer,
    figure_query=EffectsFigures,
    sentence="What becomes of the answer when each head, sub-layer, position or group of neurons is"
    " turned off in turn",
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
