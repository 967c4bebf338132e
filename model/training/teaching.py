"""Teacher forcing: how an encoder-decoder learns from a pair."""

from jaxtyping import Float
from torch import Tensor

from model import masks
from model.inputs.text import PAD
from model.trace import Trace
from model.training.optimisation import smoothed_cross_entropy
from model.training.pairs import Batch
from model.transformer import Transformer


def teacher_forced(model: Transformer, batch: Batch, smoothing: float, trace: Trace) -> Float[Tensor, ""]:
    """The mean loss in nats a token: every target position learns at once, each seeing only what came before it."""
    source_mask = masks.additive((batch.source != PAD)[:, None, :])
    target_mask = masks.additive(masks.causal(batch.target.shape[1]))[None]
    memory = model.encode(batch.source, source_mask, trace)
    x = model.decode(batch.target, target_mask, memory, source_mask, trace)
    real = batch.expected != PAD
    return smoothed_cross_entropy(model.unembed(x[real]), batch.expected[real], smoothing)
