"""Removing a token is what a whole pass without it computes."""

import pytest
import torch

from model.edits.edit import read_edits
from model.inputs.input import Input
from model.interpretability.attribution.answer import attributed_answer
from model.interpretability.attribution.removal import hiding, removal
from model.runs.run import Run, id_tensor
from model.runs.run_model import run_model
from model.trace import Trace
from tests.model.support.image_runs import image_run
from tests.model.support.row_runs import FT, row_run
from tests.model.support.runs import small_run
from tests.rounding import SINGLE, same

TEXTS = [
    pytest.param(lambda: small_run("encoder-decoder", "post"), id="encoder-decoder"),
    pytest.param(lambda: small_run("decoder-only", "pre", norm="rms"), id="decoder-only"),
    pytest.param(lambda: small_run("encoder-only", "post"), id="encoder-only"),
    pytest.param(lambda: small_run("prefix", "post"), id="prefix"),
]
EVERY = [
    *TEXTS,
    pytest.param(image_run, id="image"),
    pytest.param(lambda: row_run(**FT), id="row"),
]


def passed(run: Run, change, masks: dict[str, torch.Tensor]) -> torch.Tensor:
    """The logits of a whole pass of a text, by hand."""
    ids = {name: id_tensor(row) for name, row in run.tokens.items()}
    first, last = run.config.stacks[0], run.config.stacks[-1]
    source = ids.get("source", ids.get("text") if first == "encoder" else None)
    target = ids.get("target", ids.get("text") if last == "decoder" else None)
    with torch.inference_mode():
        return run.model.transformer(source, target, masks, Trace(change))


@pytest.mark.parametrize("make", TEXTS)
def test_without_its_vector_a_token_has_its_position_alone(make):
    run = make()
    asked = attributed_answer(run, Input(**run.input))
    found = removal(asked)
    known = asked.log_probability(run.trace["logits"]).item()
    for place, token in enumerate(asked.tokens):

        def emptied(name: str, value: torch.Tensor, token=token) -> torch.Tensor:
            if name != f"{token.stack}.embedding.token":
                return value
            return torch.stack(
                [row * (i != token.position) for i, row in enumerate(value.unbind())]
            )

        without = asked.log_probability(passed(run, emptied, run.masks)).item()
        same(found[place].item(), known - without, SINGLE, scale=1)


@pytest.mark.parametrize("make", TEXTS)
def test_a_token_that_is_hidden_is_a_key_that_every_mask_forbids(make):
    run = make()
    asked = attributed_answer(run, Input(**run.input))
    found = hiding(asked)
    known = asked.log_probability(run.trace["logits"]).item()
    for place, token in enumerate(asked.tokens):
        masks = {name: mask.clone() for name, mask in run.masks.items()}
        masks[f"{token.stack}.attention"][:, token.position] = False
        if token.stack == "encoder" and run.config.cross:
            masks["decoder.cross_attention"][:, token.position] = False
        without = asked.log_probability(passed(run, lambda name, value: value, masks)).item()
        same(found[place].item(), known - without, SINGLE, scale=1)


@pytest.mark.parametrize("make", EVERY)
def test_removal_is_that_of_a_run_with_an_edit(make):
    run = make()
    asked = attributed_answer(run, Input(**run.input))
    found = removal(asked)
    known = asked.log_probability(run.trace["logits"]).item()
    for place, token in enumerate(asked.tokens):
        edits = read_edits(
            [
                {
                    "op": "zero",
                    "at": f"{token.stack}.embedding.token",
                    "where": {"position": [token.position]},
                }
            ]
        )
        logits = run_model(run.model, asked.input, edits=edits).trace["logits"]
        without = asked.log_probability(logits).item()
        same(found[place].item(), known - without, SINGLE, scale=1)
    assert found.abs().max() > 1e-4


def test_a_later_token_is_not_among_those_of_a_causal_answer():
    run = small_run("encoder-decoder")
    asked = attributed_answer(run, Input(**run.input), 1)
    assert [token.axis for token in asked.tokens].count("target") == 2
    assert len(removal(asked)) == len(run.tokens["source"]) + 2
