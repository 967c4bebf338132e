"""Every choice of every field of every word, and the answers: computed once in a process, at the
smallest size, for all tests that look at them.

The choices are those of the API's own document. What the document cannot know, a small input and
what a field is asked together with, stands in the tables here.
"""

import json
import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import fields
from functools import cache, lru_cache, reduce
from itertools import zip_longest
from operator import or_
from types import SimpleNamespace
from typing import Any, get_args
from urllib.parse import urlencode

import pytest
from cachetools import LRUCache, cached
from pydantic import ValidationError

from app.api.endpoint import Endpoint, endpoints
from app.compute.messages import Shows, Sizes
from app.schema.edits import AboutRun
from app.schema.questions import OF_THE_FORM, AboutModel, Clinic, Question
from app.settings import Limits
from app.worker.process import State, key_of_run
from model import analyses
from model.answers.answer import Answer
from model.errors import InvalidInput
from model.runs.run_model import run_model
from tests.model.clinics.every_clinic import SMALL

WORDS = {word.id: word for word in endpoints()}
CLINICS = {word.name: word for word in WORDS.values() if issubclass(word.question, Clinic)}
SIZES = {
    *("depth", "depths", "layers", "d_model", "d_head", "length", "lengths", "steps", "features"),
    *("sentences", "pairs", "slots", "keys", "vocabulary", "seeds", "window", "kernel", "tokens"),
    *("examples", "draws", "max_new_tokens", "beams", "pads", "columns"),
}
"""Fields that make an answer take longer; they are moved up to twice the small setting."""
FEW = 2
ONE_SEED = {
    *("add_or_concatenate", "decoding", "gradients", "kv_cache", "memory", "norms", "padding"),
    *("performer", "several_heads", "warmup"),
}
"""Clinics whose answers take longest: but for the choice of `seeds` they are asked with one."""
ONE_BY_ONE = {
    *("basis", "circuits_theory", "memory", "performer"),
    *("attention", "circuit", "generate", "masks", "patching", "positions"),
}
"""Words in which one field decides what the others mean: each field moves alone, but for those that
change a run.
"""
N_RANDOM = 1
"""How many numbers of many digits are drawn from the range of a field of fractions."""
Fields = dict[str, Any]

TRANSLATOR = {"model": "translator", "source": "i am cold", "target": "j' ai"}
INDUCTION = {"model": "induction-2", "text": "qvmqvm"}
DIGITS = {"model": "digits", "image": "one"}
PENGUINS = {"model": "penguins-saint", "row": "adelie"}
SHAPES = {"model": "shapes", "image": "one"}
INPUT = ("source", "target", "text", "image", "row")
MODELS = (TRANSLATOR, INDUCTION, DIGITS, PENGUINS, SHAPES)
"""One model of each kind, each with a small input."""
SMALL_OF_MODELS: dict[str, Fields] = {
    "attribution": TRANSLATOR | {"steps": 17},
    "circuit": INDUCTION | {"part": "composition"},
    "detection": SHAPES,
    "effects": TRANSLATOR | {"draws": 1},
    "explain": TRANSLATOR | {"name": "encoder.0.attention.z", "at": "0,0,0"},
    "generate": TRANSLATOR | {"target": None, "max_new_tokens": 2, "strategy": "beam", "beams": 2},
    "heads": {"model": "translator"},
    "images": DIGITS,
    "journey": TRANSLATOR | {"target": None},
    "modes": {"text": "i am cold"},
    "patching": {"model": "translator", "clean": "cold", "corrupted": "tall"},
    "steering": INDUCTION | {"toward": "abab", "away": "cdcd", "draws": 1, "max_new_tokens": 2},
    "tables": PENGUINS,
    "training": {"text": "abcabc"},
}
"""The smallest question of a word that is no clinic, where it is another than TRANSLATOR's."""
EDITED = {
    "edits": [{"op": "scale", "at": "*attention.z", "where": {"head": [0]}, "value": 0.5810448656}]
}
OF_RUNS = {"beside": EDITED, "padding_mask": {"pad": "left:1"}, "shows": EDITED}
ONE_HEAD = {"part": "weights"}
SAMPLED = {"strategy": "sample"}
CHANGES = {"edits", "beside", "order", "positions", "pad", "padding_mask"}
"""Fields that change what a run computes. They mean the same whatever is read off it."""
FASTER = dict.fromkeys(INPUT) | INDUCTION
"""Who takes as many steps as it takes, takes them with the smaller model."""
TOGETHER: dict[str, dict[str, Fields]] = {
    "attribution": {"steps": FASTER},
    "circuit": dict.fromkeys(("attention", "layer", "head", "step", "top", "factors"), ONE_HEAD),
    "effects": {"draws": {"ablation": "resample"}, "groups": {"unit": "neurons"}},
    **{id: OF_RUNS for id, word in WORDS.items() if issubclass(word.question, AboutRun)},
    "generate": OF_RUNS | dict.fromkeys(("temperature", "top_k", "top_p", "min_p"), SAMPLED),
}
"""What a field is asked together with: without it all its choices ask the same, or much besides."""


def each(words: Iterable) -> pytest.MarkDecorator:
    """A test for each of the words. All that is asked about a word is asked in one process
    (tests/scheduling.py).
    """
    return pytest.mark.parametrize("word", words)


def asked_with(word: Endpoint) -> type[Question]:
    """The question with the most fields: that of the figures, where they take fields of their
    own.
    """
    return word.figure_query or word.question


def once(word: Endpoint) -> Fields:
    """The small question of a clinic with one seed; nothing of a word that is none."""
    clinic = word.name.replace("-", "_")
    return SMALL[clinic] | {"seeds": 1} if issubclass(word.question, Clinic) else {}


def in_address(fields: Fields) -> str:
    """As the part of an address after its question mark; a list is its items between commas."""
    texts = {
        name: ",".join(map(str, value)) if isinstance(value, list) else value
        for name, value in fields.items()
    }
    return urlencode(texts, safe=",", errors="surrogatepass")


def base(word: Endpoint) -> Fields:
    """Every field of the question with figures, at a small setting."""
    if small := once(word):
        small |= {} if word.id in ONE_SEED else {"seeds": FEW}
    else:
        model = TRANSLATOR if issubclass(word.question, AboutModel) else {}
        small = SMALL_OF_MODELS.get(word.id, model)
    return asked_with(word)(**small).model_dump(exclude=set(OF_THE_FORM))


def choices_of(name: str, schema: dict, now: object) -> list:
    """The choices of a field; or its lowest, its usual and its highest value, and of fractions some
    that are drawn; or the examples that the document gives.
    """
    if "anyOf" in schema:
        first = {"examples": schema.get("examples", []), **schema["anyOf"][0]}
        return [None, *choices_of(name, first, now)]
    if schema.get("type") == "boolean":
        return [False, True]
    if "enum" in schema:
        return schema["enum"]
    if schema.get("type") in ("integer", "number"):
        least = schema.get("minimum", schema.get("exclusiveMinimum", 0))
        usual = now if now is not None else least
        most = schema["maximum"] if "maximum" in schema else schema["exclusiveMaximum"] - 1
        high = max(least, min(most, 2 * usual)) if name in SIZES else most
        return [least, usual, high, *random_values(name, schema["type"], least, high)]
    return [now, *schema.get("examples", [])]


def random_values(name: str, kind: str, least: float, most: float) -> list[float]:
    """Numbers between the ends that nobody would write, the same in every run."""
    chance = random.Random(name)
    return [chance.uniform(least, most) for _ in range(N_RANDOM)] if kind == "number" else []


def properties(word: Endpoint) -> Fields:
    """The schema of every field of a word, those of its figures and of its drawing too."""
    schemas = [
        fields_of.model_json_schema()["properties"]
        for fields_of in (asked_with(word), word.drawing)
        if fields_of
    ]
    shows = {"shows": {"enum": get_args(Shows)}} if issubclass(word.question, AboutRun) else {}
    return {
        name: schema for schema_part in (*schemas, shows) for name, schema in schema_part.items()
    }


def questions(
    word: Endpoint, has_answer: Callable[[Fields], bool] | None = None, each_alone: bool = False
) -> Iterator[Fields]:
    """The small setting, every field at each of its choices, and every kind of model. Fields that
    are asked together with the same others move together, which takes as many questions as one
    field has choices; where they have no answer together, each half of them is asked. All of them
    move alone if that is asked for.
    """
    start = base(word)
    has_answer = has_answer or (lambda fields: is_answered(word, fields))
    yield start
    for row in rows(word, each_alone):
        yield from together(start, row, has_answer)
    for model in MODELS if issubclass(word.question, AboutModel) else ():
        if model["model"] != start["model"]:
            yield start | dict.fromkeys(INPUT) | model


def rows(word: Endpoint, each_alone: bool) -> Iterator[list[Fields]]:
    """Choices that are asked in one question: of several fields, or of one that moves alone."""
    groups = defaultdict(list)
    for name, values, beside in moves(word):
        of_run = issubclass(word.question, AboutRun) and name in CHANGES
        apart = each_alone or name in INPUT or (word.id in ONE_BY_ONE and not of_run)
        group = name if apart else f"{beside} {of_run}"
        groups[group].append([{name: now} | beside for now in values])
    for group in groups.values():
        for row in zip_longest(*group):
            yield [field for field in row if field]


def together(
    start: Fields, row: list[Fields], has_answer: Callable[[Fields], bool]
) -> Iterator[Fields]:
    """The question of these choices; where it has no answer, the halves of it as well."""
    yield (fields := reduce(or_, row, start))
    if len(row) > 1 and not has_answer(fields):
        half = len(row) // 2
        yield from together(start, row[:half], has_answer)
        yield from together(start, row[half:], has_answer)


def moves(word: Endpoint) -> Iterator[tuple[str, list, Fields]]:
    """Every field, its choices besides the small setting, and what it is asked together with. The
    most seeds come first, together with the smallest sizes, and larger sizes with fewer seeds.
    """
    start = base(word)
    for name, schema in properties(word).items():
        if name in ("seed", "encoding"):
            continue
        now = start.get(name, schema.get("default"))
        beside = TOGETHER.get(word.id, {}).get(name, {})
        choices = [choice for choice in choices_of(name, schema, now) if choice != now or beside]
        if (
            name in SIZES
            and isinstance(now, int)
            and all((choice or 0) > now for choice in choices)
        ):
            choices = [now, *choices]
        yield name, choices[::-1] if name == "seeds" else choices, beside


def is_answered(word: Endpoint, fields: Fields) -> bool:
    """Whether a word answers this question. One that fails is asked anew by whoever looks."""
    try:
        answer(word.name, question_of(word, fields).arguments())
    except Exception:
        return False
    return True


def question_of(word: Endpoint, fields: Fields) -> Question:
    """The question of the numbers. Raises ValidationError."""
    known = word.question.model_fields
    return word.question(**{name: fields[name] for name in fields if name in known})


keep = cached(LRUCache(16), key=key_of_run)(run_model)
"""Makes the runs that many questions are about once, as the worker does."""


def answer(word: str, question: Fields, **_: object) -> Answer:
    """The answer, computed once. Raises what the analysis raises, which is kept as well."""
    outcome = cached_answer(word, json.dumps(question, sort_keys=True))
    if isinstance(outcome, Answer):
        return outcome
    raise outcome


def ask(word: str, fields: Fields) -> Answer:
    """The answer to those fields that the question has without figures. Raises InvalidInput where
    it is refused.
    """
    return answer(word, question_of(WORDS[word.replace("-", "_")], fields).arguments())


@lru_cache(1024)
def cached_answer(word: str, question: str) -> Answer | Exception:
    try:
        return analyses.answer(word, json.loads(question), keep)
    except Exception as refusal:
        return refusal


class Worker(State):
    """What a worker does with a question, but for the process that it is."""

    analyses = SimpleNamespace(answer=answer, price=analyses.price)
    sizes = Sizes(**{size.name: Limits.model_fields[size.name].default for size in fields(Sizes)})
    cache = {"runs": keep}  # noqa: RUF012 - as in the class, never changed in place


@cache
def answers(word: str) -> list[tuple[Fields, Answer]]:
    """Every question of a clinic that is not refused, and its answer."""
    answered = []
    for choice in questions(CLINICS[word]):
        with suppress(InvalidInput, ValidationError):
            question = question_of(CLINICS[word], choice).arguments()
            answered.append((choice, answer(word, question)))
    return answered
