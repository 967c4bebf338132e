"""Table rows as tokens: one token per column, preceded by [CLS]. A row is written as
bill_length_mm=39.1,island=Biscoe.
"""

import difflib
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, cast

from model.errors import FEW, InvalidInput
from model.inputs.class_labels import ClassLabels

Values = dict[str, float | str | None]
"""The values of a row by column name; None for a missing value."""


@dataclass(frozen=True)
class Column:
    """One column of a row as a token. `text` is the name of the column, `value` the value as text,
    "" if missing, and `id` the number of the column, counted from 1; [CLS] has the id 0.

    `place` is the index of the column among those of its kind, numbers or categories. `category` is
    the row of its category in the shared embedding table.
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
    """One row of several as a token. The row to classify has the id 0 and no class, `said` = "";
    the others are reference rows. `row` is the row as text.
    """

    text: str
    id: int
    row: str
    said: str


@dataclass(frozen=True)
class Number:
    """A numeric column, with the mean, standard deviation, minimum, and maximum of the training
    rows.
    """

    name: str
    unit: str
    mean: float
    deviation: float
    least: float
    most: float

    @property
    def bounds(self) -> tuple[float, float]:
        """The range of accepted numbers: the range of the training rows, extended by half its width
        on each side. A positive minimum is halved instead, and so is a negative maximum. A number
        outside the range is treated as a typing error.
        """
        low = self.least / 2 if self.least > 0 else self.least * 1.5
        return low, self.most * 1.5 if self.most > 0 else self.most / 2

    def read(self, text: str) -> float:
        low, high = self.bounds
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not low <= value <= high:
            raise InvalidInput(
                "number-out-of-range",
                field="row",
                limit=[low, high],
                given=text[:20],
                column=self.name,
                low=float(low),
                high=float(high),
                unit=f" {self.unit}".rstrip(),
            )
        return value


@dataclass(frozen=True)
class Category:
    """A categorical column with its options."""

    name: str
    options: tuple[str, ...]

    def read(self, text: str) -> str:
        """The option named by `text`, ignoring case. Raises InvalidInput for any other text."""
        if text in self.options:
            return text
        found = next((option for option in self.options if option.lower() == text.lower()), None)
        if found is None:
            raise InvalidInput(
                "no-such-option",
                field="row",
                limit=list(self.options),
                given=text[:20],
                column=self.name,
                n=len(self.options),
                many=len(self.options) > FEW,
                options=self.like(text),
            )
        return found

    def like(self, text: str) -> Sequence[str]:
        """The options; if there are more than FEW, those most similar to `text`."""
        if len(self.options) <= FEW:
            return self.options
        return difflib.get_close_matches(text, self.options, n=3, cutoff=0.3) or self.options[:3]


@dataclass(frozen=True)
class Reference:
    """A reference row as text, and its class `said`."""

    row: str
    said: str


@dataclass(frozen=True)
class RowTokenizer(ClassLabels):
    """The tokenizer of a tabular model: the columns, the classes, and the reference rows of a model
    with attention between rows.
    """

    encoding: ClassVar[str] = "columns"  # its name in a card

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
    def accepted(self) -> list[dict[str, Any]]:
        """The range of each numeric column and the options of each categorical column, as in a
        card.
        """
        numbers = [
            {"name": col.name, "unit": col.unit, "least": col.bounds[0], "most": col.bounds[1]}
            for col in self.numbers
        ]
        return numbers + [
            {"name": column.name, "options": list(column.options)} for column in self.categories
        ]

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of categories of each categorical column, plus one for a missing value."""
        return tuple(len(category.options) + 1 for category in self.categories)

    def read(self, row: str) -> Values:
        """The values of the row `row`. Some columns may be omitted, but not all. Raises
        InvalidInput for text that is not such a row.
        """
        values: Values = dict.fromkeys(self.columns)
        names = set()
        for part in row.split(","):
            name, equals, text = (piece.strip() for piece in part.partition("="))
            if not equals and name:
                entry, column = part.strip()[:40], next(iter(values))
                raise InvalidInput(
                    "no-column-with-value", field="row", given=part[:40], shown=entry, column=column
                )
            if equals and name not in values:
                near = difflib.get_close_matches(name, list(values), n=1, cutoff=0.4) or list(
                    values
                )
                raise InvalidInput("no-such-column", field="row", given=name[:40], columns=near)
            if name and name in names:
                raise InvalidInput("column-given-twice", field="row", given=name)
            names.add(name)
            if text:
                values[name] = self.columns[name].read(text)
        if all(value is None for value in values.values()):
            raise InvalidInput("row-is-empty", field="row", limit=1, given=0)
        return values

    def out_of_range(self, values: Values) -> list[str]:
        """A sentence for each number outside the range of the training rows."""
        return [
            f"{column.name} is {f'{value:g} {column.unit}'.rstrip()}; it was {column.least:g} to"
            f" {column.most:g} in the rows learned from: extrapolation."
            for column, value in zip(self.numbers, self.measured(values), strict=True)
            if value is not None and not column.least <= value <= column.most
        ]

    def encode(self, values: Values) -> list[Column]:
        """The tokens of a row: [CLS], the numeric columns, the categorical columns."""
        numbers = [
            Column(column.name, id, False, write(values[column.name]), column.unit, place, None)
            for id, (place, column) in enumerate(enumerate(self.numbers), start=1)
        ]
        categories = [
            Column(column.name, id, False, write(values[column.name]), "", place, category)
            for place, (id, (column, category)) in enumerate(
                enumerate(
                    zip(self.categories, self.places(values), strict=True), start=1 + len(numbers)
                )
            )
        ]
        return [CLS, *numbers, *categories]

    def table(self, values: Values) -> list[Row]:
        """The row itself and the reference rows, which are numbered within their class."""
        of_class = dict.fromkeys(self.classes, 0)
        rows = [Row("itself", 0, row_text(values), "")]
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
        """The row of each category in the shared embedding table. A missing value has the last row
        of its column.
        """
        starts = [sum(self.sizes[:n]) for n in range(len(self.sizes))]
        known = [(*column.options, None).index(values[column.name]) for column in self.categories]
        return [start + place for start, place in zip(starts, known, strict=True)]

    def standardised(self, values: Values) -> list[float | None]:
        """The numbers of a row in standard deviations from the mean; None if missing."""
        return [
            None if value is None else (value - column.mean) / column.deviation
            for column, value in zip(self.numbers, self.measured(values), strict=True)
        ]

    def measured(self, values: Values) -> list[float | None]:
        """The values in the numeric columns."""
        # `read` only returns numbers or None for these columns
        return [cast("float | None", values[column.name]) for column in self.numbers]


def write(value: float | str | None) -> str:
    """A value as text, "" if missing."""
    return (
        "" if value is None else value if isinstance(value, str) else repr(value).removesuffix(".0")
    )


def row_text(values: Values) -> str:
    """The row as text, which `RowTokenizer.read` reads."""
    return ",".join(f"{name}={write(value)}" for name, value in values.items() if value is not None)
