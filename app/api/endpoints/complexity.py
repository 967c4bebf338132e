"""/complexity: what a layer costs and how far it leaves two positions apart."""

from typing import Annotated

from pydantic import Field

from app.api.endpoint import Endpoint
from app.schema.answers import ClinicAnswer
from app.schema.bounds import at_most_long, up_to
from app.schema.questions import Channels, Clinic, Commas

Lengths = Annotated[
    list[Annotated[int, Field(ge=2), up_to("complexity_length")]],
    Field(min_length=2),
    at_most_long("complexity_lengths"),
    Commas,
]


class Complexity(Clinic):
    lengths: Lengths = Field(
        [8, 16, 32, 64, 128, 256, 512, 1024],
        description=(
            "The lengths n of the sequences. The time of `measure` is taken up to a length of 1024."
        ),
    )
    d_model: Channels = Field(
        64, description="How many channels d each position has, a multiple of 4."
    )
    kernel: Annotated[int, Field(ge=2), up_to("kernel")] = Field(
        3, description="How many positions k a convolution reads at once."
    )
    window: Annotated[int, Field(ge=2), up_to("complexity_window")] = Field(
        32, description="How many positions r restricted attention sees."
    )
    input_size: Annotated[float, Field(ge=0), up_to("complexity_input")] = Field(
        0.1,
        description=("The standard deviation of the inputs, which are the same for all networks."),
    )
    measure: bool = Field(
        False,
        description=(
            "Whether the time on the server is measured too. Such an answer cannot be"
            " repeated exactly."
        ),
    )

    def work(self) -> float:
        """Fitted to measurements on one core of a two-core server; wrong by a factor of at most
        1.5.

        The time is measured up to a length of 1024.
        """
        d = self.d_model
        seconds = 0.0023 + self.seeds * (0.02 + 2e-5 * d**2)
        if self.measure:
            position = 3.2e-5 + 6.3e-11 * self.kernel * d**2
            seconds += sum(
                n * (position + 1.5e-9 * n * d) for n in (min(n, 1024) for n in self.lengths)
            )
        return seconds


class ComplexityAnswer(ClinicAnswer):
    pass


ENDPOINTS = (
    Endpoint(
        "complexity",
        Complexity,
        ComplexityAnswer,
        "Operations, sequential steps and path length of attention, recurrence and"
        " convolution, and how their gradients depend on the distance",
        "lengths=16,64,256&d_model=64",
        figure="operations",
    ),
)
