"""Measurements: numbers that are compared with a law. Whether the law holds is always computed.

A `Measurement` is one number, and the analysis states the condition that the number has to meet. A
`Finding` is a measurement of a clinic, and its law allows a band of numbers. In JSON both are
objects of their fields, in the order of the fields and without those that are None.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

Number = int | float
Band = tuple[Number | None, Number | None]
"""The smallest and the largest number that a law allows; None leaves that side open."""


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
    """What a clinic measured.

    `kind` is "exact" where an identity fixes the number up to a tolerance, "analytic" where a
    formula gives it without a run, and "statistical" where it is measured over seeds. An exact or
    analytic finding has a `value`. A statistical one has a `mean`, a `min` and a `max`, the number
    of `seeds` and the `values` of the single seeds, None where one seed does not define the number.
    `left_out` is the number without each seed in turn, where one number takes all seeds together.
    """

    name: str
    kind: Literal["exact", "analytic", "statistical"]
    value: float | None = None
    mean: float | None = None
    min: float | None = None
    max: float | None = None
    seeds: int | None = None
    values: Sequence[float | None] | None = None
    left_out: Sequence[float] | None = None
    unit: str
    law: str
    band: Band
    holds: bool


def fact(
    name: str, value: Number | Tensor, law: str, holds: bool | Tensor, unit: str = ""
) -> Measurement:
    """Returns a measurement of plain numbers; `value` and `holds` may be tensors of one element."""
    return Measurement(name, float(value), law, bool(holds), unit)


def exact(name: str, value: Number | Tensor, law: str, band: Band, unit: str = "") -> Finding:
    """Returns the finding of one number that an identity fixes, up to the tolerance of `band`."""
    number, holds = float(value), within(float(value), band)
    return Finding(
        name=name, kind="exact", value=number, unit=unit, law=law, band=band, holds=holds
    )


def analytic(
    name: str, value: Number | Tensor, law: str, band: Band = (None, None), unit: str = ""
) -> Finding:
    """Returns the finding of one number that a formula gives without a run."""
    number, holds = float(value), within(float(value), band)
    return Finding(
        name=name, kind="analytic", value=number, unit=unit, law=law, band=band, holds=holds
    )


def statistical(
    name: str, values: Sequence[Number], law: str, band: Band, unit: str = ""
) -> Finding:
    """Returns the finding of one number for each seed, in the order of the seeds.

    The law holds if the mean of the numbers lies in the band. The minimum and the maximum are those
    of single seeds.
    """
    values = [float(value) for value in values]
    mean = sum(values) / len(values)
    return Finding(
        name=name,
        kind="statistical",
        mean=mean,
        min=min(values),
        max=max(values),
        seeds=len(values),
        values=values,
        unit=unit,
        law=law,
        band=band,
        holds=within(mean, band),
    )


def pooled(
    name: str,
    statistic: Callable[[Tensor], Number | Tensor],
    samples: Tensor,
    law: str,
    band: Band,
    unit: str = "",
) -> Finding:
    """Returns the finding of a number that takes all seeds together: `statistic` of `samples`
    [seed, …].

    The law holds if that number, the `mean` of the finding, lies in the band. `left_out` is empty
    if there is only one seed. The minimum and the maximum are those of `left_out` and of `mean`.
    """
    n = len(samples)
    every = torch.arange(n)
    whole = float(statistic(samples))
    left_out = [float(statistic(samples[every != seed])) for seed in range(n) if n > 1]
    alone = [float(statistic(samples[seed : seed + 1])) for seed in range(n)]
    return Finding(
        name=name,
        kind="statistical",
        mean=whole,
        min=min([whole, *left_out]),
        max=max([whole, *left_out]),
        seeds=n,
        values=[value if math.isfinite(value) else None for value in alone],
        left_out=left_out,
        unit=unit,
        law=law,
        band=band,
        holds=within(whole, band),
    )


def within(value: Number, band: Band) -> bool:
    """Whether `value` lies in the band, whose ends belong to it. NaN lies in a band only if both
    sides are open.
    """
    low, high = band
    return (low is None or value >= low) and (high is None or value <= high)
