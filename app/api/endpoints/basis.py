"""/basis: a residual stream in other coordinates."""

from typing import Literal

from pydantic import Field

from app.api.answers import ClinicAnswer
from app.api.endpoint import Endpoint
from app.api.questions import Clinic


class Basis(Clinic):
    norm: Literal["layer", "rms"] = Field(
        "rms", description="LayerNorm, which takes the mean away, or RMSNorm, which does not."
    )
    folded: bool = Field(
        True, description="Whether each norm's gain is moved into the matrices that read it."
    )
    rotation: Literal["any", "fixing-ones"] = Field(
        "any", description="Any rotation, or one that keeps the direction of ones."
    )

    angle: float = Field(
        90,
        ge=0,
        le=180,
        description="By how many degrees the stream is rotated, in planes at right angles to each"
        " other.",
    )

    def work(self) -> float:
        """Fitted to measurements on one core of a two-core server; wrong by a factor of at most
        1.1.
        """
        return 0.0044 + 0.026 * self.seeds


class BasisAnswer(ClinicAnswer):
    pass


ENDPOINTS = (
    Endpoint(
        "basis",
        Basis,
        BasisAnswer,
        "What becomes of the logits when the residual stream is rotated, and every matrix that"
        " reads or writes it",
        "norm=layer",
        figure="stream",
    ),
)
