"""Teacher forcing: how a model learns from a pair, and how likely it finds one."""

import torch
from jaxtyping import Float
from torch import Tensor

from model.inputs.text import PAD, TextCodec
from model.trace import OFF, Trace
from model.training.data.sentence_pairs import Batch, Pair, make_batch, sentence_key
from model.training.losses.seq2seq_forward import reading
from model.training.schedule import smoothed_cross_entropy
from model.transformer import Transformer

AT_ONCE = 256  # pairs


def teacher_forced(
    model: Transformer, batch: Batch, smoothing: float, trace: Trace
) -> Float[Tensor, ""]:
    """The mean loss in nats a token."""
    real = batch.expected != PAD
    return smoothed_cross_entropy(
        model.unembed(reading(model).taught(model, batch, trace)[real]),
        batch.expected[real],
        smoothing,
    )


@torch.inference_mode()
def log_likelihood(model: Transformer, batch: Batch) -> Float[Tensor, " batch"]:
    """The mean of ln p over the tokens of each target, </s> included."""
    log_p = (
        model.unembed(reading(model).taught(model, batch, OFF))
        .log_softmax(-1)
        .gather(-1, batch.expected[..., None])[..., 0]
    )
    real = batch.expected != PAD
    return (log_p * real).sum(-1) / real.sum(-1)


def likeliest(model: Transformer, codec: TextCodec, pairs: list[Pair]) -> list[Pair]:
    """Of every source sentence the one translation that `model` finds likeliest.

    After sequence-level interpolation (Kim and Rush 2016, section 3.3): what is learned from has
    one way to say each thing, the model's own choice among those that people gave.
    """
    several: dict[str, list[Pair]] = {}
    for pair in pairs:
        several.setdefault(sentence_key(pair[0]), []).append(pair)
    asked = [pair for choices in several.values() if len(choices) > 1 for pair in choices]
    found = {}
    for start in range(0, len(asked), AT_ONCE):
        some = asked[start : start + AT_ONCE]
        sides = [
            [
                encoding.ids
                for encoding in codec.tokenizer.encode_batch([pair[side] for pair in some])
            ]
            for side in (0, 1)
        ]
        found |= zip(
            some,
            log_likelihood(model, make_batch(list(zip(*sides, strict=True)))).tolist(),
            strict=True,
        )
    return [max(choices, key=lambda pair: found.get(pair, 0.0)) for choices in several.values()]
