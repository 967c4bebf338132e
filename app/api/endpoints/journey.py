"""/journey: one token from the text to the predicted word, step by step."""

from typing import Annotated, Literal

from pydantic import Field

from app.api.answers import Choice, Part, Point, RunAnswer
from app.api.bounds import below
from app.api.endpoint import Endpoint
from app.api.questions import AboutModel


class Journey(AboutModel):
    token: Annotated[int, Field(ge=0), below("text_length")] | None = Field(
        None,
        description=(
            "The position of the token that is followed; without it an interesting one, and where"
            " there is no such position the last."
        ),
    )


class Taken(Part):
    """One step: its name, the tensor that it is about, and the numbers that are said of it."""

    name: str
    tensor: str
    numbers: dict[str, float | str]


class TokenToFollow(Part):
    """A token that can be followed."""

    position: int
    text: str


class Guess(Point):
    """A point of the stream, and the first guess if the stack ended there."""

    guess: str


class JourneyAnswer(RunAnswer):
    walk: Literal["translation", "continuation", "blank", "image"]
    followed: int = Field(description="The position of the token that is followed.")
    read_at: int = Field(description="The position at which the predicted word is read.")
    layer: int = Field(description="The layer that is shown of the first stack.")
    head: int
    candidates: list[TokenToFollow]
    steps: list[Taken]
    points: list[Guess] = Field(description="Of the stream that predicts the word.")
    expected: list[str] = Field(description="The token that comes next at each position.")
    expected_from: int


class Spoken(Part):
    """What is said of one step, and the page that shows it whole in the same state."""

    name: str
    title: str
    sentences: list[str]
    link: str
    more: str = Field(description="What that page shows.")


class JourneyWords(Part):
    """What the page says of every step; the figure of step 1 has the name 1."""

    steps: list[Spoken]
    choices: dict[str, list[Choice]] = Field(description="By the name of a control.")


ENDPOINTS = (
    Endpoint(
        "journey",
        Journey,
        JourneyAnswer,
        "One token from the text to the predicted word, step by step, with the numbers of each",
        "model=translator&source=i+am+cold",
        figure="11",
        words=JourneyWords,
    ),
)
