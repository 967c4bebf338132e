"""`vitrine add`, `list` and `remove`: models of one's own, from folders as Hugging Face writes."""

import argparse
import re
from importlib.util import find_spec
from pathlib import Path

from app.site.model_cards import size, stated
from app.startup import CannotStart, settings_from, unwritten, wording
from model.zoo import cards

ON_THE_HUB = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")
"""How a model is called on the Hub: ORG/NAME."""
FETCHED = ["*.safetensors", "*.json", "*.spm", "spiece.model", "*.txt", "chat_template.jinja"]
"""What is fetched of a model: weights that are only numbers, JSON, and files of tokenizers. The
template of chats is not run: that it is there says that its signs are typed.
"""


def add(args: argparse.Namespace) -> None:
    """Adds a model and prints what was found in its folder."""
    most = use_shelf().model_bytes
    try:
        from model.zoo.own_models import add_model, check_name, name_for

        name = args.name or name_for(Path(args.model).expanduser().resolve().name)
        check_name(name)
        folder, source = found(args.model)
        add_model(folder, name, source, most)
        card = cards.read_card(name)
    except OSError as error:
        raise unwritten(error, cards.User.folder) from error
    print(wording("model-is-added", name=name, folder=folder))
    facts = [*stated(card), ("parameters", f"{card['parameters']:,}")]
    for what, text in [*facts, ("size", size(card["bytes"]))]:
        print(f"  {what:24}{text}")


def list_all(args: argparse.Namespace) -> None:
    """Prints one's own models, a line each."""
    use_shelf()
    if not cards.on_shelf():
        print(wording("no-model-of-yours"))
    for id in cards.own_ids():
        card = cards.read_card(id)
        kind = f"{card['architecture']}, {card['head']}" if "head" in card else card["modality"]
        what = f"{kind}, {size(card['bytes'])}"
        print(f"{id:24}{what:40}{card.get('unreadable') or card.get('source', card['name'])}")
    for id, sentence in cards.damaged().items():
        print(f"{id:24}{sentence}")


def remove(args: argparse.Namespace) -> None:
    """Takes a model off; its folder stays. Of a table the weights go with the card."""
    use_shelf()
    trained = cards.trained_here(cards.own_card(args.name) or {})
    try:
        from model.zoo.own_models import remove_model

        remove_model(args.name)
    except OSError as error:
        raise unwritten(error, cards.User.folder) from error
    print(wording("table-is-removed" if trained else "model-is-removed", name=args.name))


def use_shelf():
    """Reads the settings, and from now on the cards that lie where they say."""
    from app.settings import Settings

    settings = settings_from(Settings, {})
    cards.User.folder = settings.models
    return settings


def found(name: str) -> tuple[Path, str]:
    """The folder of a model and what its origin is called. A name ORG/NAME that is no folder here
    is fetched. Raises CannotStart.
    """
    folder = Path(name).expanduser()
    if folder.is_dir():
        return folder, folder.resolve().name
    if not ON_THE_HUB.fullmatch(name):
        raise CannotStart("no-such-folder", folder=name)
    return fetched(name), name


def fetched(name: str) -> Path:
    """The folder into which the model ORG/NAME was fetched. Raises CannotStart where that is not
    possible, with the reason.
    """
    if find_spec("huggingface_hub") is None:
        raise CannotStart("fetching-needs-hub", name=name)
    from huggingface_hub import errors, snapshot_download

    try:
        return Path(snapshot_download(name, allow_patterns=FETCHED))
    except errors.LocalEntryNotFoundError as error:
        raise CannotStart("hub-not-reached", name=name) from error
    except errors.RepositoryNotFoundError as error:
        raise CannotStart("not-on-the-hub", name=name) from error
    except Exception as error:  # whatever the network, the other side or the disk say
        why = str(error).strip().split("\n")[0].rstrip(".") or type(error).__name__
        raise CannotStart("not-fetched", name=name, why=why) from error
