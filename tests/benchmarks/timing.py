"""Ratios that survive a busy machine: what is compared is timed in turn (A B A B), in seconds of
the processor, and medians are divided. Where seconds themselves are reported, they are the least.
"""

import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One line of the report. `goal` is an upper bound on `found`, or a lower one where `at_least`
    says so.
    """

    what: str
    found: float
    goal: float | None = None
    at_least: bool = False
    unit: str = ""
    note: str = ""

    @property
    def verdict(self) -> str:
        if self.goal is None:
            return ""
        return (
            "met"
            if (self.found >= self.goal if self.at_least else self.found <= self.goal)
            else "MISSED"
        )

    def cells(self) -> tuple[str, ...]:
        goal = (
            ""
            if self.goal is None
            else f"{'>=' if self.at_least else '<='} {self.goal:g}{self.unit}"
        )
        return (
            self.what,
            f"{self.found:.3g}{self.unit}" if self.found < 1000 else f"{self.found:.0f}{self.unit}",
            goal,
            self.verdict,
            self.note,
        )


def timed(
    variants: Mapping[str, Callable[[], object]], rounds: int, calls: int
) -> dict[str, list[float]]:
    """Processor seconds for one call of each variant, in each of so many rounds, in which every
    variant has its turn of `calls`.

    Each round begins with another variant, so that what one leaves behind in memory falls on all
    others alike.
    """
    names = list(variants)
    seconds: dict[str, list[float]] = {name: [] for name in names}
    for call in variants.values():
        call()
    for turn in range(rounds):
        first = turn % len(names)
        for name in names[first:] + names[:first]:
            start = time.process_time()
            for _ in range(calls):
                variants[name]()
            seconds[name].append((time.process_time() - start) / calls)
    return seconds


def medians(
    variants: Mapping[str, Callable[[], object]], rounds: int, calls: int = 5
) -> dict[str, float]:
    """The median over the rounds, of which ratios are made."""
    found = timed(variants, rounds, calls)
    return {name: statistics.median(seconds) for name, seconds in found.items()}


def least(
    variants: Mapping[str, Callable[[], object]], rounds: int, calls: int = 5
) -> dict[str, float]:
    """The least of the rounds: what a call costs while nobody else uses the core."""
    return {name: min(seconds) for name, seconds in timed(variants, rounds, calls).items()}


def quantile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def table(rows: list[Row]) -> str:
    lines = [("what", "found", "goal", "", "how"), *(row.cells() for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(4)]
    return "\n".join(
        "  ".join([*(line[column].ljust(widths[column]) for column in range(4)), line[4]]).rstrip()
        for line in lines
    )
