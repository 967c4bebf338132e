"""Verdicts in words: a heading that says when its law does not hold, and each finding with its
number, its band and its verdict.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from app.captions import Question
from app.captions.facts import typeset
from app.captions.terms import explained_texts
from app.captions.text import counted, in_unit, number, tick
from app.schema import SEEDS

if TYPE_CHECKING:
    from app.captions.clinic import Captions
    from model.answers.answer import Answer
    from model.answers.measurements import Finding


MAX_STANDING_OUT = 3
LEAST = 1e-99
"""A bound below it only says that a number is not 0."""


@dataclass(frozen=True)
class Claim:
    """What a heading says of a law, and the names of the findings on which it rests. If no finding
    is named, the claim is a definition that nothing measured can contradict.
    """

    text: str
    rests_on: tuple[str, ...] = ()


@dataclass(frozen=True)
class FilledCaptions:
    """What a page says about an answer of its clinic. `claim` is the heading, `look_for` what to
    look for, `reading` the number to read off, and `counts` says how many findings hold.
    `exercise` is what is asked before, and which choice is right. `explained` has what is asked,
    the reason of what is right, and those two as HTML, with the terms of the field explained.
    `standing_out` are sentences about what fails, is undecided or does not apply, and `seeds` is
    how many seeds to take next where something is undecided and more can be taken. `findings` is a
    table.
    """

    claim: str
    look_for: str
    reading: str
    exercise: dict[str, Any]
    explained: dict[str, str]
    counts: str
    standing_out: list[str]
    seeds: int | None
    findings: dict[str, Any]


def fill(said: "Captions", answer: "Answer", question: Question) -> dict[str, Any]:
    """What the page of a clinic says about an answer; `question` has the names of the `figures`
    that are shown too.
    """
    findings = answer.fields["findings"]
    kept = answer.fields.get("kept_seeds")
    claim = said.claim(answer, question)
    table = {
        "caption": "What was found. In brackets: the interval that holds 95 %.",
        "head": ["finding", "verdict", "measured", "band", "law"],
        "rows": [row(finding) for finding in findings],
    }
    look_for, reading = said.look_for(answer, question), said.reading(answer, question)
    right, reason = said.exercise.solved(answer, question)
    asks = said.exercise.sentence(question)
    explained = {
        **dict(zip(("look_for", "reading"), explained_texts(look_for, reading), strict=True)),
        **dict(zip(("asks", "reason"), explained_texts(asks, reason), strict=True)),
    }
    return asdict(
        FilledCaptions(
            heading(claim, findings),
            look_for,
            reading,
            {
                "asks": asks,
                "choices": list(said.exercise.choices),
                "right": right,
                "reason": reason,
            },
            explained,
            counts(findings),
            standing_out(findings, kept),
            None if kept else more_seeds(findings),
            table,
        )
    )


def verdict(claim: Claim, findings: "Sequence[Finding]") -> str:
    """The verdict on a claim: it fails with any of the findings that it rests on, then does not
    apply, and then is undecided. A finding without a band says nothing about it.
    """
    judged = {
        one.verdict
        for one in rested_on(claim, findings)
        if one.verdict != "not applicable" or one.premise
    }
    order = ("fails", "not applicable", "undecided", "holds")
    return next((each for each in order if each in judged), "holds")


def rested_on(claim: Claim, findings: "Sequence[Finding]") -> "list[Finding]":
    """The findings that a claim rests on. Raises KeyError for a name that is no finding's."""
    by_name = {finding.name: finding for finding in findings}
    return [by_name[name] for name in claim.rests_on]


def heading(claim: Claim, findings: "Sequence[Finding]") -> str:
    """The claim, and before it what keeps it from being true here, or that most checks are open."""
    said = verdict(claim, findings)
    if said == "undecided":
        seeds = next(one.seeds for one in rested_on(claim, findings) if one.verdict == "undecided")
        return f"{counted(seeds or 0, 'seed does', 'seeds do')} not decide: {claim.text}"
    waiting = [finding.seeds or 0 for finding in findings if finding.verdict == "undecided"]
    if claim.rests_on and said == "holds" and len(waiting) > number_that_hold(findings):
        return f"{counted(waiting[0], 'seed decides', 'seeds decide')} few checks: {claim.text}"
    return BEFORE[said] + claim.text


def number_that_hold(findings: "Sequence[Finding]") -> int:
    return sum(finding.verdict == "holds" for finding in findings)


BEFORE = {
    "holds": "",
    "fails": "Here it does not hold: ",
    "not applicable": "It does not apply here: ",
}


def counts(findings: "Sequence[Finding]") -> str:
    """10 of 13 checks passed, 1 failed, 2 undecided, 1 does not apply, 4 without a prediction. A
    number that no law predicts is no check.
    """
    holds, fails, undecided = (
        sum(finding.verdict == verdict for finding in findings)
        for verdict in ("holds", "fails", "undecided")
    )
    off = sum(finding.premise is not None for finding in findings)
    judged = holds + fails + undecided
    told = [
        (judged, f"of {counted(judged, 'check')} passed", holds),
        (fails, "failed", fails),
        (undecided, "undecided", undecided),
        (off, "does not apply" if off == 1 else "do not apply", off),
        (len(findings) - judged - off, "without a prediction", len(findings) - judged - off),
    ]
    return ", ".join(f"{number} {said}" for some, said, number in told if some)


def standing_out(findings: "Sequence[Finding]", kept: int | None = None) -> list[str]:
    """A sentence about each finding that fails, then about each that is undecided, then the reasons
    why laws do not apply. What is too much to stand beside a heading is counted. `kept` is how many
    seeds were trained beforehand, if an answer reads kept results.
    """
    said = [
        say(finding)
        for verdict, say in (("fails", failing), ("undecided", partial(waiting, kept=kept)))
        for finding in findings
        if finding.verdict == verdict
    ]
    said += dict.fromkeys(finding.premise for finding in findings if finding.premise)
    more = len(said) - MAX_STANDING_OUT
    return said if more <= 0 else [*said[:MAX_STANDING_OUT], f"{more} more in the table."]


def failing(finding: "Finding") -> str:
    """What was measured where a law fails, and what it allows."""
    return (
        f"Failed: {finding.title}. It is {with_unit(finding)}, and the law allows {band(finding)}."
    )


def waiting(finding: "Finding", kept: int | None = None) -> str:
    """Between which numbers the seeds leave what a law is about, and how many would decide."""
    seeds = counted(finding.seeds or 0, "seed gives", "seeds give")
    given = (
        f"{' to '.join(map(short, finding.interval))}{unit_of(finding)}"
        if finding.interval
        else with_unit(finding)
    )
    return (
        f"Not decided yet: {finding.title}. {seeds} {given}, and the law allows {band(finding)}."
        f" {deciding(finding, kept)}."
    )


def row(finding: "Finding") -> list[str]:
    return [
        finding.title or "",
        f"{SIGNS[finding.verdict]} {judgement(finding)}",
        format_finding(finding),
        band(finding) or "none",
        typeset(finding.law),
    ]


SIGNS = {"holds": "✓", "fails": "✗", "undecided": "?", "not applicable": "·"}


def judgement(finding: "Finding") -> str:
    """The verdict in words; a law without a band predicts nothing."""
    if finding.verdict == "not applicable":
        return "does not apply" if finding.premise else "no prediction"
    return finding.verdict


def deciding(finding: "Finding", kept: int | None = None) -> str:
    """How many seeds would decide: about 12, or more than are offered, or than were `kept`."""
    needed, most = finding.seeds_needed or 0, kept or max(SEEDS)
    if needed <= most:
        return f"About {needed} seeds would decide"
    about = f"about {needed} seeds, more" if needed <= 1000 else "more seeds"
    return f"It would take {about} than the {most} that {'were trained' if kept else 'are offered'}"


def more_seeds(findings: "Sequence[Finding]") -> int | None:
    """How many seeds to take next: as many as would decide, of the numbers that are offered, or the
    most. None if nothing is undecided, or if there are no more to take.
    """
    waiting = [finding for finding in findings if finding.verdict == "undecided"]
    taken = max((one.seeds or 0 for one in waiting), default=max(SEEDS))
    needed = max((one.seeds_needed or 0 for one in waiting), default=0)
    offered = [seeds for seeds in SEEDS if seeds > taken]
    return next((seeds for seeds in offered if seeds >= needed), max(offered, default=None))


def format_finding(finding: "Finding") -> str:
    """1.11 nats (0.86 to 1.30, 4 seeds); 2.2 × 10⁻¹⁶."""
    said = with_unit(finding)
    if finding.kind != "statistical":
        return said
    ends = f"{' to '.join(map(short, finding.interval))}, " if finding.interval else ""
    return f"{said} ({ends}{counted(finding.seeds or 0, 'seed')})"


def with_unit(finding: "Finding") -> str:
    return in_unit(short(finding.number), finding.unit or "")


def unit_of(finding: "Finding") -> str:
    return f" {finding.unit}" if finding.unit else ""


def band(finding: "Finding") -> str:
    """0.9 to 1.25, at most 2, at least 3, exactly 0, 1 within 10⁻⁹; "" for a finding without a
    band.
    """
    low, high = finding.band
    if low is not None and high is None and 0 < low < LEAST:
        return "more than 0"
    if low is None:
        return "" if high is None else f"at most {limit(high)}"
    if high is None:
        return f"at least {limit(low)}"
    if low == high:
        return f"exactly {limit(low)}"
    if short(low) == short(high):
        return f"{short((low + high) / 2)} within {short((high - low) / 2)}"
    return f"{limit(low)} to {limit(high)}"


def limit(value: float) -> str:
    """An end of a band with three significant digits, without zeros at its end."""
    return tick(float(f"{value:.3g}"))


def short(value: float) -> str:
    """Three significant digits; rounding errors of identities are named as powers of ten."""
    return number(float(f"{value:.3g}"))
