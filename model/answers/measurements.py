"""Measurements: numbers that are compared with a law. Whether the law holds is always computed.

A `Measurement` is one number, and the analysis states the condition that the number has to meet. A
`Finding` is a measurement of a clinic, and its law allows a band of numbers. In JSON both are
objects of their fields, in the order of the fields and without those that are None.
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
    """A number, the law in words, whether the law holds, and the unit, "" for a pure number."""

    name: str
    value: float
    law: str
    holds: bool
    unit: str = ""


@dataclass(frozen=True, kw_only=True)
class Finding:
    """What a clinic measured, which is called by its `title`.

    `kind` is "exact" where an identity fixes the number up to a tolerance, "analytic" where a
    formula gives it without a run, and "statistical" where it is measured over seeds. An exact or
    analytic finding has a `value`. A statistical one has a `mean`, which is geometric where the
    `method` of its `interval` takes logarithms of the seeds, the number of `seeds`, their `values`,
    None where one seed does not define the number, and the smallest and largest of these.

    `verdict` is "holds" if the number, or its whole interval, lies in the `band`, "fails" if it
    lies outside, "undecided" if the interval crosses an end of the band, and "not applicable" if
    there is no band or the law says nothing here; `premise` then says why. `holds` is None unless
    the verdict is one of the first two. `seeds_needed` estimates how many seeds would decide.
    """

    ALWAYS_GIVEN: ClassVar[tuple[str, ...]] = ("holds",)
    """The fields that are null in JSON where they are None."""

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
        """What was measured: the value, or the mean of the seeds."""
        number = self.mean if self.value is None else self.value
        assert number is not None
        return number


def fact(
    name: str, value: Number | Tensor, law: str, holds: bool | Tensor, unit: str = ""
) -> Measurement:
    """Returns a measurement of plain numbers; `value` and `holds` may be tensors of one element."""
    return Measurement(name, float(value), law, bool(holds), unit)


def exact(law: Law, value: Number | Tensor, *, premise: str | None = None) -> Finding:
    """Returns the finding of one number that an identity fixes, up to the tolerance of its band.

    `premise` is a sentence that says why the law says nothing about this question, and None if the
    law does; so it is for every kind of finding.
    """
    number = float(value)
    return Finding(kind="exact", value=number, **verdict_fields(law, number, None, premise))


def analytic(law: Law, value: Number | Tensor, *, premise: str | None = None) -> Finding:
    """Returns the finding of one number that a formula gives without a run."""
    number = float(value)
    return Finding(kind="analytic", value=number, **verdict_fields(law, number, None, premise))


def statistical(
    law: Law,
    values: Sequence[Number],
    *,
    premise: str | None = None,
    geometric: bool = False,
) -> Finding:
    """Returns the finding of one number for each seed, in the order of the seeds. It is judged by
    the interval of their mean: the geometric one where they vary by factors and all are above 0.
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
    """Returns the finding of a mean over draws that are as independent within a seed as between
    two, `draws` [seed, draw]. It is judged by the interval of the mean of all of them. The seeds
    share a number of draws that is given, so that no number of seeds would decide what they do not.
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
    """Returns the finding of a number that takes all seeds together: `statistic` of `samples`
    [seed, …], which is the `mean` of the finding. It is judged by the interval that a bootstrap
    over the seeds gives it, of its logarithm if `logarithms` is true and the number is a ratio.
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
    """The fields of a statistical finding that tell its seeds."""
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
    """The fields of a finding that say its law and whether it holds. `seeds` is None for a number
    that no seed moves.
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
    """Whether `value` lies in the band, whose ends belong to it. NaN lies in a band only if both
    sides are open.
    """
    low, high = band
    return (low is None or value >= low) and (high is None or value <= high)


def apart(low: Number, high: Number, band: Band) -> bool:
    """Whether no number from `low` to `high` lies in the band."""
    least, most = band
    return (least is not None and high < least) or (most is not None and low > most)
