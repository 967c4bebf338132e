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


def compare(run: Run, method, logits_without) -> torch.Tensor:
    """Compares what a method gives each token with what the answer's log-probability loses in the
    pass that `logits_without` makes, and returns it.
    """
    answer = attributed_answer(run, Input(**run.input))
    found = method(answer)
    known = answer.log_probability(run.trace["logits"]).item()
    for place, token in enumerate(answer.tokens):
        without = answer.log_probability(logits_without(answer, token)).item()
        same(found[place].item(), known - without, SINGLE, scale=1)
    return found


@pytest.mark.parametrize("make", TEXTS)
def test_without_its_vector_a_token_has_its_position_alone(make):
    run = make()

    def emptied(_, token) -> torch.Tensor:
        def change(name: str, value: torch.Tensor) -> torch.Tensor:
            if name != f"{token.stack}.embedding.token":
                return value
            return torch.stack(
                [row * (i != token.position) for i, row in enumerate(value.unbind())]
            )

        return passed(run, change, run.masks)

    compare(run, removal, emptied)


@pytest.mark.parametrize("make", TEXTS)
def test_a_token_that_is_hidden_is_a_key_that_every_mask_forbids(make):
    run = make()

    def hidden(_, token) -> torch.Tensor:
        masks = {name: mask.clone() for name, mask in run.masks.items()}
        masks[f"{token.stack}.attention"][:, token.position] = False
        if token.stack == "encoder" and run.config.cross:
            masks["decoder.cross_attention"][:, token.position] = False
        return passed(run, lambda name, value: value, masks)

    compare(run, hiding, hidden)


@pytest.mark.parametrize("make", EVERY)
def test_removal_is_that_of_a_run_with_an_edit(make):
    run = make()

    def edited(answer, token) -> torch.Tensor:
        where = {"position": [token.position]}
        edits = read_edits([{"op": "zero", "at": f"{token.stack}.embedding.token", "where": where}])
        return run_model(run.model, answer.input, edits=edits).trace["logits"]

    assert compare(run, removal, edited).abs().max() > 1e-4


def test_a_later_token_is_not_among_those_of_a_causal_answer():
    run = small_run("encoder-decoder")
    answer = attributed_answer(run, Input(**run.input), 1)
    assert [token.axis for token in answer.tokens].count("target") == 2
    assert len(removal(answer)) == len(run.tokens["source"]) + 2
