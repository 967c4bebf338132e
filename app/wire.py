"""Answers to JSON: named axes and strict numbers, in one place. Runs in the worker."""

import base64
import math
from typing import TYPE_CHECKING, Literal

import numpy as np
import orjson

if TYPE_CHECKING:
    from model.answer import Answer, Axis, Labelled

Encoding = Literal["json", "base64"]

# What a tensor's numbers become, and the short name of the type for typed arrays in the browser.
TYPES = {"float32": "f4", "float64": "f8", "int32": "i4", "uint8": "u1"}
NARROWED = {"bool": "uint8", "int64": "int32", "float16": "float32"}


def encode(answer: "Answer", encoding: Encoding = "json") -> bytes:
    """The whole answer. A number that is not finite, and not a masked score, is our own bug and raises ValueError."""
    named = {"model": answer.model} if answer.model is not None else {}
    asked = {"input": answer.input} if answer.input is not None else {}
    axes = {name: axis_fields(axis) for name, axis in answer.axes.items()}
    tensors = {name: tensor_fields(name, tensor, answer.axes, encoding) for name, tensor in answer.tensors.items()}
    whole = {**named, "kind": answer.kind, **asked, "axes": axes, "tensors": tensors}
    if twice := whole.keys() & answer.fields.keys() - {"kind"}:
        raise ValueError(f"The answer has fields of its own named {sorted(twice)}.")
    return dumps({**whole, **checked(answer.fields)})


def dumps(value: object) -> bytes:
    return orjson.dumps(value, option=orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_NON_STR_KEYS)


def axis_fields(axis: "Axis") -> dict:
    lists = {"labels": axis.labels, "ids": axis.ids, "grid": axis.grid, "parts": axis.parts, "value": axis.value}
    return {"kind": axis.kind, "size": axis.size, **{name: row for name, row in lists.items() if row is not None}}


def tensor_fields(name: str, tensor: "Labelled", axes: dict[str, "Axis"], encoding: Encoding) -> dict:
    values = numbers(name, tensor)
    sizes = tuple(axes[axis].size if axis in axes else None for axis in tensor.axes)
    if len(sizes) != values.ndim or any(size not in (None, length) for size, length in zip(sizes, values.shape, strict=True)):
        raise ValueError(f"{name} has shape {values.shape}; its axes {tensor.axes} have sizes {sizes}.")
    data = values if encoding == "json" else typed_array(values)
    return {"axes": list(tensor.axes), "shape": list(values.shape), "dtype": str(values.dtype), "formula": tensor.formula, "data": data}


def numbers(name: str, tensor: "Labelled") -> np.ndarray:
    """The values, row by row; a masked score is NaN from here on, which JSON writes as null."""
    values = tensor.data.detach().numpy()
    values = np.ascontiguousarray(values, dtype=NARROWED.get(str(values.dtype), values.dtype)).reshape(values.shape)
    if str(values.dtype) not in TYPES:
        raise ValueError(f"{name} holds {values.dtype}, which has no form on the wire.")
    masked = np.isneginf(values) if tensor.masked else np.zeros((), bool)
    if not np.isfinite(values[~masked] if masked.any() else values).all():
        raise ValueError(f"{name} holds a number that is not finite.")
    return np.where(masked, np.nan, values).astype(values.dtype) if masked.any() else values


def typed_array(values: np.ndarray) -> dict:
    """Little-endian bytes in base64, the form Plotly reads as it is; a masked score is NaN."""
    little = values.astype(values.dtype.newbyteorder("<"), copy=False)
    return {
        "dtype": TYPES[str(values.dtype)],
        "bdata": base64.b64encode(little.tobytes()).decode(),
        "shape": ", ".join(map(str, values.shape)),
    }


def checked(value: object, path: str = "") -> object:
    """The same value; raises ValueError where a float in it is not finite, which JSON would make null in silence."""
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"The field {path} holds {value}.")
    if isinstance(value, dict):
        for key, item in value.items():
            checked(item, f"{path}/{key}")
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            checked(item, f"{path}/{index}")
    return value
