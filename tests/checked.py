"""The check of every shape that a function's types state, done for its first calls in each test: a
training's thousandth step has the shapes of its first.

The import hook of jaxtyping decorates every function where it is defined, one inside another
function each time that the outer one is called. Here the check is made when it is first needed.

A function that the trace of a batch goes through is not checked: the axis of its rows appears
inside the embedding. What a batch gives is compared with runs that are checked.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import is_dataclass
from functools import wraps
from inspect import isclass

from jaxtyping import jaxtyped

CALLS = 50
CALLS_WITHIN = 5  # of a function inside another, for which a check is made at every call
BATCHED = ("SweepTrace", "BatchTrace")
calls: Counter[str] = Counter()


def next_test() -> None:
    """From now on every function is checked again."""
    calls.clear()


def at_first(*, typechecker: Callable) -> Callable:
    """In place of `jaxtyped`, with the same argument."""

    def decorate(thing: Callable | type) -> Callable | type:
        if not isclass(thing):
            return few(thing)
        if is_dataclass(thing) and "__init__" in vars(thing):
            thing.__init__ = few(thing.__init__)
        return thing

    def few(function: Callable) -> Callable:
        name, check = f"{function.__module__}.{function.__qualname__}", None
        most = CALLS_WITHIN if "<locals>" in function.__qualname__ else CALLS
        if calls[name] >= most:
            return function

        @wraps(function)
        def counting(*args: object, **kwargs: object) -> object:
            nonlocal check
            swept = any(type(one).__name__ in BATCHED for one in (*args, *kwargs.values()))
            if calls[name] >= most or swept:
                return function(*args, **kwargs)
            calls[name] += 1
            if check is None:
                check = jaxtyped(function, typechecker=typechecker)
            return check(*args, **kwargs)

        return counting

    return decorate
