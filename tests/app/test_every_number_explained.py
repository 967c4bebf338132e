"""Every number of /explain, /tokens and /models: operands are the numbers they are said to be, and
the steps follow from them.
"""

import math

import numpy as np
import pytest

from tests.app.every_number import differences
from tests.app.expected_run import ExpectedRun
from tests.model.support.numpy_reading import softmax
from tests.rounding import same

SOURCE, TARGET = "i am cold", "j'ai très froid"
PLACES = {
    "encoder.embedding.token": "1,5",
    "decoder.embedding.position": "2,7",
    "encoder.embedding.sum": "3,4",
    "encoder.0.residual.in": "0,9",
    "encoder.1.attention.q": "2,1,30",
    "decoder.0.cross_attention.k": "3,4,0",
    "decoder.2.cross_attention.v": "1,0,31",
    "encoder.2.attention.scores": "3,1,2",
    "decoder.1.attention.masked_scores": "0,3,1",
    "decoder.1.attention.pattern": "2,3,1",
    "decoder.2.cross_attention.pattern": "1,2,3",
    "decoder.0.attention.z": "1,2,17",
    "encoder.0.attention.head_out": "2,3,100",
    "decoder.2.cross_attention.out": "1,64",
    "encoder.1.norm1.mean": "2",
    "decoder.1.norm3.scale": "1",
    "decoder.0.norm2.out": "2,33",
    "encoder.1.residual.after_attention": "1,12",
    "decoder.2.feed_forward.pre": "3,500",
    "decoder.2.feed_forward.post": "3,500",
    "encoder.0.feed_forward.out": "4,127",
    "decoder.2.residual.out": "0,0",
    "logits": "2,300",
    "probabilities": "1,42",
}


@pytest.fixture(scope="module")
def expected_run(reading):
    return ExpectedRun(reading, reading.source_ids(SOURCE), reading.target_ids(TARGET))


def operand(run: ExpectedRun, name: str, index: list) -> np.ndarray:
    """An operand's numbers from its name and index: null is a whole axis, a pair a range of one."""
    if name.endswith(".mask"):
        tensor = np.where(run.allowed(name.removesuffix(".mask")), 0.0, -np.inf)
    else:
        tensor = run.values[name] if name in run.values else run.weights[name]
    return tensor[
        tuple(slice(None) if i is None else slice(*i) if isinstance(i, list) else i for i in index)
    ]


def steps(
    run: ExpectedRun, rule: str, at: list[int], x: list[np.ndarray]
) -> dict[str, float | np.ndarray]:
    """The steps of each rule by their names, in NumPy."""
    d_model, d_head = run.config["d_model"], run.config["d_model"] // run.config["n_heads"]
    summed = sum(x)
    if rule in ("copy", "embed", "sinusoid", "sum", "relu"):
        angle = at[0] / 10000 ** (2 * (at[-1] // 2) / d_model)
        return {
            "copy": lambda: {"value": x[0]},
            "embed": lambda: {"factor": math.sqrt(d_model), "value": x[0] * math.sqrt(d_model)},
            "sinusoid": lambda: {
                "angle": angle,
                "value": math.cos(angle) if at[-1] % 2 else math.sin(angle),
            },
            "sum": lambda: {"value": summed},
            "relu": lambda: {"value": max(0.0, float(x[0]))},
        }[rule]()
    if rule in ("linear", "product", "scaled_dot"):
        products = x[0] * x[1]
        ends = {
            "linear": lambda: {"sum": products.sum(), "value": products.sum() + x[2]},
            "product": lambda: {"value": products.sum()},
            "scaled_dot": lambda: {
                "sum": products.sum(),
                "divisor": math.sqrt(d_head),
                "value": products.sum() / math.sqrt(d_head),
            },
        }
        return {"products": products, **ends[rule]()}
    if rule == "softmax":
        at_own, e = at[-1], np.exp(x[0] - x[0].max())
        return {
            "largest": x[0].max(),
            "exponentials": e,
            "own": e[at_own],
            "sum": e.sum(),
            "value": softmax(x[0])[at_own],
        }
    if rule == "sum_all":
        return {"sum": x[0].sum(), "value": x[0].sum() + x[1]}
    if rule == "mean":
        return {"x": summed, "value": summed.mean()}
    if rule == "scale":
        epsilon = run.config["norm_epsilon"]
        return {
            "x": summed,
            "variance": summed.var(),
            "epsilon": epsilon,
            "value": math.sqrt(summed.var() + epsilon),
        }
    assert rule == "normalise"
    *summands, mean, scale, gain, bias = x
    normal = (sum(summands) - mean) / scale
    return {"x": sum(summands), "normal": normal, "value": normal * gain + bias}


def term(run: ExpectedRun, part: dict, derived: dict, operands: list[dict]) -> dict:
    """What a part of an equation must be: the number of the tensor at the place that it names,
    which is one of an operand's, or a step; the last step is the number itself.
    """
    if "sign" in part:
        return {}
    if part["at"] is None:
        return {"value": derived["value" if part["result"] else part["label"]]}
    indices = [
        operand_fields["index"]
        for operand_fields in operands
        if operand_fields["name"] == part["name"]
    ]
    assert any(
        all(i in (None, here) for i, here in zip(index, part["at"], strict=True))
        for index in indices
    )
    return {"value": operand(run, part["name"], part["at"]), "at": part["at"]}


@pytest.mark.parametrize("name", PLACES)
def test_explain(ask, expected_run, name):
    answer = ask(
        "explain", model="translator", source=SOURCE, target=TARGET, name=name, at=PLACES[name]
    )
    at = [int(i) for i in PLACES[name].split(",")]
    values = [
        operand(expected_run, operand_fields["name"], operand_fields["index"])
        for operand_fields in answer["operands"]
    ]
    derived = steps(expected_run, answer["rule"], at, values)
    value = expected_run.values[name][tuple(at)]
    operands = [
        {
            "name": operand_fields["name"],
            "index": operand_fields["index"],
            "shape": list(v.shape),
            "values": v,
        }
        for operand_fields, v in zip(answer["operands"], values, strict=True)
    ]
    expected = {
        "axes": expected_run.axes,
        "at": at,
        "roles": dict(zip(answer["roles"], at, strict=True)),
        "value": value,
        "recomputed": value,
        "difference": lambda difference: 0 <= difference < 1e-5,
        "operands": operands,
        "intermediates": [{"name": step, "values": number} for step, number in derived.items()],
        "own": at[-1] if "own" in derived else None,
        "equations": [
            [term(expected_run, part, derived, answer["operands"]) for part in equation]
            for equation in answer["equations"]
        ],
    }
    assert differences(answer, expected) == {}
    same(derived["value"], value, scale=1)


def test_a_masked_score_has_no_number_and_says_so(ask, expected_run):
    answer = ask(
        "explain",
        model="translator",
        source=SOURCE,
        target=TARGET,
        name="decoder.0.attention.masked_scores",
        at="0,1,3",
    )
    assert (answer["value"], answer["recomputed"], answer["difference"]) == (None, None, None)
    zero = ask(
        "explain",
        model="translator",
        source=SOURCE,
        target=TARGET,
        name="decoder.0.attention.pattern",
        at="0,1,3",
    )
    assert zero["value"] == zero["recomputed"] == 0


def test_tokens(ask, expected_run):
    """Offsets and words by the tokenizer itself; <s> and </s> stand at the two ends."""
    expected = {}
    for name, text, end in (("source", SOURCE, True), ("target", TARGET, False)):
        encoding = expected_run.reading.tokenizer.encode(text)
        words = np.cumsum([piece.startswith("▁") for piece in encoding.tokens]) - 1
        rows = [{"id": 1, "start": 0, "end": 0}]
        rows += [
            {"id": id, "start": a, "end": b, "word": int(w)}
            for id, (a, b), w in zip(encoding.ids, encoding.offsets, words, strict=True)
        ]
        expected[name] = rows + [{"id": 2, "start": len(text), "end": len(text)}] * end
    answer = ask("tokens", model="translator", source=SOURCE, target=TARGET)
    assert (
        differences(answer, {"axes": expected_run.axes, "tokens": expected, "expected_from": 0})
        == {}
    )


def test_the_modules_of_a_model_have_the_shapes_of_its_weights(ask, reading):
    answer = ask("models/translator")
    found: dict[str, list[int]] = {}

    def walk(module: dict) -> int:
        shapes = {
            f"{module['name']}.{name}".lstrip("."): shape
            for name, shape in module["parameters"].items()
        }
        found.update(shapes)
        count = sum(math.prod(shape) for shape in shapes.values()) + sum(
            map(walk, module["modules"])
        )
        assert count == module["count"], module["name"]
        return count

    assert (
        walk(answer["modules"])
        == answer["parameters"]
        == sum(value.size for value in reading.weights.values())
    )
    assert found == {name: list(value.shape) for name, value in reading.weights.items()}
    assert (
        answer["config"] == answer["config"] | reading.config
    )  # a choice that is younger than the card has its default


def test_a_number_that_is_a_little_off_missing_or_made_up_is_found():
    """The comparison that all of these tests rest on."""
    answer = {
        "axes": {"a": {"kind": "x", "size": 2}},
        "tensors": {"t": {"axes": ["a"], "shape": [2], "data": [0.5, None]}},
        "n": 3,
        "s": "x",
    }
    right = {"tensors": {"t": np.array([0.5, -np.inf])}, "n": 3}
    assert differences(answer, right) == {}
    for wrong in (
        {"tensors": {"t": np.array([0.5001, -np.inf])}, "n": 3},
        {"tensors": {"t": np.array([0.5, 0.0])}, "n": 3},
        {"tensors": {"t": np.array([0.5, -np.inf])}, "n": 4},
        {"tensors": {"t": np.array([0.5, -np.inf])}},
        {"tensors": {"t": np.array([0.5, -np.inf]), "u": np.zeros(1)}, "n": 3},
        {"tensors": {"t": np.array([0.5, -np.inf])}, "n": lambda n: n > 3},
    ):
        assert len(differences(answer, wrong)) == 1
