"""What all layers of a stack share: tables that follow from sizes alone, such as the angles of
rotary positions. The first layer that asks makes them, and the layers above it find them made.

A table lies on the device of what it meets. What needs float64, which not every device has, is made
on the processor and goes there when it is rounded.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import ParamSpec, TypeVar, cast

import torch

P = ParamSpec("P")
T = TypeVar("T")
Device = torch.device
CPU = torch.device("cpu")
MAX_TABLES = 4
"""A layer asks for two at most: one for its queries, one for its keys."""


def shared(make: Callable[P, T]) -> Callable[P, T]:
    """`make`, which is called once for the same arguments in a row. Nobody may change its result,
    which is made outside inference mode, so that a training can use it too.
    """
    return cast(Callable[P, T], lru_cache(MAX_TABLES)(torch.inference_mode(False)(make)))
