"""How large everything is in the drawing of an architecture, and where its parts link to."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import urlencode

from app.captions.text import shortened
from app.drawings.architecture_groups import Group, in_units
from app.drawings.render import INPUT
from app.drawings.svg import EM
from model.answers.answer import Answer
from model.labels import label

RELATIVE = {"shaw": "offsets", "t5": "T5 buckets", "rope": "RoPE", "alibi": "ALiBi"}
LETTER = 0.61 * EM
"""How wide a letter of a monospaced font is."""
ABOVE, BELOW = 5.4 * EM, 2.4 * EM
"""What stands over the plate of a sub-layer and how far the stream lies under it; what stands under
the stream."""
WIDEST = 20 * EM  # a model of few parts is not blown up further
NARROWEST = 4.9 * EM
LONGEST = "cross-attention"
NARROW, WRAPPED = 0.48 * EM, LETTER  # for a letter of this name, in the widest font where it wraps
SCALE_BESIDE = 30 * EM  # narrower, the scale of weights would reach the name of the first stack
BESIDE = {"bypass": 1.8 * EM, "box": 4.6 * EM}


def times(shape: Sequence[int]) -> str:
    """5×128"""
    return "×".join(map(str, shape))


@dataclass(frozen=True)
class Doors:
    """Where each part is explained: the page and its state."""

    question: dict[str, Any]
    says: str
    root: str = ""

    @classmethod
    def of(cls, answer: Answer, question: dict[str, Any], root: str) -> "Doors":
        """The doors of an answer: what is said at the end is a page's own."""
        if "queries" in answer.axes:
            return cls(question, "detection", root)
        return cls(question, "images" if "image" in (answer.input or {}) else "generate", root)

    def to(self, part: str) -> str:
        """The address of the page that explains a part."""
        stack, layer, kind = [*part.split("."), None, None][:3]
        match kind or stack:
            case "norm":
                return self.address("residual", view="norm", stack=stack)
            case "attention":
                return self.address("attention", kind="self", stack=stack, layer=layer)
            case "cross_attention":
                return self.address("attention", kind="cross", stack=stack, layer=layer)
            case "feed_forward":
                return self.address("feed-forward", stack=stack, layer=layer)
            case "position":
                return self.address("positions")
            case "output" | "transform":
                return self.address(self.says)
            case "box":
                return self.address("detection")
            case "bypass":
                return self.address("tables")
            case "embedding":
                return self.address("residual")
            case _:
                return self.address("residual", view="contributions", stack=stack)

    def opening(self, block: str | None) -> str:
        """The address of the drawing itself with the group of this block open; without a block,
        with every group closed.
        """
        return self.address("", **({"open": block} if block else {}))

    def address(self, page: str, **state: str | None) -> str:
        inputs = {name: self.question[name] for name in INPUT if self.question.get(name)}
        return f"{self.root}/{page}?{urlencode({**inputs, **state})}"


@dataclass(frozen=True)
class Plan:
    """What is drawn, and how large everything is. All lengths are in units of the drawing."""

    answer: Answer
    doors: Doors
    width: float
    height: float
    opened: str | None = None
    """The block whose group is open, where a stack is drawn in groups."""

    @property
    def stacks(self) -> list[Any]:
        return self.answer.fields["stacks"]

    @property
    def parallel(self) -> bool:
        """Whether every sub-layer reads the input of its block."""
        return self.answer.fields.get("parallel", False)

    @property
    def transform(self) -> Any:
        """The transform of the head; None where it has none."""
        return self.answer.fields.get("transform")

    @property
    def transform_formula(self) -> str:
        """N(gelu(x W + b))"""
        function = f"{self.transform.function.replace('_', ' ')}(x W + b)"
        return f"N({function})" if self.transform.normed else function

    @property
    def transform_plate(self) -> float:
        """How wide the plate of the transform is."""
        return EM * (0.5 * len(self.transform_formula) + 1) if self.transform else 0.0

    @property
    def under(self) -> float:
        """How far the stream lies under the plates: a line to parallel readers takes room."""
        return EM * (2.8 if self.parallel else 1.7)

    @cached_property
    def units(self) -> dict[str, list[tuple[Any, Group | None]]]:
        """What is drawn of each stack: its blocks or groups of them, and the group of each."""
        return {stack.name: list(in_units(stack.blocks, self.opened)) for stack in self.stacks}

    @cached_property
    def n_parts(self) -> dict[str, list[int]]:
        """How many sub-layers stand in each unit of each stack."""
        return {name: [len(unit.parts) for unit, _ in units] for name, units in self.units.items()}

    @property
    def beside(self) -> list[Any]:
        return self.answer.fields["beside"]

    @property
    def says(self) -> list[Any]:
        return self.answer.fields["says"]

    @property
    def added(self) -> bool:
        """Whether positions are added to the embeddings."""
        return self.answer.fields["positions"] != "none"

    @property
    def relative(self) -> str | None:
        """What tells self-attention relative positions."""
        scheme = self.answer.fields["relative"]
        return None if scheme == "none" else RELATIVE.get(scheme, scheme)

    def tokens(self, stack: Any) -> list[str]:
        return self.answer.axes[stack.axis].labels or []

    @cached_property
    def longest(self) -> float:
        """How wide the longest token is."""
        listed = [
            *(self.tokens(stack) for stack in self.stacks),
            [prediction.token for prediction in self.says],
        ]
        lengths = [len(shortened(token, 12)) for tokens in listed for token in tokens]
        return max([LETTER * length for length in lengths], default=0.0) or EM * 2.5

    @property
    def enter(self) -> float:
        """Where the first sub-layer of a row begins."""
        return self.longest + EM * 11

    @property
    def leave(self) -> float:
        """The room behind the last sub-layer."""
        return self.longest + EM * 8.5 + self.transform_plate + EM * bool(self.transform)

    @property
    def top(self) -> float:
        """Where the first stack begins: below the scale of weights, where it would reach that."""
        grouped = any(group for units in self.units.values() for _, group in units)
        above = grouped if self.wide else self.width < SCALE_BESIDE
        return 4 + EM * 1.6 if above else 4.0

    @property
    def in_row(self) -> float:
        """The room of a sub-layer, if every stack is one row."""
        most = max(map(sum, self.n_parts.values()))
        return (self.width - self.enter - self.leave) / most

    @property
    def wide(self) -> bool:
        """Whether every stack is one row."""
        return self.in_row >= NARROWEST

    @cached_property
    def blocks_in_row(self) -> int:
        """How many blocks stand in a row where they wrap: as many as fit, at least one."""
        longest = max(map(len, self.n_parts.values()))
        fitting = (n for n in range(longest, 0, -1) if self.wrapped_column(n) >= NARROWEST)
        return next(fitting, 1)

    def wrapped_column(self, blocks: int) -> float:
        most = max(map(max, self.n_parts.values()))
        return (self.width - EM * 2) / (blocks * most)

    @cached_property
    def column(self) -> float:
        """How wide a sub-layer is."""
        if self.wide:
            return min(WIDEST, self.in_row)
        return min(EM * 11, self.wrapped_column(self.blocks_in_row))

    @property
    def narrow(self) -> bool:
        """Whether the name of a sub-layer takes two lines."""
        return self.column < (NARROW if self.wide else WRAPPED) * len(label(LONGEST))

    @property
    def above(self) -> float:
        over = ABOVE + EM * 1.1 * (self.narrow + (self.relative is not None))
        return over + EM * 1.1 * self.parallel

    @cached_property
    def least(self) -> float:
        """The smallest plate of a sub-layer: its shape stands in it, where there is room."""
        parts = (part for units in self.units.values() for unit, _ in units for part in unit.parts)
        longest = max(len(times(part.inner)) for part in parts)
        return min(self.column - EM * 1.3, max(EM * 5, LETTER * longest + EM * 0.6))

    @property
    def between(self) -> float:
        return EM * 2.2

    @cached_property
    def height_beside(self) -> float:
        return max((BESIDE[part.kind] for part in self.beside), default=0.0)

    @cached_property
    def plate(self) -> float:
        """How high the plate of a sub-layer is: as high as the room allows."""
        if not self.wide:
            return self.least
        stacks = len(self.stacks)
        free = self.height - 4 - self.top - self.between * (stacks - 1) - self.height_beside
        each = free / stacks - self.above - BELOW
        return max(self.least, min(each, self.column * 1.3, WIDEST))

    @property
    def depth(self) -> float:
        """How far the stream lies under the top of its row."""
        return self.above + self.plate
