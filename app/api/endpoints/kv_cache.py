"""/kv-cache: what a decoder computes at each step with a cache of keys and values, and without."""

from typing import Annotated

from pydantic import Field

from app.api.endpoint import Endpoint
from app.schema.answers import ClinicAnswer
from app.schema.bounds import up_to
from app.schema.questions import Clinic


class KVCache(Clinic):
    tokens: Annotated[int, Field(ge=4), up_to("max_new_tokens")] = Field(
        16, description="How many tokens are read, one at each step."
    )

    def work(self) -> float:
        """Fitted to measurements on one core of a two-core server."""
        return 0.2 + self.seeds * self.tokens * (0.035 + 2e-4 * self.tokens)


class KVCacheAnswer(ClinicAnswer):
    pass


ENDPOINTS = (
    Endpoint(
        "kv-cache",
        KVCache,
        KVCacheAnswer,
        "Which keys and values a decoder computes at each step with a cache and without"
        " one, the multiplications and bytes that this takes, and how far the logits"
        " differ",
        "tokens=8",
        figure="with",
    ),
)
