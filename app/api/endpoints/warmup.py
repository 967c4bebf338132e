"""/warmup: four networks learn the same task; which of them needs its rate to grow from zero."""

from typing import Annotated, ClassVar

from pydantic import Field

from app.api.answers import ClinicAnswer
from app.api.bounds import up_to
from app.api.endpoint import Endpoint
from app.api.questions import Clinic


class Warmup(Clinic):
    warmup_steps: Annotated[int, Field(ge=0), up_to("training_steps")] = Field(
        20, description="Steps in which the rate grows from zero to its peak."
    )
    peak: Annotated[float, Field(ge=1e-4), up_to("learning_rate")] = Field(
        0.03, description="The learning rate after that; elsewhere from the start."
    )
    layers: Annotated[int, Field(ge=1), up_to("training_layers")] = Field(
        4, description="Layers of each network."
    )
    steps: Annotated[int, Field(ge=5), up_to("training_steps")] = Field(
        25, description="Steps that each network takes."
    )

    def work(self) -> float:
        """Of all steps at once; fitted to measurements on one core of a two-core server."""
        step = 0.0059 + self.layers * (0.0028 + 0.00058 * self.seeds)
        return self.steps * step + 0.0038 * self.layers * self.seeds


class WarmupFigures(Warmup):
    view: ClassVar = ("until",)

    until: Annotated[int, Field(ge=5), up_to("training_steps")] | None = Field(
        None,
        description=(
            "The last step on the axes of the figures, for a training that is followed further;"
            " without it `steps`."
        ),
    )


class WarmupAnswer(ClinicAnswer):
    guessing: float = Field(description="The loss of a guess, in nats.")


ENDPOINTS = (
    Endpoint(
        "warmup",
        Warmup,
        WarmupAnswer,
        "Live training: Post-LN with and without warm-up, Pre-LN and Admin on the same data",
        "warmup_steps=20&peak=0.03&seeds=4",
        drawn=WarmupFigures,
        streams=True,
        trains=True,
    ),
)
