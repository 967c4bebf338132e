"""Teacher forcing: the loss of a batch of pairs, the likelihood of a pair, and distillation."""

import torch
from jaxtyping import Float
from torch import Tensor

from model.inputs.text import TextTokenizer
from model.trace import OFF, Trace
from model.training.data.sentence_pairs import Batch, Pair, make_batch, sentence_key
from model.training.losses.seq2seq_forward import forward_passes
from model.training.schedule import smoothed_cross_entropy
from model.transformer import Transformer

AT_ONCE = 256  # pairs


def teacher_forced_loss(
    model: Transformer, batch: Batch, smoothing: float, trace: Trace
) -> Float[Tensor, ""]:
    """Cross-entropy with label smoothing, averaged over the target tokens of `batch`, in nats."""
    real = batch.expected != batch.pad
    return smoothed_cross_entropy(
        model.unembed(forward_passes(model).teacher_forced_states(model, batch, trace)[real]),
        batch.expected[real],
        smoothing,
    )


@torch.inference_mode()
def log_likelihood(model: Transformer, batch: Batch) -> Float[Tensor, " batch"]:
    """The mean of ln p over the tokens of each target in `batch`, including the end token."""
    log_p = (
        model.unembed(forward_passes(model).teacher_forced_states(model, batch, OFF))
        .log_softmax(-1)
        .gather(-1, batch.expected[..., None])[..., 0]
    )
    real = batch.expected != batch.pad
    return (log_p * real).sum(-1) / real.sum(-1)


def distil(model: Transformer, tokenizer: TextTokenizer, pairs: list[Pair]) -> list[Pair]:
    """One pair for every source sentence, with the translation that `model` finds most likely.

    This follows sequence-level interpolation (Kim and Rush 2016, section 3.3): a student learns one
    translation per sentence, chosen by the teacher from human translations.
    """
    several: dict[str, list[Pair]] = {}
    for pair in pairs:
        several.setdefault(sentence_key(pair[0]), []).append(pair)
    ambiguous = [pair for choices in several.values() if len(choices) > 1 for pair in choices]
    found = {}
    for start in range(0, len(ambiguous), AT_ONCE):
        some = ambiguous[start : start + AT_ONCE]
        sides = [
            [
                encoding.ids
                for encoding in tokenizer.backend.encode_batch([pair[side] for pair in some])
            ]
            for side in (0, 1)
        ]
        batch = make_batch(list(zip(*sides, strict=True)), tokenizer.frame)
        found |= zip(some, log_likelihood(model, batch).tolist(), strict=True)
    return [max(choices, key=lambda pair: found.get(pair, 0.0)) for choices in several.values()]
