"""/effects: what becomes of a model's answer when one part of it after another is turned off."""

import json
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Field

from app.captions import Question, fields
from app.captions.fields import Condition, answered, lengths, stated, whether
from app.captions.page import choices, link, run_fields
from app.captions.text import visible
from app.captions.words import Words
from app.experiment import Experiment, in_words
from app.figures import effects
from app.schema.answers import Answer, Confidence, PageWords, StrictModel, optional
from app.schema.bounds import up_to
from app.schema.model_sizes import ModelSizes, sizes_of
from app.schema.questions import AboutModel, Layer, Name, Seed
from model.display_limits import DEEP
from model.labels import label
from model.words import text

if TYPE_CHECKING:
    from model.answers.answer import Answer as RawAnswer

MARGIN = 1e-6
"""A change that is smaller is rounding."""
WRITES = ("target", "next token")
"""The replies that a model writes on."""
JOINED = {"target": " ", "next token": " ", "blanks": ", ", "class": ", ", "shapes": ", "}
"""What stands between the tokens of a reply."""
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
        description=text("effects", "Effects.first_layer", {"most": DEEP, "seconds": OPENS}, "en"),
    )
    layers: Annotated[int, Field(ge=1), up_to("layers")] | None = None
    loss: bool = True

    def arguments(self) -> dict:
        arguments, window = super().arguments(), self.window()
        some = len(window) < sizes_of(self.model).depth
        return arguments | ({"first_layer": window.start, "layers": len(window)} if some else {})

    def window(self) -> range:
        """The layers whose parts are turned off."""
        model = sizes_of(self.model)
        depth = max(1, model.depth)
        if self.first_layer is not None or self.layers is not None:
            first = self.first_layer or 0
            return range(first, first + (DEEP if self.layers is None else self.layers))
        firsts = range(depth if depth > DEEP else 1)
        return next(
            (w for f in firsts if self.seconds_in(w := range(f, depth), model) <= OPENS),
            range(depth - 1, depth),
        )

    def sizes(self) -> dict[str, float]:
        return self.sizes_in(self.window(), sizes_of(self.model))

    def seconds_in(self, window: range, model: ModelSizes) -> float:
        """What the parts of these layers take."""
        return self.seconds_of(self.sizes_in(window, model))

    def sizes_in(self, window: range, model: ModelSizes) -> dict[str, float]:
        """Each unit is a run, and one for each example that it is taken from. A run begins in the
        layer of its unit, on average half way through the window. The products of large matrices
        take less time a number.
        """
        depth = max(1, model.depth)
        some = min(len(window), max(depth - window.start, 0)) / depth
        read = model.tokens(self.text or self.source)
        draws = min(self.draws, model.examples)
        units = {
            "head": model.heads,
            "sublayer": model.sublayers,
            "position": model.visible_tokens(read) * (1 + model.pairs),
            "neurons": model.feed_forwards * self.groups,
        }[self.unit]
        share = 1 - window.start / depth - some / 2
        if self.unit == "position":
            some = share = 1
        twice = 2 if self.ablation == "mean" else 1
        runs = twice * some * units * (1 + draws)
        logits = twice * some * units * ((read if self.loss else 1) + draws)
        unbatched = runs if model.segment else 0  # the segments before the last are read again
        batched = runs - unbatched
        passed = model.layers_cost * share * (0.67 if model.wide > 1 else 1)
        return {
            "answer": 1,
            "sublayers": batched * model.sublayers,
            "scores": batched * model.sublayers * model.scores(read),
            "channels": batched * read * passed,
            "logits": logits * model.vocabulary_cost,
            "rows": batched * model.between_rows,
            "segmented": unbatched,
            "segmented_tokens": unbatched * read,
            "written": model.writing_cost * (read + draws * model.example_tokens),
        }


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


def worst(answer: "RawAnswer", _: Question) -> int:
    """The unit without which the answer loses most."""
    return answer.fields["order"][0]


def chosen(answer: "RawAnswer", question: Question) -> int:
    return effects.chosen(answer.fields, question)


def change(answer: "RawAnswer", unit: int) -> float:
    return answer.tensors["change"].data[unit].item()


def worst_token(answer: "RawAnswer", question: Question) -> tuple[int, float]:
    """The token of the reply that loses most without the chosen unit, and its change."""
    changes = answer.tensors["by_token"].data[chosen(answer, question)]
    return int(changes.argmin()), changes.min().item()


def quoted(answer: "RawAnswer", tokens: list[str]) -> str:
    kind = answer.fields["reply"]["kind"]
    texts = map(label if kind == "shapes" else visible, tokens)
    return fields.quoted(JOINED[kind].join(texts))


def says(answer: "RawAnswer", question: Question) -> list[str]:
    """What the model finds likeliest without the chosen unit."""
    return answer.fields["units"][chosen(answer, question)]["says"]


def differ(answer: "RawAnswer", question: Question) -> int:
    pairs = zip(says(answer, question), answer.fields["unedited"]["says"], strict=True)
    return sum(now != before for now, before in pairs)


def called(
    name: Callable[[dict, dict], str], unit: Callable[["RawAnswer", Question], int]
) -> fields.Field:
    """The name of a unit."""
    return fields.Field(
        lambda answer, question: name(
            answer.fields, answer.fields["units"][unit(answer, question)]
        ),
        "name",
        measured=False,
    )


def how_many(of: Callable[["RawAnswer"], Any]) -> fields.Field:
    """How many of the units are so."""
    return fields.Field(lambda answer, _: int(of(answer).sum()), "whole", measured=False)


def compared(answer: "RawAnswer", _: Question) -> str:
    """What the changes are compared with."""
    if answer.fields["usual_change"] is None:
        return "nothing"
    if answer.fields["ablation"] != "resample":
        return "usual"
    return "spread" if "spread" in answer.tensors else "one_example"


def goes(answer: "RawAnswer", question: Question) -> str:
    by = change(answer, chosen(answer, question))
    return "stays" if abs(by) < MARGIN else "falls" if by < 0 else "rises"


def windowed(answer: "RawAnswer", _: Question) -> str:
    """In how many layers parts were turned off, where not in all."""
    window = answer.fields.get("window")
    return "all" if window is None else "one" if window["layers"] == 1 else "several"


def last_layer(answer: "RawAnswer", _: Question) -> int:
    window = answer.fields["window"]
    return window["first_layer"] + window["layers"] - 1


def seconds(answer: "RawAnswer", question: Question) -> float:
    """What the parts of all layers would take."""
    content = {name: question[name] for name in Effects.model_fields if name in question}
    every = range(answer.fields["window"]["of_layers"])
    return (whole := Effects(**content)).seconds_in(every, sizes_of(whole.model))


WORDS = Words(
    "effects",
    fields={
        **stated("nats", "unedited.log_probability", "usual_change"),
        **stated("number", "unedited.loss"),
        **stated("count", "draws"),
        **stated("whole", "window.first_layer", "window.of_units"),
        **lengths("unit"),
        "reply": fields.Field(
            lambda answer, _: quoted(answer, answer.fields["reply"]["tokens"]), "text"
        ),
        "worst_name": called(effects.long, worst),
        "worst_by": fields.Field(lambda *of: -change(of[0], worst(*of)), "nats"),
        "chosen_name": called(effects.long, chosen),
        "chosen_by": fields.Field(lambda *of: abs(change(of[0], chosen(*of))), "nats"),
        "chosen_left": fields.Field(
            lambda answer, question: (
                answer.fields["unedited"]["log_probability"]
                + change(answer, chosen(answer, question))
            ),
            "number",
        ),
        "chosen_loss": fields.Field(
            lambda *of: of[0].tensors["loss"].data[chosen(*of)].item(), "nats"
        ),
        "says": fields.Field(lambda *of: quoted(of[0], says(*of)), "text"),
        "differ": fields.Field(differ, "count", measured=False),
        "reply_length": fields.Field(
            lambda answer, _: len(answer.fields["reply"]["tokens"]), "whole", measured=False
        ),
        "worst_token": fields.Field(
            lambda *of: of[0].fields["reply"]["tokens"][worst_token(*of)[0]], "token"
        ),
        "worst_token_by": fields.Field(lambda *of: -worst_token(*of)[1], "nats"),
        "falling": how_many(lambda answer: answer.tensors["change"].data < -MARGIN),
        "rising": how_many(lambda answer: answer.tensors["change"].data > MARGIN),
        "larger": how_many(
            lambda answer: (
                answer.tensors["change"].data.abs() > (answer.fields["usual_change"] or math.inf)
            )
        ),
        "clear": how_many(
            lambda answer: answer.tensors["change"].data.abs() > 2 * answer.tensors["spread"].data
        ),
        "shown": fields.Field(lambda *_: effects.MOST, "whole", measured=False),
        "sum": fields.Field(lambda answer, _: answer.tensors["change"].data.sum().item(), "nats"),
        "window_last": fields.Field(last_layer, "whole", measured=False),
        "seconds": fields.Field(seconds, "number"),
    },
    conditions={
        **answered("unit", "head", "sublayer", "position", "neurons"),
        **answered("ablation", "zero", "mean", "resample"),
        **answered("reply.kind", "target", "next_token", "blanks", "class", "shapes"),
        **whether("loses", lambda *of: change(of[0], worst(*of)) < -MARGIN),
        **whether("drawn", lambda answer, _: answer.fields["draws"] > 0),
        **whether("loss", lambda answer, _: answer.fields["unedited"]["loss"] is not None),
        **whether("other", lambda *of: differ(*of) > 0),
        **whether("several", lambda answer, _: len(answer.fields["reply"]["tokens"]) > 1),
        **whether("token_loses", lambda *of: worst_token(*of)[1] < -MARGIN),
        "compared": Condition(compared, ("nothing", "one_example", "spread", "usual")),
        "goes": Condition(goes, ("stays", "falls", "rises")),
        "windowed": Condition(windowed, ("all", "one", "several")),
    },
)


def captions(answer: "RawAnswer", question: Question) -> dict[str, Any]:
    """What the control offers, and where the page shows a run without the chosen unit."""
    content = answer.fields
    unit = content["units"][chosen(answer, question)]
    names = {unit["name"]: label(effects.short(content, unit)) for unit in content["units"]}
    named = question.get("chosen")
    edited = {**run_fields(question), "edits": json.dumps(unit["edits"], ensure_ascii=False)}
    place = {}
    if content["unit"] == "head":
        kind = {"cross_attention": "cross", "row_attention": "rows"}.get(unit["part"], "self")
        at = {"stack": unit["stack"], "layer": unit["layer"], "head": unit["indices"][0]}
        place = {"kind": kind, **at}
    links = [link("/attention", {**edited, **place}, WORDS("links.attention", answer, question))]
    if content["reply"]["kind"] in WRITES:
        free = {name: value for name, value in edited.items() if name != "target"}
        links.append(link("/generate", free, WORDS("links.writes", answer, question)))
    return {
        "choices": {"chosen": choices(WORDS("usual.chosen"), names.items())},
        "chosen": {"chosen": named if named in names else ""},
        "links": links,
    }


EXPERIMENT = Experiment(
    question=Effects,
    answer=EffectsAnswer,
    figure_query=EffectsFigures,
    example="model=translator&source=I+don't+speak+French.&unit=head",
    figures={
        "map": in_words(effects.by_place, tensor="change"),
        "sorted": in_words(effects.RANKED, tensor="change"),
        "tokens": in_words(effects.TOKENS, tensor="log_probability"),
    },
    captions=captions,
    captions_type=PageWords,
    words=WORDS,
)
