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
)

if TYPE_CHECKING:
    from app.settings import Settings

OPTIONS = ("host", "port", "embed", "talks", "engine", "address", "replicas")
"""Those that are settings."""


def main(arguments: list[str] | None = None) -> int:
    """Runs the command and returns its exit code: 0, or 2 after one sentence on standard error."""
    given = parser().parse_args(arguments)
    try:
        given.run(given)
    except CannotStart as error:
        print(f"vitrine: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


def parser() -> argparse.ArgumentParser:
    serving = argparse.ArgumentParser(add_help=False, argument_default=argparse.SUPPRESS)
    serving.add_argument("--host", help="address to listen on (127.0.0.1, or VITRINE_HOST)")
    serving.add_argument(
        "--port", help="port to listen on (8000, or VITRINE_PORT); 0 takes a free one"
    )
    serving.add_argument(
        "--embed",
        metavar="ORIGINS",
        help="who may show pages and figures in a frame and read the API, for instance"
        " https://lectures.example, with commas between (nobody, or VITRINE_EMBED)",
    )
    serving.add_argument(
        "--talks",
        metavar="PATH",
        help="a talk, or a folder of talks, for /lecture (only the shipped ones, or VITRINE_TALKS)",
    )
    serving.add_argument(
        "--engine",
        help="embedded or ray: where answers are computed (embedded, or VITRINE_ENGINE)",
    )
    serving.add_argument(
        "--address",
        help="the Ray cluster's head, HOST:PORT (one on this machine alone, or VITRINE_ADDRESS)",
    )
    serving.add_argument(
        "--replicas",
        metavar="N[-M]",
        help="how many replicas the cluster has (1, or VITRINE_REPLICAS)",
    )
    serving.add_argument("--open", action="store_true", help="open the page in a browser")

    top = argparse.ArgumentParser(prog="vitrine", description=__doc__, parents=[serving])
    top.set_defaults(run=serve)
    commands = top.add_subparsers(title="commands", metavar="")
    commands.add_parser(
        "serve", parents=[serving], help="serve the pages (what happens without a command)"
    ).set_defaults(run=serve)

    training = commands.add_parser(
        "train", help="train shipped models, or what experiments compare, again"
    )
    which = training.add_mutually_exclusive_group(required=True)
    which.add_argument(
        "id",
        nargs="?",
        help="which one: its id, as in model/weights or model/results; or `table`, with a file",
    )
    which.add_argument(
        "--all",
        action="store_true",
        help="every model, one after another; what is done already is only measured again",
    )
    training.add_argument(
        "--data",
        type=Path,
        default=Path(),
        metavar="DIR",
        help="folder that holds the training texts (this one)",
    )
    training.add_argument(
        "--out",
        type=Path,
        default=Path("checkpoints"),
        metavar="DIR",
        help="DIR/ID gets checkpoint and losses, DIR/weights/ID the weights (checkpoints)",
    )
    training.add_argument(
        "--seed", type=int, default=0, help="the same seed gives the same weights (0)"
    )
    training.add_argument(
        "--threads",
        type=int,
        default=1,
        help="threads of the processor (1); another number, other last bits",
    )
    training.add_argument(
        "--stop-after",
        type=int,
        metavar="STEP",
        help="stop at this step; the next call goes on from there",
    )
    own_table.add_options(training)
    training.set_defaults(run=train)

    checking = commands.add_parser(
        "check", help="whether the addresses and the numbers of a talk are still so"
    )
    check_talk.add_options(checking)
    checking.set_defaults(run=check_talk.check)

    adding = commands.add_parser("add", help="add a model of yours, which every page then shows")
    adding.add_argument(
        "model",
        metavar="FOLDER | ORG/NAME",
        help="a folder as Hugging Face writes it, or a name there, which is fetched",
    )
    adding.add_argument("--name", help="what it is called here (after its folder)")
    adding.set_defaults(run=own_models.add)
    commands.add_parser("list", help="tell which models of yours there are").set_defaults(
        run=own_models.list_all
    )
    removing = commands.add_parser("remove", help="take a model of yours off; its folder stays")
    removing.add_argument("name", help="what it is called here")
    removing.set_defaults(run=own_models.remove)
    return top


def serve(given: argparse.Namespace) -> None:
    check_platform()
    from app.settings import Settings

    # The worker is a new interpreter: it must not find a model.py of the folder it is started in
    # before ours.
    os.environ["PYTHONSAFEPATH"] = "1"
    settings = settings_from(
        Settings,
        {name: getattr(given, name) for name in OPTIONS if name in given},
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
        print(f"Vitrine is at {address} (stop with Ctrl+C)", flush=True)
        if others := addresses_for_others(settings, host, port):
            print(f"Phones and other computers reach it at {' or '.join(others)}", flush=True)
        if "open" in given:
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


def train(given: argparse.Namespace) -> None:
    if given.id == "table":
        own_table.train(given)
        return
    if given.file is not None:
        raise CannotStart(f"{given.id} takes no file; vitrine train table FILE.csv does.")
    try:
        from model.errors import VitrineError
        from model.training.experiments import EXPERIMENTS
        from model.training.experiments.experiment import run
        from model.training.registry import RECIPES, train_model
    except ModuleNotFoundError as error:
        raise CannotStart(
            f"Training needs {error.name}, which is not installed: pip install 'vitrine[train]'."
        ) from error

    weights = given.out / "weights"
    for id in RECIPES if given.all else [given.id]:
        try:
            if id in EXPERIMENTS:
                result = run(EXPERIMENTS[id], given.data, given.out, given.out / "results")
                print(f"The results are in {result}.")
                continue
            card = train_model(
                id, given.data, given.out, weights, given.seed, given.threads, given.stop_after
            )
        except VitrineError as error:
            raise CannotStart(str(error)) from error
        except OSError as error:
            raise unwritten(error, given.out) from error
        if card is None:
            print(
                "Stopped before the end of the last cycle. The same command goes on from the"
                f" checkpoint in {given.out / id}."
            )
        else:
            print(f"The weights and their card are in {weights / id}.")


if __name__ == "__main__":
    sys.exit(main())
