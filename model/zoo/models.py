"""The zoo: shipped models, each a folder with its weights, its card and its encoding; nothing is
loaded that is not what its card says.
"""

import hashlib
import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load

from model.answers.answer import Kind
from model.config import Config
from model.errors import CorruptWeights, UnknownName
from model.inputs.images import PatchCodec
from model.inputs.scenes import SceneCodec
from model.inputs.table_rows import ColumnCodec
from model.inputs.text import TextCodec
from model.inputs.tokenizers import CODECS, Codec
from model.transformer import Transformer

WEIGHTS = Path(__file__).parents[1] / "weights"


@dataclass(frozen=True)
class Model:
    """A model ready to run. `kind` says where its weights come from."""

    id: str
    config: Config
    transformer: Transformer
    codec: Codec
    card: dict
    kind: Kind = "trained"

    @property
    def text_codec(self) -> TextCodec:
        """The codec of a model that reads text."""
        assert isinstance(self.codec, TextCodec), f"{self.id} reads no text"
        return self.codec

    @property
    def patch_codec(self) -> PatchCodec:
        """The codec of a model that reads an image."""
        assert isinstance(self.codec, PatchCodec), f"{self.id} reads no image"
        return self.codec

    @property
    def scene_codec(self) -> SceneCodec:
        """The codec of a model that finds shapes in a picture."""
        assert isinstance(self.codec, SceneCodec), f"{self.id} reads no scene"
        return self.codec

    @property
    def column_codec(self) -> ColumnCodec:
        """The codec of a model that reads a row of a table."""
        assert isinstance(self.codec, ColumnCodec), f"{self.id} reads no row of a table"
        return self.codec

    @property
    def classes(self) -> tuple[str, ...]:
        """The names of what a model can say that names a class, in the order of its logits."""
        assert not isinstance(self.codec, TextCodec), f"{self.id} names no class"
        return self.codec.classes


def ids(folder: Path = WEIGHTS) -> list[str]:
    """In the order of `order.txt`; what it does not name comes after, by name."""
    found = sorted(path.parent.name for path in folder.glob("*/card.json"))
    order = folder / "order.txt"
    stated = order.read_text(encoding="utf-8").split() if order.is_file() else []
    return [name for name in dict.fromkeys([*stated, *found]) if name in found]


def read_card(id: str, folder: Path = WEIGHTS) -> dict:
    """What the model says of itself, and how many `bytes` its weights take. Raises UnknownName."""
    if id not in ids(folder):
        raise UnknownName("model", id, ids(folder))
    card = json.loads((folder / id / "card.json").read_text(encoding="utf-8"))
    card["config"] = Config(
        **card["config"]
    ).as_dict()  # a choice that is younger than the card has its default
    return card | {"bytes": (folder / id / "model.safetensors").stat().st_size}


@cache
def load_model(id: str, folder: Path = WEIGHTS) -> Model:
    """The shipped model `id`. Raises UnknownName, or CorruptWeights with the reason."""
    card = read_card(id, folder)
    config = Config(**card["config"])
    transformer = load_weights(
        Transformer(config),
        (folder / id / "model.safetensors").read_bytes(),
        card["weights_sha256"],
    )
    check_digest(
        "encoding", (folder / id / "tokenizer.json").read_bytes(), card["tokenizer_sha256"]
    )
    codec = CODECS[card["encoding"]].load(folder / id / "tokenizer.json")
    return Model(id, config, transformer.eval().requires_grad_(False), codec, card)


def check_digest(what: str, content: bytes, sha256: str) -> None:
    if hashlib.sha256(content).hexdigest() != sha256:
        raise CorruptWeights(
            f"The {what} file is not the one its card was written for: its SHA-256 digest differs."
            " Install Vitrine again."
        )


def load_weights(transformer: Transformer, content: bytes, sha256: str) -> Transformer:
    """Fills `transformer`; a wrong digest, name, shape or a number that is not finite is refused in
    a sentence.
    """
    check_digest("weights", content, sha256)
    try:
        tensors = load(content)
    except SafetensorError as error:
        raise CorruptWeights(f"The weights file is not a safetensors file: {error}.") from error
    expected = {name: tuple(value.shape) for name, value in transformer.state_dict().items()}
    found = {name: tuple(value.shape) for name, value in tensors.items()}
    for name in expected.keys() | found.keys():
        if expected.get(name) != found.get(name):
            raise CorruptWeights(
                f"The weight {name} has shape {found.get(name)}; the configuration asks for"
                f" {expected.get(name)}."
            )
        if not torch.isfinite(tensors[name]).all():
            raise CorruptWeights(f"The weight {name} holds a number that is not finite.")
    transformer.load_state_dict(tensors)
    return transformer
