"""Memory length: how well a model with segment recurrence predicts a text, by the number of inputs
that each layer remembers.
"""

import math

import torch
from jaxtyping import Float
from torch import Tensor

from model import progress
from model.answers.answer import Axis, Labelled, numbered
from model.answers.measurements import Finding, analytic, exact
from model.errors import InvalidInput
from model.generation.segment_recurrence import negative_log_likelihood
from model.layers import masks
from model.measure.memory_laws import LAWS
from model.runs.text import read
from model.zoo.models import Model

Bits = Float[Tensor, " memory"]


@torch.inference_mode()
def memory_lengths(
    model: Model, text: str | None
) -> tuple[dict[str, Axis], dict[str, Labelled], list[Finding]]:
    """Axes, tensors, and findings. `held_out` [memory] is the card's measure on the held-out text,
    and `bits` [memory] is the same measure for `text`, by default the first example.

    Both are in bits per character: -log2 p, summed over the tokens and divided by the number of
    characters. The first tokens of a text have less context, so `bits` is too high for a short
    text.
    """
    measured, config = model.card["quality"]["memory"], model.config
    text = model.card["examples"][0]["input"]["text"] if text is None else text
    ids = [token.id for token in read(model, "text", text, end=False)][1:]
    if len(ids) < 2:
        raise InvalidInput("memory-needs-two-tokens", field="text", limit=2, given=len(ids))
    window, lengths = torch.tensor([ids]), measured["lengths"]
    held_out = torch.tensor(measured["bits_per_character"], dtype=torch.float64)
    bits = bits_of(model, window, lengths) / len(text)
    axes = {"memory": numbered("step", lengths, "inputs remembered", "tokens", ids=lengths)}
    formula = "-sum log2 p / characters, each layer remembering so many inputs"
    tensors = {
        "held_out": Labelled(("memory",), held_out, formula),
        "bits": Labelled(("memory",), bits.double(), formula),
    }
    assert config.segments is not None, "the model reads its text in segments"
    memory = config.segments.memory
    findings = [
        *held_out_findings(held_out, lengths, memory),
        exact(LAWS["cached"], cached_less_whole(model, window)),
        analytic(
            LAWS["reach"].with_numbers(layers=config.n_decoder_layers, kept=memory),
            config.n_decoder_layers * memory,
        ),
    ]
    return axes, tensors, findings


def bits_of(model: Model, window: Tensor, lengths: list[int]) -> Bits:
    """-log2 p in bits, summed over all tokens of the text, for each memory length."""
    return torch.stack(
        [nats(model, window, memory).sum() for memory in progress.steps(lengths)]
    ) / math.log(2)


def held_out_findings(held_out: Bits, lengths: list[int], memory: int) -> list[Finding]:
    """The findings about the held-out text; `memory` is the length used in training."""
    at = lengths.index(memory)
    return [
        exact(LAWS["saved"].with_numbers(kept=memory), float(held_out[0] - held_out[at])),
        exact(
            LAWS["beyond"].with_numbers(longest=lengths[-1], kept=memory),
            float(held_out[-1] - held_out[at]),
        ),
    ]


def cached_less_whole(model: Model, window: Tensor) -> Tensor:
    """The largest difference in -ln p between segments that remember everything and the text in a
    single pass.
    """
    start = torch.full_like(window[:, :1], model.text_tokenizer.frame.start)
    ids = torch.cat([start, window[:, :-1]], dim=1)
    mask = masks.causal(ids.shape[1])[None]
    logits = model.transformer.unembed(model.transformer.decode(ids, mask))
    whole = -logits.log_softmax(-1).gather(-1, window[..., None])[..., 0]
    return (nats(model, window, ids.shape[1]) - whole).abs().max()


def nats(model: Model, window: Tensor, memory: int) -> Tensor:
    """-ln p of every token, with each layer remembering `memory` inputs."""
    start = model.text_tokenizer.frame.start
    return negative_log_likelihood(model.transformer, window, memory, start)
