"""The model zoo: the included models, and those added by users. An included model is a folder with
weights, a card, and a tokenizer, and is loaded only if all files are those that its card was
written for. A user's own model is read from the folder named in its card.
"""

import hashlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import torch
from cachetools import LRUCache
from safetensors import SafetensorError
from safetensors.torch import load
from torch import nn

from model import hub
from model.answers.answer import Kind
from model.calibration.record import Calibration, read_calibration
from model.config import Config
from model.errors import CorruptWeights, NotRead
from model.hub.pictures import picture_tokenizer
from model.inputs.class_labels import HasClasses
from model.inputs.hub_text import HubTokenizer
from model.inputs.images import PatchTokenizer
from model.inputs.scenes import SceneTokenizer
from model.inputs.table_rows import RowTokenizer
from model.inputs.text import TextTokenizer
from model.inputs.tokenizers import TOKENIZERS, InputTokenizer
from model.transformer import Transformer
from model.zoo.cards import (
    WEIGHTS,
    folder_of,
    ids,
    own_file,
    read_card,
    trained_here,
    version,
)
from model.zoo.mapped_weights import with_mapped_weights

__all__ = ["WEIGHTS", "Model", "ids", "load_model", "read_card"]

Network = TypeVar("Network", bound=nn.Module)


@dataclass(frozen=True)
class Model:
    """A model that is ready to run. `kind` is the provenance of its weights, and `calibration` what
    a text model saw in training and how reliable its confidence is.
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
        """The tokenizer of an object detector."""
        assert isinstance(self.tokenizer, SceneTokenizer), f"{self.id} reads no scene"
        return self.tokenizer

    @property
    def row_tokenizer(self) -> RowTokenizer:
        """The tokenizer of a model that reads a table row."""
        assert isinstance(self.tokenizer, RowTokenizer), f"{self.id} reads no row of a table"
        return self.tokenizer

    @property
    def classes(self) -> tuple[str, ...]:
        """The class names of a classifier, in the order of its logits."""
        if self.config.classifies_text:
            return tuple(self.card["classes"])
        assert isinstance(self.tokenizer, HasClasses), f"{self.id} names no class"
        return self.tokenizer.classes

    def answer_label(self, id: int) -> str:
        """The label of logit number `id`: a token, or a class."""
        return self.classes[id] if self.config.classifies_text else self.tokenizer.label(id)


class ModelCache(LRUCache[tuple, Model]):
    """The models in memory, by id, folder, and version, up to a maximum number of bytes of weights.
    The least recently used is evicted first, and `forget` is called with each evicted model.
    """

    def __init__(self, most: int, forget: Callable[[Model], None] = lambda model: None):
        super().__init__(most, getsizeof=lambda model: bytes_of(model.transformer))
        self.forget = forget

    def __delitem__(self, key: tuple, **more: Any) -> None:
        model = self[key]
        super().__delitem__(key, **more)
        self.forget(model)

    def make_room(self, needed: int) -> None:
        while self and self.currsize + needed > self.maxsize:
            self.popitem()


class InMemory:
    """The models in memory of this process. The worker sets the limit from its settings."""

    models = ModelCache(2_147_483_648)


SINGLE = 4  # bytes of a float32


def load_model(id: str, folder: Path | None = None) -> Model:
    """The model `id`, included or a user's own, or the one in `folder`. It is loaded when first
    requested. Raises UnknownName, CorruptWeights with the reason, or NotRead for a user's own model
    that can no longer be read.
    """
    key = id, folder, version(id) if folder is None else ""
    cached = InMemory.models
    model = cached.get(key)
    if model is None:
        for other in [other for other in cached if other[:2] == key[:2]]:
            del cached[other]  # an earlier version of the files
        added = folder is None and own_file(id) is not None
        model = load_own(id) if added else load_shipped(id, folder or WEIGHTS)
        with suppress(ValueError):  # larger than the whole cache
            cached[key] = model
    return model


def load_shipped(id: str, folder: Path) -> Model:
    """The model `id` in a folder, as described by its card."""
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


def load_own(id: str) -> Model:
    """The user's own model `id`, from the folder named in its card. Raises NotRead."""
    folder, card = folder_of(id), read_card(id)
    if trained_here(card):
        return load_shipped(id, folder.parent)
    needed = SINGLE * card["parameters"]
    check_room(id, needed, InMemory.models.maxsize)
    InMemory.models.make_room(needed)
    tokenizer = own_tokenizer(folder, Config.from_dict(card["config"]), card.get("classes", []))
    config, transformer = hub.load(folder, separator_of(tokenizer))
    network = with_mapped_weights(transformer, card["weights_sha256"])
    return Model(id, config, network, tokenizer, card, kind="yours")


def own_tokenizer(folder: Path, config: Config, classes: list[str]) -> InputTokenizer:
    """How the model in `folder` tokenizes texts or pictures. Raises NotRead."""
    if config.inputs == "patches":
        return picture_tokenizer(folder, config, classes)
    tokenizer = HubTokenizer.load(folder)
    check_embedded(tokenizer, config.vocabulary_size, folder)
    if config.family == "encoder-decoder" and not tokenizer.frame.ends:
        raise NotRead("no-end-of-text", folder=folder.name)
    return tokenizer


def separator_of(tokenizer: InputTokenizer) -> int:
    """The id after which a pair has its second segment; 0 if there is none."""
    return tokenizer.separator if isinstance(tokenizer, HubTokenizer) else 0


def check_embedded(tokenizer: TextTokenizer, rows: int, folder: Path) -> None:
    """Raises NotRead if a text could contain a token that is not in the embedding, which has `rows`
    rows. A token that never occurs in text, such as padding, may be outside.
    """
    frame = tokenizer.frame
    pieces = set(tokenizer.backend.get_vocab().values()) - frame.special
    last = max(pieces | {frame.start, *frame.before, *frame.after})
    if last >= rows:
        raise NotRead("tokenizer-of-another-model", folder=folder.name, last=last, rows=rows)


def check_room(id: str, needed: float, most: float) -> None:
    """Raises NotRead for a model with more bytes than the maximum in memory."""
    if needed > most:
        raise NotRead("model-too-large", id=id, gigabytes=needed / 1e9, most=most / 1e9)


def bytes_of(network: nn.Module) -> int:
    """The bytes of the parameters of a network."""
    return sum(value.numel() * value.element_size() for value in network.parameters())


def check_digest(what: str, content: bytes, sha256: str) -> None:
    """Raises CorruptWeights if `content` does not have the digest `sha256`."""
    if hashlib.sha256(content).hexdigest() != sha256:
        raise CorruptWeights("file-changed", file=what)


def load_weights(network: Network, content: bytes, sha256: str) -> Network:
    """`network` with the weights of a safetensors file. Raises CorruptWeights for a wrong digest,
    name, or shape, and for a number that is not finite.
    """
    check_digest("weights", content, sha256)
    try:
        tensors = load(content)
    except SafetensorError as error:
        raise CorruptWeights("weights-no-safetensors", error=error) from error
    expected = {name: tuple(value.shape) for name, value in network.state_dict().items()}
    found = {name: tuple(value.shape) for name, value in tensors.items()}
    for name in expected.keys() | found.keys():
        if expected.get(name) != found.get(name):
            raise CorruptWeights(
                "weight-of-another-shape",
                name=name,
                found=str(found.get(name)),
                expected=str(expected.get(name)),
            )
        if not torch.isfinite(tensors[name]).all():
            raise CorruptWeights("weight-not-finite", name=name)
    network.load_state_dict(tensors)
    return network
