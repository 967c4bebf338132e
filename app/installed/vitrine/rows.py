"""Rows and columns of tables, as the API has them."""

from typing import Any

MAX_LETTERS = 60  # of a name or a category on a card


def column(name: Any) -> str:
    """A name of a column, or a category, as it can stand in a row that is written as NAME=VALUE
    with commas: , and = become ; and :, and blanks one space. A card has it like this.
    """
    return " ".join(str(name).replace(",", ";").replace("=", ":").split())[:MAX_LETTERS]


def missing(value: Any) -> bool:
    """Whether a value is missing: None, or what differs from itself, as NaN does."""
    try:
        return value is None or bool(value != value)
    except TypeError:  # pandas.NA is neither itself nor something else
        return True
    except ValueError:  # an array has a value
        return False


def as_row(row: Any, target: str | None) -> Any:
    """A row that is a dict, or one of a data frame, with the names of the card and null for what is
    missing. The column `target`, which a model says itself, is left out.
    """
    if hasattr(row, "to_dict"):
        row = row.to_dict()
    if not isinstance(row, dict):
        return row
    values = {column(name): None if missing(one) else one for name, one in row.items()}
    return {
        name: column(one) if isinstance(one, str) else one
        for name, one in values.items()
        if name != target
    }
