"""/training: the same text at steps of a training, with two layers and with one."""

from typing import Annotated

from pydantic import Field

from app.api import Word
from app.questions import Question, Text, bounds

Names = Annotated[str, Field(max_length=bounds.names_length)]


class Training(Question):
    text: Text | None = Field(None, description="Letters that induction-2 and induction-1 read; without it the first example of the card.")
    step: Annotated[int, Field(ge=0, le=1_000_000)] | None = Field(None, description="One of the kept steps; without it all.")
    names: Names | None = Field(None, description="The tensors to send, with commas between them; without it all.")


WORDS = (
    Word(
        "training",
        Training,
        "How an induction head forms: attention, loss by position and head roles at steps of a training, and a control of one layer",
        "text=qvmtzkdbqvmtzkdbqvmt&step=200",
    ),
)
