"""Models of `transformers` with random weights, and ours with the same weights."""

import torch
import transformers
from torch import Tensor, nn

from model.config import Config
from model.transformer import Transformer
from tests.model.support.small import config_of

VOCABULARY, D, HEADS, LAYERS, N = 50, 32, 4, 3, 9
TEXT = torch.randint(3, VOCABULARY, (N,), generator=torch.Generator().manual_seed(0))
TARGET = torch.randint(3, VOCABULARY, (6,), generator=torch.Generator().manual_seed(1))
TOLERANCE = 2e-5


def drawn(model: nn.Module) -> nn.Module:
    """Large enough weights, biases and gains drawn too: a forgotten one shows."""
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn(parameter.shape) * 0.1)
    return model.eval()


def filled(config: Config, weights: dict[str, Tensor]) -> Transformer:
    model = Transformer(config)
    model.load_state_dict(weights)
    return model.requires_grad_(False)


def gain(norm: str, weights: dict[str, Tensor], ours: str) -> dict[str, Tensor]:
    found = {f"{ours}.gain": weights[f"{norm}.weight"]}
    return found | ({f"{ours}.bias": weights[f"{norm}.bias"]} if f"{norm}.bias" in weights else {})


def linear(part: str, weights: dict[str, Tensor], ours: str) -> dict[str, Tensor]:
    """torch.nn.Linear keeps the transpose."""
    found = {f"{ours}.weight": weights[f"{part}.weight"].T}
    return found | ({f"{ours}.bias": weights[f"{part}.bias"]} if f"{part}.bias" in weights else {})


def gpt_2() -> tuple[nn.Module, Transformer]:
    """A tiny GPT-2 made from a config, and our decoder with its weights. The weights are drawn from
    the global generator.
    """
    config = transformers.GPT2Config(
        vocab_size=VOCABULARY,
        n_positions=16,
        n_embd=D,
        n_layer=LAYERS,
        n_head=HEADS,
        attn_implementation="eager",
    )
    theirs = drawn(transformers.GPT2LMHeadModel(config))
    weights = theirs.transformer.state_dict()
    ours = {
        "embedding.token": weights["wte.weight"],
        "embedding.learned": weights["wpe.weight"],
        **gain("ln_f", weights, "decoder.norm"),
    }
    for i in range(LAYERS):
        here, there = f"decoder.{i}", f"h.{i}"
        for kind in ("weight", "bias"):
            parts = weights[f"{there}.attn.c_attn.{kind}"].split(D, dim=-1)
            ours |= {
                f"{here}.attention.{name}.{kind}": part
                for name, part in zip(("query", "key", "value"), parts, strict=True)
            }
            for name, part in (
                ("attention.output", "attn.c_proj"),
                ("feed_forward.hidden", "mlp.c_fc"),
                ("feed_forward.output", "mlp.c_proj"),
            ):
                ours[f"{here}.{name}.{kind}"] = weights[f"{there}.{part}.{kind}"]
        ours |= gain(f"{there}.ln_1", weights, f"{here}.norm1") | gain(
            f"{there}.ln_2", weights, f"{here}.norm2"
        )
    choices = {
        "placement": "pre",
        "positions": "learned",
        "activation": "gelu_tanh",
        "scaled_embedding": False,
    }
    sizes = {
        "d_model": D,
        "n_heads": HEADS,
        "d_ff": 4 * D,
        "n_decoder_layers": LAYERS,
        "max_length": 16,
    }
    return theirs, filled(
        config_of(family="decoder-only", vocabulary_size=VOCABULARY, **sizes, **choices), ours
    )
