"""A finding: what a clinic measured, the law, its band, and whether the law holds, which is computed and never stated."""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

Number = int | float
Band = tuple[Number | None, Number | None]
"""From and to, both included; None leaves that side open."""


def exact(name: str, value: Number | Tensor, law: str, band: Band, unit: str = "") -> dict:
    """One number that an identity fixes, up to the tolerance that `band` leaves."""
    return {"name": name, "kind": "exact", "value": float(value), **held(float(value), law, band, unit)}


def analytic(name: str, value: Number | Tensor, law: str, band: Band = (None, None), unit: str = "") -> dict:
    """One number that a formula gives without a run."""
    return {"name": name, "kind": "analytic", "value": float(value), **held(float(value), law, band, unit)}


def statistical(name: str, values: Sequence[Number], law: str, band: Band, unit: str = "") -> dict:
    """One number for each seed; the law holds if their mean lies in the band. Minimum and maximum say how far single seeds stray."""
    values = [float(value) for value in values]
    mean = sum(values) / len(values)
    spread = {"mean": mean, "min": min(values), "max": max(values), "seeds": len(values)}
    return {"name": name, "kind": "statistical", **spread, **held(mean, law, band, unit)}


def pooled(name: str, statistic: Callable[[Tensor], Number | Tensor], samples: Tensor, law: str, band: Band, unit: str = "") -> dict:
    """A number that takes all seeds together: `statistic` of `samples` [seed, …]. Minimum and maximum are those with one seed left out."""
    n = len(samples)
    every = torch.arange(n)
    values = [float(statistic(samples))] + [float(statistic(samples[every != left_out])) for left_out in range(n) if n > 1]
    spread = {"mean": values[0], "min": min(values), "max": max(values), "seeds": n}
    return {"name": name, "kind": "statistical", **spread, **held(values[0], law, band, unit)}


def held(value: Number, law: str, band: Band, unit: str) -> dict:
    low, high = band
    holds = (low is None or value >= low) and (high is None or value <= high)
    return {"unit": unit, "law": law, "band": [low, high], "holds": holds}
