"""Answers name a derivation by its rule, so that a name stands for one rule only."""

import importlib
import pkgutil

import torch

from model import activations, layers
from model.activations.derivation import SUM, Cell, Rule, linear
from model.activations.residual_scale import LAMBDA, OMEGA, UNSCALED, Sum
from model.config import Config
from model.layers.attention_scores import SCORES
from model.layers.feed_forward import ACTIVATIONS, gated
from model.layers.relative_positions import with_relative
from model.layers.tabular_head import concatenated

CONFIG = Config(family="decoder-only", vocabulary_size=5, n_decoder_layers=1, shortcut=0.5)
CELL = Cell(CONFIG, {"position": 0, "channel": 0})


def rules() -> list[Rule]:
    modules = [
        importlib.import_module(f"{package.__name__}.{module.name}")
        for package in (activations, layers)
        for module in pkgutil.iter_modules(package.__path__)
    ]
    by_id = {id(value): value for module in modules for value in vars(module).values()}
    return [value for value in by_id.values() if isinstance(value, Rule)]


def numbers(*values: float) -> list[torch.Tensor]:
    return [torch.tensor(value, dtype=torch.float64) for value in values]


def test_every_rule_has_a_name_of_its_own_and_says_what_it_does():
    names = [rule.name for rule in rules()]
    assert len(names) > 30
    assert len(set(names)) == len(names)
    assert all(rule.derive.__doc__ for rule in rules())


def test_a_rule_that_is_made_from_another_has_both_names():
    assert with_relative(SCORES["dot"].rule).name == "dot.relative"
    assert gated(ACTIVATIONS["silu"].rule).name == "silu.gated"
    assert concatenated(linear).name == "linear.both"
    assert [scale.scaled(SUM).name for scale in (UNSCALED, OMEGA, LAMBDA)] == [
        "sum",
        "sum.omega",
        "sum.lambda",
    ]


def test_the_first_stream_of_a_sum_is_multiplied_by_its_scale():
    x, f = numbers(2.0, 3.0)
    (omega,) = numbers(10.0)
    assert UNSCALED.scaled(SUM)(CELL, x, f)[-1].value == 5
    assert OMEGA.scaled(SUM)(CELL, omega, x, f)[-1].value == 23
    assert LAMBDA.scaled(SUM)(CELL, x, f)[-1].value == 4


def test_a_learned_scale_is_the_first_operand_of_a_sum():
    plain, scaled = Sum(("a", "b")), Sum(("a", "b"), OMEGA, "block.shortcut1")
    assert plain.operands("channel") == ("a[position channel]", "b[position channel]")
    assert scaled.operands("*") == ("block.shortcut1[*]", "a[position *]", "b[position *]")
