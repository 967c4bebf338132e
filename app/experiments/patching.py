"""/patching: how much of the difference between two inputs each copied vector restores."""

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from annotated_types import Ge
from pydantic import BeforeValidator, Field

from app.captions import Question, fields
from app.captions.axes import labels
from app.captions.fields import Condition, answered, called, stated, whether
from app.captions.page import choices, chosen, given, indices, link, numbered
from app.captions.words import Words
from app.experiment import Experiment, in_words
from app.figures import patching
from app.schema.answers import PageWords, RunAnswer, StrictModel, optional
from app.schema.bounds import below
from app.schema.edits import OtherInput, Pairs
from app.schema.model_sizes import sizes_of
from app.schema.questions import AboutModel, Head, Layer, Name, Names, Rows, Text

if TYPE_CHECKING:
    from model.answers.answer import Answer


def from_object(value: object) -> object:
    """An input as an object, as a body may have it, becomes one string of JSON, as it is in an
    address.
    """
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else value


Other = Annotated[Text, BeforeValidator(from_object, json_schema_input_type=Text | OtherInput)]
SITES = 9
"""Of one layer, which are patched."""


class Patching(AboutModel):
    read_from: ClassVar = (*AboutModel.read_from, "corrupted")

    clean: Other | None = Field(
        None,
        description=(
            "The clean input, from whose run vectors are copied: a text, image or row that the"
            " model reads, or a JSON object with the fields of an input. If it is left out, it is"
            " a prepared one, or the example that is most like the corrupted input."
        ),
        examples=["he is cold"],
    )
    corrupted: Other | None = Field(
        None,
        description=(
            "The corrupted input, into whose run vectors are copied, in the form of `clean`. If it"
            " is left out, it is the input of the question: `source`, `text`, `image` or `row`."
        ),
    )
    metric: Literal["logit_difference", "log_probability", "kl"] | None = Field(
        None,
        description=(
            "What is measured of an answer: the logit of the clean run's answer minus that of the"
            " corrupted run's, the log-probability of the clean run's answer, or the divergence"
            " from the clean run's probabilities. If it is left out, it is the first, or the second"
            " where both runs answer the same."
        ),
    )
    step: Annotated[int, Ge(0), below("text_length")] | None = Field(
        None,
        description=(
            "The position of the logits that is measured. If it is left out, it is the first at"
            " which the two runs answer differently."
        ),
    )
    stack: Literal["encoder", "decoder"] | None = Field(
        None, description="The stack that is patched. If it is left out, it is the first."
    )
    positions: Annotated[Pairs, *Rows] | None = Field(
        None,
        description=(
            "Pairs of a position of the clean input and the position of the corrupted input that it"
            " is copied to. Inputs of as many tokens do not need it."
        ),
    )
    sites: Names | None = Field(
        None,
        description=(
            "The sites that are patched, with commas between them, for instance"
            " residual.in,attention.out. If it is left out, all are."
        ),
    )
    site: Name | None = Field(
        None,
        description=(
            "The site of the patch whose answers are told, for instance residual.in or"
            " attention.out. If it is left out, it is the first, residual.in where it is patched."
        ),
    )
    layer: Layer | None = Field(
        None,
        description=(
            "The layer of that patch, counted from 0. If it is left out, it is the first in which"
            " one patch at the site restores a tenth."
        ),
    )
    position: Annotated[int, Ge(0), below("text_length")] | None = Field(
        None,
        description=(
            "The position of that patch, counted from 0. If it is left out, it is the one that"
            " restores most."
        ),
    )
    receiver: Name | None = Field(
        None,
        description=(
            "The name of an activation, as `/activations` lists it. If it is given, a patch acts on"
            " this activation alone, through the residual stream, and everything else is frozen"
            " until then (path patching)."
        ),
        examples=["decoder.2.cross_attention.v"],
    )
    receiver_head: Head | None = Field(
        None, description="One head of the receiver. If it is left out, it is all of it."
    )
    heads: bool = Field(
        False, description="Whether the output of every head is patched by itself too."
    )
    pairs: bool = Field(
        False,
        description="Whether every two positions are patched at once too, at `site` in `layer`.",
    )

    def estimated_seconds(self) -> float:
        """Fitted to measurements on one core of a two-core server; wrong by a factor of at most
        1.5 above 0.1 s. A run is patched at each site, layer and position at which both runs
        differ, and begins in its layer, half way through the layers on average.
        """
        model = sizes_of(self.model)
        text = self.source or self.text or self.corrupted or ""
        read = model.tokens(None if self.image or self.row else text)
        places = read * model.changed(text, self.clean)
        names = len(self.sites.split(",")) if self.sites else SITES
        heads = model.heads / max(model.first_layers, 1) / (3 if model.pairs else 1)
        runs = model.first_layers * places * (names + heads * self.heads)
        runs *= 3 if self.receiver else 1
        runs += places**2 / 2 * self.pairs
        sublayer = (1.7e-5 + 6.3e-9 * model.scores(read)) * model.slower
        run = sublayer * model.sublayers + 1.2e-6 * read * model.layers_cost * model.wide**0.25
        run += 4e-6 * model.vocabulary_cost + 0.0127 * model.between_rows
        plain = 5e-4 * model.token_cost
        return 0.02 + plain + runs * run + 0.0015 * read * model.writing_cost


class Answered(StrictModel):
    """An answer with its probability: a token, or a class."""

    text: str
    id: int
    probability: float


class PatchingRun(StrictModel):
    """One of the runs: the clean one, the corrupted one, or the one with the chosen patch."""

    input: dict[str, str]
    tokens: list[str] = Field(description="The tokens of the stack that is patched.")
    value: float = Field(description="The metric of this run.")
    answers: list[Answered] = Field(description="Its most probable answers where it is measured.")
    writes: str | None = Field(
        description=(
            "What an encoder-decoder writes, greedily, from what its encoder hands it in this run;"
            " null for any other model."
        )
    )


class PatchingEdit(StrictModel):
    """The chosen patch as an edit, as `edits` takes it."""

    op: Literal["patch"]
    at: str
    from_: dict[str, str] = Field(alias="from")
    positions: list[list[int]]


class PatchingAnswer(RunAnswer):
    stack: str
    metric: str
    metric_formula: str
    unit: str
    step: int = Field(description="The position of the logits that is measured.")
    receiver: str | None
    receiver_head: int | None
    reads: str = Field(description="The field in which an address gives the input.")
    answer_clean: str
    answer_corrupted: str
    clean: PatchingRun
    corrupted: PatchingRun
    patched: PatchingRun
    difference: float = Field(description="The metric of the clean run minus the corrupted one.")
    nothing: float | None = Field(
        description=(
            "What is restored where nothing is patched; null where the difference is below 0.001"
            " and so no share of it is told."
        )
    )
    everything: float | None = Field(
        description=(
            "What is restored where all that every stack reads is patched: 1, unless a part of the"
            " input bypasses the stacks; null where it cannot be patched."
        )
    )
    site: str
    layer: int
    position: int
    chosen_restored: float | None = Field(description="What the chosen patch restores.")
    edit: PatchingEdit
    pair_answers: list[list[str]] = optional(
        "What the model answers where two positions are patched, by their numbers."
    )


SENTENCES = {"model": "translator", "source": "i am cold", "clean": "he is cold"}
DIGIT = {"model": "digits", "image": "three", "clean": "0" * 64}


def says(run: str) -> fields.Field:
    """What the model writes in a run, or else its most probable answer."""

    def of(answer: "Answer", _: Question) -> str:
        return answer.fields[run]["writes"] or answer.fields[run]["answers"][0]["text"]

    return fields.Field(of, "token", measured=False)


def moved(answer: "Answer", _: Question) -> float:
    """By how much the chosen patch moves the metric."""
    return answer.fields["patched"]["value"] - answer.fields["corrupted"]["value"]


def everything(answer: "Answer") -> float:
    """What a copy of all that the stacks read restores; all of it where that is not known."""
    whole = answer.fields["everything"]
    return 1.0 if whole is None else whole


def best_head(answer: "Answer", axis: str) -> str:
    """The place on an axis of the largest share that the output of a head restores."""
    restored = answer.tensors["restored_by_head"]
    at, places = int(restored.data.argmax()), {}
    for name in reversed(restored.axes):
        at, places[name] = divmod(at, answer.axes[name].size)
    known = answer.axes[axis].labels
    return known[places[axis]] if known else str(places[axis])


def pairs(answer: "Answer") -> list[tuple[int, int]]:
    """Every two positions."""
    return [(j, i) for i in range(len(answer.fields["pair_answers"])) for j in range(i)]


def turned(answer: "Answer") -> list[tuple[int, int]]:
    """The pairs with which the model answers otherwise."""
    said, own = answer.fields["pair_answers"], answer.fields["answer_corrupted"]
    return [(i, j) for i, j in pairs(answer) if said[i][j] != own]


def rarest(answer: "Answer") -> list[tuple[int, int]]:
    """The pairs with the rarest answer that no position alone has; of several an 8."""
    said = answer.fields["pair_answers"]
    alone = {row[i] for i, row in enumerate(said)}
    by_answer: dict[str, list[tuple[int, int]]] = {}
    for i, j in turned(answer):
        if said[i][j] not in alone:
            by_answer.setdefault(said[i][j], []).append((i, j))
    return min(by_answer.items(), key=lambda one: (len(one[1]), one[0] != "8"), default=("", []))[1]


def of_pair() -> Iterator[tuple[str, fields.Field]]:
    """The two positions of the first of these pairs, their tokens, and its answer."""

    def first(answer: "Answer") -> tuple[int, int]:
        return next(iter(rarest(answer)))

    for which, name in enumerate(("first", "second")):
        yield (
            name,
            fields.Field(lambda a, _, which=which: first(a)[which], "whole", measured=False),
        )
        yield (
            f"{name}_token",
            fields.Field(
                lambda a, _, which=which: labels(a, "position")[first(a)[which]],
                "token",
                measured=False,
            ),
        )
    yield (
        "new_answer",
        fields.Field(
            lambda a, _: a.fields["pair_answers"][first(a)[0]][first(a)[1]], "token", measured=False
        ),
    )


def newly(answer: "Answer", _: Question) -> str:
    """How many pairs have the rarest new answer."""
    return ("none", "only", "several")[min(len(rarest(answer)), 2)]


RUNS = ("corrupted", "patched", "clean")
WORDS = Words(
    "patching",
    fields={
        **stated(
            "token", corrupted_read="corrupted.input.{reads}", clean_read="clean.input.{reads}"
        ),
        **stated("token", "answer_corrupted", *(f"{run}.writes" for run in RUNS)),
        **stated("token", *(f"{run}.answers.0.text" for run in RUNS)),
        **stated("fraction", *(f"{run}.answers.0.probability" for run in RUNS)),
        **stated("text", "stack", "unit", "receiver"),
        **stated("whole", "layer", "step", "receiver_head"),
        **stated("percent", "chosen_restored", "everything"),
        **stated("number", "corrupted.value", "clean.value"),
        **called("site", patching.SITES),
        "token": fields.Field(
            lambda answer, _: labels(answer, "position")[answer.fields["position"]],
            "token",
            measured=False,
        ),
        "before": says("corrupted"),
        "after": says("patched"),
        "moved": fields.Field(moved, "number"),
        "difference": fields.Field(lambda answer, _: abs(answer.fields["difference"]), "number"),
        "best_share": fields.Field(
            lambda answer, _: answer.tensors["restored_by_head"].data.max().item(), "percent"
        ),
        "best_site": fields.Field(
            lambda answer, _: patching.SITES[best_head(answer, "head_site")], "text", measured=False
        ),
        **{
            f"best_{name}": fields.Field(
                lambda answer, _, axis=axis: best_head(answer, axis), kind, measured=False
            )
            for name, axis, kind in (
                ("head", "head", "text"),
                ("layer", "layer", "text"),
                ("token", "position", "token"),
            )
        },
        "turned": fields.Field(lambda answer, _: len(turned(answer)), "whole", measured=False),
        "pairs": fields.Field(lambda answer, _: len(pairs(answer)), "whole", measured=False),
        "new": fields.Field(lambda answer, _: len(rarest(answer)), "whole", measured=False),
        **dict(of_pair()),
    },
    conditions={
        **answered("metric", "logit_difference", "log_probability", "kl"),
        **whether("quotable", lambda answer, _: answer.fields["reads"] in ("source", "text")),
        **whether("divided", lambda answer, _: answer.fields["nothing"] is not None),
        **whether("restores", lambda answer, _: answer.fields["chosen_restored"] is not None),
        **whether("writes", lambda answer, _: answer.fields["clean"]["writes"] is not None),
        **whether("stays", lambda *both: says("corrupted").of(*both) == says("patched").of(*both)),
        **whether("bypassed", lambda answer, _: abs(everything(answer) - 1) > 0.01),
        **whether("kinds_of_heads", lambda answer, _: len(labels(answer, "head_site")) > 1),
        **whether("frozen", lambda answer, _: answer.fields["receiver"] is not None),
        **whether("one_head", lambda answer, _: answer.fields["receiver_head"] is not None),
        "newly": Condition(newly, ("none", "only", "several")),
    },
)


def captions(answer: "Answer", question: Question) -> dict[str, Any]:
    """What the controls offer, the chosen patch on another page, and questions that show
    something.
    """
    told, run = answer.fields, given(question)
    if not run.keys() - {"model"}:
        run |= {told["reads"]: told["corrupted"]["input"][told["reads"]]}
    edits = json.dumps([told["edit"]], ensure_ascii=False, separators=(",", ":"))
    patch = link("/attention", {**run, "edits": edits}, WORDS("links.patch"))
    grid, path = {**SENTENCES, "show": "grid"}, {"receiver": "decoder.2.cross_attention.v"}
    sites = ((site, patching.OFFERED.get(site, site)) for site in labels(answer, "site"))
    return {
        "choices": {
            "site": choices(WORDS("usual.site"), sites),
            "layer": choices(WORDS("usual.layer"), indices(answer.axes["layer"].size)),
            "position": choices(WORDS("usual.position"), numbered(labels(answer, "position"))),
        },
        "chosen": chosen(question, "site", "layer", "position"),
        "links": [
            *([] if told["receiver"] is not None else [patch]),
            link("/patching", grid, WORDS("links.word")),
            link("/patching", {**grid, "position": 2}, WORDS("links.verb")),
            link("/patching", {**DIGIT, "show": "pairs"}, WORDS("links.pieces")),
            link("/patching", {**SENTENCES, **path, "show": "grid"}, WORDS("links.path")),
        ],
    }


EXPERIMENT = Experiment(
    question=Patching,
    answer=PatchingAnswer,
    sentence="How much of the difference between two inputs one vector restores that is copied from"
    " the clean run into the corrupted one, by site, layer and position; and along one path",
    example="model=translator&source=i+am+cold&clean=he+is+cold",
    figures={
        "grid": in_words(patching.grid, tensor="measured"),
        "heads": in_words(patching.heads, tensor="measured_by_head"),
        "pairs": in_words(patching.PAIRS),
        "answers": in_words(patching.ANSWERS),
    },
    words=WORDS,
    captions=captions,
    captions_type=PageWords,
)
