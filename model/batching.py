"""What a computation needs next may be made together with what others need: it waits until then."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar

Wait = Callable[[object], None]

CURRENT: ContextVar[Wait | None] = ContextVar("waiting", default=None)


@contextmanager
def waiting(hook: Wait | None) -> Generator[None]:
    """A context in which a computation calls `hook(need)` before it makes what it needs."""
    token = CURRENT.set(hook)
    try:
        yield
    finally:
        CURRENT.reset(token)


def request_batch(need: object) -> None:
    """A place at which the computation may wait for others. When it goes on, what it needs has been
    made, or it makes that itself.
    """
    if (hook := CURRENT.get()) is not None:
        hook(need)
