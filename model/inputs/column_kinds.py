"""The kinds of table columns: numbers, categories, and columns that a model can't learn from."""

import math
import re
import statistics
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from model.errors import InvalidInput, UnknownName
from model.inputs.table_files import Table, plain
from model.inputs.table_rows import Category, Number

DATE = re.compile(r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}([T ].*)?|\d{1,2}[./]\d{1,2}[./]\d{2,4}( .*)?")
MAX_CATEGORIES = 1_000
MAX_CLASSES = 30
MAX_COLUMNS = 40
OTHER = "(other)"
RARE = 5
"""Categories with fewer rows than this are treated as `OTHER`, like categories not seen in
training.
"""
NAMES = 0.9
"""A text column identifies rows, and is omitted, if more than this fraction of its values are
distinct.
"""


@dataclass(frozen=True)
class Kinds:
    """The numeric and categorical columns in table order, and the reason for each omitted
    column.
    """

    numbers: tuple[str, ...]
    categories: tuple[str, ...]
    left_out: dict[str, str]


def find_kinds(
    table: Table,
    target: str,
    drop: Collection[str] = (),
    categories: Collection[str] = (),
    group: str = "",
) -> Kinds:
    """The kind of every column except the `target`. Columns in `categories` are categorical even if
    they contain numbers; `drop` and the column `group`, by which rows are split, are omitted.

    Raises UnknownName for a missing column, and InvalidInput for columns of dates, of mixed numbers
    and text, or of too many categories.
    """
    for name in (*drop, *categories, *((group,) if group else ())):
        if name not in table.columns:
            raise UnknownName("unknown-column", name, table.columns)
    found: dict[str, list[str]] = {"numbers": [], "categories": []}
    left_out = dict.fromkeys(drop, "as asked") | ({group: "it splits the rows"} if group else {})
    for name, cells in table.columns.items():
        if name == target or name in left_out:
            continue
        known = [cell for cell in cells if cell]
        reason = useless(known)
        if reason:
            left_out[name] = reason
        else:
            found[kind(name, known, name in categories)].append(name)
    count = len(found["numbers"]) + len(found["categories"])
    if not 1 <= count <= MAX_COLUMNS:
        raise InvalidInput("number-of-columns", n=count, most=MAX_COLUMNS)
    return Kinds(tuple(found["numbers"]), tuple(found["categories"]), left_out)


def useless(known: Sequence[str]) -> str:
    """Why nothing can be learned from a column with these known cells, or ""."""
    different = set(known)
    if len(different) < 2:
        return "it has one value" if different else "it has no value"
    if number_of(known[0]) is None:
        named = len(different) > max(NAMES * len(known), 20) and not DATE.fullmatch(known[0])
        example = f", such as {known[0]!r}; numbers stand alone" if known[0][:1].isdecimal() else ""
        return f"nearly every row has a text of its own{example}" if named else ""
    counted = known[0].isdecimal() and known[-1].isdecimal()
    first = int(known[0]) if counted else 0
    counts = counted and all(cell == str(first + i) for i, cell in enumerate(known))
    return "it counts the rows" if counts else ""


def kind(name: str, known: Sequence[str], as_category: bool) -> str:
    """Either "numbers" or "categories". Raises InvalidInput for a column that is neither."""
    different = set(known)
    texts = [cell for cell in different if number_of(cell) is None]
    if not texts and not as_category:
        return "numbers"
    if not as_category and DATE.fullmatch(min(texts)):
        raise InvalidInput("column-of-dates", name=name, example=min(texts)[:20])
    if texts and len(texts) < len(different) and not as_category:
        numbers = sum(number_of(cell) is not None for cell in known)
        raise InvalidInput("column-mixed", name=name, numbers=numbers, example=min(texts)[:20])
    if len(different) > MAX_CATEGORIES:
        raise InvalidInput(
            "too-many-categories",
            name=name,
            categories=len(different),
            max_categories=MAX_CATEGORIES,
        )
    return "categories"


def number_of(cell: str) -> float | None:
    """The number in a cell, or None."""
    try:
        value = float(cell)
    except ValueError:
        return None
    return value if math.isfinite(value) and "_" not in cell else None


def find_classes(table: Table, target: str, fewest: int) -> tuple[str, ...]:
    """The classes in the column `target`, with numbers in increasing order. Raises UnknownName if
    there is no such column, and InvalidInput for fewer than two classes, too many classes, or a
    class with fewer than `fewest` rows.
    """
    if target not in table.columns:
        raise UnknownName("unknown-column", target, table.columns)
    counts = Counter(cell for cell in table.columns[target] if cell)
    numeric = all(number_of(cell) is not None for cell in counts)
    if len(counts) > MAX_CLASSES:
        raise InvalidInput(
            "target-is-a-number" if numeric else "too-many-classes",
            target=target,
            n=len(counts),
            most=MAX_CLASSES,
        )
    if not counts:
        raise InvalidInput("target-names-no-class", target=target)
    if len(counts) == 1:
        raise InvalidInput("target-names-one-class", target=target, only=next(iter(counts)))
    rare, n = min(counts.items(), key=lambda pair: pair[1])
    if n < fewest:
        raise InvalidInput("class-too-small", rare=rare, target=target, n=n, least=fewest)
    if numeric:
        return tuple(sorted(counts, key=float))
    return tuple(sorted(counts))


def number_column(name: str, known: Sequence[float]) -> Number:
    """A numeric column, described by the `known` values of the training rows."""
    values = known or (0.0,)
    return Number(
        name,
        "",
        statistics.fmean(values),
        statistics.pstdev(values) or 1.0,
        min(values),
        max(values),
    )


def category_column(name: str, cells: Sequence[str]) -> Category:
    """A categorical column, described by the cells of the training rows, with numbers in increasing
    order. If some categories are rare, the last option stands for all of them.
    """
    counts = Counter(plain(cell) for cell in cells if cell)
    common = [option for option, n in counts.items() if n >= RARE]
    numeric = all(number_of(option) is not None for option in common)
    options = sorted(common, key=float) if numeric else sorted(common)
    return Category(name, (*options, *((OTHER,) if len(common) < len(counts) else ())))


def option_of(column: Category, cell: str) -> str | None:
    """The option for a cell: `OTHER` for a rare or unseen category, if the column has that option;
    None for a missing value or one that can't be distinguished from it.
    """
    text = plain(cell)
    if text in column.options:
        return text
    return OTHER if text and OTHER in column.options else None
