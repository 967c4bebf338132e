"""What is written on the blackboard is true: the numbers of every equation make it one."""

import math

import pytest
import torch

from model import analyses
from model.activations.blackboard import Blackboard, Term, short_name, typeset
from model.activations.derivation import SUM, Cell, Step, softmax
from model.activations.operands import Operand
from model.config import Config
from model.layers.norms import normalise
from tests.model.recorded.questions import CARDS
from tests.model.support.asked import unedited
from tests.model.support.every_model import MODELS
from tests.rounding import SINGLE, same

CELL = Cell(Config(family="decoder-only", vocabulary_size=5, n_decoder_layers=1), {})
SIGNS = {"−": "-", "×": "*", "÷": "/", "exp(": "math.exp(", "√(": "math.sqrt("}


def computed(equation: list[dict]) -> tuple[float, float] | None:
    """Both sides of an equation, worked out by Python; None where a side is a sum of many numbers
    or a formula in words.
    """
    signs = [part["sign"] for part in equation if "sign" in part]
    if any(part.get("value", 0) is None for part in equation):
        return None
    if signs.count("=") != 1 or not set(signs) <= {"=", "+", ")", "(", ") ÷", "max(0,", *SIGNS}:
        return None
    text = " ".join(part.get("sign") or repr(part["value"]) for part in equation)
    for sign, python in SIGNS.items():
        text = text.replace(sign, python)
    left, right = (eval(side, {"math": math}) for side in text.split("="))  # noqa: S307
    return left, right


@pytest.mark.parametrize("id", MODELS)
def test_every_equation_holds_and_ends_in_the_number_that_was_recorded(id: str):
    question = {"model": id, **CARDS[id]["examples"][0]["input"]}
    rows = analyses.answer("activations", question, runs=unedited).fields["activations"]
    worked_out = 0
    for row in rows:
        at = ",".join(str(min(1, size - 1)) for size in row["shape"])
        cell_question = {**question, "name": row["name"], "at": at}
        fields = analyses.answer("explain", cell_question, runs=unedited).fields
        assert fields["equations"], row["name"]
        results = [
            part for equation in fields["equations"] for part in equation if part.get("result")
        ]
        assert [part["value"] for part in results] == [fields["value"]], row["name"]
        for equation in fields["equations"]:
            if sides := computed(equation):
                same(sides[0], sides[1], SINGLE, scale=1, what=row["name"])
                worked_out += 1
    assert worked_out > 5


def at_(values: list[float] | float, name: str = "x") -> Operand:
    tensor = torch.tensor(values)
    return Operand(name, "activation", [0] + [None] * tensor.dim(), tensor)


def words(equation: list[str | Term]) -> str:
    return " ".join(part if isinstance(part, str) else part.label for part in equation)


def test_a_derivation_that_nobody_wrote_down_is_shown_step_by_step():
    steps = [
        Step("vector", "x W", torch.zeros(2)),
        Step("angle", "p w_i", torch.tensor(0.25)),
        Step("value", "cos(angle) / sqrt(2)", torch.tensor(0.5)),
    ]
    lines = Blackboard("decoder.0.attention.q", [], steps).equations([])
    assert [words(line) for line in lines] == ["p w_i = angle", "cos(angle) / √2 = q"]


def test_a_version_is_used_only_where_all_its_numbers_exist():
    blind = [Step("value", "0", torch.tensor(0.0))]
    row = at_([-math.inf, -math.inf], "a.masked_scores")
    assert [
        words(line)
        for line in Blackboard("a.pattern", [row], blind, 0).equations(softmax.blackboard)
    ] == ["a.pattern"]


def test_a_sum_has_a_sign_between_two_summands_and_none_before_the_first():
    summands = [at_(1.0, f"decoder.0.{name}.out") for name in ("a", "b", "c")]
    board = Blackboard("decoder.0.residual.out", summands, [Step("value", "", torch.tensor(3.0))])
    assert [words(line) for line in board.equations(SUM.blackboard)] == [
        "a.out + b.out + c.out = residual.out"
    ]


@pytest.mark.parametrize("n", [1, 2, 3])
def test_a_norm_of_any_number_of_summands_is_written_with_all_of_them(n: int):
    numbers = [torch.tensor(float(i)) for i in range(1, n + 1)]
    others = [torch.tensor(value) for value in (0.5, 2.0, 3.0, 0.25)]
    names = [*(f"x{i}.out" for i in range(n)), "n.mean", "n.scale", "n.gain", "n.bias"]
    operands = [
        at_(float(value), name) for name, value in zip(names, [*numbers, *others], strict=True)
    ]
    steps = normalise(CELL, *numbers, *others)
    lines = [
        words(line) for line in Blackboard("n.out", operands, steps).equations(normalise.blackboard)
    ]
    assert lines[-1] == "normal × n.gain + n.bias = n.out"
    assert len(lines) == (2 if n == 1 else 3)
    if n > 1:
        assert lines[0] == f"{' + '.join(names[:n])} = x"


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("decoder.2.cross_attention.query.weight", "W_Q"),
        ("decoder.2.attention.output.bias", "b_O"),
        ("encoder.0.feed_forward.output.bias", "b_2"),
        ("decoder.2.cross_attention.masked_scores", "masked_scores"),
        ("decoder.0.attention.out", "attention.out"),
        ("decoder.attention.mask", "mask"),
    ],
)
def test_names_are_short_in_formulas(name: str, short: str):
    assert short_name(name) == short


def test_a_formula_is_set_as_on_a_blackboard():
    assert typeset("softmax(q k^T / sqrt(d_head) + mask)") == "softmax(q kᵀ / √d_head + mask)"
    assert typeset("sqrt(variance + epsilon)") == "√(variance + epsilon)"
