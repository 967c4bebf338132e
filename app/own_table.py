"""`vitrine train table FILE.csv --target COLUMN`: a model of a table of one's own."""

import argparse
from importlib.util import find_spec
from pathlib import Path

from app.own_models import use_shelf
from app.startup import CannotStart, unwritten, wording


def add_options(training: argparse.ArgumentParser) -> None:
    """The options of `vitrine train` that are about a table."""
    options = training.add_argument_group(wording("help-of-table"))
    options.add_argument(
        "file", nargs="?", type=Path, metavar="FILE.csv", help=wording("help-table-file")
    )
    options.add_argument("--target", metavar="COLUMN", help=wording("help-table-target"))
    options.add_argument(
        "--architecture",
        default="ft",
        metavar="NAME",
        help=wording("help-table-architecture"),
    )
    options.add_argument("--name", help=wording("help-table-name"))
    options.add_argument("--drop", default="", metavar="COLUMNS", help=wording("help-table-drop"))
    options.add_argument(
        "--categories",
        default="",
        metavar="COLUMNS",
        help=wording("help-table-categories"),
    )
    options.add_argument(
        "--group",
        default="",
        metavar="COLUMN",
        help=wording("help-table-group"),
    )
    options.add_argument("--rows", type=several, default=0, help=wording("help-table-rows"))
    options.add_argument("--steps", type=several, default=0, help=wording("help-table-steps"))
    options.add_argument("--encoding", default="utf-8", help=wording("help-table-encoding"))
    options.add_argument(
        "--pretrain",
        nargs="?",
        const="mask",
        default=False,
        metavar="HOW",
        help=wording("help-table-pretrain"),
    )


def several(text: str) -> int:
    """A number of rows or steps."""
    if not (text.isdecimal() and int(text)):
        raise argparse.ArgumentTypeError(wording("no-number-from-1", given=text))
    return int(text)


def train(args: argparse.Namespace) -> None:
    """Trains the model. Raises CannotStart with one sentence."""
    if args.file is None or args.target is None:
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
            target=args.target,
            architecture=args.architecture,
            drop=names(args.drop),
            categories=names(args.categories),
            group=args.group,
            pretrain=args.pretrain,
            steps=args.steps,
            seed=args.seed,
        )
        name = args.name or name_for(args.file.stem)
        card = train_table(
            read_csv(args.file, args.encoding, args.rows, args.seed),
            choices,
            name,
            models,
            args.out,
            threads=args.threads,
            stop_after=args.stop_after,
        )
    except OSError as error:
        raise unwritten(error, args.out) from error
    if card is None:
        print(wording("stopped-before-the-last-step"))
        return
    for measure, found in card["quality"].items():
        low, high = found["interval"]
        beside = {
            key.replace("_", " "): value
            for key, value in found.items()
            if key not in ("value", "interval", "how", "unit")
        }
        details = ", ".join(f"{name} {value:.3f}" for name, value in beside.items())
        interval = wording("measured", value=found["value"], low=low, high=high)
        print(f"{measure.replace('_', ' ')}: {interval}; {details}")
    print(wording("table-is-trained", folder=models / name, name=name))


def names(text: str) -> tuple[str, ...]:
    return tuple(filter(None, (name.strip() for name in text.split(","))))
