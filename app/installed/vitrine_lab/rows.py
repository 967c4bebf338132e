"""Table rows and columns in the API's format."""

from typing import Any

MAX_LETTERS = 60  # of a name or category in a card


def column(name: Any) -> str:
    """A column name or category as written in NAME=VALUE rows and in cards: , and = become ; and :,
    and whitespace becomes one space.
    """
    return " ".join(str(name).replace(",", ";").replace("=", ":").split())[:MAX_LETTERS]


def missing(value: Any) -> bool:
    """Whether a value is missing: None, or not equal to itself, such as NaN."""
    try:
        return value is None or bool(value != value)
    except TypeError:  # comparing pandas.NA gives neither true nor false
        return True
    except ValueError:  # an array is not missing
        return False


def as_row(row: Any, target: str | None) -> Any:
    """A row given as a dict or from a DataFrame, with the card's names and null for missing values.
    The column `target`, which the model predicts, is omitted.
    """
    if hasattr(row, "to_dict"):
        row = row.to_dict()
    if not isinstance(row, dict):
        return row
    values = {column(name): None if missing(value) else value for name, value in row.items()}
    return {
        name: column(value) if isinstance(value, str) else value
        for name, value in values.items()
        if name != target
    }
