"""`vitrine train table FILE.csv --target COLUMN`: a model of a table of one's own."""

import argparse
from importlib.util import find_spec
from pathlib import Path

from app.own_models import use_shelf
from app.startup import CannotStart, unwritten


def add_options(training: argparse.ArgumentParser) -> None:
    """The options of `vitrine train` that are about a table."""
    own = training.add_argument_group(
        "a table of your own (vitrine train table FILE.csv --target COLUMN)"
    )
    own.add_argument(
        "file", nargs="?", type=Path, metavar="FILE.csv", help="its first line names the columns"
    )
    own.add_argument("--target", metavar="COLUMN", help="the column that names the class of a row")
    own.add_argument(
        "--architecture",
        default="ft",
        metavar="NAME",
        help="ft, tab or saint: FT-Transformer, TabTransformer or SAINT (ft)",
    )
    own.add_argument("--name", help="what the model is called here (after its file)")
    own.add_argument(
        "--drop", default="", metavar="COLUMNS", help="columns to leave out, with commas between"
    )
    own.add_argument(
        "--categories",
        default="",
        metavar="COLUMNS",
        help="columns of numbers that are read as categories, with commas between",
    )
    own.add_argument(
        "--group",
        default="",
        metavar="COLUMN",
        help="rows that agree in this column are held out together, for instance those of one day",
    )
    own.add_argument(
        "--rows", type=several, default=0, help="learn from so many rows, drawn by --seed"
    )
    own.add_argument(
        "--steps", type=several, default=0, help="so many steps (by the number of rows)"
    )
    own.add_argument("--encoding", default="utf-8", help="how the file is written (utf-8)")
    own.add_argument(
        "--pretrain",
        nargs="?",
        const="mask",
        default=False,
        metavar="HOW",
        help="first hide values and read them back (mask), or exchange values for those of other"
        " rows and tell which (replace); also trains without, to say what it gained",
    )


def several(given: str) -> int:
    """A number of rows or steps."""
    if not (given.isdecimal() and int(given)):
        raise argparse.ArgumentTypeError(f"{given!r} is no number from 1 on")
    return int(given)


def train(given: argparse.Namespace) -> None:
    """Trains the model. Raises CannotStart with one sentence."""
    if given.file is None or given.target is None:
        raise CannotStart(
            "vitrine train table needs a file and the column of classes: vitrine train table"
            " FILE.csv --target COLUMN."
        )
    if find_spec("sklearn") is None:  # for the baselines
        raise CannotStart(
            "Training on a table needs scikit-learn, which is not installed:"
            " pip install scikit-learn."
        )
    from model.errors import VitrineError
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
    except VitrineError as error:
        raise CannotStart(str(error)) from error
    except OSError as error:
        raise unwritten(error, given.out) from error
    if card is None:
        print("Stopped before the last step. The same command goes on from the checkpoint.")
        return
    for measure, found in card["quality"].items():
        low, high = found["interval"]
        beside = {
            one.replace("_", " "): value
            for one, value in found.items()
            if one not in ("value", "interval", "how", "unit")
        }
        told = ", ".join(f"{one} {value:.3f}" for one, value in beside.items())
        said = f"{found['value']:.3f} ({low:.3f} to {high:.3f})"
        print(f"{measure.replace('_', ' ')}: {said}; {told}")
    print(f"The model is in {models / name}. vitrine shows it: /tables?model={name}")


def names(given: str) -> tuple[str, ...]:
    return tuple(filter(None, (name.strip() for name in given.split(","))))
