"""Steps of a residual stream and the parts added to it, and their axis."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from app.captions.writers import WRITERS, Writer
from app.figures.axis_scales import AxisScale, named

IN_A_LAYER = re.compile(r"\w+\.(\d+)\.")


@dataclass(frozen=True)
class Place:
    """A step of the stream: its sub-layer and its layer, if it has one."""

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
        """The cross-attention sub-layer of layer 1, the embedding, the final norm."""
        within = "" if self.layer is None else f" sub-layer of layer {self.layer}"
        return f"the {self.writer.title}{within}"


def places(steps: Sequence[dict[str, Any]]) -> list[Place]:
    """The steps of an answer. The source of decoder.1.cross_attention.out is cross_attention; a
    step without a contribution is the final norm.
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
    """Layer 1 cross-attention head 2; a bias has the name of its parameter, and an edit's
    contribution that of the edited activation.
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
    """The steps of each layer, which the runtime names below them."""
    found: dict[int, list[int]] = {}
    for i, place in enumerate(path):
        if place.layer is not None:
            found.setdefault(place.layer, []).append(i)
    return [
        {"name": f"layer {layer}", "short": str(layer), "from": steps[0], "to": steps[-1]}
        for layer, steps in found.items()
    ]


def chosen_by(path: Sequence[Place], steps: Sequence[int]) -> list[str]:
    """The value of the page's step control at each of `steps`; the last is called the end, whatever
    the model's depth.
    """
    return ["end" if step == len(path) - 1 else str(step) for step in steps]
