"""What the encodings of models that name a class have in common: the classes are the vocabulary."""

import json
from dataclasses import asdict, dataclass
from typing import Protocol, runtime_checkable


@runtime_checkable
class Naming(Protocol):
    """What has `classes`, their names in the order of the logits."""

    @property
    def classes(self) -> tuple[str, ...]: ...


@dataclass(frozen=True)
class Classes:
    """The base of a frozen dataclass that has `classes`, in a field or as a property."""

    def to_str(self) -> str:
        """What `load` reads."""
        return json.dumps(asdict(self))

    @property
    def size(self: Naming) -> int:
        return len(self.classes)

    def label(self: Naming, id: int) -> str:
        return self.classes[id]
