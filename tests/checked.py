"""The check of every shape that a function's types state, in each file of tests for the first calls
of every function, each form of its arguments once: a training's thousandth step has the shapes of
its first.

The import hook of jaxtyping decorates every function where it is defined, one inside another
function each time that the outer one is called. Here the check is made when it is first needed.

A function that the trace of a batch goes through is not checked: the axis of its rows appears
inside the embedding. What a batch gives is compared with runs that are checked.

A function whose types state no shape stays as it is: other types are checked without running it.
"""

import threading
from collections import Counter
from collections.abc import Callable, Hashable
from dataclasses import is_dataclass
from functools import wraps
from inspect import isclass
from typing import get_args

import numpy as np
from jaxtyping import AbstractArray, jaxtyped
from torch import Tensor

CALLS = 25
CALLS_WITHIN = 3  # of a function inside another, for which a check is made at every call
calls: Counter[str] = Counter()
held: set[Hashable] = set()
within = threading.local()  # what a batch goes through, and all that it calls


def next_file() -> None:
    """From now on every function is checked again."""
    calls.clear()
    held.clear()


def form(value: object) -> Hashable:
    """All of an argument that a shape can depend on: two calls whose arguments have the same forms
    state the same shapes. An object of the model's own counts as itself, but for a trace, which
    only listens.
    """
    if isinstance(value, Tensor | np.ndarray):
        return (*value.shape, value.dtype)
    if value is None or isinstance(value, int | str):
        return type(value), value
    if isinstance(value, tuple | list):
        return (type(value), *map(form, value[:8]), len(value))
    if isinstance(value, float) or type(value).__name__.endswith(("Trace", "Recorder")):
        return type(value)
    return id(value)


def of_batch(value: object) -> bool:
    """Whether it is a trace with a hook that makes a batch of the one input that the model reads;
    such a hook is called `batch`.
    """
    return any(getattr(hook, "__name__", "") == "batch" for hook in getattr(value, "hooks", ()))


def states_shape(kind: object) -> bool:
    """Whether a type states a shape, or one that it is made of."""
    if isclass(kind) and issubclass(kind, AbstractArray):
        return True
    return any(map(states_shape, kind if isinstance(kind, list) else get_args(kind)))


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
        if calls[name] >= most or not any(map(states_shape, function.__annotations__.values())):
            return function

        @wraps(function)
        def counting(*args: object, **kwargs: object) -> object:
            nonlocal check
            if calls[name] >= most:
                return function(*args, **kwargs)
            if getattr(within, "batch", False):
                return function(*args, **kwargs)
            if any(map(of_batch, (*args, *kwargs.values()))):
                within.batch = True
                try:
                    return function(*args, **kwargs)
                finally:
                    within.batch = False
            calls[name] += 1
            forms = (name, *map(form, args), *kwargs, *map(form, kwargs.values()))
            if forms in held:
                return function(*args, **kwargs)
            if check is None:
                check = jaxtyped(function, typechecker=typechecker)
            result = check(*args, **kwargs)
            held.add(forms)
            return result

        return counting

    return decorate
