"""Every number of an answer under its path, and the comparison with what it should be.

What should be is told in the shape of the answer itself: dicts and lists whose leaves are numbers,
arrays, or a check, a function that says whether a number will do. A number nobody expected is a
difference, and so is an expected one that did not come.
"""

import base64
from collections.abc import Callable, Iterator

import numpy as np

from tests.model.support.numpy_reading import error

TOLERANCE = 1e-5  # of the largest number in a tensor where that is above 1, absolute otherwise
Leaf = np.ndarray | Callable[[np.ndarray], bool]


def read_tensor(tensor: dict) -> np.ndarray:
    """The numbers of a tensor in either encoding; a masked score, null or NaN on the wire, is
    -inf.
    """
    data, shape = tensor["data"], tuple(tensor["shape"])
    if isinstance(data, dict):
        assert data["shape"] == ", ".join(map(str, shape))
        values = np.frombuffer(base64.b64decode(data["bdata"]), dtype="<" + data["dtype"]).reshape(
            shape
        )
    else:
        values = np.array(data, dtype=float).reshape(shape)
    return np.where(np.isnan(values), -np.inf, values)


def read_answer(answer: dict) -> dict:
    """The answer with arrays in the place of its tensors, whose axes have been held against their
    shapes; without the question, whose numbers were given and not computed.
    """
    for name, tensor in answer["tensors"].items():
        assert tensor["shape"] == [answer["axes"][axis]["size"] for axis in tensor["axes"]], name
    for name, axis in answer["axes"].items():
        lists = [axis[key] for key in ("labels", "ids", "values") if key in axis]
        assert all(len(numbers) == axis["size"] for numbers in lists), name
    axes = {
        name: {key: value for key, value in axis.items() if key == "ids"}
        for name, axis in answer["axes"].items()
    }
    computed = {key: value for key, value in answer.items() if key != "question"}
    return computed | {
        "axes": axes,
        "tensors": {name: read_tensor(tensor) for name, tensor in answer["tensors"].items()},
    }


def leaves(value: object, path: str = "") -> Iterator[tuple[str, Leaf]]:
    """Numbers only: text, true, false and null are none. Rows of things with a name go by their
    names.
    """
    if callable(value):
        yield path, value
    elif (array := as_array(value)) is not None:
        yield path, array
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from leaves(item, f"{path}/{key}")
    elif isinstance(value, list):
        names = [item.get("name") if isinstance(item, dict) else None for item in value]
        by_name = None not in names and len(set(names)) == len(names)
        for key, item in zip(names if by_name else range(len(value)), value, strict=True):
            yield from leaves(item, f"{path}/{key}")


def as_array(value: object) -> np.ndarray | None:
    """A number, or rows of numbers of one length, among which null is a masked score; None for
    anything else and for no numbers.
    """
    if isinstance(value, list):
        try:
            rows = np.array([-np.inf if item is None else as_array(item) for item in value])
        except (ValueError, TypeError):
            return None
        return rows if rows.size and rows.dtype != object and not np.isneginf(rows).all() else None
    return (
        np.array(value)
        if isinstance(value, int | float | np.ndarray | np.number) and not isinstance(value, bool)
        else None
    )


def differences(answer: dict, expected: dict) -> dict[str, object]:
    """By path, how far a number is from what it should be; empty when all are there and right."""
    found, wanted = dict(leaves(read_answer(answer))), dict(leaves(expected))
    wrong: dict[str, object] = dict.fromkeys(found.keys() - wanted.keys(), "came unexpected")
    wrong |= dict.fromkeys(wanted.keys() - found.keys(), "did not come")
    for path in found.keys() & wanted.keys():
        if callable(wanted[path]):
            if not wanted[path](found[path]):
                wrong[path] = f"{found[path]} will not do"
        elif found[path].dtype.kind in "iu" and wanted[path].dtype.kind in "iu":
            if not np.array_equal(found[path], wanted[path]):
                wrong[path] = f"{found[path]} instead of {wanted[path]}"
        elif not error(found[path], wanted[path]) <= TOLERANCE:
            wrong[path] = error(found[path], wanted[path])
    return wrong
