"""/warmup: networks learn the same task; which of them needs its rate to grow from zero."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from app.api.endpoint import Endpoint
from app.schema.answers import ClinicAnswer
from app.schema.bounds import up_to
from app.schema.questions import Clinic, Placed
from model.clinics._shared.kept_trainings import SHORT, STEPS, is_shipped

FEWEST = 5
PATIENCE = 2.5  # seconds


class Warmup(Placed, Clinic):
    warmup_steps: Annotated[int, Field(ge=0), up_to("training_steps")] = Field(
        20, description=("In how many steps the learning rate grows from zero to its peak.")
    )
    peak: Annotated[float, Field(ge=1e-4), up_to("learning_rate")] = Field(
        0.03, description="The highest learning rate."
    )
    layers: Annotated[int, Field(ge=1), up_to("training_layers")] = Field(
        4, description="How many layers each stack has."
    )
    steps: Annotated[int, Field(ge=FEWEST), up_to("training_steps")] | None = Field(
        None,
        description=(
            f"How many steps each network takes. If it is left out, there are {STEPS} where this"
            f" training is shipped, and at most {SHORT} where it is made anew."
        ),
    )
    schedule: Literal["inverse_root", "constant", "vaswani"] = Field(
        "inverse_root",
        description=(
            "What the learning rate does after the warm-up: `inverse_root` lets it fall"
            " like 1 / √t, `constant` keeps it at its peak, and `vaswani` is d_model^(−1/2)"
            " min(t^(−1/2), t w^(−3/2)), whose peak follows from the width."
        ),
    )
    stop: Annotated[int, Field(ge=0), up_to("training_steps")] | None = Field(
        None,
        description=(
            "The step after which the warm-up is broken off. If it is left out, the warm-up"
            " runs to its end."
        ),
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

    @property
    def shipped(self) -> bool:
        return is_shipped(self.arguments(), self.steps or SHORT)

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
            "The last step on the axes of the figures, for a training that is followed"
            " further. If it is left out, it is `steps`."
        ),
    )


class WarmupAnswer(ClinicAnswer):
    guessing: float = Field(description="The loss of guessing, in nats.")


ENDPOINTS = (
    Endpoint(
        "warmup",
        Warmup,
        WarmupAnswer,
        "A small training: one placement of the norm with warm-up and without, and"
        " other placements on the same data",
        "warmup_steps=20&peak=0.03&seeds=4",
        drawn=WarmupFigures,
        streams=True,
        trains=True,
    ),
)
