"""Writes answers as JSON, with named axes and strict numbers. It runs in the worker."""

import base64
import math
from dataclasses import is_dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import orjson

from app.compute.messages import Encoding
from model.errors import VitrineError
from model.labels import label

if TYPE_CHECKING:
    from model.answers.answer import Answer, Axis, Labelled

# What a tensor's numbers become, and the short name of the type for typed arrays in the browser.
TYPES = {"float32": "f4", "float64": "f8", "int32": "i4", "int16": "i2", "uint8": "u1"}
NARROWED = {"bool": "uint8", "int64": "int32", "float16": "float32"}


WORDED = frozenset({"source", "init", "notes"})
"""The fields of an answer that a page shows as they are: the papers, how numbers were drawn, and
what one has to know of a run.
"""
# Bytes that one number takes at most in JSON, its comma included.
JSON_BYTES = {"float32": 14, "float64": 25, "int32": 12, "int16": 7, "uint8": 4}


class AnswerTooLarge(VitrineError):
    """The answer would have more bytes than may be sent."""

    FILE = "errors"

    def __init__(self, size: int, most: int):
        self.size, self.most = size, most
        super().__init__("answer-too-large", size=size / 1e6, most=most / 1e6)


def encode(
    answer: "Answer",
    encoding: Encoding = "json",
    question: dict | None = None,
    most: int | None = None,
) -> bytes:
    """Returns the whole answer as JSON. It repeats the question, with the defaults that were filled
    in.

    Raises AnswerTooLarge, before anything is written, if the tensors may take more than `most`
    bytes. Raises ValueError for a number that is not finite and is no masked score, which is a bug
    of ours.
    """
    if most is not None:
        check_size(answer, encoding, most)
    axes, others = (
        {name: given_fields(axis) for name, axis in some.items()}
        for some in (answer.axes, answer.unedited_axes)
    )
    tensors, unedited = (
        {name: tensor_fields(name, content, along, encoding) for name, content in some.items()}
        for some, along in (
            (answer.tensors, answer.axes),
            (answer.unedited, answer.axes | answer.unedited_axes),
        )
    )
    beside = {"unedited": unedited, "unedited_axes": others}
    body = {
        "axes": axes,
        "tensors": tensors,
        **{name: part for name, part in beside.items() if part},
    }
    return dumps(with_fields(answer, encoding, question, body))


def with_fields(
    answer: "Answer", encoding: Encoding, question: dict | None, body: dict[str, Any]
) -> dict[str, Any]:
    """Returns what was asked, the body of the answer, and the fields of its word, of which those in
    words are in the language of who asks. Raises ValueError for a field whose name is taken, which
    is a bug of ours.
    """
    named = {"model": answer.model} if answer.model is not None else {}
    echo = {"question": {**(question or {}), "encoding": encoding}}
    model_input = {"input": answer.input} if answer.input is not None else {}
    whole = {**named, "kind": answer.kind, **echo, **model_input, **body}
    if twice := whole.keys() & answer.fields.keys() - {"kind"}:
        raise ValueError(f"The answer has fields of its own named {sorted(twice)}.")
    fields = {name: plain(value, f"/{name}") for name, value in answer.fields.items()}
    for name in fields.keys() & WORDED:
        text: Any = fields[name]
        fields[name] = [*map(label, text)] if isinstance(text, list) else label(text)
    return {**whole, **fields}


def check_size(answer: "Answer", encoding: Encoding, most: int) -> None:
    """Raises AnswerTooLarge if the tensors may take more than `most` bytes."""
    if (size := largest_size(answer, encoding)) > most:
        raise AnswerTooLarge(size, most)


def largest_size(answer: "Answer", encoding: Encoding) -> int:
    """Returns the bytes that the tensors of the answer take at most."""
    size = 0
    for tensor in (*answer.tensors.values(), *answer.unedited.values()):
        dtype = str(tensor.data.dtype).removeprefix("torch.")
        dtype = NARROWED.get(dtype, dtype)
        width = np.dtype(dtype).itemsize * 4 / 3 if encoding != "json" else JSON_BYTES[dtype]
        size += round(tensor.data.numel() * width)
    return size


def dumps(value: object) -> bytes:
    return orjson.dumps(value, option=orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_NON_STR_KEYS)


def tensor_fields(
    name: str, tensor: "Labelled", axes: dict[str, "Axis"], encoding: Encoding
) -> dict:
    values = numbers(name, tensor)
    sizes = tuple(axes[axis].size if axis in axes else None for axis in tensor.axes)
    if len(sizes) != values.ndim or any(
        size not in (None, length) for size, length in zip(sizes, values.shape, strict=True)
    ):
        raise ValueError(
            f"{name} has shape {values.shape}; its axes {tensor.axes} have sizes {sizes}."
        )
    data = values if encoding == "json" else typed_array(values)
    return {
        "axes": list(tensor.axes),
        "shape": list(values.shape),
        "dtype": str(values.dtype),
        "formula": tensor.formula,
        "data": data,
    }


def numbers(name: str, tensor: "Labelled") -> np.ndarray:
    """Returns the values of a tensor. A masked score becomes NaN, which JSON writes as null."""
    values = tensor.data.detach().numpy()
    values = np.ascontiguousarray(
        values, dtype=NARROWED.get(str(values.dtype), values.dtype)
    ).reshape(values.shape)
    if str(values.dtype) not in TYPES:
        raise ValueError(f"{name} holds {values.dtype}, which has no form on the wire.")
    masked = np.isneginf(values) if tensor.masked else np.zeros((), bool)
    if not np.isfinite(values[~masked] if masked.any() else values).all():
        raise ValueError(f"{name} holds a number that is not finite.")
    return np.where(masked, np.nan, values).astype(values.dtype) if masked.any() else values


def typed_array(values: np.ndarray) -> dict:
    """The numbers as little-endian base64, which Plotly reads. A masked score is NaN."""
    little = values.astype(values.dtype.newbyteorder("<"), copy=False)
    return {
        "dtype": TYPES[str(values.dtype)],
        "bdata": base64.b64encode(little.tobytes()).decode(),
        "shape": ", ".join(map(str, values.shape)),
    }


def plain(value: object, path: str = "") -> object:
    """Returns the value made of objects, lists and what JSON has a form for. A record, which is a
    dataclass, becomes an object of its given fields.

    Raises ValueError if a float in it is not finite, because JSON would silently write null.
    """
    if is_dataclass(value):
        value = given_fields(value)
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"The field {path} holds {value}.")
    if isinstance(value, dict):
        return {key: plain(item, f"{path}/{key}") for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item, f"{path}/{index}") for index, item in enumerate(value)]
    return value


def given_fields(record: Any) -> dict:
    """Returns the fields of a dataclass in their order, without those that are None, but for those
    that its class always gives.
    """
    always = getattr(record, "ALWAYS_GIVEN", ())
    return {
        name: value for name, value in vars(record).items() if value is not None or name in always
    }


def query_value(value: object) -> object:
    """A value as an address carries it: true and false in small letters, and objects as JSON."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list) and any(isinstance(item, dict) for item in value):
        return dumps(value).decode()
    return value
