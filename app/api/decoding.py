"""/decoding: greedy, beam search and sampling where every text can be tried."""

from typing import Annotated, Literal

from pydantic import Field

from app.api import Word
from app.questions import Experiment, bounds


class Decoding(Experiment):
    chain: Literal["stated", "drawn"] = Field("stated", description="The chain that is shown: one where greedy errs, or one from the seed.")
    vocabulary: Annotated[int, Field(ge=2, le=4)] = Field(3, description="Letters of the drawn chains.")
    length: Annotated[int, Field(ge=2, le=4)] = Field(3, description="Letters of a text.")
    beams: Annotated[int, Field(ge=1, le=bounds.beams)] = Field(1, description="Texts that beam search keeps.")
    temperature: Annotated[float, Field(ge=0, le=10)] = Field(1.0, description="Divides the logits of the real distribution.")
    top_k: Annotated[int, Field(ge=1, le=1_000_000)] | None = Field(None, description="Only the k most probable tokens.")
    top_p: Annotated[float, Field(ge=1e-9, le=1)] | None = Field(None, description="The fewest tokens that hold this probability.")
    min_p: Annotated[float, Field(ge=0, le=1)] | None = Field(None, description="Tokens at least this share of the most probable one's.")


WORDS = (
    Word(
        "decoding",
        Decoding,
        "Greedy decoding, beam search and sampling against the exhaustive search; what filters leave of a real distribution",
        "beams=2&top_p=0.9",
    ),
)
