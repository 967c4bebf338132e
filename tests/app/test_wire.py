"""Answers on the wire: exact, finite, named; both encodings hold the same bits."""

import base64
import json

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from app.wire import encode
from model.answer import Answer, Axis, Labelled


def answer_of(data: torch.Tensor, masked: bool = False, **fields: object) -> Answer:
    axes = {f"axis{i}": Axis("step", size) for i, size in enumerate(data.shape)}
    return Answer("analytic", axes, {"x": Labelled(tuple(axes), data, "x", masked)}, fields)


def decoded(answer: Answer) -> np.ndarray:
    """As the browser reads it."""
    data = json.loads(encode(answer, "base64"))["tensors"]["x"]["data"]
    flat = np.frombuffer(base64.b64decode(data["bdata"]), np.dtype(data["dtype"]).newbyteorder("<"))
    return flat.reshape([int(size) for size in data["shape"].split(",")])


@given(st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=1, max_size=40))
def test_every_float32_survives_both_encodings_bit_for_bit(values: list[float]):
    answer = answer_of(torch.tensor(values, dtype=torch.float32))
    written = np.array(json.loads(encode(answer))["tensors"]["x"]["data"], np.float32)
    assert written.tobytes() == np.array(values, np.float32).tobytes()
    assert decoded(answer).tobytes() == written.tobytes()


def test_a_masked_score_is_null_and_its_bits_are_nan():
    scores = torch.tensor([[1.5, -torch.inf], [0.0, 2.0]])
    tensor = json.loads(encode(answer_of(scores, masked=True)))["tensors"]["x"]
    assert tensor["data"] == [[1.5, None], [0.0, 2.0]]
    np.testing.assert_array_equal(decoded(answer_of(scores, masked=True)), [[1.5, np.nan], [0.0, 2.0]])
    assert scores[0, 1] == -torch.inf, "the run's own tensor is not touched"


@pytest.mark.parametrize(
    ("value", "masked"), [(torch.nan, False), (torch.nan, True), (torch.inf, True), (torch.inf, False), (-torch.inf, False)]
)
def test_a_number_that_is_not_finite_never_leaves_in_silence(value: float, masked: bool):
    with pytest.raises(ValueError, match="not finite"):
        encode(answer_of(torch.tensor([1.0, value]), masked))


@pytest.mark.parametrize("fields", [{"a": float("nan")}, {"a": [1, {"b": float("inf")}]}, {"a": {"b": (1.0, -float("inf"))}}])
def test_nor_does_one_among_the_fields(fields: dict):
    with pytest.raises(ValueError, match="The field /a"):
        encode(answer_of(torch.zeros(2), **fields))


def test_a_shape_that_is_not_its_axes_is_a_fault():
    with pytest.raises(ValueError, match="shape"):
        encode(Answer("analytic", {"a": Axis("step", 3)}, {"x": Labelled(("a",), torch.zeros(2), "x")}))
    with pytest.raises(ValueError, match="shape"):
        encode(Answer("analytic", {"a": Axis("step", 2)}, {"x": Labelled(("a", "a"), torch.zeros(2), "x")}))


def test_a_field_cannot_take_the_name_of_a_part_of_every_answer():
    with pytest.raises(ValueError, match="axes"):
        encode(answer_of(torch.zeros(2), axes=[]))


@pytest.mark.parametrize(
    ("dtype", "written", "short"),
    [(torch.bool, "uint8", "u1"), (torch.int64, "int32", "i4"), (torch.float64, "float64", "f8"), (torch.float16, "float32", "f4")],
)
def test_types_the_browser_has_not_become_ones_it_has(dtype: torch.dtype, written: str, short: str):
    answer = answer_of(torch.tensor([0, 1, 1], dtype=dtype))
    assert json.loads(encode(answer))["tensors"]["x"]["dtype"] == written
    assert json.loads(encode(answer, "base64"))["tensors"]["x"]["data"]["dtype"] == short
    np.testing.assert_array_equal(decoded(answer), [0, 1, 1])


def test_a_transposed_or_empty_tensor_keeps_its_order():
    data = torch.arange(6.0).reshape(2, 3).T
    assert json.loads(encode(answer_of(data)))["tensors"]["x"]["data"] == [[0, 3], [1, 4], [2, 5]]
    assert json.loads(encode(answer_of(torch.zeros(0, 3))))["tensors"]["x"] == {
        "axes": ["axis0", "axis1"], "shape": [0, 3], "dtype": "float32", "formula": "x", "data": [],
    }  # fmt: skip
