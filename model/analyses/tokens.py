"""Tokens: the pieces of a text, with their ids and positions."""

from dataclasses import asdict

from model.answers.answer import Answer
from model.runs.run import BaselineRun


def tokens(run: BaselineRun) -> Answer:
    """`tokens` by axis (source, target, or text): text, id, start and end in the characters of the
    input, whether it is special, and the number of its word.

    If one sequence contains source and target, start and end count the characters of the token's
    side; target tokens begin at `expected_from`.
    """
    rows = {name: [asdict(token) for token in row] for name, row in run.tokens.items()}
    return run.answer({}, {"tokens": rows, "expected_from": run.target_start})
