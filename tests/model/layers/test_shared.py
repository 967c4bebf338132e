"""Tables of positions are made once for all layers of a stack, and serve runs and trainings."""

import pytest
import torch

from model.layers import relative_positions, rotary_positions
from model.trace import Trace
from model.transformer import Transformer
from tests.model.support.small import continue_text, small

TABLES = {
    "rope": rotary_positions.rotation,
    "alibi": relative_positions.offsets,
    "t5": relative_positions.t5_buckets,
    "shaw": relative_positions.shaw_rows,
}
SCHEMES = pytest.mark.parametrize(("relative", "table"), TABLES.items())


@pytest.fixture(autouse=True)
def nothing_made():
    for table in TABLES.values():
        table.cache_clear()


def of_three_layers(relative: str) -> Transformer:
    return small("decoder-only", relative=relative, positions="none", n_decoder_layers=3)


@SCHEMES
def test_one_pass_makes_a_table_once_for_all_layers(relative, table):
    continue_text(of_three_layers(relative))
    info = table.cache_info()
    assert info.misses == 1
    assert info.hits >= 2


@SCHEMES
def test_what_a_run_has_made_serves_a_training_and_derivatives(relative, table):
    model = of_three_layers(relative).requires_grad_(True)
    with torch.inference_mode():
        continue_text(model)
    continue_text(model).sum().backward()
    assert model.decoder[0].attention.query.weight.grad is not None
    assert table.cache_info().misses == 1


@SCHEMES
def test_what_a_derivative_has_made_serves_a_run(relative, table):
    model = of_three_layers(relative)
    before = continue_text(model)
    table.cache_clear()

    def moved(shift: torch.Tensor) -> torch.Tensor:
        def change(name: str, value: torch.Tensor) -> torch.Tensor:
            return value + shift if name == "decoder.embedding.sum" else value

        return continue_text(model, trace=Trace(change))

    torch.func.jacrev(moved)(torch.zeros(16, dtype=torch.float64))
    assert torch.equal(continue_text(model), before)
    assert table.cache_info().misses == 1
