"""Rows of a table as tokens: what stands in each column, [CLS] in front; a row is written
bill_length_mm=39.1,island=Biscoe.
"""

import difflib
import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, cast

from model.errors import InvalidInput
from model.inputs.class_labels import Classes

Values = dict[str, float | str | None]
"""By column; None where nothing is known."""


@dataclass(frozen=True)
class Column:
    """`text` is the column's name, `value` what stands in it, "" where it is missing; `id` its
    number, from 1, and [CLS] is 0.

    `place` is its number among the columns of its kind, numbers or categories; `category` the
    category's row in the table of all.
    """

    text: str
    id: int
    special: bool
    value: str
    unit: str
    place: int | None
    category: int | None


CLS = Column("[CLS]", 0, True, "", "", None, None)


@dataclass(frozen=True)
class Row:
    """One of several rows: the one asked about is 0, and its class is not known; `row` is what
    stands in it, as it is written.
    """

    text: str
    id: int
    row: str
    said: str


@dataclass(frozen=True)
class Number:
    """A column of numbers: mean and standard deviation, the least and the most, of the rows that
    were learned from.
    """

    name: str
    unit: str
    mean: float
    deviation: float
    least: float
    most: float

    @property
    def bounds(self) -> tuple[float, float]:
        """From half the least to one and a half times the most: what lies beyond is a slip of the
        pen.
        """
        return self.least / 2, self.most * 1.5

    def read(self, given: str) -> float:
        low, high = self.bounds
        try:
            value = float(given)
        except ValueError:
            value = math.nan
        if not low <= value <= high:
            of = f"{self.name} is a number from {low:g} to {high:g} {self.unit}"
            raise InvalidInput(
                f"{of}; {given[:20]!r} was given.", field="row", limit=[low, high], given=given[:20]
            )
        return value


@dataclass(frozen=True)
class Category:
    """A column of categories."""

    name: str
    options: tuple[str, ...]

    def read(self, given: str) -> str:
        """Capitals make no difference."""
        found = next((option for option in self.options if option.lower() == given.lower()), None)
        if found is None:
            one_of = f"{self.name} is one of {', '.join(self.options)}"
            raise InvalidInput(
                f"{one_of}; {given[:20]!r} was given.",
                field="row",
                limit=list(self.options),
                given=given[:20],
            )
        return found


@dataclass(frozen=True)
class Reference:
    """A row that others are shown beside, as it is written, and its class."""

    row: str
    said: str


@dataclass(frozen=True)
class RowTokenizer(Classes):
    """A table's columns, what a model can say of a row, and the rows beside which it is read, if
    any.
    """

    encoding: ClassVar[str] = "columns"  # its name on a card

    numbers: tuple[Number, ...]
    categories: tuple[Category, ...]
    classes: tuple[str, ...]
    references: tuple[Reference, ...] = ()

    @classmethod
    def load(cls, path: Path) -> "RowTokenizer":
        fields = json.loads(path.read_text(encoding="utf-8"))
        return cls(
            tuple(Number(**number) for number in fields["numbers"]),
            tuple(
                Category(category["name"], tuple(category["options"]))
                for category in fields["categories"]
            ),
            tuple(fields["classes"]),
            tuple(Reference(**reference) for reference in fields["references"]),
        )

    @property
    def columns(self) -> dict[str, Number | Category]:
        return {column.name: column for column in (*self.numbers, *self.categories)}

    @property
    def sizes(self) -> tuple[int, ...]:
        """Of each column of categories how many there are, with one more for what is missing."""
        return tuple(len(category.options) + 1 for category in self.categories)

    def read(self, row: str) -> Values:
        """What stands in every column. Raises InvalidInput for what is no such row; a column may be
        left out, but not all.
        """
        values: Values = dict.fromkeys(self.columns)
        seen = set()
        for part in row.split(","):
            name, equals, given = (piece.strip() for piece in part.partition("="))
            if not equals and name:
                sentence = (
                    f"{part.strip()[:40]!r} is no column with its value; write"
                    f" {next(iter(values))}=… with commas between columns."
                )
                raise InvalidInput(sentence, field="row", given=part[:40])
            if equals and name not in values:
                near = difflib.get_close_matches(name, list(values), n=1, cutoff=0.4) or list(
                    values
                )
                raise InvalidInput(
                    f"There is no column {name[:40]!r}; there is {', '.join(near)}.",
                    field="row",
                    given=name[:40],
                )
            if name and name in seen:
                raise InvalidInput(f"The column {name} is given twice.", field="row", given=name)
            seen.add(name)
            if given:
                values[name] = self.columns[name].read(given)
        if all(value is None for value in values.values()):
            raise InvalidInput(
                "The row is empty: at least one column has to be known.",
                field="row",
                limit=1,
                given=0,
            )
        return values

    def strange(self, values: Values) -> list[str]:
        """A sentence for each number beyond all that were learned from."""
        return [
            f"{column.name} is {value:g} {column.unit}; it was {column.least:g} to {column.most:g}"
            " in the rows learned from: extrapolation."
            for column, value in zip(self.numbers, self.measured(values), strict=True)
            if value is not None and not column.least <= value <= column.most
        ]

    def encode(self, values: Values) -> list[Column]:
        """[CLS], the columns of numbers, the columns of categories."""
        numbers = [
            Column(column.name, id, False, shown(values[column.name]), column.unit, place, None)
            for id, (place, column) in enumerate(enumerate(self.numbers), start=1)
        ]
        categories = [
            Column(column.name, id, False, shown(values[column.name]), "", place, category)
            for place, (id, (column, category)) in enumerate(
                enumerate(
                    zip(self.categories, self.places(values), strict=True), start=1 + len(numbers)
                )
            )
        ]
        return [CLS, *numbers, *categories]

    def table(self, values: Values) -> list[Row]:
        """The row itself, and those it is shown beside, numbered within their class."""
        of_class = dict.fromkeys(self.classes, 0)
        rows = [Row("itself", 0, written(values), "")]
        for id, reference in enumerate(self.references, start=1):
            of_class[reference.said] += 1
            rows.append(
                Row(
                    f"{reference.said}-{of_class[reference.said]}",
                    id,
                    reference.row,
                    reference.said,
                )
            )
        return rows

    def places(self, values: Values) -> list[int]:
        """Of each category its row in the table of all; the last of its column where it is
        missing.
        """
        starts = [sum(self.sizes[:n]) for n in range(len(self.sizes))]
        known = [(*column.options, None).index(values[column.name]) for column in self.categories]
        return [start + one for start, one in zip(starts, known, strict=True)]

    def standardised(self, values: Values) -> list[float | None]:
        """The numbers in standard deviations from the mean."""
        return [
            None if value is None else (value - column.mean) / column.deviation
            for column, value in zip(self.numbers, self.measured(values), strict=True)
        ]

    def measured(self, values: Values) -> list[float | None]:
        """What stands in the columns of numbers."""
        # `read` puts a number or None there, and words only into columns of categories.
        return [cast("float | None", values[column.name]) for column in self.numbers]


def shown(value: float | str | None) -> str:
    return (
        "" if value is None else value if isinstance(value, str) else repr(value).removesuffix(".0")
    )


def written(values: Values) -> str:
    """The same row as text: what `read` reads."""
    return ",".join(f"{name}={shown(value)}" for name, value in values.items() if value is not None)
