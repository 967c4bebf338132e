"""/detection: what each object query says is where, and which object it answers for."""

from typing import Annotated

from pydantic import Field

from app.api import Word
from app.questions import AboutModel


class Detection(AboutModel):
    query: Annotated[int, Field(ge=0, lt=100)] = Field(0, description="The object query whose weights are told.")


WORDS = (
    Word(
        "detection",
        Detection,
        "Object queries: each one's class and box after every layer, where one looks, and their matching with what is there",
        "model=shapes&image=three",
    ),
)
