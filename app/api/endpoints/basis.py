"""/basis: a residual stream in other coordinates."""

from typing import Annotated, Literal

from annotated_types import Le
from pydantic import Field

from app.api.endpoint import Endpoint
from app.schema.answers import ClinicAnswer
from app.schema.bounds import Fixed
from app.schema.questions import Clinic

HALF_TURN = Fixed(Le(180), "a rotation by more than 180 degrees is one by less the other way")


class Basis(Clinic):
    norm: Literal["layer", "rms"] = Field(
        "rms",
        description=("The norm of the network: `layer` subtracts the mean, and `rms` does not."),
    )
    folded: bool = Field(
        True, description="Whether each norm's gain is moved into the matrices that read it."
    )
    rotation: Literal["any", "fixing-ones"] = Field(
        "any", description=("`any` rotation, or one that leaves the vector of ones as it is.")
    )

    angle: Annotated[float, Field(ge=0), HALF_TURN] = Field(
        90,
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
        "How far the logits change when the residual stream is rotated, together with"
        " every matrix that reads or writes it",
        "norm=layer",
        figure="stream",
    ),
)
