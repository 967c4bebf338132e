"""Tables shared by all layers of a stack that depend only on sizes, such as the angles of rotary
positions. The first layer computes them, and the layers above reuse them.

A table is on the device of the tensors it is used with. What needs float64, which not every device
supports, is computed on the CPU and moved after rounding.
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
"""A layer needs at most two: one for its queries, one for its keys."""


def shared(make: Callable[P, T]) -> Callable[P, T]:
    """`make`, called once for repeated calls with the same arguments. Its result must not be
    modified. It is made outside inference mode, so that training can use it too.
    """
    return cast(Callable[P, T], lru_cache(MAX_TABLES)(torch.inference_mode(False)(make)))
