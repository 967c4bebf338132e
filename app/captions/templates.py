"""Templates of captions: what is said of the answers of a clinic. In their braces stand findings
and fields with how their number is written: "{token:percent}".
"""

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from string import Formatter
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

from app.captions import Question
from app.captions.findings import measured
from app.captions.text import decimals, number, percent
from app.captions.verdicts import Claim

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.captions.exercises import Exercise
    from app.captions.words import Words
    from app.experiment import Experiment, Sentence
    from model.answers.answer import Answer

FORMATS = {
    "": str,
    "number": number,
    "decimals": decimals,
    "percent": percent,
}
"""How a number is written in a text."""


@dataclass(frozen=True)
class Captions:
    """What is said of the answers of a clinic: the claim and what to look for with which its page
    opens, what is said of one answer, and what is asked before.
    """

    heading: str
    opening: str
    claim: "Callable[[Answer, Question], Claim]"
    look_for: "Sentence"
    reading: "Sentence"
    exercise: "Exercise"


def captions_of(one: "Experiment") -> Captions:
    """What is said of the answers of an experiment that has a claim."""
    assert one.exercise is not None
    if one.words is not None:
        return captions_in_words(one, one.words, one.exercise)
    opening = one.look_for if isinstance(one.look_for, str) else one.look_for[""]
    return Captions(
        one.claim,
        opening,
        one.claim_of or (lambda answer, question: Claim(one.claim, one.rests_on)),
        one.look_for_of or partial(filled, one.look_for),
        partial(filled, one.reading),
        one.exercise,
    )


def captions_in_words(one: "Experiment", words: "Words", exercise: "Exercise") -> Captions:
    """The same in the language that is read. The exercise of such an experiment has the names of
    messages in the place of its texts: `asks`, and attributes of it.
    """

    def label(setting: str, name: str) -> str:
        return words(f"{exercise.asks}.{name}", None, dict(map(typed, parse_qsl(setting))))

    return Captions(
        words("claim", given=one.opening),
        words("look_for", given=one.opening),
        one.claim_of or (lambda *given: Claim(words("claim", *given), one.rests_on)),
        words.sentence("look_for"),
        words.sentence("reading"),
        replace(
            exercise,
            asks=lambda question: words(str(exercise.asks), None, question),
            choices=[words(f"{exercise.asks}.{name}") for name in exercise.choices],
            variants={setting: label(setting, name) for setting, name in exercise.variants.items()},
        ),
    )


def typed(field: tuple[str, str]) -> tuple[str, Any]:
    """A field of an address, as a number where it is one."""
    name, value = field
    with suppress(ValueError):
        return name, json.loads(value)
    return name, value


def filled(text: "str | Mapping[str, str] | Sentence", answer: "Answer", question: Question) -> str:
    """A text with its numbers; of several, the first whose figure is shown."""
    if isinstance(text, Mapping):
        shown = question["figures"]
        text = next((said for name, said in text.items() if name in shown), text[""])
    elif not isinstance(text, str):
        text = text(answer, question)
    return Template(answer, question).format(text)


class Template(Formatter):
    """Fills in what the findings, the fields and the question of an answer say."""

    def __init__(self, answer: "Answer", question: Question):
        self.answer, self.question = answer, question

    def get_field(self, field_name: str, args: Sequence, kwargs: Mapping) -> tuple[Any, str]:
        for fields in (self.answer.fields, self.question):
            if field_name in fields:
                return fields[field_name], field_name
        return measured(self.answer, field_name), field_name

    def format_field(self, value: Any, format_spec: str) -> str:
        return FORMATS[format_spec](value)
