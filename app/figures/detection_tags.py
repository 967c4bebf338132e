"""The words at the boxes of a picture, each where it covers least of the others."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.captions.text import label, weight
from app.figures import theme
from app.figures.annotations import note
from app.figures.detection_boxes import Prediction
from app.figures.detection_classes import in_short
from app.figures.meta import NoteLook

LETTER, LINE = 1.0, 2.5  # of a text on a phone, in pixels of the picture, where they are largest


def tags(mine: Prediction, others: Sequence[Prediction], side: int) -> list[dict[str, Any]]:
    """Which query, what it says and how sure it is, at each box. The chosen query's stands above
    its box, or inside where there is no room; each of the others stands where it covers least of
    those before it. The chosen one is drawn last, over the others.
    """
    placed: list[Place] = []
    notes = []
    for one in (mine, *others):
        text = f"{one.query} {label(in_short(one.kind))} {weight(one.probability)}"
        spots = places(one.box * side, len(text) * LETTER, side)
        spot = min(spots, key=lambda spot: sum(spot.covers(other) for other in placed))
        placed.append(spot)
        ink, ground = ("paper", "query") if one is mine else ("ink", "paper")
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
        """The area that both would take."""
        (x, y), (left, top) = self.start, other.start
        across = min(x + self.wide, left + other.wide) - max(x, left)
        return max(0.0, across) * max(0.0, min(y, top) + LINE - max(y, top))

    def inside(self, side: int) -> bool:
        """Whether no letter lies outside of a picture of `side` pixels."""
        x, y = self.start
        return x >= 0 and y >= 0 and x + self.wide <= side and y + LINE <= side


def places(box: np.ndarray, wide: float, side: int) -> list[Place]:
    """Where a text so wide may stand at a box, the best first: above it, below it, inside at its
    upper edge, inside at its lower edge. What would leave the picture comes last.
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
