"""Who may look at whom: causality, padding, and the cells a mask opens (rows 4 to 6 of the science)."""

import numpy as np
import pytest
import torch

from model import masks
from model.scores import softmax
from tests.model.small import SOURCE, TARGET, continue_text, largest_difference, small, traced, translate

PLACEMENTS = pytest.mark.parametrize("placement", ["post", "pre"])


@PLACEMENTS
def test_a_causal_model_never_looks_ahead(placement):
    """Bit-exact: a hidden key has weight exp(-inf) = 0 and adds exactly nothing."""
    model, other = small("decoder-only", placement=placement), SOURCE.clone()
    for t in range(1, len(SOURCE)):
        other[t:] = (SOURCE[t:] + 3) % 13
        before, after = continue_text(model), continue_text(model, other)
        assert torch.equal(before[:t], after[:t])
        assert not torch.equal(before[t:], after[t:])
        other = SOURCE.clone()


@PLACEMENTS
def test_the_decoder_of_a_translator_never_looks_ahead_but_sees_the_whole_source(placement):
    model, other = small(placement=placement), TARGET.clone()
    other[3:] = 12
    assert torch.equal(translate(model)[:3], translate(model, target=other)[:3])
    last_changed = SOURCE.clone()
    last_changed[-1] = 8
    changed = (translate(model) - translate(model, last_changed)).abs().amax(-1)
    assert (changed > 1e-4).all()


@PLACEMENTS
def test_what_stands_in_the_padding_changes_nothing_at_all(placement):
    model, real = small(placement=placement), torch.tensor([[True] * 7 + [False] * 3])
    padded, garbage = torch.cat([SOURCE, torch.zeros(3, dtype=torch.long)]), torch.cat([SOURCE, torch.tensor([12, 3, 8])])
    logits = [translate(model, source, source_allowed=real) for source in (padded, garbage)]
    assert largest_difference(*logits) == 0
    memory = [model.encode(source, masks.additive(real))[:7] for source in (padded, garbage)]
    assert largest_difference(*memory) == 0


@PLACEMENTS
@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float32, 1e-5), (torch.float64, 1e-12)])
def test_padded_equals_unpadded(placement, dtype, tolerance):
    model = small(placement=placement, dtype=dtype)
    padded = torch.stack([torch.cat([SOURCE, torch.zeros(4, dtype=torch.long)]), torch.arange(11)])
    real = masks.padding(11, [7, 11])
    logits = translate(model, padded, TARGET.expand(2, -1), source_allowed=real)
    assert largest_difference(logits[0], translate(model)) < tolerance
    forgotten = translate(model, padded, TARGET.expand(2, -1), source_allowed=torch.ones_like(real))
    assert largest_difference(forgotten[0], translate(model)) > 1e-3


def test_a_source_of_nothing_but_padding_gives_zeros_and_finite_logits():
    model = small()
    trace = traced(model, source_allowed=torch.zeros(1, 7, dtype=torch.bool))
    patterns = [value for name, value in trace.items() if name.endswith("pattern") and name != "decoder.0.attention.pattern"]
    assert (trace["decoder.1.cross_attention.pattern"] == 0).all()
    assert (trace["encoder.0.attention.pattern"] == 0).all()
    assert torch.equal(trace["decoder.1.cross_attention.out"], model.decoder[1].cross_attention.output.bias.expand(5, -1))
    assert all(pattern.isfinite().all() for pattern in patterns)
    assert trace["logits"].isfinite().all()


def test_a_query_that_may_look_nowhere_has_a_gradient_of_zero_and_not_nan():
    scores = torch.randn(3, 4, dtype=torch.float64, generator=torch.Generator().manual_seed(0), requires_grad=True)
    allowed = torch.tensor([[True, True, False, True], [False] * 4, [True] * 4])
    (softmax(scores + masks.additive(allowed)) ** 2).sum().backward()
    assert (scores.grad[1] == 0).all()
    assert scores.grad.isfinite().all()


@PLACEMENTS
@pytest.mark.parametrize("family", ["encoder-only", "decoder-only", "encoder-decoder"])
def test_rows_of_every_pattern_sum_to_one_and_are_the_softmax_of_the_masked_scores(family, placement):
    trace = traced(small(family, placement=placement))
    patterns = [name for name in trace if name.endswith(".pattern")]
    assert len(patterns) == {"encoder-only": 2, "decoder-only": 2, "encoder-decoder": 6}[family]
    for name in patterns:
        masked = trace[name.replace("pattern", "masked_scores")].numpy()
        exponentials = np.exp(masked - masked.max(-1, keepdims=True))
        np.testing.assert_allclose(trace[name].numpy(), exponentials / exponentials.sum(-1, keepdims=True), atol=1e-14, rtol=0)
        np.testing.assert_allclose(trace[name].numpy().sum(-1), 1, atol=1e-14, rtol=0)


def test_the_mask_is_added_before_the_softmax_and_not_multiplied_after_it():
    trace, causal = traced(small("decoder-only")), torch.ones(7, 7, dtype=torch.bool).tril()
    scores, masked = trace["decoder.0.attention.scores"], trace["decoder.0.attention.masked_scores"]
    assert torch.equal(masked[:, causal], scores[:, causal])
    assert masked[:, ~causal].isneginf().all()
    multiplied = scores.softmax(-1) * causal
    assert multiplied.sum(-1).min() < 0.5
    assert largest_difference(trace["decoder.0.attention.pattern"], multiplied) > 0.1


def test_masks_open_as_many_cells_as_their_formulas_say():
    for n in (1, 2, 7, 12):
        assert masks.full(n).sum() == n**2
        assert masks.causal(n).sum() == n * (n + 1) // 2
        for p in range(n + 1):
            assert masks.prefix(n, p).sum() == p**2 + sum(i + 1 for i in range(p, n))
    assert masks.prefix(12, 5).sum() == 88


@pytest.mark.parametrize("n", [1, 2, 5])
@pytest.mark.parametrize("earlier", [0, 1, 3, 9])
def test_earlier_keys_are_open_to_every_query_and_the_rest_stays_causal(n, earlier):
    """The last n rows of the causal mask over everything: query i of this segment stands at earlier + i."""
    allowed = masks.causal(n, earlier)
    assert np.array_equal(allowed.numpy(), np.tri(earlier + n, dtype=bool)[earlier:])
    assert allowed[:, :earlier].all()
    assert torch.equal(allowed[:, earlier:], masks.causal(n))
    assert allowed.sum() == n * (n + 1) // 2 + n * earlier
