"""Class labels: the base of the tokenizers of classifiers, whose vocabulary is their classes."""

import json
from dataclasses import asdict, dataclass
from typing import Protocol, runtime_checkable


@runtime_checkable
class HasClasses(Protocol):
    """An object with `classes`, the class names in the order of the logits."""

    @property
    def classes(self) -> tuple[str, ...]: ...


@dataclass(frozen=True)
class ClassLabels:
    """Base of tokenizers that are frozen dataclasses with `classes`."""

    def to_str(self) -> str:
        """The fields as JSON, which `load` reads."""
        return json.dumps(asdict(self))

    @property
    def size(self: HasClasses) -> int:
        return len(self.classes)

    def label(self: HasClasses, id: int) -> str:
        return self.classes[id]
