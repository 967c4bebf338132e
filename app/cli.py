"""The command `vitrine`. It serves the pages, adds models, or trains one."""

import argparse
import os
import sys
import threading
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING

from app import check_talk, own_models, own_table
from app.host_names import bracketed
from app.paths import folder, weights
from app.startup import (
    CannotStart,
    check_engine,
    check_platform,
    check_readable,
    check_weights,
    listen,
    settings_from,
    unwritten,
    wording,
)
from model.errors import VitrineError
from model.words import LANGUAGE, preferred

if TYPE_CHECKING:
    from app.settings import Settings

OPTIONS = ("host", "port", "embed", "talks", "engine", "address", "replicas")
"""Those that are settings."""


def main(arguments: list[str] | None = None) -> int:
    """Runs the command and returns its exit code: 0, or 2 after one sentence on standard error."""
    LANGUAGE.set(preferred(os.environ.get("LANG", "")))
    args = parser().parse_args(arguments)
    try:
        args.run(args)
    except VitrineError as error:
        print(f"vitrine: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


def parser() -> argparse.ArgumentParser:
    serving = argparse.ArgumentParser(add_help=False, argument_default=argparse.SUPPRESS)
    serving.add_argument("--host", help=wording("help-host"))
    serving.add_argument("--port", help=wording("help-port"))
    serving.add_argument(
        "--embed",
        metavar="ORIGINS",
        help=wording("help-embed"),
    )
    serving.add_argument(
        "--talks",
        metavar="PATH",
        help=wording("help-talks"),
    )
    serving.add_argument(
        "--engine",
        help=wording("help-engine"),
    )
    serving.add_argument(
        "--address",
        help=wording("help-address"),
    )
    serving.add_argument(
        "--replicas",
        metavar="N[-M]",
        help=wording("help-replicas"),
    )
    serving.add_argument("--open", action="store_true", help=wording("help-open"))

    top = argparse.ArgumentParser(
        prog="vitrine", description=wording("help-vitrine"), parents=[serving]
    )
    top.set_defaults(run=serve)
    commands = top.add_subparsers(title="commands", metavar="")
    commands.add_parser("serve", parents=[serving], help=wording("help-of-serve")).set_defaults(
        run=serve
    )

    training = commands.add_parser("train", help=wording("help-of-train"))
    which = training.add_mutually_exclusive_group(required=True)
    which.add_argument(
        "id",
        nargs="?",
        help=wording("help-train-id"),
    )
    which.add_argument(
        "--all",
        action="store_true",
        help=wording("help-train-all"),
    )
    training.add_argument(
        "--data",
        type=Path,
        default=Path(),
        metavar="DIR",
        help=wording("help-train-data"),
    )
    training.add_argument(
        "--out",
        type=Path,
        default=Path("checkpoints"),
        metavar="DIR",
        help=wording("help-train-out"),
    )
    training.add_argument("--seed", type=int, default=0, help=wording("help-train-seed"))
    training.add_argument(
        "--threads",
        type=int,
        default=1,
        help=wording("help-train-threads"),
    )
    training.add_argument(
        "--stop-after",
        type=int,
        metavar="STEP",
        help=wording("help-train-stop-after"),
    )
    own_table.add_options(training)
    training.set_defaults(run=train)

    checking = commands.add_parser("check", help=wording("help-of-check"))
    check_talk.add_options(checking)
    checking.set_defaults(run=check_talk.check)

    adding = commands.add_parser("add", help=wording("help-of-add"))
    adding.add_argument(
        "model",
        metavar="FOLDER | ORG/NAME",
        help=wording("help-add-model"),
    )
    adding.add_argument("--name", help=wording("help-add-name"))
    adding.set_defaults(run=own_models.add)
    commands.add_parser("list", help=wording("help-of-list")).set_defaults(run=own_models.list_all)
    removing = commands.add_parser("remove", help=wording("help-of-remove"))
    removing.add_argument("name", help=wording("help-remove-name"))
    removing.set_defaults(run=own_models.remove)
    return top


def serve(args: argparse.Namespace) -> None:
    check_platform()
    from app.settings import Settings

    # The worker is a new interpreter: it must not find a model.py of the folder it is started in
    # before ours.
    os.environ["PYTHONSAFEPATH"] = "1"
    settings = settings_from(
        Settings,
        {name: getattr(args, name) for name in OPTIONS if name in args},
    )
    check_engine(settings.engine)
    check_readable(folder("static"))
    check_readable(folder("templates"))
    check_weights(weights())
    listener = listen(settings.host, settings.port)

    from app.http.server import serve as run_server

    host, port = listener.getsockname()[:2]
    address = page_address(host, port)

    def opened() -> None:
        print(wording("vitrine-is-at", address=address), flush=True)
        if others := addresses_for_others(settings, host, port):
            print(wording("others-reach-it-at", addresses=others), flush=True)
        if "open" in args:
            # In a thread: a browser of the terminal does not return before it is left.
            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()

    run_server(settings, listener, opened=opened)


def page_address(host: str, port: int) -> str:
    """Returns the address to type into a browser. A server that listens on every address is reached
    on this machine's loopback address.
    """
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"http://{bracketed(host)}:{port}/"


def addresses_for_others(settings: "Settings", host: str, port: int) -> list[str]:
    """Returns where other machines reach a server that listens there, if it is told to them by more
    than the address of its page.
    """
    others = [page_address(name, port) for name in settings.names_for_others]
    return [] if others == [page_address(host, port)] else others


def train(args: argparse.Namespace) -> None:
    if args.id == "table":
        own_table.train(args)
        return
    if args.file is not None:
        raise CannotStart("takes-no-file", id=args.id)
    try:
        from model.training.experiments import EXPERIMENTS
        from model.training.experiments.experiment import run
        from model.training.registry import RECIPES, train_model
    except ModuleNotFoundError as error:
        raise CannotStart("training-needs", module=error.name) from error

    weights = args.out / "weights"
    for id in RECIPES if args.all else [args.id]:
        try:
            if id in EXPERIMENTS:
                result = run(EXPERIMENTS[id], args.data, args.out, args.out / "results")
                print(wording("results-are-in", folder=result))
                continue
            card = train_model(
                id, args.data, args.out, weights, args.seed, args.threads, args.stop_after
            )
        except OSError as error:
            raise unwritten(error, args.out) from error
        if card is None:
            print(wording("stopped-in-a-cycle", folder=args.out / id))
        else:
            print(wording("weights-are-in", folder=weights / id))


if __name__ == "__main__":
    sys.exit(main())
