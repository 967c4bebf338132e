"""`vitrine train table FILE.csv --target COLUMN`: a model of a table of one's own."""

import argparse
from importlib.util import find_spec
from pathlib import Path

from app.own_models import use_shelf
from app.startup import CannotStart, unwritten, wording


def add_options(training: argparse.ArgumentParser) -> None:
    """The options of `vitrine train` that are about a table."""
    own = training.add_argument_group(wording("help-of-table"))
    own.add_argument(
        "file", nargs="?", type=Path, metavar="FILE.csv", help=wording("help-table-file")
    )
    own.add_argument("--target", metavar="COLUMN", help=wording("help-table-target"))
    own.add_argument(
        "--architecture",
        default="ft",
        metavar="NAME",
        help=wording("help-table-architecture"),
    )
    own.add_argument("--name", help=wording("help-table-name"))
    own.add_argument("--drop", default="", metavar="COLUMNS", help=wording("help-table-drop"))
    own.add_argument(
        "--categories",
        default="",
        metavar="COLUMNS",
        help=wording("help-table-categories"),
    )
    own.add_argument(
        "--group",
        default="",
        metavar="COLUMN",
        help=wording("help-table-group"),
    )
    own.add_argument("--rows", type=several, default=0, help=wording("help-table-rows"))
    own.add_argument("--steps", type=several, default=0, help=wording("help-table-steps"))
    own.add_argument("--encoding", default="utf-8", help=wording("help-table-encoding"))
    own.add_argument(
        "--pretrain",
        nargs="?",
        const="mask",
        default=False,
        metavar="HOW",
        help=wording("help-table-pretrain"),
    )


def several(given: str) -> int:
    """A number of rows or steps."""
    if not (given.isdecimal() and int(given)):
        raise argparse.ArgumentTypeError(wording("no-number-from-1", given=given))
    return int(given)


def train(given: argparse.Namespace) -> None:
    """Trains the model. Raises CannotStart with one sentence."""
    if given.file is None or given.target is None:
        raise CannotStart("table-needs-file-and-target")
    if find_spec("sklearn") is None:  # for the baselines
        raise CannotStart("table-needs-scikit-learn")
    from model.inputs.table_files import read_csv
    from model.training.own_tables.choices import Choices
    from model.training.own_tables.train import train_table
    from model.zoo.own_models import name_for

    models = use_shelf().models
    try:
        choices = Choices(
            target=given.target,
            architecture=given.architecture,
            drop=names(given.drop),
            categories=names(given.categories),
            group=given.group,
            pretrain=given.pretrain,
            steps=given.steps,
            seed=given.seed,
        )
        name = given.name or name_for(given.file.stem)
        card = train_table(
            read_csv(given.file, given.encoding, given.rows, given.seed),
            choices,
            name,
            models,
            given.out,
            threads=given.threads,
            stop_after=given.stop_after,
        )
    except OSError as error:
        raise unwritten(error, given.out) from error
    if card is None:
        print(wording("stopped-before-the-last-step"))
        return
    for measure, found in card["quality"].items():
        low, high = found["interval"]
        beside = {
            one.replace("_", " "): value
            for one, value in found.items()
            if one not in ("value", "interval", "how", "unit")
        }
        told = ", ".join(f"{one} {value:.3f}" for one, value in beside.items())
        interval = wording("measured", value=found["value"], low=low, high=high)
        print(f"{measure.replace('_', ' ')}: {interval}; {told}")
    print(wording("table-is-trained", folder=models / name, name=name))


def names(given: str) -> tuple[str, ...]:
    return tuple(filter(None, (name.strip() for name in given.split(","))))
