"""Progress: how much of a computation is done, reported to a hook, which may cancel the
computation.

A long computation passes checkpoints. At each checkpoint the hook that `reporting` has set is
called with two numbers: how many thousandths are done, and a thousand. If the hook raises, the
computation ends with that exception. Without a hook a checkpoint does nothing.
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
    """The progress of one computation: the share that is done, and the interval of shares of the
    part that is being computed.
    """

    hook: Hook
    done: int | float = 0
    part: tuple[int | float, int | float] = (0, 1)

    def report(self, done: int | float) -> None:
        """Calls the hook with the thousandths that are done. The number never decreases."""
        self.done = max(self.done, done)
        self.hook(round(OF * self.done), OF)


CURRENT: ContextVar[Progress | None] = ContextVar("progress", default=None)


@contextmanager
def reporting(hook: Hook) -> Generator[None]:
    """A context in which all checkpoints belong to one computation and call `hook(done, of)`.
    `done` never decreases and `of` is constant. The hook raises an exception to cancel the
    computation.
    """
    token = CURRENT.set(Progress(hook))
    try:
        yield
    finally:
        CURRENT.reset(token)


def checkpoint() -> None:
    """A place at which the computation may be cancelled. The reported share is that of the last
    report.
    """
    if (progress := CURRENT.get()) is not None:
        progress.report(progress.done)


@contextmanager
def part(start: int | float, end: int | float) -> Generator[None]:
    """A context whose computation takes from the share `start` to the share `end` of the
    surrounding part.
    """
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
    """Yields each of `items`, with a checkpoint before each and after the last. The items share the
    interval from `start` to `end` of the surrounding part, equally or in proportion to their
    `costs`. The body of the loop is a part as well, which may contain further steps.
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
    """Reports that the share `share` of the surrounding part is done."""
    if (progress := CURRENT.get()) is not None:
        low, high = progress.part
        progress.report(low + (high - low) * share)


def trials(seeds: int, start: int | float = 0, end: int | float = 1) -> Iterator[int]:
    """Yields the number of each seed, counted from 0, with the checkpoints of `steps`."""
    return steps(range(seeds), start, end)
