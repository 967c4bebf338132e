"""/logits: what the model expects next, at the end and at every point of the stream."""

from typing import Annotated, ClassVar

from pydantic import Field

from app.experiment import Experiment, Figure
from app.figures import logits
from app.schema.answers import Label, Point, RunAnswer, optional
from app.schema.bounds import below, up_to
from app.schema.edits import AboutPart
from app.schema.questions import Layer, NamesSent


class Logits(AboutPart):
    top: Annotated[int, Field(ge=1), up_to("top")] | None = Field(
        None,
        description=(
            "How many candidates are listed for each position. If it is left out, there are"
            " 10, or all where there are fewer."
        ),
    )
    lens: bool = Field(
        False,
        description=(
            "Whether the stream is read after every sub-layer too, through the last norm"
            " and the unembedding."
        ),
    )
    full: bool = Field(
        False,
        description=("Whether the logits and probabilities of the whole vocabulary are sent too."),
    )
    attribution: bool = Field(
        False,
        description=(
            "Whether the answer says what each part of the stream adds to the logit of a token."
        ),
    )
    token: Annotated[int, Field(ge=0), below("vocabulary")] | None = Field(
        None,
        description=(
            "The id of the token whose logit is taken apart, with `attribution`. If it is"
            " left out, it is the expected token of each position."
        ),
    )
    names: NamesSent = None
    first_layer: Layer | None = Field(
        None,
        description=(
            "With `lens`: the first layer of a window of layers, counted from 0. The stream is read"
            " in the window alone, and once at the end of every other. If it is left out, it is"
            " read in all layers, or with `layers` in those from layer 0 on."
        ),
    )
    layers: Annotated[int, Field(ge=1), up_to("layers")] | None = Field(
        None,
        description=(
            "With `lens`: how many layers a window has. If it is left out and `first_layer` is"
            " given, there are 8."
        ),
    )


class LogitsFigures(Logits):
    display_fields: ClassVar = ("position",)

    position: Annotated[int, Field(ge=0), below("text_length")] | None = Field(
        None,
        description=(
            "The token, counted from 0, whose row is framed. If it is left out, none is; if it is"
            " too large, it is the last."
        ),
    )


class WindowEnd(Point):
    """The last point of a window of layers."""

    first_layer: int


class LogitsAnswer(RunAnswer):
    top: int
    expected: list[str] = Field(description="The token that comes next at each position.")
    expected_ids: list[int]
    expected_from: int
    top_tokens: list[list[str]] = Field(
        description="The candidates of each position, the most probable first."
    )
    answered_at: list[int] = optional(
        "Of a classifier: the positions whose distribution is its answer. The head is for no other."
    )
    points: list[Point] = optional("With `lens`: the points at which the stream is read.")
    lens_tokens: list[list[list[str]]] = optional(
        "With `lens`: the candidates at each point and position, the most probable first."
    )
    windows: list[WindowEnd] = optional(
        "With a window of layers: the last point of every window of the stack."
    )
    whole_tokens: list[list[list[str]]] = optional(
        "With a window of layers: the most probable token at the end of every window, by position."
    )
    token: Label | None = optional(
        "With `attribution`: the token whose logit is taken apart; null where it is the"
        " expected token of each position."
    )


EXPERIMENT = Experiment(
    question=Logits,
    answer=LogitsAnswer,
    figure_query=LogitsFigures,
    sentence="The probabilities of the next token, and with `lens` those at every point of the"
    " stream",
    example="model=translator&source=i+am+cold&top=5&lens=true",
    figures={
        "lens": Figure("The guess after each step", logits.lens, tensor="lens.top_probability")
    },
    source_fields={"lens": True, "names": None},
)
