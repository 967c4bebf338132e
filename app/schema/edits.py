"""Edits: the fields by which a question changes a run, each with its bounds.

`model/edits/edit.py` says what each operation does; here stands what may be asked.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from annotated_types import Ge
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    create_model,
    model_validator,
)
from pydantic_core import CoreSchema, PydanticCustomError
from pydantic_core.core_schema import no_info_plain_validator_function

from app.schema.bounds import Fixed, Limited, at_most_long, below
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
                raise PydanticCustomError("numbers", "no numbers")
        return value

    def __get_pydantic_core_schema__(self, *_: Any) -> CoreSchema:
        return no_info_plain_validator_function(self.check)

    def __get_pydantic_json_schema__(self, *_: Any) -> dict[str, Any]:
        several = {"type": "array", "items": {}, "maxItems": self.most, "x-limit": "edit_values"}
        return {"anyOf": [{"type": "number"}, several]}


Numbers = Annotated[Any, Limited(AtMostNumbers, "edit_values")]


class Nested(BaseModel):
    """An object within a question. Of one with more fields than there are nothing is read, because
    pydantic makes an error of each that it does not know.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def check_number_of_fields(cls, given: Any) -> Any:
        most = len(cls.model_fields)
        if isinstance(given, dict) and len(given) > most:
            sizes = {"max_length": most, "actual_length": len(given)}
            raise PydanticCustomError("too_long", "it has too many fields", sizes)
        return given


class OtherInput(Nested):
    """Another input of the same model, by the fields of a question."""

    source: Text | None = Field(None, description="As in the question itself.")
    target: Text | None = Field(None, description="As in the question itself.")
    text: Text | None = Field(None, description="As in the question itself.")
    image: ImageText | None = Field(None, description="As in the question itself, as one text.")
    row: Text | None = Field(None, description="As in the question itself, as one text.")


class EditWithoutFrom(Nested):
    """One change of a run."""

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
    where: Where | None = Field(
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


Edits = Annotated[list[Edit], at_most_long("edits"), *Rows]
Listed = BeforeValidator(from_rows, json_schema_input_type=Text | list[int])
"""Whole numbers with commas between them; in a body also a list."""


class AboutRun(AboutModel):
    """A run: a model, its input, edits, which change activations of the run on their way, and how
    the input is read: in which order, with what positions and with which pads. What is computed
    later is computed from the changed numbers.
    """

    edits: Edits | None = Field(
        None,
        description=(
            "Changes of the run, made in their order: a JSON list of objects, in an address as one"
            " JSON string. Each has an operation `op` (zero, mean, scale, set, add, patch, mask or"
            " swap), the activation `at` that it changes, and, if it changes only some of its"
            " numbers, `where`: indices by the name of an axis. The answer says for each what it"
            " changed. Edits that change nothing give the same numbers, bit for bit. The second"
            " example freezes every norm at the mean and the scale of the run without edits."
        ),
        examples=[
            '[{"op": "zero", "at": "decoder.2.cross_attention.z", "where": {"head": [1]}}]',
            '[{"op": "zero", "at": "decoder.2.feed_forward.out"},'
            ' {"op": "patch", "at": "*norm*.mean, *norm*.scale"}]',
        ],
    )
    beside: bool = Field(
        False,
        description=(
            "Whether the answer about an edited run also has the tensors of the run without edits,"
            " under `unedited`. Where the input is read in another order or with pads, each token"
            " stands beside the same token; for a pad there is null, or -1 in a tensor of whole"
            " numbers."
        ),
    )
    order: Annotated[Text, Listed] | None = Field(
        None,
        description=(
            "The tokens in another order: the position of each token, counted from 0, every one"
            " once, for example 2,0,1, in which position 0 reads token 2. It is `shuffle` for an"
            " order drawn with `seed`, in which the tokens of the frame, such as <s>, </s> and"
            " [CLS], stay in place. The tokens are those of the source in a model that turns a"
            " source into a target, and of the whole input in any other model. Labels and axes"
            " follow the tokens, and `edits` count positions in the new order."
        ),
        examples=["0,3,2,1,4", "shuffle"],
    )
    seed: Seed | None = Field(
        None, description="For `order=shuffle`: where the random draw begins; 0 if it is left out."
    )
    positions: Annotated[Text, Listed] | None = Field(
        None,
        description=(
            "The positions that the tokens are told. `on`, which is the default, leaves them. `off`"
            " sets the vectors of the positions to 0, and the position's share of the scores in a"
            " model with such a share. `shift:3` tells the first token position 3, the next"
            " position 4 and so on, in the source and in the target. A list, for example 2,0,1, has"
            " a position for each token that `order` names and for each pad. A model whose"
            " positions turn its queries and keys has no such vectors and refuses."
        ),
        examples=["off", "shift:3"],
    )
    pad: Name | None = Field(
        None,
        description=(
            "Pads around a text: `left:2` puts two in front, `right:2` two behind; of an"
            " encoder-decoder around the source."
        ),
        examples=["left:2"],
    )
    padding_mask: Literal["on", "off"] | None = Field(
        None,
        description=(
            "With `pad`: whether the padding mask hides the pads from every token. It is `on` if it"
            " is left out."
        ),
    )

    def arguments(self) -> dict:
        """The fields that go to the analysis; without edits nothing is asked beside the answer, and
        the question is that of a run as it is.
        """
        asked = super().arguments()
        if self.changed:
            return asked
        return {**{name: asked[name] for name in asked if name != "edits"}, "beside": False}

    @property
    def changed(self) -> bool:
        """Whether the run is another one than that of the model and its input alone."""
        return bool(self.edits or self.order or self.positions or self.pad)


class AboutPart(AboutRun):
    """A run, or of a long text the run of some of its positions."""

    text: LongText | None = Field(
        None,
        description="The text that a model of one stack reads; with `window` it may be long.",
    )
    window: Name | None = Field(
        None,
        description=(
            "Of a long text, of up to 4,096 tokens: the positions that are shown, at most 128, from"
            " the first to before the second, for example 1024:1088. All other positions are"
            " counted within them. The text is read without its attention maps."
        ),
        examples=["0:64"],
    )
