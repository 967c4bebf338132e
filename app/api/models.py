"""/models: the cards of the shipped models; /models/{id}: one of them with its modules and the names its runs record."""

from typing import Annotated

from pydantic import Field

from app.api import Word
from app.questions import Name, Question, bounds


class OneModel(Question):
    id: Name
    fields: Annotated[str, Field(max_length=bounds.names_length)] | None = Field(
        None, description="The fields to send, with commas between; without it all.", examples=["modules,config"]
    )


WORDS = (
    Word("models", Question, "The cards of the shipped models"),
    Word("models", OneModel, "One model's card, its modules with parameter shapes, and the names of its activations", path="/models/{id}"),
)
