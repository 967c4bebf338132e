"""What may be asked: the fields that many endpoints share, each with its bounds.

A lower bound stands beside its field. An upper bound names a limit of the settings, and
`app.schema.bounds` puts in the number when the application is made.
"""

from typing import Annotated, Any, ClassVar, Literal

from annotated_types import Le
from pydantic import BeforeValidator, ConfigDict, Field, model_validator

from app.errors import sentence
from app.parameters import Parameter
from app.schema import SEEDS
from app.schema.bounds import Fixed, QuerySchema, at_most_long, below, up_to
from app.schema.controls import COSTLY, Control
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
"""What a head may look at, by the names of model/interpretability/heads/roles.py."""
Channels = Annotated[int, Field(ge=4), up_to("clinic_d_model")]
MAX_CHOICES = 4
Choice = Annotated[
    int, Field(ge=0), Fixed(Le(MAX_CHOICES - 1), f"a question has at most {MAX_CHOICES} choices")
]
"""A choice of a question that a class votes on, counted from 0."""
Seed = Annotated[int, Field(ge=0), Fixed(Le(2**31 - 1), "a seed has 31 bits")]
Measure = Annotated[
    bool,
    COSTLY,
    Field(description=(shared("measure"))),
]
AtMostOne = Fixed(Le(1), "a share of a whole is at most 1")


def parameter(of: Parameter) -> Any:
    """Declares a field for a parameter of masks or of position schemes, which may be left out."""
    return Field(None, description=of.description)


def from_json(value: object) -> object:
    """A list may be one JSON string, as it must be in an address."""
    try:
        return (
            parse_json(value)
            if isinstance(value, str) and value.lstrip().startswith("[")
            else value
        )
    except ValueError:
        return value


def from_commas(value: object) -> object:
    """Whole numbers with commas between them may be one string; JSON lists too."""
    if not isinstance(value, str) or value.lstrip().startswith("["):
        return from_json(value)
    return [
        int(part) if part.strip().lstrip("+-").isdecimal() and len(part) < 20 else part
        for part in value.split(",")
    ]


def from_rows(value: object) -> object:
    """Rows of numbers, as a body may have them, become one string with commas between all numbers,
    as it is in an address.
    """
    value = from_json(value)
    if not isinstance(value, list):
        return value
    return ",".join(
        str(number) for row in value for number in (row if isinstance(row, list) else [row])
    )


def from_pairs(value: object) -> object:
    """Columns with their values, as a body may have them, become one string, as it is in an
    address; null is what is missing.
    """
    if not isinstance(value, dict) or any(
        sign in str(part) for pair in value.items() for part in pair for sign in ",="
    ):
        return value
    return ",".join(f"{name}={'' if given is None else given}" for name, given in value.items())


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
"""The fields that may make an answer take longer in every question that has them."""


OF_THE_FORM = ("encoding", "figures", "standalone", "theme", "shows")
"""The fields that say in which form an answer is written; the analysis has no use for them."""


class Question(Described):
    """What every question may ask: how the numbers are written."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    display_fields: ClassVar[tuple[str, ...]] = ()
    """The fields that say which part of an answer its figures show."""

    quickest: ClassVar[dict[str, str]] = {}
    """The choices with which an answer costs least, of the fields that have no size."""

    read_from: ClassVar[tuple[str, ...]] = ()
    """The fields that say what a model reads. Where a question has none of them, it is about the
    first example of its model.
    """

    @model_validator(mode="before")
    @classmethod
    def with_example(cls, given: Any) -> Any:
        """The fields that are given, and where no input is among them that of the example."""
        if not (cls.read_from and isinstance(given, dict)):
            return given
        model = given.get("model", cls.model_fields["model"].default)
        if not isinstance(model, str) or any(given.get(one) is not None for one in cls.read_from):
            return given
        example = first_example(model)
        return given | {name: example[name] for name in cls.read_from if name in example}

    encoding: Literal["json", "base64", "levels"] = "json"

    @property
    def repeatable(self) -> bool:
        """False for a question about the time on this machine: the same question has another
        answer each time, so none is kept.
        """
        return not getattr(self, "measure", False)

    @property
    def shipped(self) -> bool:
        """Whether what was measured for the answer is shipped with the package."""
        return False

    @property
    def reads_long(self) -> bool:
        """Whether it is about a long text, which takes long to read and is then kept."""
        return False

    def estimated_seconds(self) -> float:
        """An estimate from the sizes: how many seconds of one core the answer costs. 0 where none
        was measured.
        """
        return 0

    def narrowing(self) -> dict[str, Sentence]:
        """The fields that would make the answer smaller, each with a sentence that says how."""
        fields = type(self).model_fields
        return {name: sentence(f"narrow-{name}") for name in NARROWING if name in fields}

    def arguments(self) -> dict:
        """The fields that go to the analysis."""
        outside = {*OF_THE_FORM, *self.display_fields}
        return self.model_dump(mode="json", exclude=outside, exclude_none=True)

    def displayed(self) -> tuple[tuple[str, Any], ...]:
        """Which part of the answer its figures show: names and values."""
        return tuple((name, getattr(self, name)) for name in self.display_fields)


Model = Annotated[
    Name,
    Field(description=(shared("model"))),
]


class AboutModel(Question):
    """A model and its input: `text` for one stack, `source` and maybe `target` where one text
    becomes another, `image` for patches, `row` for columns.
    """

    read_from: ClassVar[tuple[str, ...]] = ("source", "target", "text", "image", "row")

    model: Model = "translator"
    source: Text | None = None
    target: Text | None = None
    text: Text | None = None
    image: Image | None = None
    row: Row | None = None


class Viewport(Question):
    """Size of the drawing in em. What is asked in quarters of an em is drawn once and kept."""

    display_fields: ClassVar[tuple[str, ...]] = ("width", "height")

    width: Annotated[float, Field(ge=20), up_to("drawing")] = 96
    height: Annotated[float, Field(ge=0), up_to("drawing")] = 36
    theme: Literal["light", "dark", "projector"] | None = None


PLACEMENTS = {
    "post": "Post-LN: LN(x + f(x))",
    "pre": "Pre-LN: x + f(LN(x))",
    "admin": "Admin: LN(ωx + f(x))",
    "b2t": "B2T: LN(x + f(x) + bottom)",
    "branch": "neither: x + LN(f(x))",
    "none": "no norm: x + f(x)",
}
"""The placements of the norm, as pages offer them."""
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
    """What every clinic about the placement of the norm takes."""

    placement: Placement = "post"
    stack: Annotated[Stack, Control(("encoder", "decoder"), key="layer")] = "encoder"


class Clinic(Question):
    """What every clinic takes: where its draws begin, and how often it is repeated with other
    draws.
    """

    seed: Seed = 0
    seeds: Annotated[int, Field(ge=1), up_to("seeds"), COSTLY, Control(SEEDS)] = 4


USUAL_OR_SEEDS = Control({"": "usual", **{n: str(n) for n in SEEDS}}, opens="")
"""What the page of a clinic offers of which some answers are recorded with more seeds than it makes
anew.
"""


ALL_OR_SOME = Control({"": "all", **{n: str(n) for n in (1, 2, 3)}}, opens="")


class KeptSeeds(Clinic):
    """What a clinic takes whose numbers were trained beforehand and kept."""

    seeds: Annotated[int, Field(ge=1), up_to("seeds"), ALL_OR_SOME] = 16

    def estimated_seconds(self) -> float:
        """Nothing is trained for an answer: the kept numbers are read."""
        return 0.002
