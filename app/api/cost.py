"""The cost of a question, before it is computed. One that is too expensive is rejected with what to
lower, and by how much.

Each question estimates its cost in `estimated_seconds`, in seconds of the reference core; the speed
of the worker's core is measured (model/core_speed.py). A field with several values, or a text, has
a size too: its largest value, its length, or 1 for a flag that is set.
"""

from functools import lru_cache
from typing import Any

from app.errors import Problem, error, sentence
from app.schema import controls
from app.schema.questions import MAY_TAKE_LONG, Question
from model.errors import Sentence

SIZED = int | str | list
STEPS = {"d_model": 4}  # channels come in groups; sine and cosine take two


def check_cost(
    question: Question, most: float, slowness: float = 1.0, trains: bool = False
) -> None:
    """Raises Problem for a question that costs more than `most` seconds of a core that is
    `slowness` times slower than the reference core. If it `trains`, it is allowed as an event
    stream.
    """
    seconds = question.estimated_seconds() * slowness
    if seconds <= most:
        return
    sizes = {"limit": most, "given": round(seconds, 2)}
    entries = [
        error(f"/{name}" if name else "", "too_much_work", hint, **sizes)
        for name, hint in hints(question, most / slowness).items()
    ]
    raise Problem(
        "invalid",
        "too-much-work",
        errors=entries,
        seconds=seconds,
        most=most,
        hint=entries[0]["hint"],
        trains=trains,
    )


def hints(question: Question, most: float) -> dict[str, Sentence]:
    """For each field that alone can reduce the cost to `most` seconds, how to change it. If no
    single field can, how to change several, under an empty name.
    """
    found = {name: largest(question, name, most) for name in costly(question)}
    single = {name: advice(question, name, to) for name, to in found.items() if to is not None}
    return single or {"": together(question, most)}


def together(question: Question, most: float) -> Sentence:
    """Takes the fastest choices, then lowers fields as far as possible, one after another, until
    the question fits.
    """
    smaller, steps = question, []
    for name, choice in question.quickest.items():
        smaller = smaller.model_copy(update={name: choice})
        steps.append(sentence("ask-with", name=name, choice=choice))
        if smaller.estimated_seconds() <= most:
            return sentence("one-after-another", steps=steps)
    for name in costly(smaller):
        to = largest(smaller, name, most)
        lowest = smallest(type(question), name)
        steps.append(advice(question, name, lowest if to is None else to))
        if to is not None:
            return sentence("one-after-another", steps=steps)
        smaller = resized(smaller, name, lowest)
    return sentence("no-smaller-question-fits")


def quicker(question: Question) -> dict[str, Sentence]:
    """For each field that makes the answer slower, how to change it; with an estimate, the value
    that halves the cost.
    """
    return {name: halved(question, name) for name in costly(question)}


def halved(question: Question, name: str) -> Sentence:
    seconds = question.estimated_seconds()
    to = largest(question, name, seconds / 2) if seconds else None
    if to is None:
        return sentence("lower-it", name=name, value=str(getattr(question, name)))
    return sentence("half-the-work", how=advice(question, name, to))


def costly(question: Question) -> list[str]:
    """The fields that make an answer slower when larger. Without an estimate, all that may."""
    every = dict.fromkeys((*controls.costly(type(question)), *MAY_TAKE_LONG))
    values = {name: getattr(question, name, None) for name in every}
    names = [name for name, value in values.items() if value and isinstance(value, SIZED)]
    if not (seconds := question.estimated_seconds()):
        return names
    return [
        name
        for name in names
        if resized(question, name, smallest(type(question), name)).estimated_seconds() < seconds
    ]


def largest(question: Question, name: str, most: float) -> int | None:
    """The largest value of a field that costs at most `most` seconds; None if there is none."""
    step = STEPS.get(name, 1)
    low, high = -(-smallest(type(question), name) // step), size(getattr(question, name)) // step

    def fits(steps: int) -> bool:
        return resized(question, name, steps * step).estimated_seconds() <= most

    if not fits(low):
        return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return step * (high if fits(high) else low)


def advice(question: Question, name: str, to: int) -> Sentence:
    match getattr(question, name):
        case bool():
            return sentence("leave-out", name=name)
        case str() as text:
            return sentence("shorten-to", name=name, n=len(text), to=to)
        case list() as values:
            return sentence("lower-the-largest", name=name, value=str(max(values)), to=to)
        case value:
            return sentence("lower-to", name=name, value=str(value), to=to)


def size(value: Any) -> int:
    match value:
        case str():
            return len(value)
        case list():
            return max(value)
    return int(value)


def resized(question: Question, name: str, to: int) -> Question:
    """The question with a field limited to this size."""
    match getattr(question, name):
        case bool():
            value: Any = to > 0
        case str() as text:
            value = text[:to]
        case list() as values:
            value = [min(value, to) for value in values]
        case _:
            value = to
    return question.model_copy(update={name: value})


@lru_cache(maxsize=256)
def smallest(kind: type[Question], name: str) -> int:
    """The minimum size in the schema; the number of values for a list."""
    field = kind.model_json_schema()["properties"][name]
    schema = next(option for option in field.get("anyOf", [field]) if option.get("type") != "null")
    match schema["type"]:
        case "boolean":
            return 0
        case "string":
            return 1
        case "array":
            return schema["items"].get("minimum", 0) + schema.get("minItems", 1) - 1
    return schema["minimum"]
