"""Add or concatenate: positions added to the tokens, or written beside them."""

from typing import Annotated, Literal

from pydantic import Field

from app.captions.exercises import Exercise, by_findings
from app.captions.fields import found, setting
from app.captions.words import Words
from app.experiment import Experiment, in_words
from app.figures.marks import Lines, Look, Marks, Scale
from app.limits import Limit
from app.schema.answers import ClinicAnswer
from app.schema.bounds import up_to
from app.schema.controls import COSTLY, Control
from app.schema.questions import Clinic

WAYS = {
    "added": Look("added", "attention"),
    "halves": Look("concatenated, d/2 each", "cross", "5px,4px"),
    "whole": Look("concatenated, 2d", "feed-forward", "2px,3px"),
}
PARTS = {
    "x W": Look("x W", "embedding", "5px,4px"),
    "p W": Look("p W", "position", "2px,3px"),
    "x W + p W": Look("x W + p W", "query"),
    "[x; p] [W; W]": Look("[x; p] [W; W]", "query", "1px,5px", dots=True),
}


def read(part: str, names: Literal["legend", "none"]) -> Lines:
    return Lines(
        "right",
        x="noise",
        by="way",
        at={"part": part},
        looks=WAYS,
        names=names,
        hover=f"{part}, {{name}}<br>noise %{{x:.3g}}: <b>%{{y:.3g}}</b> recovered",
        x_scale=Scale("noise per channel", "relative to token channels", low=0),
        y=Scale(f"{part} recovered", "fraction", low=0, high=1.02, ticks=4),
    )


VECTORS = {"translator": "translator (sinusoidal)", "fill-in": "fill-in (learned)"}
MOST = Limit("placed_tokens", 48, "tokens", "`/add-or-concatenate` may put this many at places.")


class AddOrConcatenate(Clinic):
    vectors: Annotated[
        Literal["translator", "fill-in"], Control(VECTORS, "embeddings of", key="layer")
    ] = "translator"
    tokens: Annotated[int, Field(ge=4), up_to(MOST), COSTLY, Control((16, 32, 48), key="step")] = 32

    def sizes(self) -> dict[str, float]:
        tokens = self.seeds * self.tokens
        return {"answer": 1, "seeds": self.seeds, f"{self.vectors}_tokens": tokens}


class AddOrConcatenateAnswer(ClinicAnswer):
    d_model: int
    weights: dict[str, int]


WORDS = Words(
    "add_or_concatenate",
    fields={
        **found("fraction", "token", "position"),
        **setting("whole", "tokens"),
        **setting("text", "vectors"),
    },
)
EXPERIMENT = Experiment(
    question=AddOrConcatenate,
    answer=AddOrConcatenateAnswer,
    example="tokens=16&seeds=2",
    figures={
        "read": in_words(
            Marks([read("token", "legend"), read("position", "none")]), tensor="right"
        ),
        "query": in_words(
            Lines(
                "query",
                x="channel",
                by="line",
                looks=PARTS,
                names="both",
                dots=False,
                places=slice(32),
                hover="{name}, channel %{x}<br><b>%{y:.3g}</b>",
                x_scale=Scale("channel of the query", low=0),
                y=Scale("value", space=1.05),
            )
        ),
    },
    words=WORDS,
    rests_on=("identity", "token", "position"),
    exercise=Exercise(
        ("neither", "one", "both"),
        by_findings({"token": (0.95,), "position": (0.95,)}, sum),
        {"vectors=fill-in": "learned", "tokens=48": "tokens"},
    ),
)
