"""A finding: what a clinic measured, the law, its band, and whether the law holds, which is
computed and never stated.
"""

import math
from collections.abc import Callable, Sequence

import torch
from torch import Tensor

Number = int | float
Band = tuple[Number | None, Number | None]
"""From and to, both included; None leaves that side open."""


def exact(name: str, value: Number | Tensor, law: str, band: Band, unit: str = "") -> dict:
    """One number that an identity fixes, up to the tolerance that `band` leaves."""
    return {
        "name": name,
        "kind": "exact",
        "value": float(value),
        **held(float(value), law, band, unit),
    }


def analytic(
    name: str, value: Number | Tensor, law: str, band: Band = (None, None), unit: str = ""
) -> dict:
    """One number that a formula gives without a run."""
    return {
        "name": name,
        "kind": "analytic",
        "value": float(value),
        **held(float(value), law, band, unit),
    }


def statistical(name: str, values: Sequence[Number], law: str, band: Band, unit: str = "") -> dict:
    """One number for each seed, in their order as `values`; the law holds if their mean lies in the
    band. Minimum and maximum say how far single seeds stray.
    """
    values = [float(value) for value in values]
    mean = sum(values) / len(values)
    spread = {"mean": mean, "min": min(values), "max": max(values), "seeds": len(values)}
    spread["values"] = values
    return {"name": name, "kind": "statistical", **spread, **held(mean, law, band, unit)}


def pooled(
    name: str,
    statistic: Callable[[Tensor], Number | Tensor],
    samples: Tensor,
    law: str,
    band: Band,
    unit: str = "",
) -> dict:
    """A number that takes all seeds together: `mean` is `statistic` of `samples` [seed, …].

    `left_out` is the same without each seed in turn, empty if there is only one; minimum and
    maximum are of these and of `mean`. `values` is the statistic of each seed alone, None where one
    seed does not define it.
    """
    n = len(samples)
    every = torch.arange(n)
    whole = float(statistic(samples))
    left_out = [float(statistic(samples[every != seed])) for seed in range(n) if n > 1]
    alone = [float(statistic(samples[seed : seed + 1])) for seed in range(n)]
    spread = {
        "mean": whole,
        "min": min([whole, *left_out]),
        "max": max([whole, *left_out]),
        "seeds": n,
        "values": [value if math.isfinite(value) else None for value in alone],
        "left_out": left_out,
    }
    return {"name": name, "kind": "statistical", **spread, **held(whole, law, band, unit)}


def held(value: Number, law: str, band: Band, unit: str) -> dict:
    low, high = band
    holds = (low is None or value >= low) and (high is None or value <= high)
    return {"unit": unit, "law": law, "band": [low, high], "holds": holds}
