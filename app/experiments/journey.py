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
    token: Annotated[int, Field(ge=0), below("text_length")] | None = Field(
        None,
        description=(
            "The position of the token that is followed, counted from 0. If it is left out,"
            " an interesting token is chosen; if it is too large, the last token is."
        ),
    )
    temperature: Annotated[float, Field(ge=0.1), up_to("temperature")] = Field(
        1.0,
        description=(
            "T of the last steps, where the next word is chosen: the probabilities are"
            " softmax(logits / T). At 1 they are the model’s."
        ),
    )


class Taken(StrictModel):
    """One step: its name, the tensor that it is about, and the numbers that are said of it."""

    name: str
    tensor: str
    numbers: dict[str, float | str]
    column: str = Field(
        description=(
            "The activation whose row, that of `token`, comes to this step: the row of the tensor"
            " `columns`."
        )
    )
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
    followed: int = Field(description="The position of the token that is followed.")
    read_at: int = Field(description="The position at which the predicted word is read.")
    layer: int = Field(description="The layer of the first stack that is shown, counted from 0.")
    head: int
    candidates: list[TokenToFollow]
    steps: list[Taken]
    points: list[Guess] = Field(
        description=("The points of the stream that predicts the word, each with its guess.")
    )
    expected: list[str] = Field(description="The token that comes next at each position.")
    expected_from: int


class Spoken(StrictModel):
    """What is said of one step, and the page that shows it whole in the same state."""

    name: str
    title: str
    sentences: list[str]
    explained: str = Field(
        description=("The sentences as HTML, with a tip at each term that no step before has.")
    )
    link: str
    more: str = Field(description="What the page of the link shows, in a sentence.")
    whole: str = Field(description="The link as HTML.")


class JourneyWords(StrictModel):
    """What the page says of every step; the figure of step 1 has the name 1."""

    steps: list[Spoken]
    choices: dict[str, list[Choice]] = Field(description="What each control offers, by its name.")


EXPERIMENT = Experiment(
    question=Journey,
    answer=JourneyAnswer,
    sentence="One token on its way from the text to the predicted word, step by step, with the"
    " numbers of each step",
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
