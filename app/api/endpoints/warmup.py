"""/warmup: networks learn the same task; which of them needs its rate to grow from zero."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from app.api.answers import ClinicAnswer
from app.api.bounds import up_to
from app.api.endpoint import Endpoint
from app.api.questions import Clinic, Placed
from model.clinics._shared.kept_trainings import SHORT, STEPS, is_shipped

FEWEST = 5
PATIENCE = 2.5  # seconds


class Warmup(Placed, Clinic):
    warmup_steps: Annotated[int, Field(ge=0), up_to("training_steps")] = Field(
        20, description="Steps in which the rate grows from zero to its peak."
    )
    peak: Annotated[float, Field(ge=1e-4), up_to("learning_rate")] = Field(
        0.03, description="The highest learning rate."
    )
    layers: Annotated[int, Field(ge=1), up_to("training_layers")] = Field(
        4, description="Layers of each stack."
    )
    steps: Annotated[int, Field(ge=FEWEST), up_to("training_steps")] | None = Field(
        None,
        description=(
            f"Steps that each network takes; without it {STEPS} where this training is shipped,"
            f" and at most {SHORT} where it is made anew."
        ),
    )
    schedule: Literal["inverse_root", "constant", "vaswani"] = Field(
        "inverse_root",
        description=(
            "After the warm-up the rate falls like 1 / sqrt(t), or stays at its peak; `vaswani` is"
            " d_model^-1/2 min(t^-1/2, t w^-3/2), whose peak follows from the width."
        ),
    )
    stop: Annotated[int, Field(ge=0), up_to("training_steps")] | None = Field(
        None, description="The warm-up is broken off after this step; without it, never."
    )

    @model_validator(mode="after")
    def with_steps(self) -> "Warmup":
        """Where nobody says how many steps, a training that is shipped is answered whole, and
        another is made as long as a reader waits.
        """
        if self.steps is None:
            shipped = is_shipped(super().arguments(), STEPS)
            few = max(FEWEST, min(SHORT, int(PATIENCE / self.step_work())))
            object.__setattr__(self, "steps", STEPS if shipped else few)
        return self

    def step_work(self) -> float:
        """The seconds of one step; fitted to measurements on one core of a two-core server."""
        return 0.0074 + self.stacks * self.layers * (0.0035 + 0.00072 * self.seeds)

    def work(self) -> float:
        """Of making the networks and of all steps."""
        making = 0.0048 * self.stacks * self.layers * self.seeds
        return making + (self.steps or SHORT) * self.step_work()

    @property
    def stacks(self) -> float:
        """What a decoder with its encoder costs, in encoders."""
        return 2.3 if self.stack == "decoder" else 1.0


class WarmupFigures(Warmup):
    view: ClassVar = ("until",)

    until: Annotated[int, Field(ge=FEWEST), up_to("training_steps")] | None = Field(
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
        "Live training: one placement of the norm with and without warm-up, and the others on the"
        " same data",
        "warmup_steps=20&peak=0.03&seeds=4",
        drawn=WarmupFigures,
        streams=True,
        trains=True,
    ),
)
