"""Who may look at whom: causality, padding, and the cells a mask opens (rows 4 to 6 of the
science).
"""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from model.analytic.mask_reach import reach
from model.layers import masks
from model.layers.attention_scores import softmax
from tests.model.support.small import (
    SOURCE,
    TARGET,
    continue_text,
    largest_difference,
    small,
    traced,
    translate,
)
from tests.rounding import same

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
    padded, garbage = (
        torch.cat([SOURCE, torch.zeros(3, dtype=torch.long)]),
        torch.cat([SOURCE, torch.tensor([12, 3, 8])]),
    )
    logits = [translate(model, source, source_allowed=real) for source in (padded, garbage)]
    assert largest_difference(*logits) == 0
    memory = [model.encode(source, real)[:7] for source in (padded, garbage)]
    assert largest_difference(*memory) == 0


@PLACEMENTS
@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float32, 1e-5), (torch.float64, 1e-12)])
def test_padded_equals_unpadded(placement, dtype, tolerance):
    model = small(placement=placement, dtype=dtype)
    padded = torch.stack([torch.cat([SOURCE, torch.zeros(4, dtype=torch.long)]), torch.arange(11)])
    real = masks.padding(11, [7, 11])
    logits = translate(model, padded, TARGET.expand(2, -1), source_allowed=real)
    same(logits[0], translate(model), scale=1)
    forgotten = translate(model, padded, TARGET.expand(2, -1), source_allowed=torch.ones_like(real))
    assert largest_difference(forgotten[0], translate(model)) > 1e-3


def test_a_source_of_nothing_but_padding_gives_zeros_and_finite_logits():
    model = small()
    trace = traced(model, source_allowed=torch.zeros(1, 7, dtype=torch.bool))
    patterns = [
        value
        for name, value in trace.items()
        if name.endswith("pattern") and name != "decoder.0.attention.pattern"
    ]
    assert (trace["decoder.1.cross_attention.pattern"] == 0).all()
    assert (trace["encoder.0.attention.pattern"] == 0).all()
    assert torch.equal(
        trace["decoder.1.cross_attention.out"],
        model.decoder[1].cross_attention.output.bias.expand(5, -1),
    )
    assert all(pattern.isfinite().all() for pattern in patterns)
    assert trace["logits"].isfinite().all()


def test_a_query_that_may_look_nowhere_has_a_gradient_of_zero_and_not_nan():
    scores = torch.randn(
        3, 4, dtype=torch.float64, generator=torch.Generator().manual_seed(0), requires_grad=True
    )
    allowed = torch.tensor([[True, True, False, True], [False] * 4, [True] * 4])
    (softmax(scores.masked_fill(~allowed, -torch.inf)) ** 2).sum().backward()
    assert (scores.grad[1] == 0).all()
    assert scores.grad.isfinite().all()


@PLACEMENTS
@pytest.mark.parametrize("family", ["encoder-only", "decoder-only", "encoder-decoder"])
def test_rows_of_every_pattern_sum_to_one_and_are_the_softmax_of_the_masked_scores(
    family, placement
):
    trace = traced(small(family, placement=placement))
    patterns = [name for name in trace if name.endswith(".pattern")]
    assert len(patterns) == {"encoder-only": 2, "decoder-only": 2, "encoder-decoder": 6}[family]
    for name in patterns:
        masked = trace[name.replace("pattern", "masked_scores")].numpy()
        exponentials = np.exp(masked - masked.max(-1, keepdims=True))
        same(trace[name].numpy(), exponentials / exponentials.sum(-1, keepdims=True), scale=1)
        same(trace[name].numpy().sum(-1), 1, scale=1)


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
    """The last n rows of the causal mask over everything: query i of this segment stands at earlier
    + i.
    """
    allowed = masks.causal(n, earlier)
    assert np.array_equal(allowed.numpy(), np.tri(earlier + n, dtype=bool)[earlier:])
    assert allowed[:, :earlier].all()
    assert torch.equal(allowed[:, earlier:], masks.causal(n))
    assert allowed.sum() == n * (n + 1) // 2 + n * earlier


def cells(n: int, sees) -> np.ndarray:
    """Cell by cell from the sentence."""
    return np.array([[sees(q, k) for k in range(n)] for q in range(n)])


@st.composite
def patterns(draw) -> tuple[str, int, dict, np.ndarray]:
    """A name, a size, the parameters, and the mask read cell by cell from what its sentence
    says.
    """
    n = draw(st.integers(1, 14))
    w, d, a, b = (draw(st.integers(low, n)) for low in (1, 1, 0, 0))
    c = draw(st.sampled_from([c for c in range(1, n + 1) if n % c == 0]))
    rules = {
        "full": ({}, lambda q, k: True),
        "causal": ({}, lambda q, k: k <= q),
        "prefix": ({"prefix": w}, lambda q, k: k <= q or k < w),
        "window": ({"window": w}, lambda q, k: k in range(q - w + 1, q + 1)),
        "dilated": (
            {"window": w, "dilation": d},
            lambda q, k: k in [q - d * step for step in range(w)],
        ),
        "block": (
            {"block": w},
            lambda q, k: any(
                q in span and k in span for span in [range(i, i + w) for i in range(0, n, w)]
            ),
        ),
        "window_2d": (
            {"columns": c, "above": a, "beside": b},
            lambda q, k: k <= q and q // c - k // c <= a and abs(q % c - k % c) <= b,
        ),
    }
    name = draw(st.sampled_from([name for name in masks.MASKS if name != "padding"]))
    parameters, rule = rules[name]
    return name, n, parameters, cells(n, rule)


@settings(max_examples=150, deadline=None)
@given(patterns())
def test_every_pattern_opens_the_cells_its_sentence_says_and_as_many_as_its_closed_form(pattern):
    name, n, parameters, expected = pattern
    row = masks.MASKS[name]
    assert np.array_equal(row(n, **parameters).numpy(), expected)
    text, count = row.count(n, **parameters)
    assert count == expected.sum()
    assert (
        eval(text.replace("x", "*").replace("^", "**").replace("…", "+")) == count or "…" in text
    )  # the arithmetic as it is told


@settings(max_examples=150, deadline=None)
@given(patterns(), st.integers(0, 5))
def test_layers_reach_as_far_back_as_the_law_says(pattern, layers):
    name, n, parameters, expected = pattern
    row = masks.MASKS[name]
    reached = np.linalg.matrix_power(expected.astype(int) + np.eye(n, dtype=int), layers) > 0
    assert np.array_equal(reach(row(n, **parameters), layers).numpy(), reached)
    if row.span is not None:
        assert row.span(n, layers, **parameters)[1] == max(
            q - min(np.flatnonzero(reached[q])) + 1 for q in range(n)
        )


def test_a_dilated_window_reaches_far_and_never_fills_its_gaps():
    """Span L(w-1)d + 1, of which every d-th position: as many as a window of the same w sees, d
    times as far.
    """
    for layers in range(6):
        near, far = (
            reach(masks.window(64, 3), layers)[-1],
            reach(masks.dilated(64, 3, 4), layers)[-1],
        )
        assert near.sum() == far.sum() == 2 * layers + 1
        assert (63 - far.nonzero()).flatten().tolist() == [
            4 * step for step in range(2 * layers, -1, -1)
        ]


def test_dilation_one_is_the_plain_window_and_a_grid_of_one_row_is_too():
    for n, w in [(1, 1), (7, 3), (12, 12)]:
        assert torch.equal(masks.dilated(n, w, 1), masks.window(n, w))
        assert torch.equal(masks.window_2d(n, n, 5, w - 1), masks.window(n, w))
        assert torch.equal(masks.window_2d(n, 1, w - 1, 0), masks.window(n, w))
        assert torch.equal(masks.window_2d(n, 1, n, n), masks.causal(n))


def test_no_number_of_layers_leaves_a_block():
    allowed = masks.block(10, 4)
    assert all(torch.equal(reach(allowed, layers), allowed) for layers in (1, 2, 9))


@pytest.mark.parametrize("stride", [1, 2, 3, 5])
def test_the_strided_pattern_reaches_everything_before_it_in_two_layers(stride):
    """Child et al. 2019: about 2 n sqrt(n) cells instead of n^2 / 2, and no position is further
    than two looks away.
    """
    n = stride**2
    near, far = masks.window(n, stride), masks.dilated(n, stride, stride)
    strided = masks.either(near, far)
    assert torch.equal(reach(strided, 2), masks.causal(n))
    assert torch.equal(masks.both(near, far), torch.eye(n, dtype=torch.bool)) or stride == 1
    assert strided.sum() == near.sum() + far.sum() - n


def bits(n: int):
    return st.lists(st.lists(st.booleans(), min_size=n, max_size=n), min_size=n, max_size=n).map(
        torch.tensor
    )


@settings(max_examples=50, deadline=None)
@given(bits(5), bits(5), st.integers(0, 4))
def test_and_and_or_are_commutative_idempotent_and_know_full_and_nothing(a, b, layers):
    full, nothing = masks.full(5), torch.zeros(5, 5, dtype=torch.bool)
    for join, neutral, absorbing in [(masks.both, full, nothing), (masks.either, nothing, full)]:
        assert torch.equal(join(a, b), join(b, a))
        assert torch.equal(join(a, a), a)
        assert torch.equal(join(a, neutral), a)
        assert torch.equal(join(a, absorbing), absorbing)
    assert torch.equal(masks.both(a, masks.either(a, b)), a)
    assert masks.both(a, b).sum() + masks.either(a, b).sum() == a.sum() + b.sum()
    narrow, wide = reach(masks.both(a, b), layers), reach(masks.either(a, b), layers)
    reach_a, reach_b = reach(a, layers), reach(b, layers)
    assert not (narrow & ~(reach_a & reach_b)).any()
    assert not ((reach_a | reach_b) & ~wide).any()


def test_the_mask_of_a_decoder_for_a_padded_batch_is_causal_and_padding():
    allowed = masks.both(masks.causal(4), masks.padding(4, [4, 2, 0]))
    assert [row.sum() for row in allowed] == [4 + 3 + 2 + 1, 1 + 2 + 2 + 2, 0]
