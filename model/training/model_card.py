"""What a recipe leaves behind: the weights, the encoding and the card that says what they are and
how they were measured.
"""

import hashlib
import json
from dataclasses import asdict
from pathlib import Path

import torch

from model.inputs.tokenizers import InputTokenizer
from model.training.checkpoint import State, save_weights
from model.training.loop import Recipe
from model.transformer import Transformer
from model.zoo.files import write_atomically


def write_model(folder: Path, model: Transformer, tokenizer: InputTokenizer, card: dict) -> dict:
    """Writes model.safetensors, tokenizer.json and card.json; the card is written last and holds
    the digests of both.
    """
    content = save_weights(model)
    write_atomically(folder / "model.safetensors", content)
    encoding = tokenizer.to_str().encode()
    write_atomically(folder / "tokenizer.json", encoding)
    card |= {
        "family": model.config.family,
        "encoding": tokenizer.encoding,
        "config": model.config.as_dict(),
        "parameters": sum(value.numel() for value in model.parameters()),
        "weights_sha256": hashlib.sha256(content).hexdigest(),
        "tokenizer_sha256": hashlib.sha256(encoding).hexdigest(),
    }
    write_atomically(folder / "card.json", json.dumps(card, indent=1, ensure_ascii=False).encode())
    return card


def trained(recipe: Recipe, state: State, seed: int) -> dict:
    """How long and how a model was trained, its teacher's training with it; a recipe adds what it
    read.
    """
    threads = torch.get_num_threads()
    cycles = (*(recipe.teacher.cycles if recipe.teacher else ()), *recipe.cycles)
    return {
        "minutes": round(state.seconds / 60, 1),
        "steps": state.done,
        "seed": seed,
        "cycles": [asdict(cycle) for cycle in cycles],
        "machine": f"{threads} thread{'s' if threads > 1 else ''} of a shared two-core CPU",
    }
