"""Analyses: each file answers one kind of question. An analysis or clinic has the same name as its
file, function, route, and page.

The service calls `answer` and `stream`. They pass arguments according to an analysis's annotations:
a `Model` and an `Input` are loaded and read from the question; a `Run` is that model's run of that
input, with the question's interventions; `BaselineRun` is the run without them; `RunWithoutMaps` is
the run of a long sequence; and `Runs` is the function that makes runs. An analysis that makes its
own edited runs takes the question's `Edits` and its `Arrangement`. All other parameters are fields
of the question with the same name.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import fields, replace
from functools import cache, partial
from importlib import import_module
from inspect import signature
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import torch

from model.activations.activation import input_axis
from model.answers.answer import Answer
from model.arrangement.alignment import with_unedited
from model.arrangement.arrangement import FIELDS as ARRANGING
from model.arrangement.arrangement import UNARRANGED, Arrangement, read_arrangement
from model.arrangement.same_token import same_token_question
from model.checks import interval
from model.clinics import CLINICS
from model.core_speed import slowness as slowness
from model.edits.changes import Stage
from model.edits.edit import Edits, read_edits
from model.edits.editor import is_sound, names_of
from model.errors import InvalidInput, NotRead, UnknownName, VitrineError
from model.generation.decoding import Read
from model.generation.read_together import read_incrementally
from model.inputs.input import Input
from model.interpretability.masks.key_removal import Removal
from model.interpretability.value_path import remove
from model.runs.edited_decoder import EditedDecoder, read_edited
from model.runs.long_text import LongRun
from model.runs.price import Price, price_of_run, price_of_text
from model.runs.run import BaselineRun, Run, RunWithoutMaps
from model.runs.run_model import Runs, check_fields, run_model
from model.runs.strategies import Settings
from model.runs.together import Edited, edit_together, run_together
from model.runs.window import run_window
from model.zoo.cards import User, own_card
from model.zoo.mapped_weights import Mapped
from model.zoo.models import InMemory, Model, ModelCache, load_model

Fits = Callable[[Answer], None]
"""Raises an error if an answer is too large."""

Question = tuple[str, dict]
"""The name of an analysis, and the fields of a question to it."""

LETTERS_TOGETHER = 4_096
"""The maximum total length of the inputs in a batch of runs: about a hundred sentences, or four
long texts. It keeps users from waiting long for the runs of others.
"""

EDITED_TOGETHER = 32
"""The maximum number of edited runs in a batch."""

FEW_NAMES = 16
"""The maximum number of activations changed in an edited run that joins a batch: a class ablates
heads and moves words. Someone who changes hundreds waits only for their own run.
"""

INPUT = tuple(field.name for field in fields(Input))
"""The fields of a question that belong to its Input."""

ANALYSES = tuple(module.name.replace("_", "-") for module in iter_modules(__path__))

OF_LOGITS = ("circuit", "effects", "heads", "images", "logits", "patching")
"""Analyses that require a model with a head. Others raise a more specific error or omit logits."""

OF_EDITS = ("edits", "beside", *ARRANGING)
"""The fields of a question about an edited run. `seed`, which also shuffles the tokens, belongs to
the analysis too if it samples anything.
"""


def answer(
    word: str, question: dict, runs: Runs = run_model, fits: Fits = lambda answer: None
) -> Answer:
    """Answers `question`, a dict of JSON values, with the analysis or clinic `word`. All runs are
    made by `runs`, so a caller can cache them. Before an edited run with `beside`, `fits` is called
    with an answer of the same size, and raises an error if it is too large.
    """
    if without_maps(word, question):
        return answer_without_maps(word, question, runs)
    if takes_edits(word):
        return ask_with_edits(function_of(word), question, runs, fits)
    return ask(function_of(word), question, runs)


OF_LONG_TEXTS = {
    "attention": "level",
    "generate": "window",
    "logits": "window",
    "residual": "window",
}
"""The analyses that support long texts, each with the field that selects one: the level of the
tiles, or the window of positions. The `window` of /masks is that of a mask.
"""


def without_maps(word: str, question: dict) -> bool:
    """Whether a question is about a long text, which is read without storing its attention maps."""
    return question.get(OF_LONG_TEXTS.get(word, "")) is not None


def answer_without_maps(word: str, question: dict, runs: Runs) -> Answer:
    """Answers `question` about a long text, by tiles or with the run of a window. Raises
    InvalidInput for a question with interventions.
    """
    read = with_edits_of(question, runs)
    plain = {name: value for name, value in question.items() if name not in OF_EDITS}
    if word == "generate":
        return ask(function_of(word), plain, read)
    window = plain.pop("window", None)
    if window is None:
        return ask(getattr(import_module(module_of(word)), f"{word}_by_tiles"), plain, read)

    def read_window(model: Model, input: Input, **_: Any) -> Run:
        run = read(model, input, maps=False)
        assert isinstance(run, LongRun), "a run without maps is that of a long text"
        return run_window(run, interval("window", window, run.inputs["text"].size))

    return ask(function_of(word), plain, read_window)


def with_edits_of(question: dict, runs: Runs) -> Runs:
    """A function that makes runs with the question's interventions; a long text rejects them."""
    edits, arranged = changes_of(question)
    read = partial(runs, edits=edits) if edits else runs
    return read if arranged == UNARRANGED else partial(read, arranged=arranged)


def stream(word: str, question: dict, runs: Runs = run_model) -> Iterator[dict]:
    """Yields parts of the answer to `question` as soon as they are known."""
    steps = getattr(import_module(f"model.analyses.{word}"), f"{word}_steps")
    if without_maps(word, question):
        return ask(steps, without_edits(question), with_edits_of(question, runs))
    return (ask_with_edits if takes_edits(word) else ask)(steps, question, runs)


def price(word: str, question: dict, runs: Runs = run_model) -> Price:
    """The cost of the interventions in `question` before any is made; nothing if there are none.
    Raises the same errors as `answer`.
    """
    if not takes_edits(word) or without_maps(word, question):
        return Price()
    edits, arranged = changes_of(question)
    if not edits and arranged == UNARRANGED:
        return Price()
    model = load_model(question["model"])
    input = input_of(question)
    if word != "generate":
        return price_of_run(runs(model, input), edits)
    names = {field.name for field in fields(Settings)} & question.keys()
    settings = Settings(**{name: question[name] for name in names})
    run = runs(model, replace(input, target=None))
    return price_of_text(run, edits, settings.rows, settings.max_new_tokens)


def runs_ahead(
    questions: Iterable[Question],
    waiting: Iterable[Question],
    known: Callable[..., bool],
    runs: Runs = run_model,
) -> Iterator[tuple[Model, Input, dict[str, Any], Run]]:
    """Yields the runs needed by `questions` that are not `known`, each with the model, input, and
    other arguments of `runs`: first those without interventions, which `runs` then knows, then
    those with few. Runs of the same model needed by the `waiting` questions join the batch, up to
    LETTERS_TOGETHER, because batches are cheaper. Questions that don't fit this scheme are skipped;
    their runs are made, or their errors raised, when they are answered.
    """
    questions, waiting = list(questions), list(waiting)
    later = unknown(waiting, known)
    for id, inputs in unknown(questions, known).items():
        together = list(within(LETTERS_TOGETHER, [*inputs, *later.get(id, ())]))
        if len(together) > 1:
            model = load_model(id)
            for input, run in run_together(model, together).items():
                yield model, input, {}, run
    edited_later = unknown_edited(waiting, known)
    for id, edited in unknown_edited(questions, known).items():
        both = [*edited, *edited_later.get(id, ())]
        inputs = {*within(LETTERS_TOGETHER, [run.input for run in both])}
        together = [run for run in both if run.input in inputs][:EDITED_TOGETHER]
        if len(together) > 1:
            model = load_model(id)
            for edited_run, run in edit_together(model, together, runs).items():
                yield model, edited_run.input, arguments_of(edited_run), run


def remove_ahead(
    questions: Iterable[Question],
    waiting: Iterable[Question],
    known: Callable[..., bool],
    runs: Runs = run_model,
) -> None:
    """Computes the removals that `questions` need in runs that are `known`, in one batch with those
    of the `waiting` questions. Each run caches its removals.
    """
    if some := [*removed_by(questions, known, runs)]:
        remove([*some, *removed_by(waiting, known, runs)])


def read_together(reads: Iterable[Read]) -> None:
    """Makes the next reads of several texts being generated, batched by model. A read that is
    skipped is left to the text that waits for it.
    """
    found: dict[object, list[Read]] = defaultdict(list)
    for read in reads:
        edited = isinstance(read.decoder, EditedDecoder)
        found[read.decoder.editing.model.id if edited else None].append(read)
    for model, some in found.items():
        (read_edited if model else read_incrementally)(some)


def removed_by(
    questions: Iterable[Question], known: Callable[..., bool], runs: Runs
) -> Iterator[Removal]:
    """The removals that questions need in runs that are `known`, except those that raise errors."""
    for word, question in questions:
        find = getattr(import_module(module_of(word)), f"{word}_removal", None)
        if find is None:
            continue
        input = input_of(question)
        with suppress(InvalidInput, NotRead, UnknownName):
            edited = changes_of(question)
            model = load_model(question["model"])
            if edited == ((), UNARRANGED) and known(model, input):
                found = find(runs(model, input), **without_edits(question))
                if found is not None:
                    yield found


def unknown(questions: Iterable[Question], known: Callable[..., bool]) -> dict[str, list[Input]]:
    """For each model, the inputs of the questions whose runs are not `known`, without
    duplicates.
    """
    found: dict[str, dict[Input, None]] = {}
    for word, question in questions:
        if Run not in parameters_by_type(function_of(word)) or without_maps(word, question):
            continue
        input = input_of(question)
        with suppress(NotRead, UnknownName):
            if not known(load_model(question["model"]), input):
                found.setdefault(question["model"], {})[input] = None
    return {id: list(inputs) for id, inputs in found.items()}


def unknown_edited(
    questions: Iterable[Question], known: Callable[..., bool]
) -> dict[str, list[Edited]]:
    """For each model, the runs with few interventions that are not `known`, without duplicates."""
    found: dict[str, dict[Edited, None]] = {}
    for word, question in questions:
        reads = Run in parameters_by_type(function_of(word))
        if not reads or without_maps(word, question):
            continue
        with suppress(InvalidInput, NotRead, UnknownName):
            edits, arranged = changes_of(question)
            if not edits and arranged == UNARRANGED:
                continue
            model = load_model(question["model"])
            input = input_of(question)
            edited_run = Edited(input, edits, arranged)
            if are_few(model, edits) and not known(model, input, **arguments_of(edited_run)):
                found.setdefault(question["model"], {})[edited_run] = None
    return {id: list(edited) for id, edited in found.items()}


def arguments_of(run: Edited) -> dict[str, Any]:
    """The arguments of `Runs` for an edited run besides model and input."""
    edits = {"edits": run.edits} if run.edits else {}
    return edits if run.arranged == UNARRANGED else edits | {"arranged": run.arranged}


def are_few(model: Model, edits: Edits) -> bool:
    """Whether interventions take little more time than the forward pass: they change few
    activations and don't need the run of another input.
    """
    needs_another = any(edit.inputs or edit.op == "patch" for edit in edits)
    names = [name for edit in edits for name in names_of(model.config, edit)]
    return not needs_another and len(names) <= FEW_NAMES


def overflows(question: dict) -> bool:
    """Whether a user's own model overflows in the run of a question. Its weights are unchecked; the
    included models never overflow.
    """
    id = question.get("model")
    if not isinstance(id, str) or own_card(id) is None:
        return False
    model = load_model(id)
    try:
        run = run_model(model, input_of(question))
    except VitrineError:
        return False
    except Exception:  # for instance, sampling from tokens without probabilities
        return any(value.abs().max() > OVERFLOWING for value in model.transformer.parameters())
    return not all(is_sound(name, value) for name, value in run.trace.items())


OVERFLOWING = 1e18
"""A weight whose square is about the largest float32."""


def changes_of(question: dict) -> tuple[Edits, Arrangement]:
    """The interventions of a question, and the arrangement of its input; most questions have
    neither.
    """
    if not question.get("edits") and all(question.get(name) is None for name in ARRANGING):
        return (), UNARRANGED
    return read_edits(question.get("edits", ())), read_arrangement(question)


def input_of(question: dict) -> Input:
    """The input of a question."""
    return Input(**{name: question.get(name) for name in INPUT})


def within(letters: int, inputs: Iterable[Input]) -> Iterator[Input]:
    """The first of the inputs, without duplicates, whose total length is at most `letters`."""
    for input in dict.fromkeys(inputs):
        letters -= sum(len(str(value)) for value in vars(input).values() if value is not None)
        if letters < 0:
            return
        yield input


def ask(
    analyse: Callable,
    question: dict,
    runs: Runs,
    edits: Edits = (),
    arranged: Arrangement = UNARRANGED,
    unedited: Runs | None = None,
):
    """Calls an analysis with the arguments that its signature requires. `unedited` makes runs of an
    input with the same arrangement but without interventions, if those of `runs` have them. Raises
    InvalidInput or UnknownName.
    """
    names, question = parameters_by_type(analyse), dict(question)
    arguments: dict[object, object] = {Edits: edits, Arrangement: arranged}
    if names.keys() & {Run, BaselineRun, RunWithoutMaps, Model, Input}:
        model = load_model(question.pop("model"))
        input = Input(**{name: question.pop(name, None) for name in INPUT})
        check_head(model, getattr(analyse, "__name__", ""))
        arguments |= {Model: model, Input: input}
        if names.keys() & {Run, BaselineRun}:
            arguments[Run] = runs(model, input)
            arguments[BaselineRun] = unedited(model, input) if unedited else arguments[Run]
        elif RunWithoutMaps in names:
            arguments[RunWithoutMaps] = runs(model, input, maps=False)
        else:
            check_fields(model, input)
    arguments[Runs] = runs
    return analyse(**{name: arguments[kind] for kind, name in names.items()}, **question)


def check_head(model: Model, analysis: str) -> None:
    """Raises InvalidInput for a model without a head if the analysis needs logits, and for a
    classifier if it needs those of words.
    """
    if model.config.head.absent and analysis.removesuffix("_steps") in OF_LOGITS:
        raise InvalidInput("model-has-no-head", field="model", model=model.id)
    if model.config.classifies_text and analysis == "circuit":
        raise InvalidInput("head-of-classes", field="model", model=model.id)


def ask_with_edits(analyse: Callable, question: dict, runs: Runs, fits: Fits = lambda answer: None):
    """Calls an analysis with the run changed by the question's interventions. With `beside`, the
    answer also has the tensors without interventions. An analysis that makes its own edited runs
    gets the interventions.
    """
    plain = without_edits(question)
    if not takes(analyse, "seed"):
        plain.pop("seed", None)
    edits, arranged = changes_of(question)
    beside = bool(question.get("beside"))
    if Edits in parameters_by_type(analyse):
        return ask(analyse, plain | {"beside": beside}, runs, edits, arranged)
    if not edits and arranged == UNARRANGED:
        return ask(analyse, plain, runs)
    read = runs if arranged == UNARRANGED else partial(runs, arranged=arranged)
    unedited = ask(analyse, plain, runs) if beside and arranged == UNARRANGED else None
    if unedited:
        fits(with_unedited(unedited, unedited))
    if unedited and GROWING in unedited.axes:
        wide = ask(analyse, plain, as_if_edited(runs, edits))
        fits(with_unedited(wide, unedited))
    answer = ask(analyse, plain, partial(read, edits=edits), unedited=read)
    if not beside:
        return answer
    word = getattr(analyse, "__name__", "").replace("_", "-")
    plain = same_token_question(word, plain, answer, followed_axis(answer))
    return with_unedited(answer, unedited or ask(analyse, plain, runs))


GROWING = "part"
"""The axis of the residual stream's parts; each edited activation adds one to it."""


def as_if_edited(runs: Runs, edits: Edits) -> Runs:
    """Makes runs without interventions in which the activations of `edits` count as edited, so that
    answers have the same size as with them, before any intervention is made.
    """
    nothing = torch.zeros(())

    def run(model: Model, *of: Any, **more: Any) -> Run:
        names = (name for edit in edits for name in names_of(model.config, edit))
        stages = {name: [Stage(None, "", nothing, nothing)] for name in names}
        return replace(runs(model, *of, **more), stages=stages)

    return run


def same_token(word: str, question: dict, answer: Answer) -> dict:
    """The question without interventions about the same token as `answer`, wherever the token was
    moved. Raises InvalidInput for a pad token, which has no counterpart.
    """
    return same_token_question(word, without_edits(question), answer, followed_axis(answer))


def followed_axis(answer: Answer) -> str:
    """The axis along which the position counts of the token that an answer is about."""
    if answer.model is None:
        return ""
    config = load_model(answer.model).config
    return input_axis(config, answer.fields.get("stack") or config.stacks[0])


@cache
def takes(analyse: Callable, field: str) -> bool:
    """Whether a field of a question is a parameter of the analysis."""
    parameters = signature(analyse).parameters
    return field in parameters or any(p.kind is p.VAR_KEYWORD for p in parameters.values())


def without_edits(question: dict) -> dict:
    """The same question about the run without interventions. `seed` stays if the analysis
    samples.
    """
    dropped = {*OF_EDITS} - {"seed"}
    return {name: value for name, value in question.items() if name not in dropped}


@cache
def parameters_by_type(analyse: Callable) -> dict[object, str]:
    """The parameters that are not fields of a question, by annotation."""
    parameters = signature(analyse).parameters.values()
    return {p.annotation: p.name for p in parameters if p.annotation in SUPPLIED}


SUPPLIED = (Run, BaselineRun, RunWithoutMaps, Model, Input, Runs, Edits, Arrangement)
"""The annotations of parameters that are not fields of a question."""


@cache
def takes_edits(word: str) -> bool:
    """Whether an analysis supports edited runs. Anything it recomputes from the weights is computed
    from the values of the edited run, or omitted.
    """
    return bool(parameters_by_type(function_of(word)).keys() & {Run, Edits})


def function_of(word: str) -> Callable[..., Answer]:
    """The function of the analysis or clinic `word`. Function and module have the same name, with
    "_" instead of "-".
    """
    return getattr(import_module(module_of(word)), word.replace("-", "_"))


def module_of(word: str) -> str:
    """The module of the analysis or clinic `word`."""
    name = word.replace("-", "_")
    return f"model.{'clinics' if name in CLINICS else 'analyses'}.{name}"


def read_trainings(folder: str) -> None:
    """Makes trainings whose steps are stored in `folder` be read instead of repeated."""
    import_module("model.clinics.warmup").Live.runs = Path(folder)


def share_weights(folder: str) -> None:
    """Makes weights be memory-mapped from files in `folder`, which other processes share."""
    Mapped.folder = Path(folder)


def keep_models(folder: str, most: int, forget: Callable[[Model], None]) -> None:
    """Sets the `folder` with the cards of users' own models, and the maximum total bytes of models
    in memory; `forget` is called with each model that is evicted.
    """
    User.folder = Path(folder) if folder else None
    InMemory.models = ModelCache(most, forget)


def load_ahead() -> None:
    """Imports the modules that the first questions would otherwise wait for: every clinic, and what
    torch imports when it first uses torch.func or counts multiplications.
    """
    for name in CLINICS:
        import_module(f"model.clinics.{name}")
    import_module("torch._dynamo")
