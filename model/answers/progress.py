"""Progress: how much of a computation is done, told to whoever started it, who may cancel it.

A long computation passes checkpoints. At each of them the hook that `reporting` has set is called
with the thousandths that are done and with a thousand. The computation ends at once with what the
hook raises. Without a hook a checkpoint does nothing.
"""

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from itertools import accumulate
from typing import TypeVar

OF = 1000
Hook = Callable[[int, int], None]
Item = TypeVar("Item")


@dataclass
class Progress:
    """Of one computation: the share that is done, and the part under way, from share to share."""

    hook: Hook
    done: int | float = 0
    part: tuple[int | float, int | float] = (0, 1)

    def report(self, done: int | float) -> None:
        """The number never falls: a stage that was passed stays passed."""
        self.done = max(self.done, done)
        self.hook(round(OF * self.done), OF)


CURRENT: ContextVar[Progress | None] = ContextVar("progress", default=None)


@contextmanager
def reporting(hook: Hook) -> Generator[None]:
    """Whatever is computed inside is one computation: its checkpoints call `hook(done, of)`, where
    `done` never falls and `of` stays the same. To cancel the computation, the hook raises.
    """
    token = CURRENT.set(Progress(hook))
    try:
        yield
    finally:
        CURRENT.reset(token)


def checkpoint() -> None:
    """The computation may be cancelled here; nothing new is done since the last report."""
    if (progress := CURRENT.get()) is not None:
        progress.report(progress.done)


@contextmanager
def part(start: int | float, end: int | float) -> Generator[None]:
    """What is computed inside is the work between two shares of the part under way."""
    progress = CURRENT.get()
    if progress is None:
        yield
        return
    outer = low, high = progress.part
    progress.part = low + (high - low) * start, low + (high - low) * end
    try:
        yield
    finally:
        progress.part = outer


def steps(
    items: Sequence[Item],
    start: int | float = 0,
    end: int | float = 1,
    costs: Sequence[int | float] | None = None,
) -> Iterator[Item]:
    """Each of `items`, with a checkpoint before each and after the last.

    They share what lies between `start` and `end` of the part under way, equally or in proportion
    to their `costs`. The body of the loop is a part of its own, which may have steps again.
    """
    if CURRENT.get() is None:
        yield from items
        return
    costs = [1] * len(items) if costs is None else costs
    done = list(accumulate(costs, initial=0))
    with part(start, end):
        for item, before, after in zip(items, done[:-1], done[1:], strict=True):
            with part(before / done[-1], after / done[-1]):
                arrive(0)
                yield item
        arrive(1)


def arrive(share: int | float) -> None:
    """Reports that this share of the part under way is done."""
    if (progress := CURRENT.get()) is not None:
        low, high = progress.part
        progress.report(low + (high - low) * share)


def trials(seeds: int, start: int | float = 0, end: int | float = 1) -> Iterator[int]:
    """The number of each seed, from 0; `steps` says the rest."""
    return steps(range(seeds), start, end)
