"""`side_by_side`: values of several computations as one tensor, whose products are each made alone.

How a library sums a matrix product depends on how many rows it has, on where they lie in memory
and on the processor: a larger product has other last digits in the same row. So the product of each
computation is the one that it makes alone, of the same shape, in the same order in memory. Sums,
norms and softmax take each row by itself, and are made of all at once.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

MADE_ALONE = {
    *(Tensor.__matmul__, Tensor.matmul, torch.matmul, torch.einsum),
    *(functional.silu, functional.gelu, Tensor.exp, Tensor.sigmoid, Tensor.tanh),
    *(torch.exp, torch.sigmoid, torch.tanh),
}
"""Products; and functions whose last numbers, where they do not fill a register, are computed by
another formula.
"""
ALIGNED = 64  # bytes: where memory of its own begins


class SideBySide(Tensor):
    """`sizes` says how many rows of the first axis each computation has."""

    sizes: tuple[int, ...]

    @classmethod
    def __torch_function__(
        cls,
        func: Callable[..., Any],
        types: Sequence[type],
        args: tuple = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        if func not in MADE_ALONE:
            return super().__torch_function__(func, types, args, kwargs or {})
        columns = (parts(arg) if isinstance(arg, cls) else [arg] * len(cls.sizes) for arg in args)
        products = [func(*part, **(kwargs or {})) for part in zip(*columns, strict=True)]
        return torch.cat(products).as_subclass(cls)


@lru_cache(64)
def kind(sizes: tuple[int, ...]) -> type[SideBySide]:
    return type("SideBySide", (SideBySide,), {"sizes": sizes})


def side_by_side(rows: Tensor, sizes: Sequence[int]) -> Tensor:
    """`rows` as the values of computations that have so many of them each; one has all as it is."""
    return rows if len(sizes) == 1 else rows.as_subclass(kind(tuple(sizes)))


def plain(values: Tensor) -> Tensor:
    """The same numbers as a usual tensor, in the same memory."""
    return values.as_subclass(Tensor)


def parts(values: SideBySide) -> list[Tensor]:
    """The values of each computation, laid out in memory as when it is made alone."""
    rows = plain(values).split(values.sizes)
    return [part if part.data_ptr() % ALIGNED == 0 else part.clone() for part in rows]
