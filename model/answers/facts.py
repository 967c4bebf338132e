"""A fact: a number that was measured, the law it is held against in words, and whether it holds,
which is computed and never stated.
"""

from torch import Tensor


def fact(
    name: str, value: int | float | Tensor, law: str, holds: bool | Tensor, unit: str = ""
) -> dict:
    return {"name": name, "value": float(value), "law": law, "holds": bool(holds), "unit": unit}
