"""/detection: what each object query says is where, and which object it answers for."""

from typing import Annotated, ClassVar

from pydantic import Field

from app.api.answers import Fact, Part, RunAnswer
from app.api.bounds import below
from app.api.endpoint import Endpoint
from app.api.questions import AboutModel, Head, Layer


class Detection(AboutModel):
    query: Annotated[int, Field(ge=0), below("object_queries")] = Field(
        0, description="The object query whose weights are told."
    )


class DetectionFigures(Detection):
    view: ClassVar = ("layer", "head")

    layer: Layer | None = Field(
        None, description="The layer after which the boxes are drawn; without it the last."
    )
    head: Head | None = Field(
        None, description="The head whose weights frame the patches; without it the first."
    )


class Found(Part):
    """What one object query says, and the object it answers for, where there is one."""

    query: int
    name: str = Field(alias="class")
    probability: float
    object: int | None
    iou: float | None


class DetectionAnswer(RunAnswer):
    query: int
    found: list[Found]
    mean_iou: float
    facts: list[Fact]


ENDPOINTS = (
    Endpoint(
        "detection",
        Detection,
        DetectionAnswer,
        "Object queries: each one's class and box after every layer, where one looks, and their"
        " matching with what is there",
        "model=shapes&image=three",
        drawn=DetectionFigures,
    ),
)
