"""What the page of every clinic says is said a second time: each number, each name and each word of
comparison in a claim, in what to look for and in the number to read off belongs to a saying of the
clinic, with the fields of the answer. Answers also have numbers of their own in them, so that no
two print alike.
"""

import ast
import inspect
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

from app.captions.templates import captions_of
from app.experiments import experiments
from app.worker.figures import figures_of
from model.answers.answer import Answer
from tests.app.asked import CLINICS, answers, asked, base, each
from tests.app.said.answered import marked
from tests.app.said.printed import misprinted
from tests.app.said.sayings import NUMBER, Question, unexplained

MOST = 5
"""So many faults of a word are told at once."""


def underlined(word: str) -> str:
    return word.replace("-", "_")


def needs_a_second(word: str) -> bool:
    """Whether words of comparison or numbers in its captions are composed in Python. Those of an
    experiment whose texts are templates are filled in from its findings, and words that are data
    have tests of their own (tests/app/words).
    """
    one = experiments()[word]
    return not one.words and bool(callable(one.reading) or one.claim_of or one.look_for_of)


every_clinic = each(
    {
        word: endpoint
        for word, endpoint in CLINICS.items()
        if needs_a_second(word) or find_spec(f"tests.app.said.{underlined(word)}")
    }
)


def second(word: str) -> ModuleType:
    """The second rendering of a word; nothing is in it for one that needs none."""
    name = f"tests.app.said.{underlined(word)}"
    needed = needs_a_second(word) or find_spec(name)
    return import_module(name) if needed else ModuleType(name)


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
    """What a page says: its captions, and of its figures those that the word's module names."""
    said, figures = captions_of(experiments()[word]), experiments()[word].figures
    return {
        "claim": said.claim(one, question).text,
        "look_for": said.look_for(one, question),
        "reading": said.reading(one, question),
        **{name: figures[name].description(one, question) for name in described(word)},
    }


def described(word: str) -> tuple[str, ...]:
    return getattr(second(word), "DESCRIBED", ())


@cache
def checked(word: str) -> tuple[list[str], set[str]]:
    """What no saying explains in what a word says, and the sayings that were found."""
    rules, faults, said = second(word), {}, set()
    names = getattr(rules, "NAMES", ())
    for question, one in [*pages(word), *of_others(word)]:
        for part, sentence in sentences(word, one, question).items():
            told = [f"{one} is misprinted in “{sentence}”" for one in misprinted(sentence)]
            told += unexplained(sentence, rules.SAYS, rules.FIELDS, one, question, names, said)
            faults |= dict.fromkeys(f"/{word}, {part}: {fault}" for fault in told[:1])
    return list(faults), said


@every_clinic
def test_every_number_and_word_of_comparison_is_explained_by_the_answer(word: str):
    found, _ = checked(word)
    assert not found, "\n".join(found[:MOST])


@every_clinic
def test_a_reading_has_at_most_two_measured_numbers(word: str):
    """As the page opens: more than two nobody keeps in mind. Those of the settings stay what they
    are when the answer has other numbers.
    """
    question, one = pages(word)[0]
    said = captions_of(experiments()[word]).reading
    here, other = (Counter(NUMBER.findall(said(each, question))) for each in (one, marked(one)))
    assert (here - other).total() <= 2, said(one, question)


@every_clinic
def test_what_to_look_for_is_there_wherever_the_controls_stand(word: str):
    """A saying about what is drawn may be said only where the answer has it so."""
    rules, faults = second(word), []
    names = getattr(rules, "NAMES", ())
    for question, one in answers(word):
        for shown in ((), *((name,) for name in figures_of(word, one))):
            asked = question | {"figures": shown}
            said = captions_of(experiments()[word]).look_for(one, asked)
            told = unexplained(said, rules.SAYS, rules.FIELDS, one, asked, names)
            moved = {
                name: now for name, now in question.items() if now != base(CLINICS[word])[name]
            }
            faults += [f"/{word} with {moved}, {shown}: {fault}" for fault in told[:1]]
    assert not faults, "\n".join(faults[:MOST])


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
        claim = captions_of(experiments()[word]).claim(one, question)
        (rests,) = [names for words, names in claims.items() if words in claim.text]
        expected = rests(one, question) if callable(rests) else rests
        assert set(claim.rests_on) == set(expected), (
            f"/{word}: “{claim.text}” rests on {', '.join(claim.rests_on) or 'nothing'}, and should"
            f" on {', '.join(expected) or 'nothing'}"
        )


CAPTIONS = {"claim", "claim_of", "look_for", "look_for_of", "reading"}


def captioning(word: str) -> Iterator[ast.AST]:
    """The parts of an experiment's module that make its captions: what stands as such, and what
    that names.
    """
    body = ast.parse(inspect.getsource(import_module(f"app.experiments.{underlined(word)}"))).body
    known = {name: node for node in body for name in defined(node)}
    declared = known.pop("EXPERIMENT")
    assert isinstance(declared, ast.Assign)
    assert isinstance(declared.value, ast.Call)
    waiting: list[ast.AST] = [one.value for one in declared.value.keywords if one.arg in CAPTIONS]
    while waiting:
        yield (node := waiting.pop())
        used = [one for one in ast.walk(node) if isinstance(one, ast.Name)]
        own = {one.id for one in used if isinstance(one.ctx, ast.Store)}
        names = {one.id for one in used} - own
        waiting += [known.pop(name) for name in sorted(names & known.keys())]


def defined(node: ast.stmt) -> list[str]:
    """The names that a statement of a module gives to something."""
    if isinstance(node, ast.FunctionDef):
        return [node.name]
    return [ast.unparse(target) for target in node.targets] if isinstance(node, ast.Assign) else []


def pieces(word: str) -> Iterator[str]:
    """Every piece of a sentence in the captions of a word, without what is filled in."""
    for part in captioning(word):
        quiet = {id(node.value) for node in ast.walk(part) if isinstance(node, ast.Expr)}
        for node in ast.walk(part):
            if not isinstance(node, ast.Constant) or id(node) in quiet:
                continue
            for piece in re.split(r"\{[^}]*\}", node.value) if isinstance(node.value, str) else ():
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
    missing = [one for one in pieces(word) if one not in said and one not in unsaid]
    assert not missing, f"/{word}: no answer of these tests says “{missing[0]}” ({len(missing)})"
