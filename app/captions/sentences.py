"""Sentences that the pages make themselves, in the language of who asks: messages of
`templates/words` with their values, which stay as they are.
"""

from model.words import text


def of_edits(message: str, **values: object) -> str:
    """What is said of an edit, or of how a run reads its input."""
    return text("edits", message, values)


def of_derivations(message: str, **values: object) -> str:
    """What is said of a number and of where it comes from."""
    return text("derivation", message, values)


def of_drawings(message: str, **values: object) -> str:
    """What a drawing says, and the line under a drawing or a figure."""
    return text("drawings", message, values)
