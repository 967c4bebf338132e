"""Numbers as people and spreadsheets write them: decimal commas, thousands separators, percentages,
and amounts of money. A column is parsed this way if all its cells agree.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from model.errors import InvalidInput
from model.inputs.column_kinds import number_of
from model.inputs.table_files import Table

UNIT = "|".join(map(re.escape, ("%", "€", "$", "£", "¥", "EUR", "USD", "GBP", "CHF")))
PARTS = re.compile(rf"([-+−]?)\s*({UNIT})?\s*([-+−]?[\d.,].*?)\s*({UNIT})?")
"""A sign, a unit, a number, and a unit."""
BETWEEN = " '’\u00a0\u202f"
"""Thousands separators other than a comma or a point."""
OTHER = {".": ",", ",": "."}
"""The mark that may separate thousands, by decimal mark."""
PATTERNS = {
    mark: re.compile(
        rf"(?=.*\d)[-+]?(\d+|[1-9]\d{{0,2}}(?P<between>[{other}{BETWEEN}])\d{{3}}"
        rf"((?P=between)\d{{3}})*)?({re.escape(mark)}\d*)?([eE][-+]?\d+)?"
    )
    for mark, other in OTHER.items()
}


@dataclass(frozen=True)
class Column:
    """The distinct cells of a column as numbers without their `unit`, and the decimal `marks` that
    are consistent with all of them: "" if there is neither comma nor point.
    """

    numbers: Mapping[str, str]
    unit: str
    marks: str


def read_numbers(
    table: Table, besides: Collection[str]
) -> tuple[Table, dict[str, str], dict[str, str]]:
    """The table with these numbers in Python's notation, and by column name the messages about them
    and their units. The columns `besides` are left unchanged. A column consistent with both decimal
    marks, such as 1,234, is parsed like the other columns, or by the file's delimiter.

    Raises InvalidInput if neither decides.
    """
    cells = {
        name: list(dict.fromkeys(filter(None, column)))
        for name, column in table.columns.items()
        if name not in besides
    }
    odd = {
        name: found
        for name, known in cells.items()
        if not all(number_of(cell) is not None for cell in known) and (found := column_of(known))
    }
    if not odd:
        return table, {}, {}
    found = {name: column for name in cells if (column := odd.get(name) or column_of(cells[name]))}
    decided = {column.marks for column in found.values() if len(column.marks) == 1}
    columns, notes = dict(table.columns), dict[str, str]()
    for name, column in found.items():
        mark = column.marks or "."
        if len(mark) > 1:
            alike = "".join(decided) if len(decided) == 1 else ""
            mark = alike or (table.mark if name in odd else ".") or refuse(name, column)
        read = {cell: as_python(number, mark) for cell, number in column.numbers.items()}
        columns[name] = [read.get(cell, "") for cell in table.columns[name]]
        if note := in_words(column, read, mark):
            notes[name] = note
    return Table(columns, table.mark), notes, {name: column.unit for name, column in odd.items()}


def column_of(known: Iterable[str]) -> Column | None:
    """The parsed cells of a column; None if they aren't numbers or have different units."""
    numbers, units = dict[str, str](), set[str]()
    for cell in known:
        parts = PARTS.fullmatch(cell)
        if parts is None or (parts[2] and parts[4]):
            return None
        numbers[cell] = (parts[1] + parts[3]).replace("−", "-")
        units.add(parts[2] or parts[4] or "")
    marks = "".join(
        mark for mark, pattern in PATTERNS.items() if all(map(pattern.fullmatch, numbers.values()))
    )
    if len(units) != 1 or not marks:
        return None
    marked = any(mark in number for number in numbers.values() for mark in OTHER)
    return Column(numbers, units.pop(), marks if marked else "")


def as_python(number: str, mark: str) -> str:
    """A number parsed with this decimal mark."""
    return re.sub(f"[{OTHER[mark]}{BETWEEN}]", "", number).replace(mark, ".")


def in_words(column: Column, read: Mapping[str, str], mark: str) -> str:
    """How the numbers of a column are written; "" if as in Python."""
    changed = ((number, read[cell]) for cell, number in column.numbers.items())
    example = next((f"{text} is {to}" for text, to in changed if text != to), "")
    comma = mark == "," and any("," in number for number in column.numbers.values())
    notes = ["decimal comma" if comma else example, f"in {column.unit}" if column.unit else ""]
    return ", ".join(filter(None, notes))


def refuse(name: str, column: Column) -> str:
    """Raises InvalidInput for an ambiguous column."""
    number = next(cell for cell in column.numbers.values() if any(mark in cell for mark in OTHER))
    both = [as_python(number, mark) for mark in OTHER]
    raise InvalidInput("numbers-read-two-ways", name=name, number=number, both=both)
