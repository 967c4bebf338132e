"""Encoder-only, decoder-only, prefix, encoder-decoder: what an output can depend on is what the
masks let through (rows 2 to 4).
"""

import numpy as np
import pytest
import torch

from model.analytic.mask_reach import reach
from model.layers import masks
from model.layers.context import Context
from tests.model.support.small import continue_text, small, traced

PLACEMENTS = pytest.mark.parametrize("placement", ["post", "pre"])


def input_jacobian(stack, x, *arguments) -> np.ndarray:
    """[output position, input position]: how much each output can be moved by each input."""
    jacobian = torch.autograd.functional.jacobian(lambda x: stack(x, *arguments), x, vectorize=True)
    return jacobian.square().sum(dim=(1, 3)).sqrt().numpy()


def brute_force_reach(allowed: np.ndarray, layers: int) -> np.ndarray:
    """Step by step through the layers, from every output back to the inputs it can be reached
    from.
    """
    n = len(allowed)
    reached = np.zeros((n, n), dtype=bool)
    for query in range(n):
        frontier = {query}
        for _ in range(layers):
            frontier |= {key for q in frontier for key in range(n) if allowed[q, key]}
        reached[query, list(frontier)] = True
    return reached


def test_source_and_target_have_lengths_of_their_own():
    for n in (1, 4, 9):
        for m in (1, 6):
            trace = traced(small(), source=torch.arange(n), target=torch.arange(m))
            assert trace["encoder.1.residual.out"].shape == (n, 16)
            assert trace["decoder.1.cross_attention.pattern"].shape == (4, m, n)
            assert trace["decoder.1.attention.pattern"].shape == (4, m, m)
            assert trace["logits"].shape == (m, 13)


MODES = {
    "encoder-only": ("encoder-only", masks.full(6)),
    "decoder-only": ("decoder-only", masks.causal(6)),
    "prefix": ("prefix", masks.prefix(6, 3)),
}


@PLACEMENTS
@pytest.mark.parametrize("mode", MODES)
def test_what_an_output_depends_on_in_each_mode_is_its_mask(mode, placement):
    family, allowed = MODES[mode]
    model = small(family, placement=placement)
    stack = model.get_submodule(model.config.stacks[0])
    x = torch.randn(6, 16, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    jacobian = input_jacobian(stack, x, Context(allowed))
    assert (jacobian[~allowed.numpy()] == 0).all()
    assert (jacobian[allowed.numpy()] > 1e-6).all()


@PLACEMENTS
def test_a_translator_depends_on_the_target_so_far_and_on_all_of_the_source(placement):
    model, generator = small(placement=placement), torch.Generator().manual_seed(0)
    source, target = (torch.randn(n, 16, dtype=torch.float64, generator=generator) for n in (4, 5))
    causal, open_ = masks.causal(5), torch.ones(1, 4, dtype=torch.bool)
    context = Context(causal, model.encoder(source, Context(open_)), open_)
    of_target = input_jacobian(model.decoder, target, context)
    assert ((of_target > 1e-6) == masks.causal(5).numpy()).all()
    assert (of_target[~masks.causal(5).numpy()] == 0).all()
    of_source = input_jacobian(
        lambda x: model.decoder(target, Context(causal, model.encoder(x, Context(open_)), open_)),
        source,
    )
    assert of_source.shape == (5, 4)
    assert (of_source > 1e-6).all()


@pytest.mark.parametrize(("window", "layers"), [(1, 3), (2, 1), (2, 3), (3, 2), (4, 4)])
def test_a_window_of_w_reaches_l_times_w_minus_1_plus_1_positions_after_l_layers(window, layers):
    n, allowed = 14, masks.window(14, window)
    model = small("decoder-only", n_decoder_layers=layers)
    x = torch.randn(n, 16, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    depends = input_jacobian(model.decoder, x, Context(allowed)) > 0
    assert depends[-1].sum() == layers * (window - 1) + 1
    assert (depends == brute_force_reach(allowed.numpy(), layers)).all()
    assert (reach(allowed, layers).numpy() == depends).all()


def test_prefix_mode_lies_between_a_decoder_and_an_encoder():
    assert torch.equal(masks.prefix(7, 0), masks.causal(7))
    assert torch.equal(masks.prefix(7, 7), masks.full(7))
    decoder = small("decoder-only")
    encoder = small("encoder-only")
    prefix = small("prefix")
    assert torch.equal(continue_text(prefix, allowed=masks.prefix(7, 7)), continue_text(encoder))
    assert torch.equal(continue_text(prefix, allowed=masks.prefix(7, 0)), continue_text(decoder))
    assert torch.equal(continue_text(decoder, allowed=masks.prefix(7, 7)), continue_text(encoder))
    assert torch.equal(continue_text(decoder), continue_text(encoder, allowed=masks.prefix(7, 0)))
