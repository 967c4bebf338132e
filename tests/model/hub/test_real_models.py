"""Two models that were really trained give the numbers of transformers, where their folders are:
VITRINE_REAL_MODELS names the folder that `tools/real-models` of the project made.
"""

import os
from pathlib import Path

import pytest
import torch
import transformers

from model.hub import load
from tests.model.support.hub_numbers import our_numbers, their_numbers
from tests.rounding import SINGLE, same

FOLDER = os.environ.get("VITRINE_REAL_MODELS", "")
pytestmark = pytest.mark.skipif(not FOLDER, reason="VITRINE_REAL_MODELS names no folder")


def both(name: str, kind, text: str) -> tuple[dict, dict, transformers.PreTrainedTokenizerBase]:
    """What transformers and ours compute of a text."""
    folder = Path(FOLDER) / name
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    inputs = {"input_ids": tokenizer(text, return_tensors="pt")["input_ids"]}
    theirs = kind.from_pretrained(folder, attn_implementation="eager", dtype=torch.float32)
    config, ours = load(folder)
    return their_numbers(theirs.eval(), config, inputs), our_numbers(ours, inputs), tokenizer


def farthest_share(theirs: dict, ours: dict) -> float:
    """The largest difference, as a share of the largest number of its tensor where that is above
    1: the first token of a Llama has streams of 20,000.
    """
    return max(
        float((ours[name] - value).abs().max() / value.abs().max().clamp(min=1))
        for name, value in theirs.items()
    )


def test_a_sentence_encoder_has_the_streams_of_transformers_at_every_layer():
    text = "The quick brown fox jumps over the lazy dog, and nobody minds."
    theirs, ours, _ = both("minilm", transformers.AutoModel, text)
    assert farthest_share(theirs, ours) < 1e-5


def test_a_small_llama_says_paris_with_the_probability_of_transformers():
    text = "The capital of France is"
    theirs, ours, tokenizer = both("smollm2", transformers.AutoModelForCausalLM, text)
    assert farthest_share(theirs, ours) < 1e-5
    chances, expected = (numbers["logits"][-1].softmax(-1) for numbers in (ours, theirs))
    assert tokenizer.decode([int(chances.argmax())]) == " Paris"
    same(float(chances.max()), float(expected.max()), SINGLE, scale=1)
