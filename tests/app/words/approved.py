"""The approved texts of a page: each message in each of its variants, as it is said of the first
answer that has it so. A line is one of them, and before its text are the conditions and, of a
claim, the findings on which it rests. Of a clinic, the titles of its findings follow.
"""

import json
import re
from functools import cache
from operator import itemgetter
from pathlib import Path

from app.captions.clinic import captions_of
from app.captions.fields import printed
from app.captions.words import Answered
from app.experiments import experiments
from app.worker.figures import figures_of
from model.answers.answer import Answer
from tests.app.questions import CLINICS, WORDS, Fields, answers, ask, base
from tests.app.words.facts import second
from tests.app.words.ways import ids_of, referred
from tests.model.clinics.laws import TABLES, laws_of

FILES = Path(__file__).parent / "approved"
DIGIT = re.compile(r"\d")
NUMBER = re.compile(
    r"−?(?:\d+(?:[,\u202f]\d{3})*(?:\.\d+)?|\.\d+)(?: × 10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+|[\s\u00a0]%|°)?"
)
NEAR = 0.02
"""Two digits that are printed may differ by so much where what they print does not."""
ROUNDING = 1e-5
"""Errors of rounding are smaller, and others on other processors."""
LOWERED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


@cache
def cases(word: str) -> list[tuple[Fields, Answer]]:
    """The answers of a clinic at every setting, and of any page at those that its facts ask, and
    what they make of the last for a variant that no setting has; with each figure that may be shown
    where the words depend on it.
    """
    words = experiments()[word].words
    assert words
    facts = second(word)
    questions = [base(WORDS[words.page]) | changes for changes in getattr(facts, "QUESTIONS", ())]
    pairs = list(answers(word)) if word in CLINICS else []
    pairs += [(question, ask(word, question)) for question in questions]
    pairs += [
        (question, change(answer))
        for change in getattr(facts, "MADE_UP", ())
        for question, answer in pairs[-1:]
    ]
    if "shown" not in words.conditions:
        return [(question | {"figures": ()}, answer) for question, answer in pairs]
    return [
        (question | {"figures": figures}, answer)
        for question, answer in pairs
        for figures in (
            (),
            *((name,) for name in figures_of(word, answer)),
            *getattr(facts, "FIGURES", ()),
        )
    ]


def approved(word: str) -> dict[str, str]:
    """What is said now, by message and variants: of the first answer whose fields differ most, so
    that none can stand in the place of another.
    """
    words = experiments()[word].words
    assert words
    ids = [name for name in ids_of(words, "en") if name not in referred(words, "en")]
    texts: dict[str, tuple[int, str]] = {}
    for question, answer in cases(word):
        for name in ids:
            reading = Answered(words, answer, question, {})
            try:
                text = "".join(reading.message(name))
            except (KeyError, StopIteration):  # a part of a message that is not said here
                continue
            if None in reading.values.values():  # a setting that is left out, filled in by a page
                continue
            taken = {by: value for by, value in reading.values.items() if by in words.conditions}
            variants = ", ".join(f"{by}={taken[by]}" for by in sorted(taken))
            key = f"{name} [{variants}]" if taken else name
            if name == "claim":
                claim = captions_of(experiments()[word]).claim(answer, question)
                key += f" rests on {', '.join(claim.rests_on)}"
            fields = [
                printed(words.fields[by].kind, value, "en")
                for by, value in reading.values.items()
                if by in words.fields
            ]
            apart = sum(sum(same_text(field, other) for other in fields) == 1 for field in fields)
            texts[key] = max(texts.get(key, (-1, "")), (apart, text), key=itemgetter(0))
    return {key: text for key, (_, text) in texts.items()} | beside(word) | titles(word)


def titles(word: str) -> dict[str, str]:
    """What the table of findings of a clinic calls each."""
    clinic = word.replace("-", "_")
    laws = laws_of(clinic) if clinic in TABLES else {}
    return {f"title {name}": law.title for name, law in laws.items()}


def beside(word: str) -> dict[str, str]:
    """What a page about a run has beside its figures: what its controls offer and show, and where
    it leads on, also from a step, of the first question that has it so.
    """
    if (captions := experiments()[word].captions) is None:
        return {}
    panels = [captions(answer, question) for question, answer in cases(word)]
    for panel in panels:
        if "steps" in panel:
            panel["steps"] = [step["whole"] for step in panel["steps"]]
    lines = dict.fromkeys(json.dumps(panel, ensure_ascii=False) for panel in panels)
    return {f"beside {i}": line for i, line in enumerate(lines)}


def read(word: str) -> dict[str, str]:
    """The approved texts of a page."""
    lines = (FILES / f"{word}.txt").read_text("utf-8").splitlines()
    return dict(line.split(" = ", 1) for line in lines)


def write(word: str) -> None:
    lines = [f"{name} = {text}\n" for name, text in approved(word).items()]
    (FILES / f"{word}.txt").write_text("".join(lines), "utf-8")


def same_text(text: str, other: str) -> bool:
    """Whether two texts are the same but for the last digits of their numbers: those of answers
    differ between processors. How many digits they have, and which sign, is the same.
    """
    if shape(text) != shape(other):
        return False
    first, second = numbers(text), numbers(other)
    return len(first) == len(second) and all(
        abs(a - b) <= NEAR * max(a, b) + ROUNDING for a, b in zip(first, second, strict=True)
    )


def shape(text: str) -> str:
    """The text with a 0 for each digit of its numbers, and for all of one with a power of ten."""
    return NUMBER.sub(lambda match: "0" if "×" in match[0] else DIGIT.sub("0", match[0]), text)


def numbers(text: str) -> list[float]:
    """The numbers of a text, without signs."""
    parts = [found.partition(" × 10") for found in NUMBER.findall(text)]
    return [
        float(re.sub(r"[^\d.]", "", digits)) * 10.0 ** int(power.translate(LOWERED) or 0)
        for digits, _, power in parts
    ]
