"""Tokens: the pieces a text is cut into, with their ids and where in the text they stand."""

from dataclasses import asdict

from model.answer import Answer
from model.run import Run


def tokens(run: Run) -> Answer:
    """`tokens` by input (source, target or text): text, id, start and end in the input, special or not, and the word it is a piece of."""
    return run.answer({}, {"tokens": {name: [asdict(token) for token in row] for name, row in run.tokens.items()}})
