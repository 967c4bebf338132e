"""Reads a user's table from a CSV file or a data frame: cells as text, "" for a missing value.
Anything that is not a table raises an error.
"""

import codecs
import csv
import random
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from model.errors import InvalidInput

MISSING = frozenset(("", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None", "<NA>", "?"))
"""The cell contents that mean a missing value."""

DELIMITERS = ",;\t|"
MARKS = {",": ".", ";": ","}
"""The decimal mark of ambiguous numbers, by delimiter: spreadsheets use semicolons as delimiters
when numbers have decimal commas.
"""
BY_MARK = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",  # must precede UTF-16, whose mark is its prefix
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
"""Encodings by byte order mark, as in Excel's "Unicode text"."""
MAX_ROWS = 400_000
MAX_LETTERS = 60  # of a name or category


@dataclass(frozen=True)
class Table:
    """The cells of each column by name, all columns with the same length. `mark` is the decimal
    mark suggested by the file, or "".
    """

    columns: Mapping[str, list[str]]
    mark: str = ""

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))


def plain(text: str) -> str:
    """A name or category as written in NAME=VALUE rows: , and = become ; and :, and whitespace
    becomes one space.
    """
    return re.sub(r"\s+", " ", text.replace(",", ";").replace("=", ":")).strip()[:MAX_LETTERS]


def read_csv(path: Path, encoding: str = "utf-8", sample: int = 0, seed: int = 0) -> Table:
    """The table in the file `path`, whose first line names the columns. The delimiter is the one of
    `DELIMITERS` that is most frequent in the first line. A byte order mark determines the encoding;
    without one it is `encoding`. If `sample` is not 0, at most `sample` rows are sampled with
    `seed`.

    Raises InvalidInput with one sentence, or OSError for a file that cannot be read.
    """
    try:
        with path.open("rb") as of:
            begin = of.read(4)
        encoding = next((enc for mark, enc in BY_MARK.items() if begin.startswith(mark)), encoding)
        with path.open(encoding=encoding, newline="") as of:
            first = of.readline()
            if not first.strip():
                raise InvalidInput("table-is-empty", path=path.name)
            if "\0" in first:
                raise InvalidInput("null-characters", path=path.name)
            delimiter = max(DELIMITERS, key=first.count)
            of.seek(0)
            lines = csv.reader(of, delimiter=delimiter)
            names = column_names(next(lines), path.name)
            rows = sample_rows(whole(lines, len(names), path.name), sample, seed, path.name)
    except UnicodeDecodeError as error:
        raise InvalidInput(
            "other-encoding",
            path=path.name,
            encoding=encoding,
            byte=f"{error.object[error.start]:02x}",
        ) from error
    except LookupError as error:
        raise InvalidInput("no-such-encoding", encoding=encoding[:40]) from error
    except csv.Error as error:
        raise InvalidInput("no-csv-file", path=path.name, error=error) from error
    columns = {name: [row[place] for row in rows] for place, name in enumerate(names)}
    return Table(columns, MARKS.get(delimiter, ""))


def read_frame(frame: Any) -> Table:
    """The table in a data frame (`columns` and `frame[name]`, as in pandas and polars) or in a dict
    of columns. A value not equal to itself, such as NaN, is missing.
    """
    names = list(frame.columns) if hasattr(frame, "columns") else list(frame)
    columns = [[as_text(value) for value in frame[name]] for name in names]
    if len({len(column) for column in columns}) > 1:
        raise InvalidInput("columns-not-as-long")
    if columns and len(columns[0]) > MAX_ROWS:
        raise InvalidInput("frame-too-long", most=MAX_ROWS)
    return Table(dict(zip(column_names([str(n) for n in names]), columns, strict=True)))


def as_text(value: Any) -> str:
    try:
        missing = value is None or bool(value != value)
    except TypeError:  # comparing pandas.NA gives neither true nor false
        missing = True
    if missing:
        return ""
    return cell(repr(float(value)).removesuffix(".0") if isinstance(value, float) else str(value))


def cell(text: str) -> str:
    """A cell without surrounding whitespace, "" if missing. Repeated values share one string."""
    text = text.strip()
    return "" if text in MISSING else sys.intern(text)


def column_names(head: list[str], file: str = "") -> list[str]:
    """The column names of a file or frame. A column without a name is called by its number."""
    names = [plain(name) or f"column {place}" for place, name in enumerate(head, start=1)]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        of, times = "file" if file else "frame", names.count(twice)
        raise InvalidInput("column-twice", of=of, file=file, column=twice, times=times)
    return names


def whole(lines: Iterator[list[str]], width: int, file: str) -> Iterator[list[str]]:
    """The rows that are not blank. Raises InvalidInput for a row with more or fewer cells than the
    header.
    """
    for number, row in enumerate(lines, start=2):
        if len(row) > 1 or (row and (width == 1 or row[0].strip())):
            if len(row) != width:
                raise InvalidInput(
                    "row-of-other-length", number=number, file=file, cells=len(row), width=width
                )
            yield [cell(text) for text in row]


def sample_rows(rows: Iterator[list[str]], sample: int, seed: int, file: str) -> list[list[str]]:
    """All rows, or a uniform sample of `sample` rows (algorithm R: Vitter 1985)."""
    chosen, draws = [], random.Random(seed)
    for number, row in enumerate(rows):
        if not sample or number < sample:
            chosen.append(row)
        elif (place := draws.randrange(number + 1)) < sample:
            chosen[place] = row
        if len(chosen) > MAX_ROWS:
            raise InvalidInput("file-too-long", file=file, most=MAX_ROWS)
    return chosen
