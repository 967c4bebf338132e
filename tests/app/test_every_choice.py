"""Every choice of every field of every word, and numbers of many digits, have an answer whose
numbers, figures, words and drawing can be written, or a refusal in a sentence; the figures keep to
the contract of `meta`. Nothing is served: the questions go the way that they go in a worker.
"""

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, NamedTuple

import pytest
from pydantic import ValidationError

from app.api.cost import check_cost
from app.api.endpoint import Endpoint
from app.api.figure_routes import has_figures
from app.compute.messages import Drawing, Figures, Numbers, Representation
from app.compute.wire import AnswerTooLarge
from app.errors import Problem
from app.schema.edits import AboutRun
from app.schema.questions import Question
from app.settings import Settings
from model.errors import InvalidInput, UnknownName
from tests.app.contract import breaches
from tests.app.questions import WORDS, Fields, Worker, asked_with, each, questions
from tests.thorough import mostly

REFUSED = (InvalidInput, UnknownName, AnswerTooLarge, Problem)
ONE_AS_SEVERAL = re.compile(
    r"(?<![\w.,−/×=⁻-])(?<![\d+×=−] )1 (?!(?:takes|is|was|has|as|its|does|gives|reads|adds)\b)"
    r"(?:(?:random|held-out|own|other|hidden|positive|object|further) )?[a-z]{2,}(?<!s)s\b"
)
"""What is counted stands as one thing where it is one; what is named by a number may do anything:
layer 1 writes.
"""
NAMED_BY_NUMBER = re.compile(
    r"(?i)(?:layer|head|query|key|token|position|step|seed|column|row) 1 \w+$"
)
NO_NUMBER = re.compile(r"(?<![\w-])[+−-]?(nan|inf|infinity)(?!\w)", re.IGNORECASE)
MAX_SECONDS = Settings.model_fields["work_seconds"].default
"""What a question may cost by its own estimate."""
IN_PATH = {"model": {"id": "translator"}}
"""What the address of a word says besides its fields."""


def of(kind: type[Question], fields: Fields) -> Question:
    """A question of the fields that its kind has. Raises ValidationError."""
    return kind(**{name: fields[name] for name in fields if name in kind.model_fields})


def forms(word: Endpoint, fields: Fields) -> Iterator[tuple[Question, Representation]]:
    """The question in each form in which its word is answered."""
    question = of(word.question, fields)
    yield question, Numbers()
    if has_figures(word):
        question = of(asked_with(word), fields)
        edited = isinstance(question, AboutRun) and question.changed
        shows = fields.get("shows", "edited") if edited else "edited"
        yield question, Figures("json", None, question.displayed(), shows)
    if word.drawing:
        room: Any = of(word.drawing, fields)
        yield room, Drawing(room.displayed(), "", room.theme)


class Outcome(NamedTuple):
    """What a question comes to in one form."""

    refusal: str = ""
    """The sentence that refuses it; "" where it is answered."""
    wrong: str = ""
    """What is wrong with the answer or the sentence; "" where nothing is."""


def outcome(word: Endpoint, question: Question, form: Representation) -> Outcome:
    fields = IN_PATH.get(word.id, {}) | question.arguments()
    try:
        check_cost(question, MAX_SECONDS)
        content = Worker.answer(word.name, fields, form).decode()
    except REFUSED as refusal:
        message = str(refusal)
        sentence = message.endswith((".", "?")) and " " in message
        return Outcome(message, "" if sentence else f"refused: {message}")
    except Exception as error:
        return Outcome(wrong=f"{type(error).__name__}: {error}")
    return Outcome(wrong=trouble(content, form))


def trouble(content: str, form: Representation) -> str:
    """What is wrong with the answer in this form; "" where nothing is."""
    if isinstance(form, Numbers):
        return ""  # what is no number cannot be encoded
    if isinstance(form, Drawing):
        return no_number(content)
    answer = json.loads(content)
    for name, figure in answer["figures"].items():
        for breach in breaches(figure):
            return f"the figure {name}: {breach}"
        if places := list(nulls(figure["layout"])):
            return f"the figure {name} stands at no number: layout{places[0]}"
    texts = json.dumps([answer["figures"], answer.get("words")], ensure_ascii=False)
    return no_number(texts) or plural_of_one(texts)


def nulls(value: Any, path: str = "") -> Iterator[str]:
    """Where null stands: a number that is not finite is written so."""
    if value is None:
        yield path
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield from nulls(inner, f"{path}.{name}") if name != "meta" else ()
    elif isinstance(value, list):
        for i, inner in enumerate(value):
            yield from nulls(inner, f"{path}[{i}]")


def plural_of_one(content: str) -> str:
    """Where one thing is counted as several are, as in “1 layers”; "" where none is."""
    for found in ONE_AS_SEVERAL.finditer(content):
        before = content[max(0, found.start() - 12) : found.end()]
        if not NAMED_BY_NUMBER.search(before):
            return f"it says {content[max(0, found.start() - 40) : found.end() + 20]!r}"
    return ""


def no_number(content: str) -> str:
    """What a text says in the place of a number; "" where every number is one."""
    found = NO_NUMBER.search(content)
    return (found and f"it says {content[max(0, found.start() - 40) : found.end() + 40]!r}") or ""


class Asking:
    """Asks a word, each question once in each form."""

    def __init__(self, word: Endpoint):
        self.word = word
        self.outcomes: dict[tuple[str, Representation], Outcome] = {}
        self.wrong: list[str] = []

    def outcomes_of(self, fields: Fields) -> list[Outcome]:
        """What the question comes to in each form. Raises ValidationError."""
        return [self.outcome(*form) for form in list(forms(self.word, fields))]

    def outcome(self, question: Question, form: Representation) -> Outcome:
        key = json.dumps(question.arguments()), form
        if key not in self.outcomes:
            self.outcomes[key] = result = outcome(self.word, question, form)
            if result.wrong:
                kind = type(form).__name__.lower()
                self.wrong.append(f"{kind} of {question.arguments()}: {result.wrong}")
        return self.outcomes[key]

    def has_answer(self, fields: Fields) -> bool:
        """Whether the question has an answer in every form."""
        try:
            return not any(result.refusal or result.wrong for result in self.outcomes_of(fields))
        except ValidationError:
            return False  # the API says which field is out of bounds

    def ask(self, each_alone: bool = False) -> None:
        """Asks every choice of every field."""
        for number, fields in enumerate(questions(self.word, self.has_answer, each_alone)):
            with suppress(ValidationError):
                refusals = [result.refusal for result in self.outcomes_of(fields)]
                assert number > 0 or not any(refusals), f"the small setting: {refusals}"
        first = f"{len(self.wrong)} of {len(self.outcomes)} answers of /{self.word.name} are wrong"
        assert not self.wrong, f"{first}, the first: " + "\n".join(self.wrong)


COMPUTED = {id: word for id, word in WORDS.items() if word.local is None}
WITHOUT_CHOICE = "claims"
"""It has one question, whose answer tests/app/test_words.py looks at in each encoding."""


@each(mostly(COMPUTED, *(COMPUTED.keys() - {WITHOUT_CHOICE})))
def test_every_choice_is_answered_in_finite_numbers_or_refused_in_a_sentence(word: str):
    Asking(WORDS[word]).ask()


@pytest.mark.thorough  # which choices are asked in one question, hardly decides what is wrong
@each(COMPUTED)
def test_every_choice_alone_is_answered_or_refused(word: str):
    Asking(WORDS[word]).ask(each_alone=True)
