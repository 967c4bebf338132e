"""A computation that pauses at its checkpoints, so that a short one need not wait for a long one.

The computation runs in a thread of its own, but never beside another: whoever calls `advance` waits
until it pauses or ends. A computation that reaches no checkpoint simply runs to its end.
"""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any, Generic, TypeVar

from model.progress import reporting, waiting

R = TypeVar("R")


@dataclass(frozen=True)
class Progress:
    """How far a paused computation is: `done` of `of` parts."""

    done: int
    of: int


@dataclass(frozen=True)
class Need:
    """What a computation waits for."""

    what: Any


class Cancelled(BaseException):
    """Ends a computation at its checkpoint; no `except Exception` on the way swallows it."""


class Pausable(Generic[R]):
    """Runs `function` in turns of about `turn_seconds`. One that is `beside` others also pauses
    before it makes what can be made together with what they need, and hands that over.
    """

    def __init__(self, function: Callable[[], R], turn_seconds: float, *, beside: bool = False):
        self.function, self.turn_seconds, self.beside = function, turn_seconds, beside
        self.handed_over: SimpleQueue[Any] = SimpleQueue()
        self.may_run = threading.Semaphore(0)
        self.cancelled = False
        self.turn_ends = 0.0
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def advance(self) -> Progress | R:
        """Runs one turn. Returns how far the computation is, or its result if it has ended; of one
        beside others also what it needs. Raises what the function raises.
        """
        self.turn_ends = time.monotonic() + self.turn_seconds
        self.may_run.release()
        message = self.handed_over.get()
        if isinstance(message, BaseException):
            raise message
        return message

    def cancel(self) -> None:
        """Ends a paused computation and waits until its thread is gone."""
        self.cancelled = True
        self.may_run.release()
        self.thread.join()

    def run(self) -> None:
        self.may_run.acquire()
        try:
            with reporting(self.checkpoint), waiting(self.wait if self.beside else None):
                if not self.cancelled:
                    self.handed_over.put(self.function())
        except Cancelled:
            pass  # whoever cancelled waits for the thread, and for nothing else
        except BaseException as error:  # else whoever waits would wait forever
            self.handed_over.put(error)

    def checkpoint(self, done: int, of: int) -> None:
        """Is called by the computation at each checkpoint. It returns when the next turn begins."""
        if time.monotonic() >= self.turn_ends:
            self.hand_over(Progress(done, of))

    def wait(self, need: Any) -> None:
        """Is called by the computation before it makes what it needs. It returns when that was
        made, or is to be made alone.
        """
        self.hand_over(Need(need))

    def hand_over(self, message: Progress | Need) -> None:
        self.handed_over.put(message)
        self.may_run.acquire()
        if self.cancelled:
            raise Cancelled
