"""The zoo: the shipped models. Each is a folder with weights, a card and a tokenizer, and is loaded
only if all files are the ones that its card was written for.
"""

import hashlib
import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeVar

import torch
from safetensors import SafetensorError
from safetensors.torch import load
from torch import nn

from model.answers.answer import Kind
from model.calibration.record import Calibration, read_calibration
from model.config import Config
from model.errors import CorruptWeights, UnknownName
from model.inputs.class_labels import HasClasses
from model.inputs.images import PatchTokenizer
from model.inputs.scenes import SceneTokenizer
from model.inputs.table_rows import RowTokenizer
from model.inputs.text import TextTokenizer
from model.inputs.tokenizers import TOKENIZERS, InputTokenizer
from model.transformer import Transformer
from model.zoo.mapped_weights import with_mapped_weights

WEIGHTS = Path(__file__).parents[1] / "weights"

Network = TypeVar("Network", bound=nn.Module)


@dataclass(frozen=True)
class Model:
    """A model that is ready to run. `kind` says where its weights come from, and `calibration`
    what a model of texts met in training and how sure it may be.
    """

    id: str
    config: Config
    transformer: Transformer
    tokenizer: InputTokenizer
    card: dict
    kind: Kind = "trained"
    calibration: Calibration | None = None

    @property
    def text_tokenizer(self) -> TextTokenizer:
        """The tokenizer of a model that reads text."""
        assert isinstance(self.tokenizer, TextTokenizer), f"{self.id} reads no text"
        return self.tokenizer

    @property
    def patch_tokenizer(self) -> PatchTokenizer:
        """The tokenizer of a model that reads an image."""
        assert isinstance(self.tokenizer, PatchTokenizer), f"{self.id} reads no image"
        return self.tokenizer

    @property
    def scene_tokenizer(self) -> SceneTokenizer:
        """The tokenizer of a model that finds shapes in a picture."""
        assert isinstance(self.tokenizer, SceneTokenizer), f"{self.id} reads no scene"
        return self.tokenizer

    @property
    def row_tokenizer(self) -> RowTokenizer:
        """The tokenizer of a model that reads a row of a table."""
        assert isinstance(self.tokenizer, RowTokenizer), f"{self.id} reads no row of a table"
        return self.tokenizer

    @property
    def classes(self) -> tuple[str, ...]:
        """The names of the classes of a classifier, in the order of its logits."""
        if self.config.n_classes:
            return tuple(self.card["classes"])
        assert isinstance(self.tokenizer, HasClasses), f"{self.id} names no class"
        return self.tokenizer.classes

    def answer_label(self, id: int) -> str:
        """What the logit number `id` is about: a token, or a class."""
        return self.classes[id] if self.config.n_classes else self.tokenizer.label(id)


def ids(folder: Path = WEIGHTS) -> list[str]:
    """The ids of the models in `folder`, in the order of its order.txt; models that order.txt does
    not name follow in alphabetical order.
    """
    found = sorted(path.parent.name for path in folder.glob("*/card.json"))
    order = folder / "order.txt"
    stated = order.read_text(encoding="utf-8").split() if order.is_file() else []
    return [name for name in dict.fromkeys([*stated, *found]) if name in found]


def read_card(id: str, folder: Path = WEIGHTS) -> dict:
    """The card of the model `id` and, as `bytes`, the size of its weights file. Raises
    UnknownName.
    """
    if id not in ids(folder):
        raise UnknownName("model", id, ids(folder))
    card = json.loads((folder / id / "card.json").read_text(encoding="utf-8"))
    # A choice that is younger than the card has its default.
    card["config"] = Config.from_dict(card["config"]).as_dict()
    return card | {"bytes": (folder / id / "model.safetensors").stat().st_size}


@cache
def load_model(id: str, folder: Path = WEIGHTS) -> Model:
    """The shipped model `id`. Raises UnknownName, or CorruptWeights with the reason."""
    card = read_card(id, folder)
    config = Config.from_dict(card["config"])
    transformer = load_weights(
        Transformer(config),
        (folder / id / "model.safetensors").read_bytes(),
        card["weights_sha256"],
    )
    check_digest(
        "encoding", (folder / id / "tokenizer.json").read_bytes(), card["tokenizer_sha256"]
    )
    tokenizer = TOKENIZERS[card["encoding"]].load(folder / id / "tokenizer.json")
    calibration = read_calibration(folder / id, card["weights_sha256"])
    return Model(
        id,
        config,
        with_mapped_weights(transformer, card["weights_sha256"]).eval().requires_grad_(False),
        tokenizer,
        card,
        calibration=calibration,
    )


def check_digest(what: str, content: bytes, sha256: str) -> None:
    """Raises CorruptWeights if `content` does not have the digest `sha256`."""
    if hashlib.sha256(content).hexdigest() != sha256:
        raise CorruptWeights(
            f"The {what} file is not the one its card was written for: its SHA-256 digest differs."
            " Install Vitrine again."
        )


def load_weights(network: Network, content: bytes, sha256: str) -> Network:
    """`network` with the weights of a safetensors file. Raises CorruptWeights for a wrong
    digest, name or shape and for a number that is not finite.
    """
    check_digest("weights", content, sha256)
    try:
        tensors = load(content)
    except SafetensorError as error:
        raise CorruptWeights(f"The weights file is not a safetensors file: {error}.") from error
    expected = {name: tuple(value.shape) for name, value in network.state_dict().items()}
    found = {name: tuple(value.shape) for name, value in tensors.items()}
    for name in expected.keys() | found.keys():
        if expected.get(name) != found.get(name):
            raise CorruptWeights(
                f"The weight {name} has shape {found.get(name)}; the configuration asks for"
                f" {expected.get(name)}."
            )
        if not torch.isfinite(tensors[name]).all():
            raise CorruptWeights(f"The weight {name} holds a number that is not finite.")
    network.load_state_dict(tensors)
    return network
