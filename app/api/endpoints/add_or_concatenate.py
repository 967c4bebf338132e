"""/add-or-concatenate: positions added to the tokens, or written beside them."""

from typing import Annotated, Literal

from pydantic import Field

from app.api.endpoint import Endpoint
from app.schema.answers import ClinicAnswer
from app.schema.bounds import up_to
from app.schema.questions import Clinic


class AddOrConcatenate(Clinic):
    vectors: Literal["translator", "fill-in"] = Field(
        "translator",
        description=(
            "The model whose vectors are used. `translator` has sinusoidal positions, and"
            " `fill-in` has learned ones."
        ),
    )
    tokens: Annotated[int, Field(ge=4), up_to("placed_tokens")] = Field(
        32, description=("How many different tokens are used. Each is put at many positions.")
    )

    def work(self) -> float:
        """Fitted to measurements on one core of a two-core server."""
        return 0.02 + self.seeds * (0.08 + 0.0045 * self.tokens)


class AddOrConcatenateAnswer(ClinicAnswer):
    d_model: int
    weights: dict[str, int] = Field(
        description=("How many numbers the matrix W has, for each way of joining the two vectors.")
    )


ENDPOINTS = (
    Endpoint(
        "add-or-concatenate",
        AddOrConcatenate,
        AddOrConcatenateAnswer,
        "What a linear map can read of token and position when their vectors are added,"
        " and when they are concatenated",
        "tokens=16&seeds=2",
        figure="read",
    ),
)
