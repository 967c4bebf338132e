"""/head-split: the queries of a layer, cut into heads with the transpose and without it."""

from typing import ClassVar

from pydantic import Field

from app.api.endpoint import Endpoint
from app.schema.answers import ClinicAnswer
from app.schema.questions import Clinic, Head, Layer


class HeadSplit(Clinic):
    layer: Layer = Field(
        0,
        description=(
            "The layer of the translator's encoder, counted from 0, whose queries are cut"
            " into heads."
        ),
    )

    def work(self) -> float:
        """Fitted to measurements on one core of a two-core server."""
        return 0.003 + 0.006 * self.seeds


class HeadSplitFigures(HeadSplit):
    view: ClassVar = ("head",)

    head: Head = Field(0, description="The head whose attention is drawn, counted from 0.")


class HeadSplitAnswer(ClinicAnswer):
    sentence: str = Field(
        description="The sentence that is drawn, which is that of the first seed."
    )


ENDPOINTS = (
    Endpoint(
        "head-split",
        HeadSplit,
        HeadSplitAnswer,
        "Which token each row of a head comes from after `view` and `transpose`, and after `view`"
        " alone",
        "layer=1",
        figure="origin.right",
        drawn=HeadSplitFigures,
    ),
)
