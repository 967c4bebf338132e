"""/scores: six ways to compare a query with a key."""

from typing import Annotated

from pydantic import Field

from app.api import Word
from app.questions import Experiment


class Scores(Experiment):
    d_head: Annotated[int, Field(ge=1, le=256)] = Field(64, description="Components of a query and of a key.")
    keys: Annotated[int, Field(ge=4, le=16)] = Field(8, description="Positions: as many queries as keys.")
    temperature: Annotated[float, Field(ge=0, le=100)] = Field(1.0, description="Scores are divided by it; at 0 the best key takes all.")


WORDS = (
    Word(
        "scores",
        Scores,
        "The weights that six alignment functions give the same keys, and how far each moves with them; hard and soft, local and global",
        "temperature=0.5",
    ),
)
