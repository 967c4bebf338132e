"""/models: the cards of the shipped models; /models/{id}: one of them with its modules and the
names its runs record.
"""

from typing import Any, Literal

from pydantic import Field, create_model

from app.api.endpoint import Endpoint
from app.schema.answers import Answer, Part, maybe
from app.schema.questions import Names, Question


class OneModel(Question):
    fields: Names | None = Field(
        None,
        description=(
            "The names of the fields that are sent, with commas between them. If it is left"
            " out, all are sent."
        ),
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
    count: int = Field(
        description=("How many parameters the module has, those of its parts included.")
    )
    modules: list["Module"]


class Activation(Part):
    """An activation that a run records."""

    name: str
    axes: list[str]
    shape: list[str | int] = Field(
        description=("The size of each axis: a number, or the name of what it depends on.")
    )
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
    kept: dict[str, Any] = maybe("The steps of the model's training that are shipped.")
    columns: list[Any] = maybe("The columns of the table, where the model reads one.")


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
    modules=(Module, maybe("The modules of the model, each with its parts.")),
    activations=(list[Activation], maybe("The activations that a run of the model records.")),
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
