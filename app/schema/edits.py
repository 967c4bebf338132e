"""Edits: the fields of a question that change a run, with their bounds.

`model/edits/edit.py` defines the operations; this file defines the valid questions.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from annotated_types import Ge
from pydantic import (
    BeforeValidator,
    ConfigDict,
    Field,
    create_model,
    model_validator,
)
from pydantic_core import CoreSchema, PydanticCustomError
from pydantic_core.core_schema import no_info_plain_validator_function

from app.schema.bounds import Fixed, Limited, at_most_long, below
from app.schema.described import Described, shared
from app.schema.questions import (
    AboutModel,
    ImageText,
    LongText,
    Name,
    Names,
    Rows,
    Seed,
    Text,
    from_rows,
)

Index = Annotated[int, Ge(0), below("vocabulary")]
Indices = Annotated[list[Index], Field(fail_fast=True), at_most_long("edit_indices")]
Pair = Annotated[
    list[Index], Field(min_length=2), Fixed(Field(max_length=2), "a position and where it goes")
]
Pairs = Annotated[list[Pair], Field(fail_fast=True), at_most_long("edit_indices")]
Where = Annotated[dict[Name, Indices], Field(fail_fast=True), at_most_long("edit_axes")]


def leaves(value: Any) -> Iterator[Any]:
    """The values in nested lists; an empty list counts as a value."""
    if isinstance(value, list) and value:
        for inner in value:
            yield from leaves(inner)
    else:
        yield value


@dataclass(frozen=True)
class AtMostNumbers:
    """A number or nested lists with at most `most` numbers, all finite."""

    most: int

    def check(self, value: Any) -> Any:
        size = sum(1 for _ in leaves(value))
        if size > self.most:
            sizes = {"max_length": self.most, "actual_length": size}
            raise PydanticCustomError("too_long", "it holds too many numbers", sizes)
        for leaf in leaves(value):
            if (
                isinstance(leaf, bool)
                or not isinstance(leaf, int | float)
                or not math.isfinite(leaf)
            ):
                raise PydanticCustomError("numbers", "no numbers")
        return value

    def __get_pydantic_core_schema__(self, *_: Any) -> CoreSchema:
        return no_info_plain_validator_function(self.check)

    def __get_pydantic_json_schema__(self, *_: Any) -> dict[str, Any]:
        several = {"type": "array", "items": {}, "maxItems": self.most, "x-limit": "edit_values"}
        return {"anyOf": [{"type": "number"}, several]}


Numbers = Annotated[Any, Limited(AtMostNumbers, "edit_values")]


class Nested(Described):
    """An object within a question. One with too many fields is not parsed, because pydantic creates
    an error for each unknown field.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def check_number_of_fields(cls, value: Any) -> Any:
        most = len(cls.model_fields)
        if isinstance(value, dict) and len(value) > most:
            sizes = {"max_length": most, "actual_length": len(value)}
            raise PydanticCustomError("too_long", "it has too many fields", sizes)
        return value


class OtherInput(Nested):
    """Another input of the same model, with the fields of a question."""

    source: Text | None = None
    target: Text | None = None
    text: Text | None = None
    image: ImageText | None = None
    row: Text | None = None


class EditWithoutFrom(Nested):
    """One change of a run."""

    op: Literal["zero", "mean", "scale", "set", "add", "patch", "mask", "swap"]
    at: Names
    where: Where | None = None
    value: Numbers | None = None
    axis: Name | None = None
    positions: Pairs | None = None


OTHERS: dict[str, Any] = {
    "from": (
        OtherInput | Annotated[list[OtherInput], at_most_long("edit_inputs")] | None,
        Field(
            None,
            description=shared("copied-from"),
        ),
    )
}

# `from` is a Python keyword and cannot be a field name in a class.
Edit: Any = create_model(
    "Edit", __base__=EditWithoutFrom, __doc__=EditWithoutFrom.__doc__, **OTHERS
)


Edits = Annotated[list[Edit], at_most_long("edits"), *Rows]
Listed = BeforeValidator(from_rows, json_schema_input_type=Text | list[int])
"""Integers separated by commas; in a body also a list."""


class AboutRun(AboutModel):
    """A run: a model, its input, edits that change activations, and the arrangement of the input:
    order, positions, and padding. Everything computed later uses the changed values.
    """

    edits: Edits | None = Field(
        None,
        examples=[
            '[{"op": "zero", "at": "decoder.2.cross_attention.z", "where": {"head": [1]}}]',
            '[{"op": "zero", "at": "decoder.2.feed_forward.out"},'
            ' {"op": "patch", "at": "*norm*.mean, *norm*.scale"}]',
        ],
    )
    beside: bool = False
    order: Annotated[Text, Listed] | None = Field(None, examples=["0,3,2,1,4", "shuffle"])
    seed: Seed | None = None
    positions: Annotated[Text, Listed] | None = Field(None, examples=["off", "shift:3"])
    pad: Name | None = Field(None, examples=["left:2"])
    padding_mask: Literal["on", "off"] | None = None

    def arguments(self) -> dict:
        """The fields passed to the analysis; without edits, `beside` is dropped, so that the
        question is that of an unedited run.
        """
        arguments = super().arguments()
        if self.changed:
            return arguments
        return {**{name: arguments[name] for name in arguments if name != "edits"}, "beside": False}

    @property
    def changed(self) -> bool:
        """Whether the run differs from that of the model and its input alone."""
        return bool(self.edits or self.order or self.positions or self.pad)


class AboutPart(AboutRun):
    """A run or, for a long text, the run of some of its positions."""

    text: LongText | None = None
    window: Name | None = Field(None, examples=["0:64"])
