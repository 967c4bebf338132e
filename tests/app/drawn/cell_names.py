"""What the cells of an answer are called: by their labels, their values and their numbers."""

import re
from functools import cache
from typing import Any

from app.captions.text import visible
from model.answers.answer import Answer
from tests.app.drawn.naming import TENSOR, Cell
from tests.app.drawn.tagging import Origins
from tests.app.drawn.vocabulary import SUB_LAYERS, aliases

LONGEST = 40  # signs of a text in a record that is a name


class Namer:
    """What the axes of an answer are called at each of their numbers."""

    def __init__(self, word: str, answer: Answer, origins: Origins) -> None:
        self.word, self.answer, self.sources = word, answer, origins.sources
        self.known = cache(self.forms)

    def __call__(self, axis: str, at: int) -> dict[str, str]:
        return self.known(axis, at)

    def forms(self, axis: str, at: int) -> dict[str, str]:
        axis = axis.rstrip("'")
        forms: dict[str, str] = {}
        if axis == "tile":
            return {"0": ""}
        if axis == TENSOR:
            name = self.sources[at].name.removeprefix("fields.")
            alias = aliases(self.word, TENSOR, name)
            return {"": name, "shown": alias, "words": re.sub("[_.-]", " ", name), "0": ""}
        known = self.answer.axes.get(axis)
        if known is None:
            record = self.record(axis, at)
            if isinstance(record, dict):
                forms |= {
                    name: visible(text)
                    for name, text in record.items()
                    if isinstance(text, str) and len(text) < LONGEST
                }
        else:
            if known.labels is not None:
                forms[""] = visible(known.labels[at])
                forms["shown"] = aliases(self.word, axis, known.labels[at])
                forms["words"] = known.labels[at].replace("_", " ").replace("-", " ")
                forms |= pieces(known.labels[at])
            if known.values is not None:
                forms["value"] = f"{known.values[at]:g}".replace("-", "−")
        return forms | {"0": str(at), "1": str(at + 1)}

    def beside(self, cell: Cell) -> dict[str, float]:
        """All numbers of the answer that stand at a cell: of the tensors that have no other axes,
        and of the record that it is in.
        """
        found = {}
        for name, tensor in self.answer.tensors.items():
            if tensor.axes and all(axis in cell for axis in tensor.axes):
                at = [cell[axis] for axis in tensor.axes]
                if all(i < size for i, size in zip(at, tensor.data.shape, strict=True)):
                    found[name] = float(tensor.data[tuple(at)])
        for axis, at in cell.items():
            record = self.record(axis, at) if axis.startswith("fields.") else None
            for name, value in (record if isinstance(record, dict) else {}).items():
                if isinstance(value, int | float):
                    found[f"{axis}:{name}"] = float(value)
        return found

    def record(self, path: str, at: int) -> Any:
        value: Any = self.answer.fields
        for part in path.removeprefix("fields.").split("."):
            name = part.removesuffix("[]")
            value = value.get(name) if isinstance(value, dict) else getattr(value, name, None)
            if part.endswith("[]") or value is None:
                return None
        return value[at] if isinstance(value, list | tuple) and at < len(value) else None


def pieces(name: str) -> dict[str, str]:
    """What the name of an activation says: its stack, layer, sub-layer and head."""
    found = re.match(r"(?:(encoder|decoder)\.)?(?:(\d+)\.)?([\w.]+)", name)
    if not found or "." not in name:
        return {}
    stack, layer, path = found.groups()
    head = re.search(r"\[(?:head )?(\d+)\]", name)
    sub = next((sub_layer for part in path.split(".") if (sub_layer := SUB_LAYERS.get(part))), None)
    labels = {"stack": stack, "layer": layer, "head": head and head[1], "sub-layer": sub}
    if layer and head:
        labels["layer.head"] = f"L{layer}H{head[1]}"
    return {name: each for name, each in labels.items() if each}
