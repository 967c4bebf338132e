"""Labels of the boxes in a picture, placed to overlap as little as possible."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.captions.text import label, weight
from app.figures import theme
from app.figures.detection_boxes import Prediction
from app.figures.detection_classes import in_short
from app.figures.meta import NoteLook
from app.figures.traces import note

LETTER, LINE = 1.0, 2.5  # maximum text size on a phone, in pixels of the picture


def tags(mine: Prediction, others: Sequence[Prediction], side: int) -> list[dict[str, Any]]:
    """The query, class, and probability at each box. The selected query's label is above its box,
    or inside if there is no room; each of the others is placed where it overlaps least with earlier
    ones. The selected one is drawn last, on top.
    """
    placed: list[Place] = []
    notes = []
    for query in (mine, *others):
        text = f"{query.query} {label(in_short(query.kind))} {weight(query.probability)}"
        spots = places(query.box * side, len(text) * LETTER, side)
        spot = min(spots, key=lambda spot: sum(spot.covers(other) for other in placed))
        placed.append(spot)
        ink, ground = ("paper", "query") if query is mine else ("ink", "paper")
        notes.append(
            note(
                NoteLook(kind="title", role=ink, ground=ground),
                spot.x + 0.5,
                spot.y + 0.5,
                text,
                xanchor=spot.xanchor,
                yanchor=spot.yanchor,
                bgcolor=theme.colour(ground),
                borderpad=2,
            )
        )
    return notes[::-1]


@dataclass(frozen=True)
class Place:
    """A line of text at x and y, in pixels of the picture from its upper left corner."""

    x: float
    y: float
    xanchor: str
    yanchor: str
    wide: float

    @property
    def start(self) -> tuple[float, float]:
        """Its upper left corner."""
        across = {"left": 0.0, "center": self.wide / 2, "right": self.wide}[self.xanchor]
        return self.x - across, self.y - (LINE if self.yanchor == "bottom" else 0)

    def covers(self, other: "Place") -> float:
        """The overlapping area."""
        (x, y), (left, top) = self.start, other.start
        across = min(x + self.wide, left + other.wide) - max(x, left)
        return max(0.0, across) * max(0.0, min(y, top) + LINE - max(y, top))

    def inside(self, side: int) -> bool:
        """Whether the text is entirely inside a picture of `side` pixels."""
        x, y = self.start
        return x >= 0 and y >= 0 and x + self.wide <= side and y + LINE <= side


def places(box: np.ndarray, wide: float, side: int) -> list[Place]:
    """Possible places for a text of this width at a box, in order of preference: above it, below
    it, inside at its upper edge, inside at its lower edge. Places outside the picture come last.
    """
    x, y, width, height = (float(size) for size in box)
    left, right, top, bottom = x - width / 2, x + width / 2, y - height / 2, y + height / 2
    found = [
        Place(at, level, xanchor, yanchor, wide)
        for level, yanchor in (
            (top, "bottom"),
            (bottom, "top"),
            (max(top, 0.0), "top"),
            (min(bottom, float(side)), "bottom"),
        )
        for at, xanchor in ((left, "left"), (x, "center"), (right, "right"))
    ]
    return sorted(found, key=lambda place: not place.inside(side))
