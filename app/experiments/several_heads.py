"""Several heads: one head beside four of the same total width."""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import numpy as np
from pydantic import Field

from app.captions import Question, axes, fields
from app.captions.exercises import Exercise, by_findings
from app.captions.fields import displayed, found, largest, setting
from app.captions.words import Words
from app.experiment import Experiment, Figure, in_words
from app.figures.marks import Bar, Lines, Look, Records, Rule, Scale, Tiles
from app.figures.mosaic import Tile
from app.schema.answers import ClinicAnswer
from app.schema.bounds import up_to
from app.schema.controls import COSTLY, Control
from app.schema.questions import Clinic

if TYPE_CHECKING:
    from model.answers.answer import Answer, Cut

HEADS = {"1": Look("1 head", "feed-forward"), "4": Look("4 heads", "attention")}
SMOOTH = 20  # steps of the mean that is drawn, up to each step


class SeveralHeads(Clinic):
    steps: Annotated[
        int,
        Field(ge=50),
        up_to("training_steps"),
        COSTLY,
        Control((100, 200, 300, 400), key="step"),
    ] = 300
    seeds: Annotated[int, Field(ge=1), up_to("seeds"), COSTLY, Control((4, 8, 16))] = 8

    def sizes(self) -> dict[str, float]:
        return {"answer": 1, "steps": self.steps, "network_steps": self.steps * self.seeds}


class SeveralHeadsAnswer(ClinicAnswer):
    guessing: float
    parameters: dict[str, int]


def smoothed(loss: "Cut") -> "Cut":
    """At each step the mean of the last SMOOTH steps up to it; every step has a new text."""
    rows = loss.data.double()
    sums = rows.cumsum(-1)
    before = sums.roll(SMOOTH, -1)
    before[..., :SMOOTH] = 0
    counts = rows.new_ones(rows.shape[-1]).cumsum(-1).clamp(max=SMOOTH)
    return replace(loss, data=(sums - before) / counts)


def final(heads: str) -> fields.Field:
    """The loss that is drawn at the last step."""
    return fields.Field(
        lambda answer, _: smoothed(answer.cut("loss", heads=heads)).data[-1].item(), "number"
    )


def right(answer: "Answer", question: Question) -> list[Bar]:
    """How often all boxes are said right after the training: a bar for each number of heads, and on
    it a point for each seed.
    """
    mean, every = (answer.cut(f"right{part}").data.tolist() for part in ("", ".by_seed"))
    return [
        Bar(
            i,
            style.name,
            mean[i],
            style.name,
            style.role,
            "mean",
            dots=[(row[i], f"{style.name}, seed {seed}") for seed, row in enumerate(every)],
        )
        for i, style in enumerate(HEADS.values())
    ]


RIGHT = Records(
    right,
    places="heads (same total width)",
    lengths=Scale("all four boxes right", "fraction of positions", low=0, high=1.02),
    hover="%{customdata}<br>correct at <b>%{y:.3g}</b> of the positions",
    dots=Look("seeds", "ink"),
    legend=False,
)


def attention_figure(heads: str) -> Figure:
    """The attention of each head of the first seed on one text."""

    def tiles(answer: "Answer", question: Question) -> list[Tile]:
        pattern = answer.cut(f"pattern.{heads}")
        tokens = pattern.along("key")
        return [
            Tile(
                f"head {head}",
                np.where(np.tril(np.ones(values.shape, bool)), values, np.nan),
                lambda q, k, head=head: f"head {head}: {tokens[q]} attends to {tokens[k]}",
                f"head:{head}",
            )
            for head, values in enumerate(pattern.data.numpy())
        ]

    mark = Tiles(
        tiles,
        across=1 if heads == "1" else 2,
    )
    return in_words(mark, tensor=f"pattern.{heads}")


WORDS = Words(
    "several_heads",
    fields={
        **setting("whole", "steps"),
        **found("fraction", "right.1", "right.4"),
        **largest("number", "right", heads=("1", "4")),
        "loss_1": final("1"),
        "loss_4": final("4"),
        "tokens": fields.Field(
            lambda answer, _: " ".join(axes.labels(answer, "key")), "text", measured=False
        ),
    },
    conditions=displayed("looks.1", "looks.4"),
)
EXPERIMENT = Experiment(
    question=SeveralHeads,
    answer=SeveralHeadsAnswer,
    example="steps=100&seeds=2",
    figures={
        "loss": in_words(
            Lines(
                "loss",
                x="step",
                by="heads",
                each=smoothed,
                looks=HEADS,
                rules=[
                    Rule(
                        "guessing",
                        "guessing",
                        "step %{x}<br>loss of random guessing <b>%{y:.3g}</b> nats",
                        law=True,
                    )
                ],
                dots=False,
                hover=f"{{name}}, step %{{x}}<br>"
                f"loss <b>%{{y:.3g}}</b> nats, mean of {SMOOTH} steps",
                x_scale=Scale("step", low=0),
                y=Scale(f"loss, {SMOOTH}-step mean", "nats", low=0),
            ),
        ),
        "right": in_words(RIGHT, tensor="right"),
        "looks.1": attention_figure("1"),
        "looks.4": attention_figure("4"),
    },
    words=WORDS,
    opening={"shown": "other"},
    rests_on=("ratio", "gain"),
    exercise=Exercise(
        ("one", "neither", "four"),
        by_findings({"ratio": (0.8, 1.25)}),
        {"steps=100": "steps", "steps=200": "steps"},
    ),
)
