"""/models: the cards of the models, those that are shipped and those that were added."""

from typing import Any, Literal

from app.experiment import Experiment, Figure
from app.figures import models
from app.schema.answers import Answer, StrictModel, optional
from app.schema.questions import Question


class Example(StrictModel):
    """An input to try, and what to look for."""

    id: str
    input: dict[str, str]
    look_for: str


class Card(StrictModel):
    """What is known of a model. Of one that was added (`kind` is "yours") nobody has said how it
    was trained, on what and how well.
    """

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
    weights_sha256: str
    examples: list[Example]
    training: dict[str, Any] = optional("How a shipped model was trained.")
    split: str = optional("What was held out of the training of a shipped model.")
    data_notice: str = optional("Where the data of a shipped model come from.")
    data_sha256: str = optional("The digest of these data.")
    tokenizer_sha256: str = optional("The digest of a shipped model's tokenizer file.")
    kept: dict[str, Any] = optional("The steps of the model's training that are shipped.")
    columns: list[Any] = optional("The columns of the table, where the model reads one.")
    held_out: dict[str, Any] = optional(
        "What was measured on held-out rows of a table: reliability, and what each column is worth."
    )
    architecture: str = optional("The family of a model that was added, for instance Llama.")
    source: str = optional("The folder of a model that was added, or its name on the Hub.")
    precision: str = optional("The precision of its weights in that folder.")
    licence: str = optional("Its licence, where the folder states one.")
    head: str = optional("Its head: next word, masked word, classes or none.")
    classes: list[str] = optional("The names of its classes.")
    vocabulary: int = optional("How many tokens its vocabulary has.")
    left_aside: dict[str, str] = optional(
        "What stands in its files and is not read, such as a tensor, each with the reason."
    )
    unreadable: str = optional("Why it cannot be read any more.")


class ModelsAnswer(Answer):
    models: list[Card]


EXPERIMENT = Experiment(
    question=Question,
    answer=ModelsAnswer,
    sentence="The cards of the models: those that are shipped, and those that were added",
    figures={"sizes": Figure("How large", models.sizes)},
)
