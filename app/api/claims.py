"""/claims: what the notes say that is not so, and the number that says it."""

from typing import Annotated

from pydantic import Field

from app.api import Word
from app.questions import Question


class Claims(Question):
    seed: Annotated[int, Field(ge=0, le=2**31 - 1)] = Field(0, description="The same seed gives the same bytes.")


WORDS = (
    Word("claims", Claims, "Sentences of the notes that are wrong or ambiguous, what is so instead, and what was measured for this answer"),
)
