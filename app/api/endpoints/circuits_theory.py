"""/circuits-theory: two layers of attention alone, as a sum of paths."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from app.api.endpoint import Endpoint
from app.schema.answers import ClinicAnswer
from app.schema.bounds import up_to
from app.schema.questions import Clinic


class CircuitsTheory(Clinic):
    weights: Literal["constructed", "random", "trained"] = Field(
        "constructed",
        description=(
            "`constructed` is an induction head written by hand among six random heads,"
            " `random` is eight random heads, and `trained` is the heads of induction-2."
        ),
    )
    step: Annotated[int, Field(ge=0), up_to("kept_step")] | None = Field(
        None,
        description=(
            "A kept step of the training of induction-2, for trained weights only. If it is"
            " left out, the last step is used."
        ),
    )

    def work(self) -> float:
        """Fitted to measurements on one core of a two-core server; wrong by a factor of at most
        1.1.
        """
        return (0.055 if self.weights == "trained" else 0.044) * self.seeds


class CircuitsTheoryFigures(CircuitsTheory):
    view: ClassVar = ("position", "composition")

    position: Literal["0", "1", "2", "3", "4", "5", "6", "7"] = Field(
        "3", description=("The position in the repetition, counted from 0, whose paths are shown.")
    )
    composition: Literal["q", "k", "v"] = Field(
        "k",
        description=(
            "How the heads of layer 2 read those of layer 1: through their queries, keys or values."
        ),
    )


class CircuitsTheoryAnswer(ClinicAnswer):
    letters: str
    period: int
    expected: float = Field(
        description=("The size of the virtual weights that is expected of two random heads.")
    )
    pair: list[str] = Field(
        description=("The two heads that the findings are about, one of each layer.")
    )
    step: int | None = Field(
        None, description="The step of the training, where the weights are trained."
    )


ENDPOINTS = (
    Endpoint(
        "circuits-theory",
        CircuitsTheory,
        CircuitsTheoryAnswer,
        "Every path through two layers of attention, and the virtual weights between"
        " their heads, beside those of random heads",
        "weights=random",
        drawn=CircuitsTheoryFigures,
        figure="logit",
    ),
)
