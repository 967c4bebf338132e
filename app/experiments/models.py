"""/models: the cards of the shipped models."""

from typing import Any, Literal

from app.experiments import Experiment, Figure
from app.figures import models
from app.schema.answers import Answer, StrictModel, optional
from app.schema.questions import Question


class Example(StrictModel):
    """An input to try, and what to look for."""

    id: str
    input: dict[str, str]
    look_for: str


class Card(StrictModel):
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
    kept: dict[str, Any] = optional("The steps of the model's training that are shipped.")
    columns: list[Any] = optional("The columns of the table, where the model reads one.")
    held_out: dict[str, Any] = optional(
        "What was measured on held-out rows of a table: reliability, and what each column is worth."
    )


class ModelsAnswer(Answer):
    models: list[Card]


EXPERIMENT = Experiment(
    question=Question,
    answer=ModelsAnswer,
    sentence="The cards of the shipped models",
    figures={"sizes": Figure("How large", models.sizes)},
)
