"""/models: the cards of the shipped models; /models/{id}: one of them with its modules and the
names its runs record.
"""

from typing import Any, Literal

from pydantic import Field, create_model

from app.api.answers import Answer, Part, maybe
from app.api.endpoint import Endpoint
from app.api.questions import Names, Question


class OneModel(Question):
    fields: Names | None = Field(
        None,
        description="The fields to send, with commas between; without it all.",
        examples=["modules,config"],
    )


class Example(Part):
    """An input to try, and what to look for."""

    id: str
    input: dict[str, str]
    look_for: str


class Module(Part):
    """A module, its own parameters with their shapes, and its parts."""

    name: str
    type: str
    parameters: dict[str, list[int]]
    count: int = Field(description="How many numbers it holds, its parts included.")
    modules: list["Module"]


class Activation(Part):
    """An activation that a run records."""

    name: str
    axes: list[str]
    shape: list[str | int] = Field(description="Sizes by name.")
    formula: str
    sentence: str


class Card(Part):
    """What is known of a shipped model."""

    id: str
    name: str
    family: Literal["encoder-only", "decoder-only", "encoder-decoder", "prefix"]
    modality: str
    task: str
    kind: str
    encoding: str
    config: dict[str, Any]
    parameters: int
    bytes: int
    limits: dict[str, int]
    quality: dict[str, dict[str, Any]]
    training: dict[str, Any]
    split: str
    data_notice: str
    data_sha256: str
    weights_sha256: str
    tokenizer_sha256: str
    examples: list[Example]
    kept: dict[str, Any] = maybe("The steps of its training that are shipped.")
    columns: list[Any] = maybe("Of a model of tables.")


class ModelsAnswer(Answer):
    models: list[Card]


OF_CARD: dict[str, Any] = {
    name: (field.annotation, maybe(field.description or ""))
    for name, field in Card.model_fields.items()
    if name != "kind"
}

# The card's own fields beside those of every answer; with `fields` some are left out.
ModelAnswer = create_model(
    "ModelAnswer",
    __base__=Answer,
    modules=(Module, maybe("The tree of its modules.")),
    activations=(list[Activation], maybe("What its runs record.")),
    **OF_CARD,
)


ENDPOINTS = (
    Endpoint("models", Question, ModelsAnswer, "The cards of the shipped models"),
    Endpoint(
        "models",
        OneModel,
        ModelAnswer,
        "One model's card, its modules with parameter shapes, and the names of its activations",
        path="/models/{id}",
        operation="model",
    ),
)
