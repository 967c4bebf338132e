"""Figures of /padding: the weights of one padded sentence under each convention for True in a mask,
and how far padding changes each sentence of a batch.
"""

import numpy as np

from app.figures import axes
from app.figures.drawing import Drawn, Question
from app.figures.findings import measured
from app.figures.grammar import Panel, Tile, bars, figure, linear, mosaic, named
from app.figures.plot import Plot
from app.figures.text import label, number, visible
from model.answers.answer import Answer

TILES = {
    "ours": ("Vitrine", "True: takes part", "attention"),
    "sdpa": ("torch SDPA", "True: takes part", "attention"),
    "multihead": ("torch MHA", "True: is hidden", "cross"),
    "additive": ("added numbers", "−∞: is hidden", "attention"),
    "mistaken": ("the wrong convention", "on padding: {}", "feed-forward"),
}
HEIGHT = 0.35  # of a row of bars


def conventions(answer: Answer, question: Question) -> Plot:
    """The weights of the shortest sentence as each convention gives them: rows are queries, columns
    are keys, and the padding stands at the right.
    """
    tokens = [visible(token) for token in axes.labels(answer, "key")]
    real, on_padding = answer.fields["real"], number(measured(answer, "mistaken"))
    notes = {name: note.format(on_padding) for name, (_, note, _) in TILES.items()}
    told = f"has {on_padding} of its weight on the padding"
    if hides_every_key(answer):
        notes["mistaken"], told = (
            "every key is hidden",
            "has no weights, because every key is hidden",
        )
    tiles = [
        Tile(
            title,
            drawable(answer.tensors[f"pattern.{name}"].data.numpy()[:real]),
            lambda q, k, title=title: f"{title}: {tokens[q]} looks at {tokens[k]}",
            role,
            notes[name],
            shortens=True,
        )
        for name, (title, _, role) in TILES.items()
    ]
    panel = mosaic(tiles, 2, "query", "key", "of the weight", ends=(0, 1), unit="weight")
    return figure(
        panel,
        description="Weights of one padded sentence: four of the maps are the same, and the fifth"
        f" {told}.",
    )


def drawable(values: np.ndarray) -> np.ndarray:
    """The weights, with nothing to draw where there is none."""
    return np.where(np.isneginf(values), np.nan, values)


def hides_every_key(answer: Answer) -> bool:
    """Whether the sentence has no padding: then the inverted mask hides all of its keys."""
    return answer.fields["real"] == answer.axes["key"].size


def batch(answer: Answer, question: Question) -> Plot:
    """How far padding changes the output of each sentence, with its mask and without it."""
    sentences = [label(one) for one in axes.labels(answer, "sentence")]
    values = answer.tensors["change"].data.numpy()
    places = np.arange(len(sentences))
    traces = [
        bars(
            row,
            places + offset,
            name,
            role,
            f"%{{customdata}}<br>{name}: changed by <b>%{{x:.3g}}</b> of the vectors’ length",
            legend=True,
            orientation="h",
            width=HEIGHT,
            customdata=sentences,
        )
        for row, name, role, offset in zip(
            values,
            ("with the padding mask", "without it"),
            ("attention", "feed-forward"),
            (-HEIGHT / 2, HEIGHT / 2),
            strict=True,
        )
    ]
    x = linear("change of the encoder’s output", values, "share of the vectors’ length", low=0)
    y = named("sentence", [str(place + 1) for place in places], down=True)
    said = "; ".join(
        f"{sentence}: {number(float(masked))} with, {number(float(bare))} without"
        for sentence, masked, bare in zip(sentences, *values, strict=True)
    )
    return figure(Panel(x, y, traces), description=f"Change by padding. {said}.")


FIGURES = {
    "conventions": Drawn("The same mask in four conventions", conventions, "pattern.ours"),
    "batch": Drawn("A padded batch, with its mask and without", batch, "change"),
}
