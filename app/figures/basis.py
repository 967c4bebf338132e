"""Figures of /basis: every coordinate of the stream, and every logit, after the rotation against
before.
"""

import numpy as np
import plotly.graph_objects as go

from app.figures.drawing import Drawn, Question
from app.figures.grammar import compared, figure
from app.figures.text import number
from model.answers.answer import Answer


def stream(answer: Answer, question: Question) -> go.Figure:
    """The channels of the stream before and after the rotation."""
    before, after = answer.tensors["stream"].data.numpy()
    return rotated(before, after, "channel", "channel", "stream")


def logits(answer: Answer, question: Question) -> go.Figure:
    """The logits before and after a rotation of the stream."""
    before, after = answer.tensors["logits"].data.numpy()
    return rotated(before, after, "logit", "logit of token", "attention")


def hidden(answer: Answer, question: Question) -> go.Figure:
    """The logits before and after a rotation of the hidden units of the feed-forward."""
    before = answer.tensors["logits"].data.numpy()[0]
    after = answer.tensors["hidden_logits"].data.numpy()
    return rotated(before, after, "logit", "logit of token", "feed-forward")


def rotated(before: np.ndarray, after: np.ndarray, what: str, column: str, role: str) -> go.Figure:
    """A point for each position (row) and channel or token (column)."""
    rows, columns = before.shape
    names = [f"position {i + 1}, {column} {j}" for i in range(rows) for j in range(columns)]
    farthest = number(float(np.abs(after - before).max()))
    said = f"Each {what} after against before; the largest change is {farthest}."
    return figure(compared(before, after, names, what, role), description=said)


FIGURES = {
    "stream": Drawn("The stream, rotated", stream, "stream"),
    "logits": Drawn("The logits, stream rotated", logits, "logits"),
    "hidden": Drawn("The logits, hidden units rotated", hidden, "hidden_logits"),
}
