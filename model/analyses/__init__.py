"""Analyses: a file answers one kind of question. The word of an analysis or a clinic is the name of
its file, of its function, of its route and of its page.

The service calls `answer` and `stream`. How an analysis is called follows from the annotations of
its parameters: a `Model` and an `Input` are loaded and read from the question, a `Run` is that
model's run of that input, with the question's edits, `BaselineRun` is the run without them,
`RunWithoutMaps` the run of a long text, and `Runs` is the function that makes runs. An analysis
that makes edited runs of its own takes the question's `Edits` and its `Arrangement`. All other
parameters are fields of the question, by name.
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
from model.runs.readings import check_fields
from model.runs.run import BaselineRun, Run, RunWithoutMaps
from model.runs.run_model import Runs, run_model
from model.runs.strategies import Settings
from model.runs.together import Edited, edit_together, run_together
from model.runs.window import run_window
from model.zoo.cards import User, own_card
from model.zoo.mapped_weights import Mapped
from model.zoo.models import InMemory, Model, ModelCache, load_model

Fits = Callable[[Answer], None]
"""Raises an error for an answer that is too large."""

Question = tuple[str, dict]
"""A word and what is asked of it."""

LETTERS_TOGETHER = 4_096
"""How long the inputs are together, at most, whose runs are made together: about a hundred
sentences, or four long texts, so that nobody waits long for the runs of others.
"""

EDITED_TOGETHER = 32
"""How many edited runs are made ahead at most."""

FEW_NAMES = 16
"""How many activations the edits of a run that is made ahead name at most: a class turns heads off
and moves words, and whoever changes hundreds waits for that alone.
"""

INPUT = tuple(field.name for field in fields(Input))
"""The fields of a question that are fields of its Input."""

ANALYSES = tuple(module.name.replace("_", "-") for module in iter_modules(__path__))

OF_LOGITS = ("circuit", "effects", "heads", "images", "logits", "patching")
"""The analyses that have nothing to say of a model without a head. Others of them refuse for a
reason that comes first, or leave out what is said of logits.
"""

OF_EDITS = ("edits", "beside", *ARRANGING)
"""The fields of a question about an edited run. `seed`, with which the order of the tokens is
shuffled, is a field of the analysis too where it draws something itself.
"""


def answer(
    word: str, question: dict, runs: Runs = run_model, fits: Fits = lambda answer: None
) -> Answer:
    """Answers `question`, a dict of JSON values, by the analysis or clinic `word`. All runs are
    made by `runs`, so that a caller can keep runs. `fits` is shown an answer as large as that with
    `beside` will be, before an edit is made, and raises an error for one that is too large.
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
"""The words that answer about long texts, with the field that says so: the level of the tiles, or
the window of positions. The `window` of /masks is that of a mask.
"""


def without_maps(word: str, question: dict) -> bool:
    """Whether a question is about a long text, which is read without its attention maps."""
    return question.get(OF_LONG_TEXTS.get(word, "")) is not None


def answer_without_maps(word: str, question: dict, runs: Runs) -> Answer:
    """Answers `question` about a long text: by the function of the word that does so by tiles, or
    with the run of a window. Raises InvalidInput for a question with edits.
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
    """What makes runs with the edits of a question, which a long text refuses."""
    edits, arranged = read_edits(question.get("edits", ())), read_arrangement(question)
    read = partial(runs, edits=edits) if edits else runs
    return read if arranged == UNARRANGED else partial(read, arranged=arranged)


def stream(word: str, question: dict, runs: Runs = run_model) -> Iterator[dict]:
    """Yields the answer to `question` in pieces, each as soon as it is known."""
    steps = getattr(import_module(f"model.analyses.{word}"), f"{word}_steps")
    if without_maps(word, question):
        return ask(steps, without_edits(question), with_edits_of(question, runs))
    return (ask_with_edits if takes_edits(word) else ask)(steps, question, runs)


def price(word: str, question: dict, runs: Runs = run_model) -> Price:
    """What the edits of `question` cost before any is made; nothing where it has none. Raises as
    `answer` does.
    """
    if not takes_edits(word) or without_maps(word, question):
        return Price()
    edits, arranged = read_edits(question.get("edits", ())), read_arrangement(question)
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
    """Yields the runs that the `questions` are about and that are not `known`, each with the
    model, the input and the further arguments by which `runs` makes it: first those without edits,
    which `runs` then knows, and then those with few edits. Where any of a model are made, those
    that the questions `waiting` are about are made with them, as many as LETTERS_TOGETHER allows:
    many are cheaper than few. A question of which this cannot be said is left out, and has its run,
    or its refusal, when it is answered.
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
    """Computes together what the `questions` remove from runs that are `known`. Where any
    remove something, what the questions `waiting` remove is computed with it: each run keeps it.
    """
    if some := [*removed_by(questions, known, runs)]:
        remove([*some, *removed_by(waiting, known, runs)])


def read_together(reads: Iterable[Read]) -> None:
    """Makes the next reads of several texts that are being written, those of one model together. A
    read that is not made is left to the text that waits for it.
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
    """What the questions remove from runs that are `known`, those that are refused left out."""
    for word, question in questions:
        find = getattr(import_module(module_of(word)), f"{word}_removal", None)
        if find is None:
            continue
        input = input_of(question)
        with suppress(InvalidInput, NotRead, UnknownName):
            edited = read_edits(question.get("edits", ())), read_arrangement(question)
            model = load_model(question["model"])
            if edited == ((), UNARRANGED) and known(model, input):
                found = find(runs(model, input), **without_edits(question))
                if found is not None:
                    yield found


def unknown(questions: Iterable[Question], known: Callable[..., bool]) -> dict[str, list[Input]]:
    """For each model the inputs whose runs the questions are about and that are not `known`, each
    once.
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
    """For each model the runs with few edits that the questions are about and that are not `known`,
    each once.
    """
    found: dict[str, dict[Edited, None]] = {}
    for word, question in questions:
        reads = Run in parameters_by_type(function_of(word))
        if not reads or without_maps(word, question):
            continue
        with suppress(InvalidInput, NotRead, UnknownName):
            edits, arranged = read_edits(question.get("edits", ())), read_arrangement(question)
            if not edits and arranged == UNARRANGED:
                continue
            model = load_model(question["model"])
            input = input_of(question)
            edited_run = Edited(input, edits, arranged)
            if are_few(model, edits) and not known(model, input, **arguments_of(edited_run)):
                found.setdefault(question["model"], {})[edited_run] = None
    return {id: list(edited) for id, edited in found.items()}


def arguments_of(run: Edited) -> dict[str, Any]:
    """What `Runs` is given for an edited run besides model and input."""
    edits = {"edits": run.edits} if run.edits else {}
    return edits if run.arranged == UNARRANGED else edits | {"arranged": run.arranged}


def are_few(model: Model, edits: Edits) -> bool:
    """Whether edits are made in little more time than the pass takes: they name few activations,
    and need no run of another input.
    """
    needs_another = any(edit.inputs or edit.op == "patch" for edit in edits)
    names = [name for edit in edits for name in names_of(model.config, edit)]
    return not needs_another and len(names) <= FEW_NAMES


def overflows(question: dict) -> bool:
    """Whether the numbers of one's own model overflow in the run that a question is about. Nobody
    has looked at its weights; those of a shipped model are fine on every input.
    """
    id = question.get("model")
    if not isinstance(id, str) or own_card(id) is None:
        return False
    model = load_model(id)
    try:
        run = run_model(model, input_of(question))
    except VitrineError:
        return False
    except Exception:  # a choice among tokens without a probability, for instance
        return any(value.abs().max() > OVERFLOWING for value in model.transformer.parameters())
    return not all(is_sound(name, value) for name, value in run.trace.items())


OVERFLOWING = 1e18
"""A weight whose square is about the largest number of single precision."""


def input_of(question: dict) -> Input:
    """The input that a question is about."""
    return Input(**{name: question.get(name) for name in INPUT})


def within(letters: int, inputs: Iterable[Input]) -> Iterator[Input]:
    """The first of the inputs, each once, that have as many letters together at most."""
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
    """Calls an analysis with the arguments that its signature requires. `unedited` makes runs
    without edits, of an input that is read in the same way, where `runs` makes edited ones. Raises
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
    """Raises InvalidInput for a model without a head, where an analysis is about its logits, and
    for one whose logits are of classes, where it is about those of words.
    """
    if model.config.head.absent and analysis.removesuffix("_steps") in OF_LOGITS:
        raise InvalidInput("model-has-no-head", field="model", model=model.id)
    if model.config.classifies_text and analysis == "circuit":
        raise InvalidInput("head-of-classes", field="model", model=model.id)


def ask_with_edits(analyse: Callable, question: dict, runs: Runs, fits: Fits = lambda answer: None):
    """Calls an analysis with the run that the question's edits change. With `beside` the answer has
    the tensors without edits too. An analysis that makes edited runs itself is handed the edits.
    """
    plain = without_edits(question)
    if not takes(analyse, "seed"):
        plain.pop("seed", None)
    edits, arranged = read_edits(question.get("edits", ())), read_arrangement(question)
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
"""The axis of the residual stream's parts, of which each edited activation is one more."""


def as_if_edited(runs: Runs, edits: Edits) -> Runs:
    """Makes runs without edits in which the activations that `edits` change count as edited: their
    answers are as large as those under edits, before any edit is made.
    """
    nothing = torch.zeros(())

    def run(model: Model, *of: Any, **more: Any) -> Run:
        names = (name for edit in edits for name in names_of(model.config, edit))
        stages = {name: [Stage(None, "", nothing, nothing)] for name in names}
        return replace(runs(model, *of, **more), stages=stages)

    return run


def same_token(word: str, question: dict, answer: Answer) -> dict:
    """The question without edits about the same token as `answer`, the one to `question`, wherever
    the token stands. Raises InvalidInput for a pad, which has no counterpart.
    """
    return same_token_question(word, without_edits(question), answer, followed_axis(answer))


def followed_axis(answer: Answer) -> str:
    """The axis along which the position counts of a token that an answer is about."""
    if answer.model is None:
        return ""
    config = load_model(answer.model).config
    return input_axis(config, answer.fields.get("stack") or config.stacks[0])


@cache
def takes(analyse: Callable, field: str) -> bool:
    """Whether the field of a question is one of the analysis itself."""
    parameters = signature(analyse).parameters
    return field in parameters or any(p.kind is p.VAR_KEYWORD for p in parameters.values())


def without_edits(question: dict) -> dict:
    """The question, put to the run without edits. `seed` stays, for an analysis that draws."""
    dropped = {*OF_EDITS} - {"seed"}
    return {name: value for name, value in question.items() if name not in dropped}


@cache
def parameters_by_type(analyse: Callable) -> dict[object, str]:
    """The names of the parameters that are not fields of a question, by their annotation."""
    parameters = signature(analyse).parameters.values()
    return {p.annotation: p.name for p in parameters if p.annotation in SUPPLIED}


SUPPLIED = (Run, BaselineRun, RunWithoutMaps, Model, Input, Runs, Edits, Arrangement)
"""The annotations of the parameters that are not fields of a question."""


@cache
def takes_edits(word: str) -> bool:
    """Whether an analysis answers about edited runs. What it computes from the weights again is
    computed from the numbers of the edited run, or is left out.
    """
    return bool(parameters_by_type(function_of(word)).keys() & {Run, Edits})


def function_of(word: str) -> Callable[..., Answer]:
    """The function of the analysis or clinic `word`. The function and its module have the same
    name, with "_" for "-".
    """
    return getattr(import_module(module_of(word)), word.replace("-", "_"))


def module_of(word: str) -> str:
    """The module of the analysis or clinic `word`."""
    name = word.replace("-", "_")
    return f"model.{'clinics' if name in CLINICS else 'analyses'}.{name}"


def read_trainings(folder: str) -> None:
    """From now on, trainings whose steps are in `folder` are read instead of repeated."""
    import_module("model.clinics.warmup").Live.runs = Path(folder)


def share_weights(folder: str) -> None:
    """From now on, weights that are loaded are those of a file in `folder`, which other processes
    map too.
    """
    Mapped.folder = Path(folder)


def keep_models(folder: str, most: int, forget: Callable[[Model], None]) -> None:
    """From now on, `folder` has the cards of one's own models, and the models in memory have at
    most so many bytes together; `forget` is called with each that goes.
    """
    User.folder = Path(folder) if folder else None
    InMemory.models = ModelCache(most, forget)


def load_ahead() -> None:
    """Imports the modules that the first questions would otherwise have to wait for: every clinic,
    and what torch imports at the first use of torch.func and where multiplications are counted.
    """
    for name in CLINICS:
        import_module(f"model.clinics.{name}")
    import_module("torch._dynamo")
