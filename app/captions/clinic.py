"""What is said of the answers of a clinic, from the words of its page."""

import json
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

from app.captions import Question
from app.captions.verdicts import Claim

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.captions.exercises import Exercise
    from app.experiment import Experiment, Sentence
    from model.answers.answer import Answer


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


def captions_of(experiment: "Experiment") -> Captions:
    """What is said of the answers of an experiment that has a claim, in the language that is read.
    Its exercise has the names of attributes of the message `asks` in the place of its texts.
    """
    assert experiment.exercise is not None
    assert experiment.words is not None
    words, exercise = experiment.words, experiment.exercise

    def label(setting: str, name: str) -> str:
        return words(f"asks.{name}", None, dict(map(typed, parse_qsl(setting))))

    def claim(answer: "Answer", question: Question) -> Claim:
        rests_on = (
            experiment.rests_on
            if isinstance(experiment.rests_on, tuple)
            else experiment.rests_on(answer, question)
        )
        claims, asks = (words(name, answer, question) for name in ("claim", "question"))
        return Claim(claims, rests_on, asks)

    return Captions(
        words("claim", values=experiment.opening),
        words("look_for", values=experiment.opening),
        claim,
        words.sentence("look_for"),
        words.sentence("reading"),
        replace(
            exercise,
            asks=lambda question: words("asks", None, question),
            choices=[words(f"asks.{name}") for name in exercise.choices],
            variants={setting: label(setting, name) for setting, name in exercise.variants.items()},
        ),
    )


def typed(field: tuple[str, str]) -> tuple[str, Any]:
    """A field of an address, as a number where it is one."""
    name, value = field
    with suppress(ValueError):
        return name, json.loads(value)
    return name, value
