"""Class labels: the base of the tokenizers of classifiers, whose vocabulary is the classes."""

import json
from dataclasses import asdict, dataclass
from typing import Protocol, runtime_checkable


@runtime_checkable
class HasClasses(Protocol):
    """An object with `classes`, the names of the classes in the order of the logits."""

    @property
    def classes(self) -> tuple[str, ...]: ...


@dataclass(frozen=True)
class ClassLabels:
    """The base of a tokenizer that is a frozen dataclass and has `classes`."""

    def to_str(self) -> str:
        """The fields as JSON, which `load` reads."""
        return json.dumps(asdict(self))

    @property
    def size(self: HasClasses) -> int:
        return len(self.classes)

    def label(self: HasClasses, id: int) -> str:
        return self.classes[id]
