"""Steps of a residual stream and the parts that are written to it, and the axis that they make."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from app.captions.writers import WRITERS, Writer
from app.figures.axis_scales import AxisScale, named

IN_A_LAYER = re.compile(r"\w+\.(\d+)\.")


@dataclass(frozen=True)
class Place:
    """A step of the stream: what wrote, in which layer; the embedding and a final norm have no
    layer.
    """

    writer: Writer
    layer: int | None
    wrote: str | None
    norm: str | None

    @property
    def title(self) -> str:
        """Layer 1 cross-attention."""
        return in_layer(self.layer, self.writer.title)

    @property
    def within_a_sentence(self) -> str:
        """Layer 1 cross-attention, the embedding, the final norm."""
        return self.title if self.layer is not None else f"the {self.title}"


def places(steps: Sequence[dict[str, Any]]) -> list[Place]:
    """The steps of an answer. What writes decoder.1.cross_attention.out is cross_attention; a step
    at which nothing is written is the final norm.
    """
    found = []
    for step in steps:
        wrote, match = step["wrote"], IN_A_LAYER.match(step["name"])
        kind = wrote.split(".")[-2] if wrote else "norm"
        writer = WRITERS[kind]
        layer = int(match[1]) if match and kind != "embedding" else None
        found.append(Place(writer, layer, wrote, step.get("norm")))
    return found


def part_title(part: dict[str, Any]) -> str:
    """Layer 1 cross-attention head 2; a bias is called by the name of its parameter, and what an
    edit added by that of the activation that it changed.
    """
    if part["kind"] == "bias" or part.get("gathered"):
        return part["name"]
    if part["kind"] == "edit":
        return f"edit of {part['name']}"
    title = in_layer(part["layer"], WRITERS[part["kind"]].title)
    return title if part["head"] is None else f"{title} head {part['head']}"


def in_layer(layer: int | None, title: str) -> str:
    return title if layer is None else f"layer {layer} {title}"


def along(path: Sequence[Place]) -> AxisScale:
    """The axis of the steps, from left to right."""
    return named("step", [place.writer.short for place in path])


def layers(path: Sequence[Place]) -> list[dict[str, Any]]:
    """The steps that belong to one layer, which the runtime names under them."""
    found: dict[int, list[int]] = {}
    for i, place in enumerate(path):
        if place.layer is not None:
            found.setdefault(place.layer, []).append(i)
    return [
        {"name": f"layer {layer}", "short": str(layer), "from": steps[0], "to": steps[-1]}
        for layer, steps in found.items()
    ]


def chosen_by(path: Sequence[Place], steps: Sequence[int]) -> list[str]:
    """What the page's control of steps says at each of `steps`; the last is called the end,
    whatever the depth of the model.
    """
    return ["end" if step == len(path) - 1 else str(step) for step in steps]
