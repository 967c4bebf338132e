"""Progress reports of a computation, and what it needs next.

A long computation passes checkpoints. At each one, the hook set by `reporting` is called with the
thousandths done so far and 1000. If the hook raises an exception, the computation ends with it.
Without a hook, a checkpoint does nothing.

What it needs next may be computed in one batch with the needs of others; the computation waits for
it.
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
    """The progress of one computation: the fraction done, and the interval that the current part
    covers.
    """

    hook: Hook
    done: int | float = 0
    part: tuple[int | float, int | float] = (0, 1)

    def report(self, done: int | float) -> None:
        """Calls the hook with the thousandths done. The number never decreases."""
        self.done = max(self.done, done)
        self.hook(round(OF * self.done), OF)


CURRENT: ContextVar[Progress | None] = ContextVar("progress", default=None)


@contextmanager
def reporting(hook: Hook) -> Generator[None]:
    """A context in which all checkpoints belong to one computation and call `hook(done, of)`.
    `done` never decreases and `of` is constant. The hook can raise an exception to cancel.
    """
    token = CURRENT.set(Progress(hook))
    try:
        yield
    finally:
        CURRENT.reset(token)


def checkpoint() -> None:
    """A point where the computation can be canceled. It repeats the last reported fraction."""
    if (progress := CURRENT.get()) is not None:
        progress.report(progress.done)


@contextmanager
def part(start: int | float, end: int | float) -> Generator[None]:
    """A context for a part that goes from the fraction `start` to the fraction `end` of the
    enclosing part.
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
    """Yields each of `items`, with a checkpoint before each and after the last. The items divide
    the interval from `start` to `end` of the enclosing part equally, or in proportion to their
    `costs`. The loop body is a part too and may contain further steps.
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
    """Reports that a fraction of the enclosing part is done."""
    if (progress := CURRENT.get()) is not None:
        low, high = progress.part
        progress.report(low + (high - low) * share)


def trials(seeds: int, start: int | float = 0, end: int | float = 1) -> Iterator[int]:
    """Yields the index of each seed, from 0, with the checkpoints of `steps`."""
    return steps(range(seeds), start, end)


Wait = Callable[[object], None]

WAITING: ContextVar[Wait | None] = ContextVar("waiting", default=None)


@contextmanager
def waiting(hook: Wait | None) -> Generator[None]:
    """A context in which a computation calls `hook(need)` before it computes what it needs."""
    token = WAITING.set(hook)
    try:
        yield
    finally:
        WAITING.reset(token)


def request_batch(need: object) -> None:
    """A point where the computation may wait for a batch. Afterwards, either the batch has computed
    what it needs, or it computes this itself.
    """
    if (hook := WAITING.get()) is not None:
        hook(need)
