"""/feed-forward: what the feed-forward network of one layer does at one token."""

from typing import Annotated, Literal

from pydantic import Field

from app.captions.feed_forward import captions
from app.experiment import Experiment, Figure
from app.figures import feed_forward
from app.schema.answers import Difference, PageWords, RunAnswer, StrictModel
from app.schema.bounds import below, up_to
from app.schema.edits import AboutRun
from app.schema.questions import Layer


class FeedForward(AboutRun):
    stack: Literal["encoder", "decoder"] | None = Field(
        None,
        description=(
            "The stack whose network is read. If it is left out, it is the stack that predicts."
        ),
    )
    layer: Layer | None = Field(
        None, description=("The layer, counted from 0. If it is left out, it is the last.")
    )
    position: Annotated[int, Field(ge=0), below("text_length")] | None = Field(
        None,
        description=(
            "The position of the token, counted from 0. If it is left out, it is the first"
            " token after the start sign."
        ),
    )
    top: Annotated[int, Field(ge=1), up_to("top")] = Field(
        10,
        description=(
            "How many neurons are listed one by one, those that write the longest vectors first."
        ),
    )


class Neuron(StrictModel):
    """One of the neurons that write the longest vectors."""

    neuron: int
    argument: float = Field(description="The number to which the activation function is applied.")
    activated: float = Field(description="The value of the activation function.")
    post: float = Field(description="The number by which the neuron's row of W_2 is multiplied.")
    length: float = Field(description="The length of the vector that the neuron writes.")


class FeedForwardAnswer(RunAnswer):
    stack: str
    layer: int
    layers: int = Field(description="How many layers the stack has.")
    position: int
    tokens: list[str] = Field(description="The tokens of the stack.")
    top: int
    reads: str = Field(description="The activation that the network reads.")
    activation: str
    function: str = Field(description="The formula of the activation function.")
    gated: bool
    neurons: int
    firing: int = Field(description="How many neurons have an argument above 0.")
    equation: str = Field(description="How the output joins the stream.")
    terms: list[str]
    next_step: str | None = Field(description="The next point of the stream; null at its end.")
    raised_words: list[list[str]] | None = Field(
        description=(
            "The words whose logits each neuron raises most; null where the stack predicts"
            " no words."
        )
    )
    top_neurons: list[Neuron]
    share_of_top: float = Field(
        description="The share of what all neurons write that these neurons account for."
    )
    largest_difference: Difference


EXPERIMENT = Experiment(
    question=FeedForward,
    answer=FeedForwardAnswer,
    sentence="What the feed-forward network of a layer does at one token: which neurons fire, what"
    " each writes, and their sum",
    example="model=translator&source=i+am+cold&layer=1&position=2&top=5",
    figures={
        "fires": Figure(
            "Which neurons fire",
            feed_forward.fires,
            tensor="activated",
            placed_by=("argument", "curve"),
        ),
        "writes": Figure("What each neuron writes", feed_forward.WRITES),
        "words": Figure(
            "Which words each neuron raises",
            feed_forward.WORDS,
            meta=feed_forward.title_of_words,
        ),
        "stream": Figure("What is added to the stream", feed_forward.STREAM),
        "tokens": Figure("The same neurons at every token", feed_forward.TOKENS),
    },
    captions=captions,
    captions_type=PageWords,
)
