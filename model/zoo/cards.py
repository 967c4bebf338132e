"""Cards: what is known about each model, included or a user's own. Both the web process and the
worker read them, without torch.

An included card is written by its recipe. The card of a user's own model is written by `vitrine
add`: the folder with the weights, what was read in it, and the state of its files. Nothing is known
about its training, so its card has no measures, no training limits, and nothing to notice in its
examples.
"""

import json
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from model.config import Config
from model.errors import NotRead, UnknownName, VitrineError
from model.inputs.drawn_pictures import SHAPES, drawn_picture
from model.inputs.reading import read_object
from model.zoo.card_form import check_form

WEIGHTS = Path(__file__).parents[1] / "weights"
FILE = "card.json"
YOURS = "yours"
NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,39}")
"""A valid name of a model: one that needs no escaping in a URL."""

LISTING = ("models", "modes")
"""The questions that may be about models other than the one named by `model`."""

SURVEYED = 2
"""The default number of sentences for measuring the heads of a user's own model."""

Card = dict[str, Any]
MAX_BYTES = 4_000_000
"""The maximum size of one card."""
Stamp = tuple[int, int] | None
"""The size of a file in bytes and the time of its last change, in ns; None if it does not exist."""


class User:
    """Where the cards of users' own models are, one folder each; None if a process has none."""

    folder: Path | None = None


def ids(folder: Path | None = None) -> list[str]:
    """The ids of the models in `folder`, in the order of its order.txt, followed by the others in
    alphabetical order. Without a folder, those of all models, the included ones first.
    """
    if folder is None:
        return [*ids(WEIGHTS), *own_ids()]
    found = sorted(path.parent.name for path in folder.glob(f"*/{FILE}"))
    order = folder / "order.txt"
    stated = order.read_text(encoding="utf-8").split() if order.is_file() else []
    return [name for name in dict.fromkeys([*stated, *found]) if name in found]


def own_ids() -> list[str]:
    """The ids of users' own models in alphabetical order, without damaged cards and without names
    of included models.
    """
    return [id for id in on_shelf() if own_card(id) is not None]


def damaged() -> dict[str, str]:
    """The ids of users' own models whose cards cannot be read, each with a sentence."""
    return {id: card.text() for id in on_shelf() if isinstance(card := own_file(id), NotRead)}


def on_shelf() -> list[str]:
    """The ids of all cards of users' own models, in alphabetical order."""
    return sorted(path.parent.name for path in User.folder.glob(f"*/{FILE}")) if User.folder else []


def own_card(id: str) -> Card | None:
    """The card written by `vitrine add` for the model `id`; None if it does not exist or is
    damaged.
    """
    card = own_file(id)
    return None if isinstance(card, NotRead) else card


def own_file(id: str) -> Card | NotRead | None:
    """The card of the user's own model `id`, or the error that explains why it cannot be read; None
    if there is none.
    """
    if User.folder is None or not NAME.fullmatch(id) or is_shipped(id):
        return None
    return card_at(User.folder / id / FILE)


def is_shipped(id: str) -> bool:
    return NAME.fullmatch(id) is not None and (WEIGHTS / id / FILE).is_file()


def read_card(id: str, folder: Path | None = None) -> Card:
    """The card of the model `id`, with the size of its weights as `bytes`. The card of a user's own
    model has `unreadable`, a sentence, if its weights are missing or have changed. Raises NotRead
    for a damaged card, and UnknownName.
    """
    if folder is None and (card := own_file(id)) is not None:
        if isinstance(card, NotRead):
            raise card.with_traceback(None)
        return complete(id, card)
    folder = folder or WEIGHTS
    if id not in ids(folder):
        raise UnknownName("unknown-model", id, ids() if folder == WEIGHTS else ids(folder))
    file = folder / id / FILE
    size = (folder / id / "model.safetensors").stat().st_size
    return {**shipped(file, stamp(file)), "bytes": size}


@lru_cache(maxsize=256)
def shipped(file: Path, _: Stamp) -> Card:
    """An included card, cached until it changes. A choice that the card does not have yet gets its
    default.
    """
    card = json.loads(file.read_text(encoding="utf-8"))
    return card | {"config": Config.from_dict(card["config"]).as_dict()}


def version(id: str) -> str:
    """Changes with the card of a user's own model and with the files it names; "" for an included
    model, which never changes, and for one that does not exist.
    """
    card = own_card(id)
    return "" if card is None else f"{stamp(shelf() / id / FILE)} {stamps(card)}"


def version_of(word: str, question: Mapping[str, Any]) -> str:
    """Changes with everything that the answer to a question may report about users' own models:
    with each of them if it lists models, otherwise with the one it is about.
    """
    return str(shelf_version() or "") if word in LISTING else version(question.get("model") or "")


def shelf_version() -> tuple[tuple[str, str], ...]:
    """Changes with any of the users' own models."""
    return tuple((id, version(id)) for id in own_ids())


def shelf() -> Path:
    """The folder with the cards of users' own models."""
    assert User.folder is not None, "the process has said where the cards lie"
    return User.folder


def card_at(path: Path) -> Card | NotRead | None:
    """The content of a card, cached until it changes, or the error that explains why it cannot be
    read; None if there is no file.
    """
    now = stamp(path)
    return None if now is None else parsed(path, now)


@lru_cache(maxsize=256)
def parsed(path: Path, _: Stamp) -> Card | NotRead:
    id = path.parent.name
    try:
        card = read_object(path, MAX_BYTES)
        check_form(card)
    except VitrineError as error:
        return NotRead("card-not-read", id=id, why=error)
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError):
        return NotRead("card-is-no-models", id=id)
    if trained_here(card):
        return {**card, "files": card.get("files") or {}, "folder": str(path.parent)}
    return card


def trained_here(card: Card) -> bool:
    """Whether the card of a user's own model was written by `vitrine train table`: it is next to
    the weights and has all fields of an included card.
    """
    return "training" in card


def stamp(path: Path) -> Stamp:
    try:
        found = path.stat()
    except (OSError, ValueError):  # ValueError: not a valid file name
        return None
    return found.st_size, found.st_mtime_ns


def stamps(card: Card) -> dict[str, Stamp]:
    """The current files of a user's own model."""
    return {name: stamp(Path(card["folder"]) / name) for name in card["files"]}


def unreadable(id: str, card: Card) -> NotRead | None:
    """Why the weights of a user's own model can no longer be read; None if they are unchanged since
    the model was added.
    """
    folder = Path(card["folder"])
    if not folder.is_dir():
        return NotRead("weights-folder-gone", folder=folder.name, id=id)
    for name, then in card["files"].items():
        if (now := stamp(folder / name)) != (None if then is None else tuple(then)):
            message = "weights-file-gone" if now is None else "weights-file-changed"
            return NotRead(message, name=name, id=id, trained=trained_here(card))
    return None


def folder_of(id: str) -> Path:
    """The folder with the weights of a user's own model. Raises NotRead if they are missing or have
    changed, and UnknownName.
    """
    if isinstance(card := own_file(id), NotRead):
        raise card.with_traceback(None)
    if card is None:
        raise UnknownName("unknown-model-of-yours", id, own_ids())
    if why := unreadable(id, card):
        raise why
    return Path(card["folder"])


def complete(id: str, card: Card) -> Card:
    """The card of a user's own model with the fields that every card has. The path of its folder is
    private: `source` is only the folder's name.
    """
    config = Config.from_dict(card["config"])
    if trained_here(card):
        weights = Path(card["folder"]) / "model.safetensors"
        rest = {name: value for name, value in card.items() if name not in ("folder", "files")}
        why = unreadable(id, card)
        return {
            **rest,
            "id": id,
            "config": config.as_dict(),
            "bytes": (stamp(weights) or (0, 0))[0],
            **({"unreadable": why.text("en")} if why else {}),
        }
    stated = {name: card[name] for name in STATED if card.get(name) is not None}
    why = unreadable(id, card)
    return {
        "id": id,
        "name": card["source"],
        "modality": "text" if config.inputs == "tokens" else "image",
        "task": task(card, config),
        "kind": YOURS,
        "limits": {"tokens": config.max_length},
        "quality": {},
        "examples": [
            {"id": name, "input": input, "look_for": ""}
            for name, input in inputs_to_try(card, config)
        ],
        "family": config.family,
        "config": config.as_dict(),
        **stated,
        **({"unreadable": why.text("en")} if why else {}),
    }


STATED = (
    *("encoding", "parameters", "bytes", "weights_sha256", "architecture", "source", "precision"),
    *("licence", "head", "classes", "vocabulary", "left_aside"),
)
"""The fields of a user's own model taken from the card written by `vitrine add`."""


TASKS = {
    "next word": "continues a text",
    "masked word": "fills in the word that is missing from a text",
    "none": "has no output head: it only computes vectors",
}
"""The task of a model, by its head."""


def task(card: Card, config: Config) -> str:
    if card["head"] == "classes":
        return f"assigns one of {len(card['classes'])} classes"
    if config.family == "encoder-decoder":
        return "turns one text into another"
    return TASKS[card["head"]]


SENTENCES = {
    "next word": (
        "The capital of France is",
        "The capital of Italy is",
        "When Mary and John went to the store, John gave a drink to",
        "When Tom and Anna went to the store, Anna gave a drink to",
        "One two three four one two three",
        "The cat sat on the mat because it was",
    ),
    "masked word": (
        "The capital of France is [MASK].",
        "The capital of Italy is [MASK].",
        "She was tired, so she went to [MASK].",
        "He was hungry, so he went to [MASK].",
    ),
    "classes": (
        "This is the best film that I have seen.",
        "This is the worst film that I have seen.",
        "The food was good, but the service was slow.",
        "Nothing happens, and nobody cares.",
    ),
    "none": (
        "The cat sat on the mat.",
        "The dog sat on the mat.",
        "A small animal rested on the carpet.",
        "The bank of the river was steep.",
    ),
    "writes": (
        "translate English to German: The house is small.",
        "translate English to German: The house is old.",
        "The house is small.",
    ),
}
"""Sentences to try, by the head. How well a model handles them is unknown."""


def inputs_to_try(card: Card, config: Config) -> Iterator[tuple[str, dict[str, str]]]:
    """Inputs of the kind that the model reads, each with its id."""
    if config.inputs == "patches":
        for name in SHAPES:
            yield name, {"image": drawn_picture(name, config.image.side)}
        return
    writes = config.family == "encoder-decoder"
    sentences = SENTENCES["writes" if writes else card["head"]]
    for number, sentence in enumerate(sentences, 1):
        yield str(number), {"source" if writes else "text": sentence}
