"""Adds and removes users' own models. Only the card is written: the weights stay in their folder
and are read when needed.
"""

import hashlib
import re
from pathlib import Path
from typing import Any

from model import hub
from model.config import Config
from model.errors import InvalidInput, UnknownName
from model.inputs.foreign_tokenizer import probe
from model.inputs.hub_text import FILE as TOKENIZER
from model.inputs.hub_text import TEMPLATE, HubTokenizer
from model.zoo.cards import (
    FILE,
    NAME,
    YOURS,
    Card,
    is_shipped,
    own_card,
    own_ids,
    shelf,
    stamp,
    trained_here,
)
from model.zoo.files import write_json
from model.zoo.models import SINGLE, check_room, own_tokenizer

READ = (
    *("*.safetensors", "*.json", "*.spm", "spiece.model", "vocab.txt", "merges.txt"),
    TEMPLATE,
)
"""The files that a model is read from."""


def name_for(title: str) -> str:
    """A valid name made from that of a folder: My Model 2 becomes my-model-2. Raises
    InvalidInput.
    """
    name = re.sub(r"[^a-z0-9._-]+", "-", title.lower()).strip("-._")[:40].rstrip("-._")
    if not name:
        raise InvalidInput("no-name-of-title", title=title[:40])
    return name


def check_name(id: str) -> None:
    """Raises InvalidInput for a name that is not valid in a URL, or that belongs to an included
    model.
    """
    if not NAME.fullmatch(id):
        raise InvalidInput("name-not-of-an-address", id=id[:60])
    if is_shipped(id):
        raise InvalidInput("name-of-a-shipped-model", id=id)


def check_taken(id: str, folder: Path) -> None:
    """Raises InvalidInput for a name used by the model of another folder."""
    other = own_card(id)
    if other is not None and Path(other["folder"]) != folder:
        raise InvalidInput("name-taken", id=id, folder=Path(other["folder"]).name)


def add_model(folder: Path, id: str, source: str, most: int) -> Card:
    """Reads the model in `folder` once, to validate it, and writes its card. `source` is the name
    of its origin, and `most` the maximum number of bytes in float32. Raises InvalidInput for its
    name, and NotRead.
    """
    folder = folder.resolve()
    check_name(id)
    check_taken(id, folder)
    described: dict[str, Any] = hub.describe(folder)
    check_room(id, described["bytes"], most)  # the weights of most files are larger in float32
    config = Config.from_dict(described["config"])
    tokenizer = own_tokenizer(folder, config, described["classes"])
    probe(folder / TOKENIZER)
    if isinstance(tokenizer, HubTokenizer):
        described["left_aside"] |= tokenizer.left_aside
    _, transformer = hub.load(folder)
    parameters = sum(value.numel() for value in transformer.parameters())
    check_room(id, SINGLE * parameters, most)
    found = (path for pattern in READ for path in folder.glob(pattern))
    files = sorted({path.name for path in found if path.is_file()})
    weights = [folder / name for name in files if name.endswith(".safetensors")]
    card = {
        **described,
        "kind": YOURS,
        "architecture": described["family"],
        "source": source,
        "encoding": tokenizer.encoding,
        "parameters": parameters,
        "folder": str(folder),
        "files": {name: stamp(folder / name) for name in files},
        "weights_sha256": digest(weights),
    }
    write_json(shelf() / id / FILE, card)
    return card


def digest(weights: list[Path]) -> str:
    """The SHA-256 of the weights files, read in order: that of the file itself, if there is only
    one.
    """
    found = hashlib.sha256()
    for path in weights:
        with path.open("rb") as file:
            while part := file.read(1 << 20):
                found.update(part)
    return found.hexdigest()


def remove_model(id: str) -> None:
    """Removes a user's own model: deletes its card, but not its folder. Raises InvalidInput for an
    included model, and UnknownName.
    """
    if is_shipped(id):
        raise InvalidInput("shipped-stays", id=id)
    file = shelf() / id / FILE
    if not NAME.fullmatch(id) or not file.is_file():
        raise UnknownName("unknown-model-of-yours", id, own_ids())
    if trained_here(own_card(id) or {}):
        for name in ("model.safetensors", "tokenizer.json"):
            (file.parent / name).unlink(missing_ok=True)
    file.unlink()
    if not any(file.parent.iterdir()):
        file.parent.rmdir()
