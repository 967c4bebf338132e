"""Verdicts in words: a heading that is a question where its claim is not confirmed, and each
finding with its number, what was expected and its verdict.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from app.captions import Question
from app.captions.facts import typeset
from app.captions.terms import explained_texts
from app.captions.text import counted, in_unit, number, percent, points, tick
from app.schema import SEEDS
from model.answers.laws import DIFFERENCE
from model.labels import label

if TYPE_CHECKING:
    from app.captions.clinic import Captions
    from model.answers.answer import Answer
    from model.answers.measurements import Finding


MAX_STANDING_OUT = 3
MANY = 1000
"""Beyond so many seeds a number of seeds says nothing more."""
ROUNDING = 1e-3
"""What is expected to be so near to 0 or to 1 is it but for rounding."""
LEAST = 1e-99
"""A bound below it only says that a number is not 0."""


@dataclass(frozen=True)
class Claim:
    """What a heading says of a law, the names of the findings on which it rests, and the question
    that stands in its place where these do not confirm it. If no finding is named, the claim is a
    definition that nothing measured can contradict.
    """

    text: str
    rests_on: tuple[str, ...] = ()
    question: str = ""


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


def fill(captions: "Captions", answer: "Answer", question: Question) -> dict[str, Any]:
    """What the page of a clinic says about an answer; `question` has the names of the `figures`
    that are shown too.
    """
    findings = answer.fields["findings"]
    n_recorded = answer.fields.get("kept_seeds")
    claim = captions.claim(answer, question)
    table = {
        "caption": label("Measurements, with 95% intervals in brackets."),
        "head": list(map(label, ("check", "verdict", "measured", "expected", "theory"))),
        "rows": [row(finding) for finding in findings],
    }
    look_for, reading = captions.look_for(answer, question), captions.reading(answer, question)
    right, reason = captions.exercise.solved(answer, question)
    asks = captions.exercise.sentence(question)
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
                "choices": list(captions.exercise.choices),
                "right": right,
                "reason": reason,
            },
            explained,
            counts(findings),
            standing_out(findings, n_recorded),
            None if n_recorded else more_seeds(findings),
            table,
        )
    )


def verdict(claim: Claim, findings: "Sequence[Finding]") -> str:
    """The verdict on a claim: it fails with any of the findings that it rests on, then does not
    apply, and then is undecided. A finding without a band says nothing about it.
    """
    judged = {
        finding.verdict
        for finding in rested_on(claim, findings)
        if finding.verdict != "not applicable" or finding.premise
    }
    order = ("fails", "not applicable", "undecided", "holds")
    return next((each for each in order if each in judged), "holds")


def rested_on(claim: Claim, findings: "Sequence[Finding]") -> "list[Finding]":
    """The findings that a claim rests on. Raises KeyError for a name that is no finding's."""
    by_name = {finding.name: finding for finding in findings}
    return [by_name[name] for name in claim.rests_on]


def heading(claim: Claim, findings: "Sequence[Finding]") -> str:
    """The claim, or its question where the findings do not confirm it or most of them are open."""
    holds, undecided = (
        sum(finding.verdict == verdict for finding in findings)
        for verdict in ("holds", "undecided")
    )
    open_still = claim.rests_on and undecided > holds
    confirmed = verdict(claim, findings) == "holds" and not open_still
    return claim.text if confirmed else claim.question


def counts(findings: "Sequence[Finding]") -> str:
    """10 of 13 checks as expected, 1 not reproduced, 2 inconclusive, 1 not applicable, 4 without a
    prediction. A number that no law predicts is no check.
    """
    holds, fails, undecided = (
        sum(finding.verdict == verdict for finding in findings)
        for verdict in ("holds", "fails", "undecided")
    )
    off = sum(finding.premise is not None for finding in findings)
    judged = holds + fails + undecided
    parts = [
        (judged, f"of {judged} check{'s' * (judged > 1)} as expected", holds),
        (fails, "not reproduced", fails),
        (undecided, "inconclusive", undecided),
        (off, "not applicable", off),
        (len(findings) - judged - off, "without a prediction", len(findings) - judged - off),
    ]
    return ", ".join(label(f"{number} {text}") for some, text, number in parts if some)


def standing_out(findings: "Sequence[Finding]", n_recorded: int | None = None) -> list[str]:
    """A sentence about each finding that fails, then about each that is undecided, then the reasons
    why laws do not apply. What is too much to stand beside a heading is counted. `n_recorded` is
    how many seeds were trained beforehand, if an answer reads kept results.
    """
    entries = [
        say(finding)
        for verdict, say in (
            ("fails", failing),
            ("undecided", partial(waiting, n_recorded=n_recorded)),
        )
        for finding in findings
        if finding.verdict == verdict
    ]
    entries += dict.fromkeys(label(finding.premise) for finding in findings if finding.premise)
    more = len(entries) - MAX_STANDING_OUT
    if more > 0:
        entries = [*entries[:MAX_STANDING_OUT], label(f"{more} more in the table.")]
    return entries


def failing(finding: "Finding") -> str:
    """What was measured where a law fails, and what was expected."""
    return label("{title}: {measured} (expected {band}).").format(
        title=label(finding.title or ""), measured=with_unit(finding), band=label(band(finding))
    )


def waiting(finding: "Finding", n_recorded: int | None = None) -> str:
    """Between which numbers the seeds leave what a law is about, and how many would settle it."""
    return label("{title}: inconclusive, {measured} with {seeds} (expected {band}). {how}.").format(
        title=label(finding.title or ""),
        measured=in_unit(ends(finding) or printer(finding)(finding.number), finding.unit or ""),
        seeds=counted(finding.seeds or 0, "seed"),
        band=label(band(finding)),
        how=label(deciding(finding, n_recorded)),
    )


def row(finding: "Finding") -> list[str]:
    """A row of the table. A page shows a space of a token that does not break by a sign; here such
    a space is one of a language, and breaks.
    """
    cells = [
        label(finding.title or ""),
        f"{SIGNS[finding.verdict]} {label(judgement(finding))}",
        format_finding(finding),
        label(band(finding) or "none"),
        "" if finding.law == NOTHING else label(typeset(finding.law)),
    ]
    return [cell.replace("\u00a0", " ") for cell in cells]


SIGNS = {"holds": "✓", "fails": "✗", "undecided": "?", "not applicable": "·"}
JUDGED = {
    "holds": "as expected",
    "fails": "not reproduced",
    "undecided": "inconclusive",
    "not applicable": "not applicable",
}
"""The verdicts on a law, in words."""
NOTHING = "no prediction"


def judgement(finding: "Finding") -> str:
    """The verdict in words; a law without a band predicts nothing."""
    if finding.verdict == "not applicable" and not finding.premise:
        return NOTHING
    return JUDGED[finding.verdict]


def deciding(finding: "Finding", n_recorded: int | None = None) -> str:
    """How many seeds would settle it: about 12, or more than are offered, or than `n_recorded`."""
    needed, most = finding.seeds_needed or 0, n_recorded or max(SEEDS)
    if needed <= most:
        return f"About {needed} seeds would settle it"
    if needed > MANY:
        return "The seeds vary too much to tell"
    allowed = f"{most} were trained" if n_recorded else f"this page allows at most {most}"
    return f"About {needed} seeds would be needed; {allowed}"


def more_seeds(findings: "Sequence[Finding]") -> int | None:
    """How many seeds to take next: as many as would decide, of the numbers that are offered, or the
    most. None if nothing is undecided, or if there are no more to take.
    """
    waiting = [finding for finding in findings if finding.verdict == "undecided"]
    taken = max((finding.seeds or 0 for finding in waiting), default=max(SEEDS))
    needed = max((finding.seeds_needed or 0 for finding in waiting), default=0)
    offered = [seeds for seeds in SEEDS if seeds > taken]
    return next((seeds for seeds in offered if seeds >= needed), max(offered, default=None))


def format_finding(finding: "Finding") -> str:
    """1.11 nats (0.86 to 1.30, 4 seeds); 2.2 × 10⁻¹⁶."""
    text = with_unit(finding)
    if finding.kind != "statistical":
        return text
    interval = f"{ends(finding)}, " if finding.interval else ""
    return f"{text} ({interval}{counted(finding.seeds or 0, 'seed')})"


def with_unit(finding: "Finding") -> str:
    return in_unit(printer(finding)(finding.number), finding.unit or "")


def printer(finding: "Finding", plain: Callable[[float], str] | None = None) -> Callable:
    """What prints a number of a finding."""
    return in_percent(finding.unit, finding.band) or plain or short


def in_percent(unit: str | None, band: Sequence[float | None]) -> Callable[[float], str] | None:
    """What prints a share of a whole, expected between 0 and 1 up to rounding."""
    ends = [end for end in band if end is not None]
    apart = all(end == round(end) or abs(end - round(end)) > ROUNDING for end in ends)
    if not apart or not (unit or "").startswith("of the "):
        return None
    return points if (unit or "").endswith(DIFFERENCE) else percent


def ends(finding: "Finding") -> str:
    """0.86 to 1.30; "" without an interval."""
    return label(" to ").join(map(printer(finding), finding.interval)) if finding.interval else ""


def band(finding: "Finding") -> str:
    """0.9 to 1.25, at most 2, at least 3, exactly 0, 1 within 10⁻⁹; "" without a band."""
    (low, high), limit = finding.band, printer(finding, rounded)
    if low is not None and high is None and 0 < low < LEAST:
        return "more than 0"
    if low is None:
        return "" if high is None else f"at most {limit(high)}"
    if high is None:
        return f"at least {limit(low)}"
    if low == high:
        return f"exactly {limit(low)}"
    if short(low) == short(high):
        return f"{(low + high) / 2:.12g} within {short((high - low) / 2).removeprefix('1.00 × ')}"
    return label(" to ").join((limit(low), limit(high)))


def rounded(value: float) -> str:
    """An end of a band with three significant digits, without zeros at its end."""
    return tick(float(f"{value:.3g}"))


def short(value: float) -> str:
    """Three significant digits; rounding errors of identities are named as powers of ten."""
    return number(float(f"{value:.3g}"))
