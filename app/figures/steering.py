"""Figures of /steering: what is written at each strength, and what the direction does to the
probabilities beside random directions.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from app.captions.axes import values
from app.figures.marks import Cells, Lines, Look, Marks, Scale

if TYPE_CHECKING:
    from model.answers.answer import Answer

LONGEST = 12  # letters of a token in a cell
EDGE = 0.1  # of a strength, beside the first and the last dot


def tokens(answer: "Answer", field: str, part: str, missing: Any) -> list[list[Any]]:
    """What is known of each token at each strength, as long as the longest text."""
    known = [[token[part] for token in row["tokens"]] for row in answer.fields[field]]
    return [[*row, *[missing] * (max(map(len, known)) - len(row))] for row in known]


TEXTS, RANDOM = (
    Cells(
        lambda answer, _, field=field: np.array(
            tokens(answer, field, "probability", np.nan), np.float32
        ),
        x=lambda answer, _, field=field: [
            str(i + 1) for i in range(len(tokens(answer, field, "text", "")[0]))
        ],
        y="strength",
        columns="token written",
        rows="strength (lengths of the stream)",
        ends=(0, 1),
        unit="probability",
        words=lambda answer, _, field=field: tokens(answer, field, "text", ""),
        longest=LONGEST,
        pick_row={"strength": "strength"},
        chosen_row="at",
        hover="strength %{y}, token %{x}: %{customdata}<br>taken with probability <b>%{z:.3g}</b>",
    )
    for field in ("texts", "random_texts")
)
"""The tokens at each strength, each coloured by the probability that it was taken with."""


def measured(tensor: str, title: str, unit: str, names: Any, **more: Any) -> Lines:
    """What a direction does at each strength, and a thin line for each random direction."""
    return Lines(
        f"random.{tensor}",
        x="strength",
        parts={"random": {}, "own": {"tensor": tensor}},
        looks={
            "random": Look("random directions", "ink-soft"),
            "own": Look("the direction", "attention"),
        },
        names=names,
        x_scale=Scale("strength (lengths of the stream)", before=EDGE, beyond=EDGE),
        y=Scale(title, **more),
        upright=lambda answer, _: values(answer, "strength")[answer.fields["at"]],
        hover=f"{{name}}, strength %{{x:.3g}}<br><b>%{{y:.3g}}</b> {unit}",
    )


EFFECT = Marks(
    [
        measured("share", "probability of the direction’s tokens", "probability", "legend", high=1),
        measured("surprise", "loss without the direction, nats a token", "nats", "none"),
    ],
    across=True,
)
"""What the direction does to the probability of its tokens, and what its texts cost the model
without it.
"""
