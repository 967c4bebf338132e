"""What the page of every clinic asks, and which choice is right: decided a second time, by what
each choice would be if the numbers stood at the ends of their intervals.
"""

import math
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import product
from urllib.parse import parse_qsl

import pytest

from app.captions.clinic import captions_of
from app.captions.exercises import Exercise
from app.captions.verdicts import format_finding
from app.experiments import experiments
from app.settings import Settings
from app.site.pages import at_setting
from model.answers.answer import Answer
from tests.app.questions import CLINICS, Fields, answer, answers, ask, asked_with, each
from tests.app.words.facts import between, second

every_clinic = each(CLINICS)
QUICK = ("basis", "fine-tuning", "head-split", "learned-positions", "scores", "warmup")
SLOWER = ("circuits-theory", "decoding", "padding", "scaling")
"""Clinics that are asked as their pages ask, too; the others at small settings alone."""


PIXELS = {"line": "line.less_independent", "block": "block.less_line", "all": "block.less_all"}


BETWEEN_BOUNDS = "-1 0 0.02 0.06 0.12 0.17 0.22 0.3 0.4 0.55 0.7 0.85 0.97 1.05 1.15 1.5 7 20"
PROBES = tuple(map(float, BETWEEN_BOUNDS.split()))
"""Numbers between all bounds of the rules."""


def of_findings(word: str, answer: Answer, question: Fields) -> set[int | None]:
    """The choices that are right at the ends of the intervals; all where one seed has none."""
    names, rule = second(word).RIGHT
    found = {finding.name: finding for finding in answer.fields["findings"]}
    if word == "pixels":
        names = (PIXELS[question["network"]],)
    ends = []
    for name in names:
        finding = found[name.format_map(question)]
        is_single = finding.kind == "statistical" and finding.interval is None
        sure = finding.interval or (finding.number, finding.number)
        low, high = (-math.inf, math.inf) if is_single else sure
        ends.append([low, *(probe for probe in PROBES if low < probe < high), high])
    return {rule(*numbers) for numbers in product(*ends)}


def of_lengths(answer: Answer, question: Fields) -> set[int | None]:
    streams = answer.tensors["stream.by_seed"].data.tolist()
    if len(streams) == 1:
        return {0, 1, 2}
    return {between(0.5, 2)(lengths[-1] / lengths[0]) for lengths in streams}


def of_letters(answer: Answer, question: Fields) -> set[int | None]:
    kinds = {"rnn": 0, "lstm": 0, "rnn-attention": 1, "lstm-attention": 1, "transformer": 2}
    names, at = answer.axes["network"].labels, question["length"] - 1
    best = set()
    for training in answer.tensors["letters.by_training"].data.tolist():
        right = {name: row[at] for name, row in zip(names, training, strict=True)}
        near = {kinds[name] for name in right if right[name] > max(right.values()) - 0.0100001}
        best.add(3 if len(near) > 1 else near.pop())
    return best


OTHERS = {"norms": of_lengths, "recurrence": of_letters}
"""Where no finding decides."""


def decided(word: str, answer: Answer, question: Fields) -> set[int | None]:
    return OTHERS.get(word, partial(of_findings, word))(answer, question)


def exercise(word: str) -> Exercise:
    return captions_of(experiments()[word]).exercise


def settings(word: str) -> list[Fields]:
    """What the page asks where it opens, and in its variants."""
    addresses = ({}, *(dict(parse_qsl(address)) for address in exercise(word).variants))
    return [at_setting(word, address, Settings()) for address in addresses]


def every_answer(word: str) -> Iterator[tuple[Fields, Answer]]:
    yield from answers(word)
    if word in QUICK:
        yield from as_the_page_asks(word)


def as_the_page_asks(word: str) -> Iterator[tuple[Fields, Answer]]:
    for question in settings(word):
        yield question, answer(word, question)


@every_clinic
def test_the_right_choice_is_decided_by_intervals_alone(word: str):
    assert_decided_by_intervals(word, every_answer(word))


@pytest.mark.thorough  # the same question at larger settings
@pytest.mark.parametrize("word", SLOWER)
def test_the_right_choice_is_decided_by_intervals_as_the_page_asks(word: str):
    assert_decided_by_intervals(word, as_the_page_asks(word))


def assert_decided_by_intervals(word: str, answers: Iterable[tuple[Fields, Answer]]) -> None:
    spec = exercise(word)
    for question, answer_of in answers:
        right, reason = spec.solved(answer_of, question)
        possible = decided(word, answer_of, question)
        assert right == (min(possible, key=str) if len(possible) == 1 else None), question
        verdict = reason.partition(": ")[0]
        judged = "Inconclusive" if len(possible) > 1 else "Correct"
        assert verdict == f"{judged} at these settings"
        for i, choice in enumerate(spec.choices):
            assert (f"“{choice}”" in reason) == (i in possible), (question, reason)
        named = () if word in OTHERS else second(word).RIGHT[0]
        named = [name.format_map(question) for name in named]
        for finding in answer_of.fields["findings"]:
            if finding.name in named:
                assert f"{finding.title}: {format_finding(finding)}" in reason


@every_clinic
def test_the_question_says_the_setting(word: str):
    sentences = [exercise(word).sentence(question) for question in settings(word)]
    assert len(set(sentences)) == len(sentences) >= 3
    assert all(sentence.count("?") >= 1 and "{" not in sentence for sentence in sentences)
    assert 2 <= len(exercise(word).choices) <= 4


def test_what_no_choice_is_has_another_name_than_a_choice():
    """“None” is a choice of /scores: there some of the functions move, and neither 5 nor 6."""
    question = asked_with(CLINICS["scores"])(temperature=0.01, d_head=256, keys=4).model_dump()
    exercise = captions_of(experiments()["scores"]).exercise
    right, reason = exercise.solved(ask("scores", question), question)
    assert right is None
    assert "None" in exercise.choices
    assert reason.startswith("Correct at these settings: none of these choices.")
