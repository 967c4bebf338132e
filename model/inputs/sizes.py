"""Sizes of an input: a record for each kind of input, which rejects sizes that do not fit.

In a model's card these sizes are stored flat among the other choices. `FLAT` lists a record's field
names there, in order, with their values in the cards of all other models.
"""

from collections.abc import Mapping
from dataclasses import astuple, dataclass
from typing import Any, ClassVar, Protocol, runtime_checkable

from model.checks import check_at_least
from model.errors import InvalidInput, UnknownName

READOUTS = ("unembedding", "bypass")


@runtime_checkable
class Choices(Protocol):
    """The choices of a model that its input sizes must be compatible with; Config has them."""

    @property
    def family(self) -> str: ...
    @property
    def stacks(self) -> tuple[str, ...]: ...
    @property
    def max_length(self) -> int: ...
    @property
    def positions(self) -> Any: ...
    @property
    def head(self) -> Any: ...


@dataclass(frozen=True)
class Sizes:
    """Base of the records. Their fields are in the order of `FLAT`."""

    FLAT: ClassVar[Mapping[str, Any]] = {}

    @classmethod
    def absent(cls) -> dict[str, Any]:
        """The values in the card of a model without these sizes."""
        return {name: as_json(value) for name, value in cls.FLAT.items()}

    @classmethod
    def take(cls, flat: dict[str, Any]) -> dict[str, Any]:
        """Removes the record's fields from a card's `flat` object."""
        return {name: as_json(flat.pop(name, value)) for name, value in cls.FLAT.items()}

    @classmethod
    def from_flat(cls, flat: Mapping[str, Any]):
        """The record of the fields `flat`, named as in a card."""
        values = (flat[name] for name in cls.FLAT)
        return cls(*(tuple(value) if isinstance(value, list) else value for value in values))

    def flat(self) -> dict[str, Any]:
        """The fields of the record, named as in a card."""
        return dict(zip(self.FLAT, map(as_json, astuple(self)), strict=True))


def as_json(value: Any) -> Any:
    """Turns tuples into lists, as in JSON."""
    return list(value) if isinstance(value, tuple) else value


@dataclass(frozen=True)
class InputSizes(Sizes):
    """Base of the sizes of one kind of input; `kind` is the kind's name."""

    kind: ClassVar[str]

    def check(self, choices: Choices) -> None:
        """Raises InvalidInput if these sizes are incompatible with the other choices of a model."""


@dataclass(frozen=True)
class TextSizes(InputSizes):
    """Text has no sizes besides `vocabulary_size` and `max_length`, which every model has."""

    kind: ClassVar[str] = "tokens"


@dataclass(frozen=True)
class ImageSizes(InputSizes):
    """Sizes of square images, which are split into square patches; both sides are in pixels.

    `colours` is the number of values per pixel. `n_queries` is the number of object queries, which
    a decoder reads instead of a target: it predicts a class and a box for each one (Carion et al.
    2020). An image classifier has none.
    """

    kind: ClassVar[str] = "patches"
    FLAT: ClassVar = {"image_side": 0, "patch_side": 0, "colours": 1, "n_queries": 0}

    side: int
    patch_side: int
    colours: int = 1
    n_queries: int = 0

    def __post_init__(self):
        check_at_least("colours", self.colours, 1)
        check_at_least("n_queries", self.n_queries, 0)
        if self.patch_side < 1 or self.side < self.patch_side or self.side % self.patch_side:
            raise InvalidInput("patches-do-not-fit", side=self.side, patch_side=self.patch_side)

    @property
    def n_patches(self) -> int:
        return (self.side // self.patch_side) ** 2

    def check(self, choices: Choices) -> None:
        if "encoder" not in choices.stacks or choices.head.tied:
            raise InvalidInput("image-needs-an-encoder")
        cls = choices.family == "encoder-only"
        positions = self.n_patches + cls
        if choices.max_length != positions:
            raise InvalidInput(
                "patches-of-other-positions",
                cls=cls,
                patches=self.n_patches,
                positions=positions,
                max_length=choices.max_length,
            )
        if (self.n_queries > 0) != (choices.family == "encoder-decoder"):
            raise InvalidInput("object-queries-need-patches")


@dataclass(frozen=True)
class ColumnSizes(InputSizes):
    """Sizes of a table row: the number `n_numeric` of numeric columns, and for each categorical
    column its number of `categories`, the last of which stands for a missing value.

    With `between_rows`, the rows of a batch attend to one another in every block (SAINT). With the
    readout "bypass", numbers are not tokens; they bypass the stack (TabTransformer).
    """

    kind: ClassVar[str] = "columns"
    FLAT: ClassVar = {
        "n_numeric": 0,
        "categories": (),
        "between_rows": False,
        "readout": "unembedding",
    }

    n_numeric: int
    categories: tuple[int, ...]
    between_rows: bool = False
    readout: str = "unembedding"

    def __post_init__(self):
        if self.readout not in READOUTS:
            raise UnknownName("unknown-readout", str(self.readout), READOUTS)
        check_at_least("n_numeric", self.n_numeric, 0)
        for size in self.categories:
            check_at_least("The number of categories of a column", size, 1)
        if self.n_tokens < 1:
            raise InvalidInput("columns-make-too-few-tokens", n_tokens=self.n_tokens)

    @property
    def n_tokens(self) -> int:
        """[CLS] and every column, or only the categorical columns if numbers bypass the stack."""
        bypass = self.readout == "bypass"
        return len(self.categories) if bypass else 1 + self.n_numeric + len(self.categories)

    def check(self, choices: Choices) -> None:
        if (
            choices.family != "encoder-only"
            or choices.positions.absolute != "none"
            or choices.positions.relative != "none"
            or choices.head.tied
        ):
            raise InvalidInput("row-needs-an-encoder")
        if choices.max_length != self.n_tokens:
            raise InvalidInput(
                "columns-make-too-many-tokens", n_tokens=self.n_tokens, most=choices.max_length
            )


INPUTS: dict[str, type[InputSizes]] = {
    record.kind: record for record in (TextSizes, ImageSizes, ColumnSizes)
}
"""The record of the sizes of each kind of input, by its name."""


@dataclass(frozen=True)
class SegmentSizes(Sizes):
    """Segment recurrence (Dai et al. 2019): a sequence is read `length` tokens at a time, and each
    layer remembers its last `memory` inputs.
    """

    FLAT: ClassVar = {"segment": 0, "memory": 0}

    length: int
    memory: int

    def __post_init__(self):
        if self.length < 1 or self.memory < 0:
            raise InvalidInput("no-recurrence", length=self.length, memory=self.memory)
