"""/generate: writing one token after another; as an event stream when asked for it."""

from typing import Annotated, Literal

from pydantic import Field

from app.api import Word
from app.questions import AboutModel, Text, bounds


class Generate(AboutModel):
    strategy: Literal["greedy", "sample", "beam"] = Field(
        "greedy", description="The most probable token, one by chance, or the best of several texts."
    )
    temperature: Annotated[float, Field(ge=0, le=10)] = Field(1.0, description="sample: divides the logits; 0 is the limit, greedy.")
    top_k: Annotated[int, Field(ge=1, le=10**6)] | None = Field(None, description="sample: from the k most probable.")
    top_p: Annotated[float, Field(gt=0, le=1)] | None = Field(None, description="sample: from the fewest that hold this much probability.")
    min_p: Annotated[float, Field(gt=0, le=1)] | None = Field(
        None, description="sample: from those at least this share of the most probable."
    )
    beams: Annotated[int, Field(ge=1, le=bounds.beams)] = Field(4, description="beam: how many texts are kept.")
    seed: Annotated[int, Field(ge=0, lt=2**32)] = Field(0, description="sample: the same seed gives the same text.")
    max_new_tokens: Annotated[int, Field(ge=1, le=bounds.max_new_tokens)] | None = Field(None, description="At most so many tokens.")
    target: Text | None = Field(None, description="A reference: what the same model predicts when it reads that instead of its own words.")


WORDS = (
    Word(
        "generate",
        Generate,
        "Decoding step by step, with candidates, probabilities and cross-attention",
        "model=translator&source=i+am+cold&strategy=beam&beams=3",
        streams=True,
    ),
)
