"""Tokens: the pieces a text is cut into, with their ids and where in the text they stand."""

from dataclasses import asdict

from model.answers.answer import Answer
from model.runs.run import Run


def tokens(run: Run) -> Answer:
    """`tokens` by axis (source, target or text): text, id, start and end in the input, special or
    not, and the word it is a piece of.

    Of one text that is source and target, start and end count the characters of the one the token
    is from; the target's tokens begin at `expected_from`.
    """
    rows = {name: [asdict(token) for token in row] for name, row in run.tokens.items()}
    return run.answer({}, {"tokens": rows, "expected_from": run.target_start})
