"""What the page of every clinic says is said a second time: each number, each name and each word of
comparison in a claim, in what to look for and in the number to read off belongs to a saying of the
clinic, with the fields of the answer. Answers also have numbers of their own in them, so that no
two print alike.
"""

import ast
import inspect
import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from types import ModuleType

from app.figures.drawing import figures_of
from app.words import verdicts
from model.answers.answer import Answer
from tests.app.asked import CLINICS, asked, base, each
from tests.app.said.answered import marked
from tests.app.said.sayings import Question, unexplained

MOST = 5
"""So many faults of a word are told at once."""


every_clinic = each(CLINICS)


def second(word: str) -> ModuleType:
    return import_module(f"tests.app.said.{word.replace('-', '_')}")


@cache
def pages(word: str) -> list[tuple[Question, Answer]]:
    """The small question and those on which the words depend, with each figure that is shown."""
    told = second(word)
    given = []
    for changes in ({}, *getattr(told, "QUESTIONS", ())):
        question = base(CLINICS[word]) | changes
        one = asked(word, question)
        names = list(figures_of(word, one))
        shown = [(), *((name,) for name in names), *getattr(told, "FIGURES", ())]
        given += [(question | {"figures": figures}, one) for figures in shown]
    return given


@cache
def of_others(word: str) -> list[tuple[Question, Answer]]:
    """The same with other numbers in the answers."""
    told = second(word)
    changed = {id(one): marked(one) for _, one in pages(word)}
    given = [(question, changed[id(one)]) for question, one in pages(word)]
    return given + list(getattr(told, "forced", lambda _: ())(pages(word)))


def sentences(word: str, one: Answer, question: Question) -> dict[str, str]:
    module = verdicts.module_of(word)
    return {
        "claim": module.claim(one, question).text,
        "look_for": module.look_for(one, question),
        "reading": module.reading(one, question),
    }


@cache
def checked(word: str) -> tuple[list[str], set[str]]:
    """What no saying explains in what a word says, and the sayings that were found."""
    rules, faults, said = second(word), {}, set()
    names = getattr(rules, "NAMES", ())
    for question, one in [*pages(word), *of_others(word)]:
        for part, sentence in sentences(word, one, question).items():
            told = unexplained(sentence, rules.SAYS, rules.FIELDS, one, question, names, said)
            faults |= dict.fromkeys(f"/{word}, {part}: {fault}" for fault in told[:1])
    return list(faults), said


@every_clinic
def test_every_number_and_word_of_comparison_is_explained_by_the_answer(word: str):
    found, _ = checked(word)
    assert not found, "\n".join(found[:MOST])


@every_clinic
def test_every_saying_is_said_on_some_page(word: str):
    """A sentence that loses a word, as a “not”, loses its saying."""
    _, said = checked(word)
    unsaid = [one.words for one in second(word).SAYS if one.words not in said]
    assert not unsaid, f"/{word}: no page says “{unsaid[0]}” any more ({len(unsaid)} sayings)"


@every_clinic
def test_a_claim_rests_on_the_findings_that_say_whether_it_holds(word: str):
    claims = second(word).CLAIMS
    for question, one in pages(word):
        claim = verdicts.module_of(word).claim(one, question)
        (rests,) = [names for words, names in claims.items() if words in claim.text]
        expected = rests(one, question) if callable(rests) else rests
        assert set(claim.rests_on) == set(expected), (
            f"/{word}: “{claim.text}” rests on {', '.join(claim.rests_on) or 'nothing'}, and should"
            f" on {', '.join(expected) or 'nothing'}"
        )


def pieces(module: ModuleType) -> Iterator[str]:
    """Every piece of a sentence in a module, without what is filled in."""
    tree = ast.parse(inspect.getsource(module))
    quiet = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    quiet |= {
        id(value)
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "TITLES"
        for value in ast.walk(node)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in quiet:
            for piece in re.split(r"\{[^}]*\}", node.value):
                if " " in piece.strip() and len(re.findall(r"[^\W\d_]{2,}", piece)) > 1:
                    yield piece


@every_clinic
def test_every_sentence_of_a_clinic_is_said_at_least_once(word: str):
    said = "\n".join(
        sentence
        for question, one in [*pages(word), *of_others(word)]
        for sentence in sentences(word, one, question).values()
    )
    unsaid = getattr(second(word), "UNSAID", ())
    missing = [
        one for one in pieces(verdicts.module_of(word)) if one not in said and one not in unsaid
    ]
    assert not missing, f"/{word}: no answer of these tests says “{missing[0]}” ({len(missing)})"
