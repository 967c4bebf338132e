"""`side_by_side`: values of several computations as one tensor, with a separate matrix product for
each.

How a library sums a matrix product depends on its number of rows, on their memory layout, and on
the processor: a larger product has other last digits in the same row. So each computation gets its
own product, with the same shape and memory layout as on its own. Sums, norms, and softmax process
each row independently, and are batched.
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
"""Products, and functions that compute the last elements, which do not fill a register, with
another formula.
"""
ALIGNED = 64  # bytes


class SideBySide(Tensor):
    """`sizes` has the number of rows of the first axis in each computation."""

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
    """`rows` as the values of computations with so many rows each; unchanged for a single one."""
    return rows if len(sizes) == 1 else rows.as_subclass(kind(tuple(sizes)))


def plain(values: Tensor) -> Tensor:
    """The same numbers as a regular tensor, in the same memory."""
    return values.as_subclass(Tensor)


def parts(values: SideBySide) -> list[Tensor]:
    """The values of each computation, with the memory layout they have on their own."""
    rows = plain(values).split(values.sizes)
    return [part if part.data_ptr() % ALIGNED == 0 else part.clone() for part in rows]
