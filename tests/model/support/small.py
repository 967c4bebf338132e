"""Small random models and what they read: enough of everything for an identity to fail on, small
enough to run in milliseconds.
"""

from collections.abc import Mapping

import torch
from torch import Tensor

from model.config import Config
from model.layers import masks
from model.trace import OFF, Recorder, Trace
from model.transformer import Transformer
from model.zoo.initialisation import initialise

SOURCE = torch.tensor([1, 9, 4, 7, 5, 11, 2])
TARGET = torch.tensor([1, 6, 8, 3, 10])
LAYERS = {
    "encoder-only": {"n_encoder_layers": 2},
    "decoder-only": {"n_decoder_layers": 2},
    "encoder-decoder": {"n_encoder_layers": 2, "n_decoder_layers": 2},
    "prefix": {"n_decoder_layers": 2},
}


def config_of(**choices) -> Config:
    """A configuration whose sizes are named as in a card."""
    return Config.from_dict(choices)


def small(
    family: str = "encoder-decoder", *, dtype: torch.dtype = torch.float64, seed: int = 0, **choices
) -> Transformer:
    """Biases and gains are drawn as well: at their starting values of 0 and 1 a forgotten one would
    not show.
    """
    sizes = {"vocabulary_size": 13, "d_model": 16, "n_heads": 4, "d_ff": 24, "max_length": 32}
    generator = torch.Generator().manual_seed(seed)
    model = initialise(
        Transformer(config_of(family=family, **{**sizes, **LAYERS[family], **choices})), generator
    )
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() == 1:
                parameter += 0.3 * torch.randn(parameter.shape, generator=generator)
    return model.to(dtype).requires_grad_(False)


def translate(
    model: Transformer,
    source: Tensor = SOURCE,
    target: Tensor = TARGET,
    trace: Trace = OFF,
    source_allowed: Tensor | None = None,
) -> Tensor:
    """The logits of teacher forcing. `source_allowed` [query, key] hides what is padding from
    encoder and decoder.
    """
    allowed = (
        torch.ones(1, source.shape[-1], dtype=torch.bool)
        if source_allowed is None
        else source_allowed
    )
    mask = allowed
    memory = model.encode(source, mask, trace)
    return model.unembed(
        model.decode(target, masks.causal(target.shape[-1]), memory, mask, trace),
        trace,
    )


def continue_text(
    model: Transformer, text: Tensor = SOURCE, allowed: Tensor | None = None, trace: Trace = OFF
) -> Tensor:
    """The logits of a model of one stack: all is seen in an encoder, what came before in a decoder,
    unless `allowed` says otherwise.
    """
    (stack,) = model.config.stacks
    of_stack = {"encoder": masks.full, "decoder": masks.causal}[stack](text.shape[-1])
    forward = {"encoder": model.encode, "decoder": model.decode}[stack]
    return model.unembed(
        forward(text, (of_stack if allowed is None else allowed), trace=trace), trace
    )


def traced(model: Transformer, **inputs) -> Mapping[str, Tensor]:
    """Everything one forward pass records."""
    trace = Recorder()
    (translate if model.config.cross else continue_text)(model, trace=trace, **inputs)
    return trace.values


def largest_difference(a: Tensor, b: Tensor) -> float:
    assert a.shape == b.shape
    return (a - b).abs().max().item()
