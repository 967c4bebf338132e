"""Answers on the wire: exact, finite, named; both encodings hold the same bits."""

import base64
import json
import math

import httpx2
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from app.api.endpoint import Endpoint
from app.compute.wire import encode
from app.figures import plot
from model.answers.answer import Answer, Axis, Labelled, counted, numbered
from model.answers.laws import Law
from model.answers.measurements import exact, fact, pooled, statistical
from tests.app.test_words import ANSWERED, address

NAMES = {
    ("circuits-theory", "first"),
    ("circuits-theory", "second"),
    ("images", "class"),
    ("journey", "head"),
}
"""Labels that look like numbers: heads, also by layer and head, and the classes of digits."""


def answer_of(data: torch.Tensor, masked: bool = False, **fields: object) -> Answer:
    axes = {f"axis{i}": Axis("step", size) for i, size in enumerate(data.shape)}
    return Answer("analytic", axes, {"x": Labelled(tuple(axes), data, "x", masked)}, fields)


def decoded(answer: Answer) -> np.ndarray:
    """As the browser reads it."""
    data = json.loads(encode(answer, "base64"))["tensors"]["x"]["data"]
    flat = np.frombuffer(base64.b64decode(data["bdata"]), np.dtype(data["dtype"]).newbyteorder("<"))
    return flat.reshape([int(size) for size in data["shape"].split(",")])


@given(
    st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=1, max_size=40)
)
def test_every_float32_survives_both_encodings_bit_for_bit(values: list[float]):
    answer = answer_of(torch.tensor(values, dtype=torch.float32))
    decoded_values = np.array(json.loads(encode(answer))["tensors"]["x"]["data"], np.float32)
    assert decoded_values.tobytes() == np.array(values, np.float32).tobytes()
    assert decoded(answer).tobytes() == decoded_values.tobytes()


def as_read(typed: dict) -> np.ndarray:
    """A typed array of a figure, as the browser reads it."""
    kind = np.dtype(typed["dtype"]).newbyteorder("<")
    flat = np.frombuffer(base64.b64decode(typed["bdata"]), kind)
    if "levels" in typed:
        flat = as_read(typed["levels"])[flat]
    return flat.reshape([int(size) for size in typed["shape"].split(",")])


@pytest.mark.parametrize("different", [2, 256, 257])
def test_an_array_in_levels_holds_the_same_bits_and_a_byte_for_each_number(different: int):
    sample = np.random.default_rng(different).integers(different - 1, size=(80, 70))
    values = np.where(sample, sample / 100, np.nan).astype(np.float32)
    values.flat[:different] = [*np.arange(1, different) / 100, np.nan]
    encodings = {
        encoding: json.loads(plot.dumps({"z": values}, encoding))["z"]
        for encoding in ("base64", "levels")
    }
    for typed in encodings.values():
        assert as_read(typed).tobytes() == values.tobytes()
    bytes_of_one = len(base64.b64decode(encodings["levels"]["bdata"])) / values.size
    assert bytes_of_one == (1 if different <= 256 else 4)


def test_a_masked_score_is_null_and_its_bits_are_nan():
    scores = torch.tensor([[1.5, -torch.inf], [0.0, 2.0]])
    tensor = json.loads(encode(answer_of(scores, masked=True)))["tensors"]["x"]
    assert tensor["data"] == [[1.5, None], [0.0, 2.0]]
    np.testing.assert_array_equal(
        decoded(answer_of(scores, masked=True)), [[1.5, np.nan], [0.0, 2.0]]
    )
    assert scores[0, 1] == -torch.inf, "the run's own tensor is not touched"


@pytest.mark.parametrize(
    ("value", "masked"),
    [
        (torch.nan, False),
        (torch.nan, True),
        (torch.inf, True),
        (torch.inf, False),
        (-torch.inf, False),
    ],
)
def test_a_number_that_is_not_finite_never_leaves_in_silence(value: float, masked: bool):
    with pytest.raises(ValueError, match="not finite"):
        encode(answer_of(torch.tensor([1.0, value]), masked))


@pytest.mark.parametrize(
    "fields",
    [{"a": float("nan")}, {"a": [1, {"b": float("inf")}]}, {"a": {"b": (1.0, -float("inf"))}}],
)
def test_nor_does_one_among_the_fields(fields: dict):
    with pytest.raises(ValueError, match="The field /a"):
        encode(answer_of(torch.zeros(2), **fields))


def test_an_answer_says_what_was_asked_and_how_it_is_written():
    question = {"seed": 0, "depths": [2, 4, 8]}
    for encoding in ("json", "base64"):
        answer = json.loads(encode(answer_of(torch.zeros(2)), encoding, question))
        assert answer["question"] == {**question, "encoding": encoding}


def test_a_shape_that_is_not_its_axes_is_a_fault():
    with pytest.raises(ValueError, match="shape"):
        encode(
            Answer("analytic", {"a": Axis("step", 3)}, {"x": Labelled(("a",), torch.zeros(2), "x")})
        )
    with pytest.raises(ValueError, match="shape"):
        encode(
            Answer(
                "analytic", {"a": Axis("step", 2)}, {"x": Labelled(("a", "a"), torch.zeros(2), "x")}
            )
        )


def test_a_field_cannot_take_the_name_of_a_part_of_every_answer():
    with pytest.raises(ValueError, match="axes"):
        encode(answer_of(torch.zeros(2), axes=[]))
    with pytest.raises(ValueError, match="question"):
        encode(answer_of(torch.zeros(2), question={}))


@pytest.mark.parametrize(
    ("dtype", "name", "short"),
    [
        (torch.bool, "uint8", "u1"),
        (torch.int64, "int32", "i4"),
        (torch.float64, "float64", "f8"),
        (torch.float16, "float32", "f4"),
    ],
)
def test_types_the_browser_has_not_become_ones_it_has(dtype: torch.dtype, name: str, short: str):
    answer = answer_of(torch.tensor([0, 1, 1], dtype=dtype))
    assert json.loads(encode(answer))["tensors"]["x"]["dtype"] == name
    assert json.loads(encode(answer, "base64"))["tensors"]["x"]["data"]["dtype"] == short
    np.testing.assert_array_equal(decoded(answer), [0, 1, 1])


def test_a_transposed_or_empty_tensor_keeps_its_order():
    data = torch.arange(6.0).reshape(2, 3).T
    assert json.loads(encode(answer_of(data)))["tensors"]["x"]["data"] == [[0, 3], [1, 4], [2, 5]]
    assert json.loads(encode(answer_of(torch.zeros(0, 3))))["tensors"]["x"] == {
        "axes": ["axis0", "axis1"], "shape": [0, 3], "dtype": "float32", "formula": "x", "data": [],
    }  # fmt: skip


def test_an_axis_of_numbers_travels_with_them_what_they_are_and_in_what_unit():
    axis = numbered("step", [2, 0.5], "sequence length", "tokens")
    axes = {"a": axis, "b": counted("step", 3, "seed")}
    answer = json.loads(encode(Answer("analytic", axes, inputs=axes)))
    assert answer["axes"] == {
        "a": {"kind": "step", "size": 2, "labels": ["2", "0.5"], "values": [2, 0.5],
              "title": "sequence length", "unit": "tokens"},
        "b": {"kind": "step", "size": 3, "values": [0, 1, 2], "title": "seed", "unit": ""},
    }  # fmt: skip


def test_an_axis_of_names_has_no_numbers():
    axes = {"a": Axis("step", 2, ["pre", "post"])}
    answer = json.loads(encode(Answer("analytic", axes, inputs=axes)))
    assert answer["axes"] == {"a": {"kind": "step", "size": 2, "labels": ["pre", "post"]}}


def test_a_record_becomes_an_object_of_its_fields_in_order_without_those_that_are_none():
    """The fields of a fact and of a finding are those of the API. Whether a law holds is null where
    nothing decides it.
    """
    facts = [fact("visible", torch.tensor(3), "n", torch.tensor(True), "cells")]
    findings = [
        exact(Law("error", text="0", band=(0, None)), 0),
        statistical(Law("slope", text="about 1", band=(1, 2)), [1, 2]),
        pooled(Law("mean", text="1", band=(None, 1)), torch.mean, torch.ones(1, 2)),
    ]
    answer = json.loads(
        encode(Answer("analytic", fields={"facts": facts, "more": {"of": findings}}))
    )
    assert answer["facts"] == [
        {"name": "visible", "value": 3.0, "law": "n", "holds": True, "unit": "cells"}
    ]
    assert list(answer["facts"][0]) == ["name", "value", "law", "holds", "unit"]
    first, some, whole = answer["more"]["of"]
    end = ["unit", "law", "band", "holds", "verdict"]
    spread = ["mean", "min", "max", "seeds", "values"]
    assert list(first) == ["name", "kind", "value", *end]
    assert list(some) == ["name", "kind", *spread, "interval", "method", *end, "seeds_needed"]
    assert list(whole) == ["name", "kind", *spread, *end, "seeds_needed"]
    assert (first["band"], some["values"], whole["holds"]) == ([0, None], [1.0, 2.0], None)


def test_a_number_of_a_record_that_is_not_finite_is_refused_by_its_path():
    with pytest.raises(ValueError, match="The field /findings/0/value holds nan"):
        encode(Answer("analytic", fields={"findings": [exact(Law("x", band=(0, 1)), torch.nan)]}))


def number(label: str) -> float | None:
    try:
        return float(label)
    except ValueError:
        return None


@pytest.mark.parametrize("word", ANSWERED, ids=lambda word: word.address)
def test_in_every_example_labels_that_are_numbers_are_there_as_numbers(
    client: httpx2.Client, word: Endpoint
):
    for name, axis in client.get(address(word)).json()["axes"].items():
        labels = [number(label) for label in axis.get("labels") or ["none"]]
        if None not in labels and (word.name, name) not in NAMES:
            assert axis["values"] == labels, name
        if "values" in axis:
            assert len(axis["values"]) == axis["size"]
            assert all(math.isfinite(value) for value in axis["values"])
            assert axis["title"]
            assert isinstance(axis["unit"], str)
