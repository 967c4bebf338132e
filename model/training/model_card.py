"""`Card`: what a recipe reports about its model. `write_model` writes the files of an included
model: its weights, its tokenizer, and the card.
"""

import hashlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from model.inputs.tokenizers import InputTokenizer
from model.training.checkpoint import save_weights
from model.transformer import Transformer
from model.zoo.files import write_atomically, write_json


@dataclass(frozen=True, kw_only=True)
class Card:
    """What a recipe reports about the model it has trained; `finish` adds the rest of card.json.

    `limits` are numbers of tokens, words, or shapes, and `columns` the valid values of table
    columns. `quality` holds the measures by name, each a `value` with a sentence `how`. `training`
    has facts that only this recipe reports. `kept` describes the checkpoints that are included.
    `held_out` has what was measured on held-out table rows and is plotted. `files` are additional
    files by name, written next to the weights.
    """

    name: str
    modality: Literal["text", "image", "table"]
    task: str
    limits: dict[str, int]
    columns: list[dict[str, Any]] | None = None
    quality: dict[str, dict[str, Any]]
    training: dict[str, Any]
    kept: dict[str, Any] | None = None
    split: str
    data_notice: str
    examples: list[dict[str, Any]]
    held_out: dict[str, Any] | None = None
    files: dict[str, bytes] = field(default_factory=dict)


def write_model(
    folder: Path, model: Transformer, tokenizer: InputTokenizer, card: dict[str, Any]
) -> dict[str, Any]:
    """Writes model.safetensors, tokenizer.json, and card.json to `folder` and returns the card. The
    card is written last and holds the digests of the other two files.
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
    write_json(folder / "card.json", card)
    return card
