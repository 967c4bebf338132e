"""What the encodings of models that name a class have in common: the classes are the vocabulary."""

import json
from dataclasses import asdict


class Classes:
    """A frozen dataclass with `classes`, their names in the order of the logits."""

    classes: tuple[str, ...]

    def to_str(self) -> str:
        """What `load` reads."""
        return json.dumps(asdict(self))

    @property
    def size(self) -> int:
        return len(self.classes)

    def label(self, id: int) -> str:
        return self.classes[id]
