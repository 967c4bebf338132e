"""Figures of /basis: the stream as a strip of channels after the rotation, the probabilities of the
next token before and after it, and every number after the rotation against the same before it.
"""

import numpy as np

from app.figures.drawing import Drawn, Question
from app.figures.grammar import Panel, bars, compared, figure, heat_map, linear, named
from app.figures.plot import Plot
from app.figures.text import number
from model.answers.answer import Answer


def strip(answer: Answer, question: Question) -> Plot:
    """The stream after the rotation: a row for each token, a column for each channel. The colours
    keep their meaning at every angle.
    """
    after = answer.tensors["stream"].data.numpy()[1]
    # Rotations keep lengths, so no channel is ever larger than the longest vector is long; half of
    # it shows the usual ones.
    high = float(np.linalg.norm(after, axis=-1).max()) / 2
    hover = "token %{y}, channel %{x}<br><b>%{z:.3g}</b>"
    rows, channels = ([str(i + 1) for i in range(n)] for n in after.shape)
    panel = Panel(
        named("channel", channels),
        named("token", rows, down=True),
        [heat_map(after, hover, "signed", ends=(-high, high), unit="value")],
    )
    said = f"The stream rotated by {question['angle']:g} degrees, {len(rows)} tokens."
    return figure(panel, description=said)


def probabilities(answer: Answer, question: Question) -> Plot:
    """The probability of each token of the vocabulary after the last position, twice."""
    before, after = answer.tensors["probabilities"].data.numpy()
    tokens = list(range(len(before)))
    told = "token %{x}, PLACE the rotation<br>probability <b>%{y:.3g}</b>"
    traces = [
        bars(tokens, before, "before", "ink-soft", told.replace("PLACE", "before"), legend=True),
        bars(
            tokens,
            after,
            "after",
            "attention",
            told.replace("PLACE", "after"),
            legend=True,
            width=0.4,
        ),
    ]
    panel = Panel(
        linear("token", tokens, low=-0.5, high=len(tokens) - 0.5),
        linear("probability of the next token", [before, after]),
        traces,
    )
    farthest = number(float(np.abs(after - before).max()))
    said = f"Probabilities before and after the rotation; the largest change is {farthest}."
    return figure(panel, description=said)


def stream(answer: Answer, question: Question) -> Plot:
    """The channels of the stream before and after the rotation."""
    before, after = answer.tensors["stream"].data.numpy()
    return rotated(before, after, "channel", "channel", "stream")


def logits(answer: Answer, question: Question) -> Plot:
    """The logits before and after a rotation of the stream."""
    before, after = answer.tensors["logits"].data.numpy()
    return rotated(before, after, "logit", "logit of token", "attention")


def hidden(answer: Answer, question: Question) -> Plot:
    """The logits before and after a rotation of the hidden units of the feed-forward."""
    before = answer.tensors["logits"].data.numpy()[0]
    after = answer.tensors["hidden_logits"].data.numpy()
    return rotated(before, after, "logit", "logit of token", "feed-forward")


def rotated(before: np.ndarray, after: np.ndarray, what: str, column: str, role: str) -> Plot:
    """A point for each position (row) and channel or token (column)."""
    rows, columns = before.shape
    names = [f"position {i + 1}, {column} {j}" for i in range(rows) for j in range(columns)]
    farthest = number(float(np.abs(after - before).max()))
    said = f"Each {what} after against before; the largest change is {farthest}."
    return figure(compared(before, after, names, what, role), description=said)


FIGURES = {
    "strip": Drawn("The stream after the rotation", strip, "stream"),
    "probabilities": Drawn("The next token", probabilities, "probabilities"),
    "stream": Drawn("The stream, rotated", stream, "stream"),
    "logits": Drawn("The logits, stream rotated", logits, "logits"),
    "hidden": Drawn("The logits, hidden units rotated", hidden, "hidden_logits"),
}
