"""Writes a table to a CSV file, from which `vitrine train table` trains a model for a case."""

import csv
import tempfile
from numbers import Integral
from pathlib import Path
from typing import Any

from vitrine_lab.errors import InvalidQuestion
from vitrine_lab.rows import column, missing
from vitrine_lab.server import BAR, Server

OPTIONS = {
    "architecture",
    "categories",
    "drop",
    "encoding",
    "group",
    "pretrain",
    "rows",
    "seed",
    "steps",
}
"""The other options of `vitrine train table`."""


def train_table(
    server: Server, table: Any, target: str, name: str | None, options: dict[str, Any]
) -> str:
    """Trains a model of a table for the server of a case and returns its name; findings and
    measures are printed, with a progress bar. Raises CaseError.
    """
    if unknown := sorted(options.keys() - OPTIONS):
        raise InvalidQuestion(
            f"train_table has no option {unknown[0]!r}. Its options: {', '.join(sorted(OPTIONS))}."
        )
    for option in ("rows", "steps"):
        number = options.get(option, 1)
        if not isinstance(number, Integral) or number < 1:
            raise InvalidQuestion(
                f"`{option}` must be a whole number of at least 1, not {number!r}."
            )
    options = {
        key: value for key, value in options.items() if value is not None and value is not False
    }
    if options.get("pretrain") is True:
        options["pretrain"] = "mask"
    if isinstance(table, (str, Path)):
        file = str(table)
    else:
        folder = Path(tempfile.mkdtemp(prefix="table-", dir=server.folder))
        file = str(folder / f"{name or 'table'}.csv")
        texts = write_table(columns_of(table), file)
        options["categories"] = [*listed(options.get("categories", ())), *texts]
    arguments = options | {"target": column(target), "out": server.folder / "checkpoints"}
    arguments |= {
        option: ",".join(map(column, listed(options[option])))
        for option in ("categories", "drop")
        if option in options
    }
    arguments |= {"group": column(options["group"])} if "group" in options else {}
    arguments |= {"name": name} if name else {}
    flags = [part for key, value in arguments.items() for part in (f"--{key}", str(value))]
    output = server.run("train", "table", file, *flags, tell=Telling())
    return output.rpartition("?model=")[2].strip()


def listed(names: Any) -> list[Any]:
    """Column names, possibly as one comma-separated string."""
    return names.split(",") if isinstance(names, str) else list(names)


def columns_of(table: Any) -> list[tuple[str, list[Any]]]:
    """The columns of a pandas or polars DataFrame, or of a dict. Raises InvalidQuestion."""
    if isinstance(table, dict):  # in pandas, `to_dict` returns a dict per column
        columns = [
            column.values() if isinstance(column, dict) else column for column in table.values()
        ]
    elif hasattr(table, "iloc") and hasattr(table, "columns"):
        columns = [table.iloc[:, place] for place in range(len(table.columns))]
    else:
        columns = [table[name] for name in getattr(table, "columns", ())]
    if not columns or any(not hasattr(column, "__iter__") for column in columns):
        raise InvalidQuestion(
            "Pass a pandas or polars data frame, a dict of columns or a CSV file;"
            f" this is of type {type(table).__name__}."
        )
    names = table if isinstance(table, dict) else table.columns
    return [(str(name), list(values)) for name, values in zip(names, columns, strict=True)]


def write_table(columns: list[tuple[str, list[Any]]], file: str) -> list[str]:
    """Writes columns to a CSV file, and returns the names of those with numeric text such as "01",
    which a CSV file cannot distinguish from numbers. Raises InvalidQuestion.
    """
    if len({len(values) for _, values in columns}) > 1:
        raise InvalidQuestion("The columns of the table have different lengths.")
    with open(file, "w", newline="", encoding="utf-8") as stream:
        lines = csv.writer(stream, lineterminator="\n")
        lines.writerow(name for name, _ in columns)
        every = ([None if missing(value) else value for value in values] for _, values in columns)
        lines.writerows(zip(*every, strict=True))
    return [column(name) for name, values in columns if texts_of_numbers(values)]


def texts_of_numbers(values: list[Any]) -> bool:
    known = [value for value in values if not missing(value)]
    return all(isinstance(value, str) for value in known) and any(map(is_number, known))


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


class Telling:
    """Prints a training's output, with the states of its progress bar on one line."""

    in_bar = False

    def __call__(self, line: str) -> None:
        bar = BAR in line
        if self.in_bar and not bar:
            print()
        self.in_bar = bar
        if not line.startswith("The model is in "):
            print(f"\r{line.rstrip()}" if bar else line, end="", flush=True)
