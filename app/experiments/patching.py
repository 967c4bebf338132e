"""/patching: how much of the difference between two inputs each copied vector restores."""

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from annotated_types import Ge
from pydantic import BeforeValidator, Field

from app.captions import Question, fields
from app.captions.axes import labels
from app.captions.fields import Condition, answered, called, stated, whether
from app.captions.page import choices, chosen, indices, link, numbered, run_fields
from app.captions.words import Words
from app.experiment import Experiment, in_words
from app.figures import patching
from app.schema.answers import PageWords, RunAnswer, StrictModel, optional
from app.schema.bounds import below
from app.schema.edits import OtherInput, Pairs
from app.schema.model_sizes import sizes_of
from app.schema.questions import AboutModel, Head, Layer, Name, Names, Rows, Text
from model.labels import label

if TYPE_CHECKING:
    from model.answers.answer import Answer


def from_object(value: object) -> object:
    """An input as an object, as in a body, becomes one string of JSON, as in an address."""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else value


Other = Annotated[Text, BeforeValidator(from_object, json_schema_input_type=Text | OtherInput)]
SITES = 9
"""Of one layer, which are patched."""


class Patching(AboutModel):
    read_from: ClassVar = (*AboutModel.read_from, "corrupted")

    clean: Other | None = Field(None, examples=["he is cold"])
    corrupted: Other | None = None
    metric: Literal["logit_difference", "log_probability", "kl"] | None = None
    step: Annotated[int, Ge(0), below("text_length")] | None = None
    stack: Literal["encoder", "decoder"] | None = None
    positions: Annotated[Pairs, *Rows] | None = None
    sites: Names | None = None
    site: Name | None = None
    layer: Layer | None = None
    position: Annotated[int, Ge(0), below("text_length")] | None = None
    receiver: Name | None = Field(None, examples=["decoder.2.cross_attention.v"])
    receiver_head: Head | None = None
    heads: bool = False
    pairs: bool = False

    def sizes(self) -> dict[str, float]:
        """A run is patched at each site, layer and position at which both runs differ, and begins
        in its layer, half way through the layers on average.
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
        sublayers = runs * model.sublayers * model.slower
        return {
            "answer": 1,
            "read": model.token_cost,
            "sublayers": sublayers,
            "scores": sublayers * model.scores(read),
            "channels": runs * read * model.layers_cost * model.wide**0.25,
            "logits": runs * model.vocabulary_cost,
            "rows": runs * model.between_rows,
            "written": read * model.writing_cost,
        }


class Answered(StrictModel):
    """An answer with its probability: a token, or a class."""

    text: str
    id: int
    probability: float


class PatchingRun(StrictModel):
    """One of the runs: the clean one, the corrupted one, or the one with the chosen patch."""

    input: dict[str, str]
    tokens: list[str]
    value: float
    answers: list[Answered]
    writes: str | None


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
    step: int
    receiver: str | None
    receiver_head: int | None
    reads: str
    answer_clean: str
    answer_corrupted: str
    clean: PatchingRun
    corrupted: PatchingRun
    patched: PatchingRun
    difference: float
    nothing: float | None
    everything: float | None
    site: str
    layer: int
    position: int
    chosen_restored: float | None
    edit: PatchingEdit
    pair_answers: list[list[str]] = optional()


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
    answers, corrupted = answer.fields["pair_answers"], answer.fields["answer_corrupted"]
    return [(i, j) for i, j in pairs(answer) if answers[i][j] != corrupted]


def rarest(answer: "Answer") -> list[tuple[int, int]]:
    """The pairs with the rarest answer that no position alone has; of several an 8."""
    answers = answer.fields["pair_answers"]
    diagonal = {row[i] for i, row in enumerate(answers)}
    by_answer: dict[str, list[tuple[int, int]]] = {}
    for i, j in turned(answer):
        if answers[i][j] not in diagonal:
            by_answer.setdefault(answers[i][j], []).append((i, j))
    return min(
        by_answer.items(), key=lambda item: (len(item[1]), item[0] != "8"), default=("", [])
    )[1]


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
        **stated("name", "stack"),
        **stated("text", "unit", "receiver"),
        **stated("whole", "layer", "step", "receiver_head"),
        **stated("percent", "chosen_restored", "everything"),
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
            lambda answer, _: patching.SITES[best_head(answer, "head_site")], "name", measured=False
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
    """What the controls offer, the patch on another page, and questions that show something."""
    content, run = answer.fields, run_fields(question)
    if not run.keys() - {"model"}:
        run |= {content["reads"]: content["corrupted"]["input"][content["reads"]]}
    edits = json.dumps([content["edit"]], ensure_ascii=False, separators=(",", ":"))
    patch = link("/attention", {**run, "edits": edits}, WORDS("links.patch"))
    grid, path = {**SENTENCES, "show": "grid"}, {"receiver": "decoder.2.cross_attention.v"}
    sites = ((site, label(patching.OFFERED.get(site, site))) for site in labels(answer, "site"))
    return {
        "choices": {
            "site": choices(WORDS("usual.site"), sites),
            "layer": choices(WORDS("usual.layer"), indices(answer.axes["layer"].size)),
            "position": choices(WORDS("usual.position"), numbered(labels(answer, "position"))),
        },
        "chosen": chosen(question, "site", "layer", "position"),
        "links": [
            *([] if content["receiver"] is not None else [patch]),
            link("/patching", grid, WORDS("links.word")),
            link("/patching", {**grid, "position": 2}, WORDS("links.verb")),
            link("/patching", {**DIGIT, "show": "pairs"}, WORDS("links.pieces")),
            link("/patching", {**SENTENCES, **path, "show": "grid"}, WORDS("links.path")),
        ],
    }


EXPERIMENT = Experiment(
    question=Patching,
    answer=PatchingAnswer,
    example="model=translator&source=i+am+cold&clean=he+is+cold",
    figures={
        "grid": in_words(patching.GRID, tensor="measured"),
        "heads": in_words(patching.HEADS, tensor="measured_by_head"),
        "pairs": in_words(patching.PAIRS),
        "answers": in_words(patching.ANSWERS),
    },
    words=WORDS,
    captions=captions,
    captions_type=PageWords,
)
