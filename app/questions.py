"""What may be asked: the fields that many words share, each with its bounds."""

from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from app.settings import Limits
from app.strict import parse_json

bounds = Limits()

Text = Annotated[str, Field(max_length=bounds.text_length)]
Name = Annotated[str, Field(max_length=100)]
Layer = Annotated[int, Field(ge=0, lt=bounds.layers)]
Head = Annotated[int, Field(ge=0, lt=bounds.heads)]


def from_json(value: object) -> object:
    """A list may be one JSON string, as it must be in an address."""
    try:
        return parse_json(value) if isinstance(value, str) and value.lstrip().startswith("[") else value
    except (ValueError, RecursionError):
        return value


def from_commas(value: object) -> object:
    """Whole numbers with commas between them may be one string; JSON lists too."""
    if not isinstance(value, str) or value.lstrip().startswith("["):
        return from_json(value)
    return [int(part) if part.strip().lstrip("+-").isdecimal() and len(part) < 20 else part for part in value.split(",")]


def from_rows(value: object) -> object:
    """Rows of numbers, as a body may have them, become one string with commas between all numbers, as it is in an address."""
    value = from_json(value)
    if not isinstance(value, list):
        return value
    return ",".join(str(number) for row in value for number in (row if isinstance(row, list) else [row]))


def from_pairs(value: object) -> object:
    """Columns with their values, as a body may have them, become one string, as it is in an address; null is what is missing."""
    if not isinstance(value, dict) or any(sign in str(part) for pair in value.items() for part in pair for sign in ",="):
        return value
    return ",".join(f"{name}={'' if given is None else given}" for name, given in value.items())


Commas = BeforeValidator(from_commas, json_schema_input_type=str | list[int])
Json = BeforeValidator(from_json, json_schema_input_type=str | list)
Image = Annotated[Text, BeforeValidator(from_rows, json_schema_input_type=str | list)]
Row = Annotated[Text, BeforeValidator(from_pairs, json_schema_input_type=str | dict[str, str | float | None])]


class Question(BaseModel):
    """What every question may ask: how the numbers are written."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    encoding: Literal["json", "base64"] = Field("json", description="Nested lists of numbers, or typed arrays in base64.")

    def asked(self) -> dict:
        """The fields that go to the analysis."""
        return self.model_dump(mode="json", exclude={"encoding"}, exclude_none=True)


class AboutModel(Question):
    """A model and its input: `text` for one stack, `source` and maybe `target` where one text becomes another, `image` for patches, `row`
    for columns."""

    model: Name = Field(description="The id of a shipped model.")
    source: Text | None = Field(None, description="What an encoder-decoder or a prefix model reads.")
    target: Text | None = Field(None, description="What has been written; without it the model's own greedy output.")
    text: Text | None = Field(None, description="What a model of one stack reads.")
    image: Image | None = Field(
        None,
        description="The id of an example of the model, or grey values from 0 (paper) to 1 (ink), row by row with commas between, "
        "or with a sign for each: 0 to 9 and a to g, in sixteenths. For `shapes` a scene in words: kind, colour, centre x y, width and "
        "height as shares of the picture, semicolons between the shapes.",
    )
    row: Row | None = Field(
        None,
        description="The id of an example of the model, or column=value of its table with commas between, without what is missing.",
    )


class Experiment(Question):
    """What every clinic takes: where its draws begin, and how often it is repeated with other draws."""

    seed: Annotated[int, Field(ge=0, le=2**31 - 1)] = Field(0, description="The same seed gives the same bytes.")
    seeds: Annotated[int, Field(ge=1, le=bounds.seeds)] = Field(4, description="How many times the trial is repeated with other draws.")
