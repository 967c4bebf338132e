"""The fields shared by many endpoints, with their bounds.

Lower bounds are next to the fields. An upper bound names a limit in the settings, and
`app.schema.bounds` inserts the number when the application is created.
"""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from annotated_types import Le
from pydantic import BeforeValidator, ConfigDict, Field, model_validator

from app.errors import sentence
from app.parameters import Parameter
from app.schema import SEEDS
from app.schema.bounds import Fixed, QuerySchema, at_most_long, below, up_to
from app.schema.controls import COSTLY, Control
from app.schema.costs import costs_of
from app.schema.described import Described, shared
from app.schema.model_sizes import first_example
from app.schema.strict_json import parse_json
from model.errors import Sentence

Text = Annotated[str, at_most_long("text_length")]
LongText = Annotated[str, at_most_long("long_text_length")]
ImageText = Annotated[str, at_most_long("image_length")]
Name = Annotated[str, at_most_long("name_length")]
Names = Annotated[str, at_most_long("names_length")]
NamesSent = Annotated[
    Names | None,
    Field(description=shared("names-sent")),
]
Layer = Annotated[int, Field(ge=0), below("layers")]
Head = Annotated[int, Field(ge=0), below("heads")]
Role = Literal[
    "previous",
    "second-previous",
    "next",
    "second-next",
    "itself",
    "first",
    "separator",
    "duplicate",
    "induction",
    "written-token",
    "read-token",
    "written-place",
    "read-place",
    "left",
    "right",
    "above",
    "below",
    "class",
    "box",
    "same-class",
]
"""The roles of heads, by the names in model/interpretability/heads/roles.py."""
Channels = Annotated[int, Field(ge=4), up_to("clinic_d_model")]
MAX_CHOICES = 4
Choice = Annotated[
    int, Field(ge=0), Fixed(Le(MAX_CHOICES - 1), f"a question has at most {MAX_CHOICES} choices")
]
"""A choice in a question that a class votes on, counted from 0."""
Seed = Annotated[int, Field(ge=0), Fixed(Le(2**31 - 1), "a seed has 31 bits")]
Measure = Annotated[
    bool,
    COSTLY,
    Field(description=(shared("measure"))),
]
AtMostOne = Fixed(Le(1), "a share of a whole is at most 1")


def parameter(of: Parameter) -> Any:
    """Declares an optional field for a parameter of masks or position schemes."""
    return Field(None, description=of.description)


def from_json(value: object) -> object:
    """A list may be one JSON string, which is required in a query string."""
    try:
        return (
            parse_json(value)
            if isinstance(value, str) and value.lstrip().startswith("[")
            else value
        )
    except ValueError:
        return value


def from_commas(value: object) -> object:
    """Integers may be one comma-separated string or a JSON list."""
    if not isinstance(value, str) or value.lstrip().startswith("["):
        return from_json(value)
    return [
        int(part) if part.strip().lstrip("+-").isdecimal() and len(part) < 20 else part
        for part in value.split(",")
    ]


def from_rows(value: object) -> object:
    """Rows of numbers, as allowed in a body, become one string with commas between all numbers, as
    in a query string.
    """
    value = from_json(value)
    if not isinstance(value, list):
        return value
    return ",".join(
        str(number) for row in value for number in (row if isinstance(row, list) else [row])
    )


def from_pairs(value: object) -> object:
    """Columns with values, as allowed in a body, become one string, as in a query string; null
    means missing.
    """
    if not isinstance(value, dict) or any(
        sign in str(part) for pair in value.items() for part in pair for sign in ",="
    ):
        return value
    return ",".join(f"{name}={'' if cell is None else cell}" for name, cell in value.items())


Commas = BeforeValidator(from_commas)
Rows = (
    BeforeValidator(from_json),
    QuerySchema((("type", "string"), ("contentMediaType", "application/json"))),
)
Image = Annotated[
    ImageText,
    BeforeValidator(from_rows, json_schema_input_type=ImageText | list[float | list[float]]),
]
Row = Annotated[
    Text,
    BeforeValidator(from_pairs, json_schema_input_type=Text | dict[str, str | float | None]),
]


NARROWING = ("names", "fields", "layer", "head", "step", "full", "lens", "encoding")
"""The fields that make an answer smaller; the message `narrow-<field>` says how."""

MAY_TAKE_LONG = (
    *("layers", "d_model", "length", "steps", "pairs", "max_new_tokens", "beams", "text", "source"),
    *("draws", "groups", "examples", "board"),
)
"""The fields that can make an answer slower in every question that has them."""


OF_THE_FORM = ("encoding", "figures", "standalone", "theme", "shows")
"""The fields about the format of an answer, which the analysis does not use."""


class Question(Described):
    """The fields of every question: how the numbers are written."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    display_fields: ClassVar[tuple[str, ...]] = ()
    """The fields that select which part of an answer its figures show."""

    quickest: ClassVar[dict[str, str]] = {}
    """The choices that make an answer cheapest, for fields without a size."""

    read_from: ClassVar[tuple[str, ...]] = ()
    """The fields with a model's input. If all are missing, the question is about the model's first
    example.
    """

    @model_validator(mode="before")
    @classmethod
    def with_example(cls, fields: Any) -> Any:
        """The given fields, with those of the first example if there is no input."""
        if not (cls.read_from and isinstance(fields, dict)):
            return fields
        model = fields.get("model", cls.model_fields["model"].default)
        if not isinstance(model, str) or any(
            fields.get(name) is not None for name in cls.read_from
        ):
            return fields
        example = first_example(model)
        return fields | {name: example[name] for name in cls.read_from if name in example}

    encoding: Literal["json", "base64", "levels"] = "json"

    @property
    def repeatable(self) -> bool:
        """False for a question about time on this machine, whose answers differ: none is cached."""
        return not getattr(self, "measure", False)

    @property
    def shipped(self) -> bool:
        """Whether the measurements for the answer are included in the package."""
        return False

    @property
    def reads_long(self) -> bool:
        """Whether it is about a long text, which takes long to read and is then cached."""
        return False

    def sizes(self) -> Mapping[str, float]:
        """How much there is of each part of the work, from shapes and a few fitted factors, under
        the names in costs.toml. Empty if no costs were measured.
        """
        return {}

    def estimated_seconds(self) -> float:
        """The cost of the answer in seconds of the reference core: each size times its cost. 0 if
        not measured.
        """
        return self.seconds_of(self.sizes())

    @classmethod
    def seconds_of(cls, sizes: Mapping[str, float]) -> float:
        """The cost of these sizes. Subclasses share the costs of the class that defines `sizes`."""
        costs = costs_of(cls.sizes) if sizes else {}
        return sum([costs[name] * size for name, size in sizes.items()])

    def narrowing(self) -> dict[str, Sentence]:
        """The fields that would make the answer smaller, each with a sentence saying how."""
        fields = type(self).model_fields
        return {name: sentence(f"narrow-{name}") for name in NARROWING if name in fields}

    def arguments(self) -> dict:
        """The fields passed to the analysis."""
        outside = {*OF_THE_FORM, *self.display_fields}
        return self.model_dump(mode="json", exclude=outside, exclude_none=True)

    def displayed(self) -> tuple[tuple[str, Any], ...]:
        """The fields that select which part of the answer its figures show, with values."""
        return tuple((name, getattr(self, name)) for name in self.display_fields)


Model = Annotated[
    Name,
    Field(description=(shared("model"))),
]


class AboutModel(Question):
    """A model and its input: `text` for one stack, `source` and optionally `target` for two texts,
    `image` for patches, `row` for columns.
    """

    read_from: ClassVar[tuple[str, ...]] = ("source", "target", "text", "image", "row")

    model: Model = "translator"
    source: Text | None = None
    target: Text | None = None
    text: Text | None = None
    image: Image | None = None
    row: Row | None = None


class Viewport(Question):
    """The size of the drawing in em. Sizes are rounded to quarters of an em, for caching."""

    display_fields: ClassVar[tuple[str, ...]] = ("width", "height")

    width: Annotated[float, Field(ge=20), up_to("drawing")] = 96
    height: Annotated[float, Field(ge=0), up_to("drawing")] = 36
    theme: Literal["light", "dark", "projector"] | None = None


PLACEMENTS = {
    "post": "Post-LN: LN(x + f(x))",
    "pre": "Pre-LN: x + f(LN(x))",
    "admin": "Admin: LN(ωx + f(x))",
    "b2t": "B2T: LN(x + f(x) + layer input)",
    "branch": "norm on the branch: x + LN(f(x))",
    "none": "no norm: x + f(x)",
}
"""The norm placements, as offered on pages."""
Placement = Annotated[
    Literal["post", "pre", "admin", "b2t", "branch", "none"],
    Field(description=shared("placement")),
    Control(PLACEMENTS, "add and norm", key="step"),
]
Stack = Annotated[
    Literal["encoder", "decoder"],
    Field(description=(shared("stack"))),
]


class Placed(Question):
    """The field of every clinic about norm placement."""

    compared: ClassVar[tuple[str, ...]] = ()
    """The placements that are always measured."""
    MEMORY_SUBLAYERS: ClassVar = 12
    """Sub-layers of the encoder that a decoder attends to, at most."""

    placement: Placement = "post"
    stack: Annotated[Stack, Control(("encoder", "decoder"), key="layer")] = "encoder"

    @property
    def n_placements(self) -> int:
        """The number of placements measured: those in `compared`, and `placement`."""
        return len({*self.compared, self.placement})


class Clinic(Question):
    """The fields of every clinic: the first seed, and the number of seeds."""

    seed: Seed = 0
    seeds: Annotated[int, Field(ge=1), up_to("seeds"), COSTLY, Control(SEEDS)] = 4


def stored_or_seeds(stored: int, computed: int) -> Control:
    """The choices on the page of a clinic that has stored results of `stored` seeds, and elsewhere
    computes `computed` unless told otherwise.
    """
    unasked = f"{stored} if stored, else {computed}"
    return Control({"": unasked, **{n: str(n) for n in SEEDS}}, opens="")


ALL_OR_SOME = Control({"": "all", **{n: str(n) for n in (1, 2, 3)}}, opens="")


class KeptSeeds(Clinic):
    """The fields of a clinic with stored trainings."""

    seeds: Annotated[int, Field(ge=1), up_to("seeds"), ALL_OR_SOME] = 16

    def sizes(self) -> dict[str, float]:
        """Nothing is trained for an answer: the stored numbers are read."""
        return {"answer": 1}
