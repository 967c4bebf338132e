"""/journey: one token from the text to the predicted word, step by step."""

from functools import partial
from typing import Annotated, Literal

from pydantic import Field

from app.captions.journey import captions
from app.experiment import Experiment, Figure
from app.figures import journey
from app.schema.answers import Choice, Point, RunAnswer, StrictModel
from app.schema.bounds import below, up_to
from app.schema.edits import AboutRun


class Journey(AboutRun):
    token: Annotated[int, Field(ge=0), below("text_length")] | None = None
    temperature: Annotated[float, Field(ge=0.1), up_to("temperature")] = 1.0


class Taken(StrictModel):
    """One step: its name, the tensor that it is about, and the numbers that are said of it."""

    name: str
    tensor: str
    numbers: dict[str, float | str]
    column: str
    token: str


class TokenToFollow(StrictModel):
    """A token that can be followed."""

    position: int
    text: str


class Guess(Point):
    """A point of the stream, and the first guess if the stack ended there."""

    guess: str


class JourneyAnswer(RunAnswer):
    walk: Literal["translation", "continuation", "blank", "image"]
    followed: int
    read_at: int
    layer: int
    head: int
    candidates: list[TokenToFollow]
    steps: list[Taken]
    points: list[Guess]
    expected: list[str]
    expected_from: int


class Spoken(StrictModel):
    """What is said of one step, and the page that shows it whole in the same state."""

    name: str
    title: str
    sentences: list[str]
    explained: str
    link: str
    more: str
    whole: str


class JourneyWords(StrictModel):
    """What the page says of every step; the figure of step 1 has the name 1."""

    steps: list[Spoken]
    choices: dict[str, list[Choice]]


EXPERIMENT = Experiment(
    question=Journey,
    answer=JourneyAnswer,
    example="model=translator&source=i+am+cold",
    figures={
        str(step + 1): Figure(
            f"Step {step + 1}",
            partial(journey.draw_step, step),
            has=partial(journey.has_step, step),
        )
        for step in range(journey.MAX_STEPS)
    },
    figure="11",
    captions=captions,
    captions_type=JourneyWords,
)
