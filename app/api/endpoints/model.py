"""/models/{id}: the card of one model, with its modules and the names its runs record."""

from typing import Any

from pydantic import Field, create_model

from app.api.endpoint import Endpoint
from app.schema.answers import Answer, Card, StrictModel, optional
from app.schema.questions import Names, Question


class OneModel(Question):
    fields: Names | None = Field(None, examples=["modules,config"])


class Module(StrictModel):
    """A module, its own parameters with their shapes, and its parts."""

    name: str
    type: str
    parameters: dict[str, list[int]]
    count: int
    modules: list["Module"]


class Activation(StrictModel):
    """An activation that a run records."""

    name: str
    axes: list[str]
    shape: list[str | int]
    formula: str
    sentence: str


OF_CARD: dict[str, Any] = {
    name: (field.annotation, optional(field.description or ""))
    for name, field in Card.model_fields.items()
    if name != "kind"
}

# The card's own fields beside those of every answer; with `fields` some are left out.
ModelAnswer = create_model(
    "ModelAnswer",
    __base__=Answer,
    modules=(Module, optional("The modules of the model, each with its parts.")),
    activations=(list[Activation], optional("The activations that a run of the model records.")),
    **OF_CARD,
)


ENDPOINT = Endpoint(
    "models",
    OneModel,
    ModelAnswer,
    path="/models/{id}",
    operation="model",
)
