"""Every control of every clinic is moved over its range, and each sentence that is computed is
compared with its finding. It runs without a server, on small settings.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator
from html import unescape

from app.captions import verdicts
from app.captions.clinic import captions_of
from app.experiments import experiments
from app.worker.figures import figures_of
from model.answers.answer import Answer
from model.answers.measurements import Finding
from tests.app.captions.test_terms import TIP
from tests.app.questions import CLINICS, Fields, answers, each

every_clinic = each(CLINICS)


def every_page(word: str) -> Iterator[tuple[Fields, Answer]]:
    """Every answer, with each figure that the page may show beside the words."""
    for question, answer_of in answers(word):
        for name in figures_of(word, answer_of):
            yield question | {"figures": (name,)}, answer_of


def decided(finding: Finding) -> str:
    """The verdict that the interval, or the number alone, gives a finding."""
    low = -math.inf if finding.band[0] is None else finding.band[0]
    high = math.inf if finding.band[1] is None else finding.band[1]
    if finding.premise is not None:
        return "off"
    if (low, high) == (-math.inf, math.inf):
        return "measured"
    if finding.kind == "statistical" and finding.interval is None:
        return "undecided"
    first, last = finding.interval or (finding.number, finding.number)
    if low <= first and last <= high:
        return "holds"
    return "undecided" if max(first, low) <= min(last, high) else "fails"


@every_clinic
def test_the_heading_is_a_question_exactly_where_its_findings_do_not_confirm_the_claim(word: str):
    for question, answer_of in every_page(word):
        words = verdicts.fill(captions_of(experiments()[word]), answer_of, question)
        claim = captions_of(experiments()[word]).claim(answer_of, question)
        found = {finding.name: decided(finding) for finding in answer_of.fields["findings"]}
        states = {found[name] for name in claim.rests_on}
        all_found = list(found.values())
        most_open = claim.rests_on and all_found.count("undecided") > all_found.count("holds")
        confirmed = not states & {"fails", "off", "undecided"} and not most_open
        assert words["claim"] == (claim.text if confirmed else claim.question), question
        assert claim.question.endswith("?")
        assert not claim.text.endswith("?")


COUNTED = {
    r"of \d+ checks? as expected": "holds",
    "not reproduced": "fails",
    "inconclusive": "undecided",
    "not applicable": "off",
    "without a prediction": "measured",
}


@every_clinic
def test_the_counts_and_the_table_tell_every_finding(word: str):
    for question, answer_of in answers(word):
        words = verdicts.fill(
            captions_of(experiments()[word]), answer_of, question | {"figures": ()}
        )
        findings = answer_of.fields["findings"]
        states = [decided(finding) for finding in findings]
        counted = Counter(
            {
                state: int(n)
                for text, state in COUNTED.items()
                for n in re.findall(rf"(?:^|, )(\d+) {text}(?=, |$)", words["counts"])
            }
        )
        assert counted == Counter(states), question
        judged = [state for state in states if state in ("holds", "fails", "undecided")]
        assert f"of {len(judged)} check" in words["counts"] or not judged
        assert [row[0] for row in words["findings"]["rows"]] == [f.title for f in findings]
        signs = {"holds": "✓", "fails": "✗", "undecided": "?", "off": "·", "measured": "·"}
        assert [row[1][0] for row in words["findings"]["rows"]] == [signs[s] for s in states]


@every_clinic
def test_what_fails_or_is_undecided_stands_beside_the_heading(word: str):
    for question, answer_of in answers(word):
        words = verdicts.fill(
            captions_of(experiments()[word]), answer_of, question | {"figures": ()}
        )
        verdict_of = [(f.title, decided(f)) for f in answer_of.fields["findings"]]
        ordered = [f"{title}: " for title, state in verdict_of if state == "fails"]
        ordered += [
            f"{title}: inconclusive, " for title, state in verdict_of if state == "undecided"
        ]
        standing_out = words["standing_out"]
        for start, sentence in zip(
            ordered, standing_out[: verdicts.MAX_STANDING_OUT], strict=False
        ):
            assert sentence.startswith(start)
        reasons = {f.premise for f in answer_of.fields["findings"] if f.premise}
        if len(ordered) + len(reasons) > verdicts.MAX_STANDING_OUT:
            assert standing_out[-1].startswith(str(len(ordered) + len(reasons) - 3))
        undecided = [state for _, state in verdict_of if state == "undecided"]
        assert (words["seeds"] is not None) == (
            bool(undecided)
            and question["seeds"] < max(verdicts.SEEDS)
            and "kept_seeds" not in answer_of.fields
        )


@every_clinic
def test_every_sentence_is_whole(word: str):
    for question, answer_of in every_page(word):
        words = verdicts.fill(captions_of(experiments()[word]), answer_of, question)
        for name in ("look_for", "reading"):
            assert words[name][0].isupper() or not words[name][0].isalpha(), words[name]
            assert words[name].endswith((".", "?")), words[name]
        for sentence in (
            words["claim"],
            words["look_for"],
            words["reading"],
            *words["standing_out"],
        ):
            assert not re.search(r"\b(nan|inf|None|masked)\b", sentence), (question, sentence)


@every_clinic
def test_the_sentences_with_their_terms_explained_say_the_same(word: str):
    for question, answer_of in answers(word):
        sentences = verdicts.fill(
            captions_of(experiments()[word]), answer_of, question | {"figures": ()}
        )
        for name, html in sentences["explained"].items():
            plain = (sentences | sentences["exercise"])[name]
            assert unescape(TIP.sub(r"\1", html)) == plain, (word, question)


@every_clinic
def test_a_claim_can_fail(word: str):
    """It rests on a finding that has a band where the page opens."""
    question, answer_of = answers(word)[0]
    claim = captions_of(experiments()[word]).claim(answer_of, question | {"figures": ()})
    bands = {finding.name: finding.band for finding in answer_of.fields["findings"]}
    assert any(bands[name] != (None, None) for name in claim.rests_on)
