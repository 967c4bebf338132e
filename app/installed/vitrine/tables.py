"""A table becomes a file of CSV, of which `vitrine train table` trains a model of a case."""

import csv
import tempfile
from numbers import Integral
from pathlib import Path
from typing import Any

from vitrine.errors import InvalidQuestion
from vitrine.rows import column, missing
from vitrine.server import BAR, Server

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
"""What `vitrine train table` takes besides."""


def train_table(
    server: Server, table: Any, target: str, name: str | None, options: dict[str, Any]
) -> str:
    """Trains a model of a table for the server of a case and returns its name; what is found and
    measured is printed, with a bar of progress. Raises CaseError.
    """
    if unknown := sorted(options.keys() - OPTIONS):
        raise InvalidQuestion(
            f"train_table has no option {unknown[0]!r}. It has: {', '.join(sorted(OPTIONS))}."
        )
    for option in ("rows", "steps"):
        given = options.get(option, 1)
        if not isinstance(given, Integral) or given < 1:
            raise InvalidQuestion(f"`{option}` is a whole number from 1 on; {given!r} was given.")
    options = {key: one for key, one in options.items() if one is not None and one is not False}
    if options.get("pretrain") is True:
        options["pretrain"] = "mask"
    if isinstance(table, (str, Path)):
        file = str(table)
    else:
        folder = Path(tempfile.mkdtemp(prefix="table-", dir=server.folder))
        file = str(folder / f"{name or 'table'}.csv")
        texts = write_table(columns_of(table), file)
        options["categories"] = [*listed(options.get("categories", ())), *texts]
    given = options | {"target": column(target), "out": server.folder / "checkpoints"}
    given |= {
        option: ",".join(map(column, listed(options[option])))
        for option in ("categories", "drop")
        if option in options
    }
    given |= {"group": column(options["group"])} if "group" in options else {}
    given |= {"name": name} if name else {}
    flags = [part for key, value in given.items() for part in (f"--{key}", str(value))]
    said = server.run("train", "table", file, *flags, tell=Telling())
    return said.rpartition("?model=")[2].strip()


def listed(names: Any) -> list[Any]:
    """Names of columns, which may be one text with commas between them."""
    return names.split(",") if isinstance(names, str) else list(names)


def columns_of(table: Any) -> list[tuple[str, list[Any]]]:
    """The columns of a data frame, of pandas or polars, or of a dict. Raises InvalidQuestion."""
    if isinstance(table, dict):  # pandas' `to_dict` has a dict for each column
        columns = [one.values() if isinstance(one, dict) else one for one in table.values()]
    elif hasattr(table, "iloc") and hasattr(table, "columns"):
        columns = [table.iloc[:, place] for place in range(len(table.columns))]
    else:
        columns = [table[name] for name in getattr(table, "columns", ())]
    if not columns or any(not hasattr(one, "__iter__") for one in columns):
        raise InvalidQuestion(
            "A data frame of pandas or polars, a dict of columns or a file of CSV is needed, and"
            f" one of type {type(table).__name__} was given."
        )
    names = table if isinstance(table, dict) else table.columns
    return [(str(name), list(values)) for name, values in zip(names, columns, strict=True)]


def write_table(columns: list[tuple[str, list[Any]]], file: str) -> list[str]:
    """Writes columns as a file of CSV, and returns the names of those that hold texts of numbers,
    as "01", which such a file cannot tell from numbers. Raises InvalidQuestion.
    """
    if len({len(values) for _, values in columns}) > 1:
        raise InvalidQuestion("The columns of the table are not all as long.")
    with open(file, "w", newline="", encoding="utf-8") as written:
        lines = csv.writer(written, lineterminator="\n")
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
    """Prints what a training says, and the states of its bar in one line."""

    in_bar = False

    def __call__(self, line: str) -> None:
        bar = BAR in line
        if self.in_bar and not bar:
            print()
        self.in_bar = bar
        if not line.startswith("The model is in "):
            print(f"\r{line.rstrip()}" if bar else line, end="", flush=True)
