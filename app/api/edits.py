"""Edits: the fields by which a question changes a run, each with its bounds.

`model/edits/edit.py` says what each operation does; here stands what may be asked.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from annotated_types import Ge
from pydantic import BaseModel, ConfigDict, Field, create_model
from pydantic_core import CoreSchema, PydanticCustomError
from pydantic_core.core_schema import no_info_plain_validator_function

from app.api.bounds import Fixed, Limited, at_most_long, below
from app.api.questions import AboutModel, Name, Names, Rows, Text

Index = Annotated[int, Ge(0), below("vocabulary")]
Indices = Annotated[list[Index], Field(fail_fast=True), at_most_long("edit_indices")]
Pair = Annotated[
    list[Index], Field(min_length=2), Fixed(Field(max_length=2), "a position and where it goes")
]
Pairs = Annotated[list[Pair], Field(fail_fast=True), at_most_long("edit_indices")]


def leaves(value: Any) -> Iterator[Any]:
    """What stands in nested lists; an empty list stands for itself."""
    if isinstance(value, list) and value:
        for inner in value:
            yield from leaves(inner)
    else:
        yield value


@dataclass(frozen=True)
class AtMostNumbers:
    """A number or nested lists of at most `most` numbers, all finite."""

    most: int

    def check(self, value: Any) -> Any:
        size = sum(1 for _ in leaves(value))
        if size > self.most:
            sizes = {"max_length": self.most, "actual_length": size}
            raise PydanticCustomError("too_long", "it holds too many numbers", sizes)
        for one in leaves(value):
            if isinstance(one, bool) or not isinstance(one, int | float) or not math.isfinite(one):
                raise PydanticCustomError("numbers", "give a number, or lists of numbers")
        return value

    def __get_pydantic_core_schema__(self, *_: Any) -> CoreSchema:
        return no_info_plain_validator_function(self.check)

    def __get_pydantic_json_schema__(self, *_: Any) -> dict[str, Any]:
        several = {"type": "array", "items": {}, "maxItems": self.most, "x-limit": "edit_values"}
        return {"anyOf": [{"type": "number"}, several]}


Numbers = Annotated[Any, Limited(AtMostNumbers, "edit_values")]


class OtherInput(BaseModel):
    """Another input of the same model, by the fields of a question."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    source: Text | None = Field(None, description="As in the question itself.")
    target: Text | None = Field(None, description="As in the question itself.")
    text: Text | None = Field(None, description="As in the question itself.")
    image: Text | None = Field(None, description="As in the question itself, as one text.")
    row: Text | None = Field(None, description="As in the question itself, as one text.")


class EditWithoutFrom(BaseModel):
    """One change of a run."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)

    op: Literal["zero", "mean", "scale", "set", "add", "patch", "mask", "swap"] = Field(
        description=(
            "What becomes of the numbers. `zero` sets them to 0. `mean` sets them to their mean"
            " over the positions of this run, or over those of the inputs in `from`. `scale`"
            " multiplies them by `value`, `set` replaces them by it, and `add` adds it. `patch`"
            " copies the same numbers from the run of the input in `from`; without `from` it copies"
            " them from this run as it is without edits, which freezes them. `mask` hides keys:"
            " their scores become minus infinity before the softmax. `swap` exchanges the numbers"
            " of two indices of an axis."
        )
    )
    at: Names = Field(
        description=(
            "The name of an activation, as `/activations` lists it; * stands for any characters,"
            " and then every activation of such a name is changed. Several names have commas"
            " between them."
        )
    )
    where: dict[Name, Indices] | None = Field(
        None,
        description=(
            "The numbers that are changed: for the name of an axis a list of indices, counted from"
            " 0. The names are head, query, key, position, channel and so on, as `/explain` calls"
            " them, or the axis of the answer where it has that name once. An axis that is left out"
            " is changed as a whole."
        ),
    )
    value: Numbers | None = Field(
        None,
        description=(
            "For `scale`, `set` and `add`: one number, or nested lists of the shape of the numbers"
            " that are changed, without the axes of which there is one index. A shorter list has"
            " the last axes alone, and is repeated along the others: a vector of channels is added"
            " at every position."
        ),
    )
    axis: Name | None = Field(
        None,
        description=(
            "For `mean` the axis to average over, if it is not that of the positions. For `swap`"
            " the axis whose two indices are exchanged, if `where` names two indices of more than"
            " one axis."
        ),
    )
    positions: Pairs | None = Field(
        None,
        description=(
            "For `patch`: pairs of a position of the other input and the position of this input"
            " that it goes to. If it is left out, every position goes to its own, and both inputs"
            " must have as many positions."
        ),
    )


OTHERS: dict[str, Any] = {
    "from": (
        OtherInput | Annotated[list[OtherInput], at_most_long("edit_inputs")] | None,
        Field(
            None,
            description=(
                "For `patch` another input of the same model, whose run the numbers are copied"
                " from. For `mean` one or several inputs, whose positions are averaged over: with"
                " held-out inputs this is the mean ablation of the literature."
            ),
        ),
    )
}

# `from` is a word of Python, which a class cannot have as the name of a field.
Edit: Any = create_model(
    "Edit", __base__=EditWithoutFrom, __doc__=EditWithoutFrom.__doc__, **OTHERS
)


class AboutRun(AboutModel):
    """A run: a model, its input, and edits, which change activations of the run on their way. What
    is computed later is computed from the changed numbers.
    """

    edits: Annotated[list[Edit], at_most_long("edits"), *Rows] | None = Field(
        None,
        description=(
            "Changes of the run, made in their order: a JSON list of objects, in an address as one"
            " JSON string. Each has an operation `op` (zero, mean, scale, set, add, patch, mask or"
            " swap), the activation `at` that it changes, and, if it changes only some of its"
            " numbers, `where`: indices by the name of an axis. The answer says for each what it"
            " changed. Edits that change nothing give the same numbers, bit for bit."
        ),
        examples=['[{"op": "zero", "at": "decoder.2.cross_attention.z", "where": {"head": [1]}}]'],
    )
    beside: bool = Field(
        False,
        description=(
            "Whether the answer about an edited run also has the tensors of the run without edits,"
            " under `unedited`."
        ),
    )

    def arguments(self) -> dict:
        """The fields that go to the analysis; without edits nothing is asked beside the answer, and
        the question is that of a run as it is.
        """
        asked = super().arguments()
        if not asked.get("edits"):
            asked = {name: value for name, value in asked.items() if name not in OF_EDITS}
        return asked


OF_EDITS = ("edits", "beside")
"""The fields of a question that only edits give a meaning."""
