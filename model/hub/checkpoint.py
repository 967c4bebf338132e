"""A Hugging Face folder: config.json, and weights in one safetensors file or in shards with an
index. Pickles are never opened, because reading one can run code.
"""

import re
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open

from model.errors import NotRead
from model.inputs.reading import read_object, read_text

WEIGHTS, INDEX = "model.safetensors", "model.safetensors.index.json"
PICKLES = ("*.bin", "*.pt", "*.pth", "*.ckpt", "*.pkl")
PRECISIONS = {"F32": "f32", "F16": "f16", "BF16": "bf16"}
"""The supported precisions, by their names in a safetensors file."""


@dataclass(frozen=True)
class Header:
    """What a safetensors header contains about one tensor."""

    shape: tuple[int, ...]
    dtype: str
    file: Path


@dataclass(frozen=True)
class Checkpoint:
    """A folder with complete files: the keys of its config.json, and the headers of its tensors by
    name.
    """

    folder: Path
    keys: Mapping[str, Any]
    tensors: Mapping[str, Header]

    @classmethod
    def read(cls, folder: Path) -> "Checkpoint":
        """Raises NotRead if there is no model, or if a file is missing or truncated."""
        folder = Path(folder)
        if not folder.is_dir():
            raise NotRead("no-folder", folder=folder)
        if not (folder / "config.json").exists() or not any(folder.glob("*.safetensors")):
            check_other_kinds(folder)
        keys = read_object(folder / "config.json")
        return cls(folder, keys, headers(folder))

    @property
    def files(self) -> list[Path]:
        """The weights files, without duplicates."""
        return list(dict.fromkeys(tensor.file for tensor in self.tensors.values()))

    @property
    def bytes(self) -> int:
        return sum(file.stat().st_size for file in self.files)

    @property
    def precision(self) -> str:
        """The precision of the weights in the file, such as "bf16"; several are separated by
        commas.
        """
        found = {tensor.dtype for tensor in self.tensors.values()}
        return ", ".join(name for dtype, name in PRECISIONS.items() if dtype in found)


def check_other_kinds(folder: Path) -> None:
    """Raises NotRead for what people may have instead of a whole model: an adapter, or files of
    other programs.
    """
    if (folder / "adapter_config.json").exists():
        raise NotRead("adapter-not-read", folder=folder.name)
    if any(folder.glob("*.gguf")):
        raise NotRead("gguf-not-read", folder=folder.name)


def headers(folder: Path) -> dict[str, Header]:
    """The headers of all tensors. Raises NotRead if a file, a shard, or a tensor is missing."""
    if (folder / WEIGHTS).is_file():
        return headers_of(folder / WEIGHTS)
    if not (folder / INDEX).is_file():
        pickles = sorted(file.name for glob in PICKLES for file in folder.glob(glob))
        if pickles:
            raise NotRead("weights-in-a-pickle", file=pickles[0])
        raise NotRead("no-weights", folder=folder, weights=WEIGHTS, index=INDEX)
    files = read_object(folder / INDEX).get("weight_map")
    if not isinstance(files, dict) or not files:
        raise NotRead("index-without-map", file=INDEX)
    found: dict[str, Header] = {}
    for shard in sorted({str(file) for file in files.values()}):
        if Path(shard).name != shard:
            raise NotRead("shard-not-of-folder", file=INDEX, shard=repr(shard))
        if not (folder / shard).is_file():
            raise NotRead("shard-missing", shard=shard)
        found |= headers_of(folder / shard)
    for name in files.keys() ^ found.keys():
        raise NotRead("shards-do-not-fit", name=name, index=INDEX, listed=name in files)
    return found


def headers_of(file: Path) -> dict[str, Header]:
    """The headers of one file, which must be complete. Raises NotRead."""
    with opened(file) as tensors:
        slices = {name: tensors.get_slice(name) for name in tensors.keys()}  # noqa: SIM118
        return {
            name: Header(tuple(part.get_shape()), part.get_dtype(), file)
            for name, part in slices.items()
        }


@contextmanager
def opened(file: Path) -> Generator[Any]:
    """A safetensors file, open for reading one tensor at a time. Raises NotRead if it is truncated
    or missing.
    """
    try:
        with safe_open(file, framework="pt") as tensors:
            yield tensors
    except SafetensorError as error:
        raise NotRead("no-safetensors-file", file=file.name, error=error) from error
    except OSError as error:
        raise NotRead("file-not-read", file=file, why=error.strerror or error) from error


def licence_of(folder: Path) -> str | None:
    """The license stated in the front matter of the folder's README.md, between two ---."""
    try:
        text = read_text(folder / "README.md")
    except NotRead:
        return None
    head = re.match(r"---\n(.*?)\n---", text, re.DOTALL)
    found = re.search(r"^license:\s*(\S.*?)\s*$", head[1], re.MULTILINE) if head else None
    return found[1].strip("\"'") if found else None
