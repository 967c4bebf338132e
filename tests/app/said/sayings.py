"""Sayings: which words stand around a number, a name or a word of comparison, and when they may."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from model.answers.answer import Answer
from tests.app.said.lexicon import WORDS
from tests.app.said.printed import FORMS, forms

Question = dict[str, Any]
Field = Callable[[Answer, Question], Any]
Fields = Mapping[str, Field]
When = Callable[[Answer, Question], bool]
Pages = Iterable[tuple[Question, Answer]]

SLOT = re.compile(r"\{([^{}:]+)(?::([^{}]*))?\}")
NUMBER = re.compile(
    r"−?(?:\d+(?:[,\u202f]\d{3})*(?:\.\d+)?|\.\d+)(?: × 10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+|[\s\u00a0]%|°)?"
)
QUOTED = re.compile(r"«[^»]*»|“[^”]*”")
WORD = re.compile(r"[^\W\d_]+")
NOT_HERE = object()


@dataclass(frozen=True)
class Says:
    """A saying of a word: a few words of its sentences with slots, as in "{largest:weight}
    unscaled". A slot is a name of the word's fields and how it is printed. It may be said only
    `when` the answer and the question have it so; None for what is so in every answer.
    """

    words: str
    when: When | None = None
    why: str = ""

    def fields(self) -> list[str]:
        return [name for name, _ in SLOT.findall(self.words)]

    def anywhere(self) -> re.Pattern[str]:
        """The saying with any number or name in its slots."""
        return bounded("".join(r"(.+?)" if slot else re.escape(w) for w, slot in self.parts()))

    def parts(self) -> Iterator[tuple[str, str | None]]:
        """The words and the slots in turns: each slot as its name, with its form."""
        end = 0
        for found in SLOT.finditer(self.words):
            yield self.words[end : found.start()], None
            yield found[1], found[2] or "form"
            end = found.end()
        yield self.words[end:], None

    def here(self, fields: Fields, answer: Answer, question: Question) -> re.Pattern[str] | None:
        """The saying with what the fields are here, None where one of them does not exist."""
        told, end = "", 0
        for found in SLOT.finditer(self.words):
            value = value_of(fields, found[1], answer, question)
            if value is NOT_HERE:
                return None
            ways = sorted(forms(value, found[2] or ""))
            told += (
                re.escape(self.words[end : found.start()]) + f"(?:{'|'.join(map(re.escape, ways))})"
            )
            end = found.end()
        return bounded(told + re.escape(self.words[end:]))


def bounded(pattern: str) -> re.Pattern[str]:
    """The pattern where no word or number that it begins or ends with goes on."""
    spaces = pattern.replace(r"\ ", r"[\s\u00a0]")
    return re.compile(rf"(?<![\w.])(?:{spaces})(?!\w|[.,]\d)")


def always(*words: str) -> list[Says]:
    """Sayings that are so in every answer: definitions, and places of what is drawn."""
    return [Says(each) for each in words]


def results(when: When, *words: str, why: str = "") -> list[Says]:
    """Sayings about what was measured: where an answer has made-up numbers they are not judged."""
    return [Says(each, lambda a, q: "made_up" in a.fields or when(a, q), why) for each in words]


def only(when: When, *words: str, why: str = "") -> list[Says]:
    """Sayings that are so only in some answers or questions."""
    return [Says(each, when, why) for each in words]


def unexplained(
    sentence: str,
    says: Sequence[Says],
    fields: Fields,
    answer: Answer,
    question: Question,
    names: Collection[str] = (),
    said: set[str] | None = None,
) -> list[str]:
    """What the sentence says that no saying explains, each as a sentence: a number, a word of
    comparison, what is quoted or one of the `names` that stands in no saying with its fields as
    they are here. The sayings that are found are added to `said`.
    """
    explained: set[int] = set()
    for one in says:
        if one.when is None or one.when(answer, question):
            pattern = one.here(fields, answer, question)
            for found in pattern.finditer(sentence) if pattern else ():
                explained |= set(range(*found.span()))
                if said is not None:
                    said.add(one.words)
    faults = []
    for place in tellings(sentence, names):
        if not set(range(*place)) <= explained:
            faults.append(complaint(sentence, place, says, fields, answer, question))
    return faults


def tellings(sentence: str, names: Collection[str]) -> list[tuple[int, int]]:
    """Where a sentence has a number, a word of comparison or a name."""
    known = sorted(names, key=len, reverse=True)
    named = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, known))})(?!\w)") if known else None
    found = [one.span() for one in NUMBER.finditer(sentence)]
    found += [one.span() for one in WORD.finditer(sentence) if one[0].lower() in WORDS]
    found += [one.span() for one in QUOTED.finditer(sentence)]
    found += [one.span() for one in named.finditer(sentence)] if named else []
    return sorted(set(found))


def complaint(
    sentence: str,
    place: tuple[int, int],
    says: Sequence[Says],
    fields: Fields,
    answer: Answer,
    question: Question,
) -> str:
    """What is wrong at a place of a sentence, and what could be meant there."""
    said = sentence[slice(*place)]
    about = f"“{said}” in “{sentence}”"
    for one in says:
        for found in one.anywhere().finditer(sentence):
            if found.start() <= place[0] and place[1] <= found.end():
                if one.when is not None and not one.when(answer, question):
                    return f"{about} may not be said here: “{one.words}” {one.why}".rstrip()
                values = [
                    f"{name} = {shown(fields, name, answer, question)}" for name in one.fields()
                ]
                return f"{about} should be, by “{one.words}”: {', '.join(values)}"
    near = [
        f"{name} = {shown(fields, name, answer, question)}"
        for name in fields
        if re.sub(r"[\s%]", "", said) in every_form(fields, name, answer, question)
    ]
    return (
        f"{about} is explained by no saying; fields that print like it: {', '.join(near) or 'none'}"
    )


def value_of(fields: Fields, name: str, answer: Answer, question: Question) -> Any:
    """What a field is; NOT_HERE where this answer has not what it reads. A sentence that says it
    all the same is then explained by no saying.
    """
    try:
        return fields[name](answer, question)
    except (KeyError, IndexError, StopIteration, ValueError):
        return NOT_HERE


def shown(fields: Fields, name: str, answer: Answer, question: Question) -> str:
    value = value_of(fields, name, answer, question)
    if value is NOT_HERE:
        return "nothing here"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def every_form(fields: Fields, name: str, answer: Answer, question: Question) -> set[str]:
    """How a field could be printed, without spaces and signs of percent."""
    value = value_of(fields, name, answer, question)
    if value is NOT_HERE:
        return set()
    if isinstance(value, bool) or not isinstance(value, int | float):
        return {str(value)}
    return {re.sub(r"[\s%]", "", FORMS[form](value)) for form in FORMS if form not in ("1 000",)}
