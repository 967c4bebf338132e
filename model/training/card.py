"""What a recipe leaves behind: the weights, the encoding and the card that says what they are and how they were measured."""

import hashlib
import json
from pathlib import Path

from model.inputs.codecs import Codec
from model.training.checkpoint import save_weights, write_atomically
from model.transformer import Transformer


def write_model(folder: Path, model: Transformer, codec: Codec, card: dict) -> dict:
    """Writes model.safetensors, tokenizer.json and card.json; the card is written last and holds the digests of both."""
    content = save_weights(model)
    write_atomically(folder / "model.safetensors", content)
    encoding = codec.to_str().encode()
    write_atomically(folder / "tokenizer.json", encoding)
    card |= {
        "family": model.config.family,
        "encoding": codec.encoding,
        "config": model.config.as_dict(),
        "parameters": sum(value.numel() for value in model.parameters()),
        "weights_sha256": hashlib.sha256(content).hexdigest(),
        "tokenizer_sha256": hashlib.sha256(encoding).hexdigest(),
    }
    write_atomically(folder / "card.json", json.dumps(card, indent=1, ensure_ascii=False).encode())
    return card
