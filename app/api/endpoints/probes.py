"""/probes: what can be read of position and token in the stream, layer by layer."""

from typing import Annotated, Literal

from pydantic import Field

from app.api.endpoint import Endpoint
from app.schema.answers import ClinicAnswer
from app.schema.bounds import up_to
from app.schema.questions import Clinic


class Probes(Clinic):
    weights: Literal["trained", "fresh"] = Field(
        "trained",
        description=(
            "`trained` is the encoder of the translator, and `fresh` is twelve untrained layers."
        ),
    )
    sentences: Annotated[int, Field(ge=8), up_to("sentences")] = Field(
        64, description=("How many sentences a probe is fitted to. It is tested on 32 others.")
    )
    ridge: Annotated[float, Field(ge=1e-3), up_to("ridge")] = Field(
        1.0,
        description=(
            "The ridge penalty ρ: how much large weights of a probe cost when it is fitted."
        ),
    )

    def work(self) -> float:
        """Fitted to measurements on one core of a two-core server; wrong by a factor of at most
        1.1.
        """
        trial = 0.076 + 0.0022 * self.sentences
        if self.weights == "fresh":
            trial = 0.099 + 0.002 * self.sentences
        return 0.0136 + self.seeds * trial


class ProbesAnswer(ClinicAnswer):
    pass


ENDPOINTS = (
    Endpoint(
        "probes",
        Probes,
        ProbesAnswer,
        "What linear probes can read of position and token in the stream after each"
        " layer, with shortcuts and without",
        "weights=fresh&sentences=32",
    ),
)
