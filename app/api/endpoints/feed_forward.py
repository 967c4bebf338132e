"""/feed-forward: what the feed-forward network of one layer does at one token."""

from typing import Annotated, Literal

from pydantic import Field

from app.api.answers import Choice, Difference, Part, RunAnswer
from app.api.bounds import below, up_to
from app.api.endpoint import Endpoint
from app.api.questions import AboutModel, Layer


class FeedForward(AboutModel):
    stack: Literal["encoder", "decoder"] | None = Field(
        None, description="Which stack; without it the one that predicts."
    )
    layer: Layer | None = Field(None, description="Which layer; without it the last.")
    position: Annotated[int, Field(ge=0), below("text_length")] | None = Field(
        None, description="Which token; without it the first after the start."
    )
    top: Annotated[int, Field(ge=1), up_to("top")] = Field(
        10, description="How many neurons are told one by one, those that write most first."
    )


class Neuron(Part):
    """One of the neurons that write the longest vectors."""

    neuron: int
    argument: float = Field(description="What the activation function is applied to.")
    activated: float = Field(description="The value of the activation function.")
    post: float = Field(description="The activation, which multiplies the neuron's row of W_2.")
    length: float = Field(description="The length of what the neuron writes.")


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
        description="The words that each neuron raises most; null where none are read."
    )
    top_neurons: list[Neuron]
    share_of_top: float = Field(
        description="The share of what all neurons write that these neurons account for."
    )
    largest_difference: Difference


class Seen(Part):
    """What the page says of one view."""

    see: str = Field(description="What is seen.")
    more: str = Field(description="What it comes from and what follows.")
    explained: dict[str, str] = Field(
        description="Both as HTML, with a tip at each term of the field."
    )


class Link(Part):
    """A page that goes on from here, in the same state."""

    href: str
    text: str


class FeedForwardWords(Part):
    """What the page says of an answer."""

    views: dict[str, Seen] = Field(description="By the name of a figure.")
    choices: dict[str, list[Choice]] = Field(description="By the name of a control.")
    chosen: dict[str, str] = Field(description="What each control shows.")
    links: list[Link]


ENDPOINTS = (
    Endpoint(
        "feed-forward",
        FeedForward,
        FeedForwardAnswer,
        "What the feed-forward network of a layer does at one token: which neurons fire, what each"
        " writes, and their sum",
        "model=translator&source=i+am+cold&layer=1&position=2&top=5",
        figure="fires",
        words=FeedForwardWords,
    ),
)
