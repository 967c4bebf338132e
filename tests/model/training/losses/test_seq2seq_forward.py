"""How each family reads a pair: in a padded batch as each pair alone, and one stack as two."""

import pytest
import torch

from model.inputs.text import TextTokenizer
from model.trace import OFF, Recorder
from model.training.data.sentence_pairs import make_batch
from model.training.losses.seq2seq_forward import forward_passes
from model.training.losses.teacher_forcing import log_likelihood, teacher_forced_loss
from tests.model.support.small import small
from tests.rounding import same

PAD, START = 0, 1
FRAME = TextTokenizer.frame

FAMILIES = pytest.mark.parametrize("family", ["encoder-decoder", "prefix"])
PAIRS = [([9, 4, 7], [6, 8]), ([5], [3, 10, 11, 4, 12]), ([3, 4, 5, 6, 7, 8], [9])]
FRAMED = [([START, *source, 2], [START, *target]) for source, target in PAIRS]


@FAMILIES
def test_a_padded_batch_is_each_pair_alone(family):
    model, batch = small(family), make_batch(PAIRS, FRAME)
    assert (batch.source == PAD).any()
    assert (batch.target == PAD).any()
    together = model.unembed(forward_passes(model).teacher_forced_states(model, batch, OFF))
    assert together.shape == (*batch.target.shape, 13)
    for row, (source, target) in zip(together, FRAMED, strict=True):
        expected = forward_passes(model).logits(model, source, target, OFF)
        same(row[: len(target)], expected, scale=1)


@FAMILIES
def test_the_loss_is_of_the_target_alone_and_its_likelihood_the_mean_over_its_tokens(family):
    model, batch = small(family), make_batch(PAIRS, FRAME)
    by_pair = []
    for source, target in FRAMED:
        log_p = forward_passes(model).logits(model, source, target, OFF).log_softmax(-1)
        by_pair.append(torch.stack([log_p[i, id] for i, id in enumerate([*target[1:], 2])]))
    same(
        teacher_forced_loss(model, batch, 0.0, OFF),
        -torch.cat(by_pair).mean(),
        scale=1,
    )
    same(log_likelihood(model, batch), [row.mean() for row in by_pair], scale=1)


@FAMILIES
def test_what_is_looked_at_is_the_source_from_the_rows_of_the_target(family):
    model = small(family)
    (source, target), *_ = FRAMED
    trace = Recorder()
    forward_passes(model).logits(model, source, target, trace)
    pattern = forward_passes(model).cross_attention(trace.values, 1, len(source))
    assert pattern.shape == (4, len(target), len(source))
    within = pattern.sum(-1)
    assert (within <= 1 + 1e-12).all()
    assert (within > 0).all()


@FAMILIES
def test_sources_of_several_lengths_are_gone_on_from_as_each_alone(family):
    model = small(family, seed=4)
    sources = [source for source, _ in FRAMED] + [FRAMED[0][0][::-1]]
    together = forward_passes(model).greedy(model, sources, 7, FRAME)
    assert together == [
        forward_passes(model).greedy(model, [source], 7, FRAME)[0] for source in sources
    ]
    for source, text in zip(sources, together, strict=True):
        best = forward_passes(model).logits(model, source, [START, *text], OFF).argmax(-1).tolist()
        assert best[: len(text)] == text
        assert len(text) == 7 or best[len(text)] == 2
