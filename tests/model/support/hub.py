"""Models of `transformers` with random weights, and ours with the same weights."""

from pathlib import Path
from tempfile import TemporaryDirectory

import torch
import transformers
from torch import nn

from model.hub import load
from model.transformer import Transformer

VOCABULARY, D, HEADS, LAYERS, N = 50, 32, 4, 3, 9
TEXT = torch.randint(3, VOCABULARY, (N,), generator=torch.Generator().manual_seed(0))
TARGET = torch.randint(3, VOCABULARY, (6,), generator=torch.Generator().manual_seed(1))
Both = tuple[nn.Module, Transformer]

SIZES = {
    "hidden_size": D,
    "num_hidden_layers": LAYERS,
    "num_attention_heads": HEADS,
    "intermediate_size": 48,
    "attn_implementation": "eager",
}


def with_random_weights(model: nn.Module) -> Both:
    """The model with large enough weights, biases and gains, so that a forgotten one shows, and
    ours, read from what the model saves. The weights are drawn from the global generator.
    """
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn(parameter.shape) * 0.1)
    with TemporaryDirectory() as folder:
        model.save_pretrained(folder)
        return model.eval(), load(Path(folder))[1]


def gpt_2() -> Both:
    config = transformers.GPT2Config(
        vocab_size=VOCABULARY,
        n_positions=16,
        n_embd=D,
        n_layer=LAYERS,
        n_head=HEADS,
        attn_implementation="eager",
    )
    return with_random_weights(transformers.GPT2LMHeadModel(config))


def bert() -> Both:
    config = transformers.BertConfig(vocab_size=VOCABULARY, max_position_embeddings=16, **SIZES)
    return with_random_weights(transformers.BertForMaskedLM(config))


def vit() -> Both:
    config = transformers.ViTConfig(
        image_size=8, patch_size=2, num_channels=3, num_labels=10, **SIZES
    )
    return with_random_weights(transformers.ViTForImageClassification(config))


def t5() -> Both:
    config = transformers.T5Config(
        vocab_size=VOCABULARY,
        d_model=D,
        d_kv=D // HEADS,
        d_ff=48,
        num_layers=LAYERS,
        num_decoder_layers=2,
        num_heads=HEADS,
        feed_forward_proj="relu",
        attn_implementation="eager",
    )
    return with_random_weights(transformers.T5ForConditionalGeneration(config))
