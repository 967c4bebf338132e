"""Measurements: numbers compared with a prediction. Whether it holds is always computed.

A `Measurement` is one number with a condition stated by the analysis. A `Finding` is a measurement
of a clinic, whose law gives an expected range. In JSON, both are objects with their fields in
order, without those that are None.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from torch import Tensor

from model.answers import intervals
from model.answers.intervals import Estimate
from model.answers.laws import OPEN, Band, Law, Number

Verdict = Literal["holds", "fails", "undecided", "not applicable"]


@dataclass(frozen=True)
class Measurement:
    """A number, the prediction in words, whether it holds, and the unit, "" for a pure number."""

    name: str
    value: float
    law: str
    holds: bool
    unit: str = ""


@dataclass(frozen=True, kw_only=True)
class Finding:
    """The result of a clinic, displayed as `title`.

    `kind` is "exact" if an identity determines the number up to a tolerance, "analytic" if it is
    computed from a formula without a run, and "statistical" if it is measured over seeds. An exact
    or analytic finding has a `value`. A statistical one has a `mean`, which is geometric if the
    `method` of its `interval` uses logarithms; the number of `seeds`; their `values`, None if the
    number is undefined for one seed; and the smallest and largest of these.

    `verdict` is "holds" if the number, or its whole interval, is in the `band`, "fails" if it is
    outside, "undecided" if the interval crosses an end of the band, and "not applicable" if there
    is no band or the prediction does not apply; `premise` then says why. `holds` is None unless the
    verdict is one of the first two. `seeds_needed` estimates how many seeds would decide.
    """

    ALWAYS_GIVEN: ClassVar[tuple[str, ...]] = ("holds",)
    """The fields that are null in JSON if they are None."""

    name: str
    title: str | None = None
    kind: Literal["exact", "analytic", "statistical"]
    value: float | None = None
    mean: float | None = None
    min: float | None = None
    max: float | None = None
    seeds: int | None = None
    values: Sequence[float | None] | None = None
    interval: tuple[float, float] | None = None
    method: str | None = None
    unit: str
    law: str
    band: Band
    holds: bool | None
    verdict: Verdict
    seeds_needed: int | None = None
    premise: str | None = None

    @property
    def number(self) -> float:
        """The measured number: the value, or the mean over the seeds."""
        number = self.mean if self.value is None else self.value
        assert number is not None
        return number


def fact(
    name: str, value: Number | Tensor, law: str, holds: bool | Tensor, unit: str = ""
) -> Measurement:
    """A measurement of plain numbers; `value` and `holds` may be tensors with one element."""
    return Measurement(name, float(value), law, bool(holds), unit)


def exact(law: Law, value: Number | Tensor, *, premise: str | None = None) -> Finding:
    """The finding about one number determined by an identity, up to the tolerance of its band.

    `premise` is a sentence saying why the prediction does not apply to this question, or None if it
    does, as for every kind of finding.
    """
    number = float(value)
    return Finding(kind="exact", value=number, **verdict_fields(law, number, None, premise))


def analytic(law: Law, value: Number | Tensor, *, premise: str | None = None) -> Finding:
    """The finding about one number computed from a formula without a run."""
    number = float(value)
    return Finding(kind="analytic", value=number, **verdict_fields(law, number, None, premise))


def statistical(
    law: Law,
    values: Sequence[Number],
    *,
    premise: str | None = None,
    geometric: bool = False,
) -> Finding:
    """The finding about one number per seed, in the order of the seeds. It is evaluated with the
    interval of their mean, which is `geometric` for positive numbers that vary by factors.
    """
    numbers = [float(value) for value in values]
    if geometric and min(numbers) > 0:
        mean = math.exp(sum(map(math.log, numbers)) / len(numbers))
        estimate = intervals.geometric_mean_estimate(numbers)
    else:
        mean, estimate = sum(numbers) / len(numbers), intervals.mean_estimate(numbers)
    return Finding(
        kind="statistical",
        **seed_fields(mean, numbers),
        **verdict_fields(law, mean, estimate, premise, seeds=len(numbers)),
    )


def over_draws(law: Law, draws: Tensor, *, premise: str | None = None) -> Finding:
    """The finding about a mean over `draws` [seed, draw], samples that are as independent within a
    seed as between seeds. It is evaluated with the interval of the mean of all of them. The total
    number of samples is fixed, so more seeds would not decide an undecided finding.
    """
    draws = draws.double()
    estimate = intervals.draws_estimate(draws)
    fields = verdict_fields(law, estimate.number, estimate, premise)
    if fields["verdict"] == "undecided":
        fields["seeds_needed"] = intervals.MAX_SEEDS_NEEDED
    by_seed = draws.mean(-1).tolist()
    return Finding(kind="statistical", **seed_fields(estimate.number, by_seed), **fields)


def pooled(
    law: Law,
    statistic: Callable[[Tensor], Number | Tensor],
    samples: Tensor,
    *,
    premise: str | None = None,
    logarithms: bool = False,
) -> Finding:
    """The finding about a number computed from all seeds together, `statistic` of `samples` [seed,
    …], which is its `mean`. It is evaluated with the interval from a bootstrap over the seeds, of
    its logarithm if `logarithms` is true and the number is a ratio.
    """
    whole = float(statistic(samples))
    by_seed = [float(statistic(sample[None])) for sample in samples]
    estimate = intervals.bootstrap_estimate(statistic, samples, logarithms)
    return Finding(
        kind="statistical",
        **seed_fields(whole, [value if math.isfinite(value) else None for value in by_seed]),
        **verdict_fields(law, whole, estimate, premise, seeds=len(samples)),
    )


def seed_fields(mean: float, values: Sequence[float | None]) -> dict[str, Any]:
    """The fields of a statistical finding that describe its seeds."""
    known = [value for value in values if value is not None]
    return {
        "mean": mean,
        "min": min(known, default=None),
        "max": max(known, default=None),
        "seeds": len(values),
        "values": values,
    }


def verdict_fields(
    law: Law,
    number: float,
    estimate: Estimate | None,
    premise: str | None,
    seeds: int | None = None,
) -> dict[str, Any]:
    """The fields of a finding that state its law and whether it holds. `seeds` is None for a number
    that does not depend on seeds.
    """
    band = law.band
    ends = estimate.interval() if estimate else None
    fields: dict[str, Any] = {
        "name": law.name,
        "title": law.title or None,
        "unit": law.unit,
        "law": law.text,
        "interval": ends,
        "method": estimate.method if estimate else None,
        "band": band,
        "premise": premise,
    }
    if premise is not None or band == OPEN:
        return fields | {"verdict": "not applicable", "holds": None}
    if seeds is not None and ends is None:  # one seed says nothing about others
        return fields | {"verdict": "undecided", "holds": None, "seeds_needed": max(2, seeds + 1)}
    low, high = ends or (number, number)
    if within(low, band) and within(high, band):
        return fields | {"verdict": "holds", "holds": True}
    if estimate is None or apart(low, high, band):
        return fields | {"verdict": "fails", "holds": False}
    return fields | {
        "verdict": "undecided",
        "holds": None,
        "seeds_needed": estimate.seeds_needed(band),
    }


def within(value: Number, band: Band) -> bool:
    """Whether `value` is in the band, ends included. NaN is in a band only if both sides are
    open.
    """
    low, high = band
    return (low is None or value >= low) and (high is None or value <= high)


def apart(low: Number, high: Number, band: Band) -> bool:
    """Whether no number from `low` to `high` is in the band."""
    least, most = band
    return (least is not None and high < least) or (most is not None and low > most)
