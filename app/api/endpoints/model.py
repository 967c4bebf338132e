"""/models/{id}: the card of one model, with its modules and the names of its activations."""

from typing import Any

from pydantic import Field, create_model

from app.api.endpoint import Endpoint
from app.schema.answers import Answer, Card, StrictModel, optional
from app.schema.questions import Names, Question


class OneModel(Question):
    fields: Names | None = Field(None, examples=["modules,config"])


class Module(StrictModel):
    """A module, its own parameters with their shapes, and its submodules."""

    name: str
    type: str
    parameters: dict[str, list[int]]
    count: int
    modules: list["Module"]


class Activation(StrictModel):
    """An activation recorded in a run."""

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

# The card's own fields; `fields` may exclude some.
ModelAnswer = create_model(
    "ModelAnswer",
    __base__=Answer,
    modules=(Module, optional("The model’s modules, each with its parts.")),
    activations=(list[Activation], optional("The activations recorded in a run.")),
    **OF_CARD,
)


ENDPOINT = Endpoint(
    "models",
    OneModel,
    ModelAnswer,
    path="/models/{id}",
    operation="model",
)
