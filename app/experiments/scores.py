"""Scores: six ways to compare a query with a key."""

from itertools import cycle
from typing import TYPE_CHECKING, Annotated

import numpy as np
from pydantic import Field

from app.captions import Question, axes, fields
from app.captions.exercises import Exercise, by_findings
from app.captions.fields import (
    Condition,
    always,
    counts,
    displayed,
    found,
    largest,
    lasts,
    means,
    setting,
)
from app.captions.findings import finding
from app.captions.text import number
from app.captions.words import Words
from app.experiment import Experiment, in_words
from app.figures.marks import Bar, Lines, Look, Records, Rule, Scale, Tiles
from app.figures.mosaic import Tile
from app.limits import Limit
from app.schema.answers import ClinicAnswer
from app.schema.bounds import up_to
from app.schema.controls import COSTLY, Control
from app.schema.questions import Clinic
from model.labels import label
from model.layers.choice_names import OF_PLACES
from model.layers.choice_names import SCORE_FORMULAS as SHORT
from model.layers.choice_names import SCORE_NAMES as NAMES
from model.words import LANGUAGE

if TYPE_CHECKING:
    from model.answers.answer import Answer

D_HEAD = Limit(
    "scores_d_head",
    256,
    "components",
    "The queries and keys of `/scores` may have this many components.",
)
KEYS = Limit("scores_keys", 16, "keys", "`/scores` may compare this many keys.")
TEMPERATURE = Limit(
    "scores_temperature",
    100,
    "ratio",
    "`/scores` may divide its scores by this temperature.",
    float,
)


class Scores(Clinic):
    d_head: Annotated[
        int, Field(ge=1), up_to(D_HEAD), Control((4, 16, 64, 256), "d<sub>k</sub>", key="layer")
    ] = 64
    keys: Annotated[int, Field(ge=4), up_to(KEYS), COSTLY] = 8
    temperature: Annotated[
        float, Field(ge=0), up_to(TEMPERATURE), Control((0, 0.1, 0.5, 1, 2, 8), "T", key="step")
    ] = 1.0

    def sizes(self) -> dict[str, float]:
        pairs = self.seeds * self.keys**2
        return {"seeds": self.seeds, "pairs": pairs, "products": pairs * self.d_head}


class ScoresAnswer(ClinicAnswer):
    formulas: dict[str, str]


DOTTED = "2px,4px"
PALETTE = ("cross", "attention", "value", "query", "feed-forward", "bias")
ROLES = dict(zip(NAMES, cycle(PALETTE), strict=False))
CONTENT = [name for name in NAMES if name not in OF_PLACES]


def patterns(answer: "Answer", question: Question) -> list[Tile]:
    """The weights that each function gives: a row a query, a column a key."""
    return [
        Tile(
            NAMES[name],
            answer.tensors[name].data.numpy(),
            lambda q, k, name=name: f"{NAMES[name]}: query {q}, key {k}",
            ROLES[name],
            SHORT[name],
        )
        for name in axes.labels(answer, "function")
    ]


PATTERNS = Tiles(patterns, across=3)


def moved(answer: "Answer", question: Question) -> list[Bar]:
    """How far the weights move with the keys, for each function."""
    return [
        Bar(i, NAMES[name], value, NAMES[name], ROLES[name], "gradient")
        for i, (name, value) in enumerate(reached(answer).items())
    ]


def reached(answer: "Answer") -> dict[str, float]:
    functions = axes.labels(answer, "function")
    return dict(zip(functions, answer.tensors["reach"].data.tolist(), strict=True))


def norms(answer: "Answer", question: Question) -> str:
    parts = (f"{label(NAMES[name])} {number(value)}" for name, value in reached(answer).items())
    template = label("Gradient of the weights with respect to the keys: {parts}.")
    return template.format(parts=", ".join(parts))


REACH = Records(
    moved,
    places="score",
    lengths=lambda answer, _: Scale(
        "norm of ∂ weights / ∂ keys",
        low=0,
        high=(max(reached(answer).values()) or 1) * 1.1,
    ),
    hover="%{customdata}<br>norm of the gradient <b>%{y:.3g}</b>",
    legend=False,
    notes=lambda answer, _: [
        {"x": i, "y": value, "text": number(value), "yanchor": "bottom", "showarrow": False}
        for i, value in enumerate(reached(answer).values())
    ],
)


def choices(answer: "Answer", question: Question) -> list[Tile]:
    """Two choices that have nothing to do with each other: soft or hard, global or local."""
    kinds, spans = axes.labels(answer, "choice"), axes.labels(answer, "span")
    weights = answer.tensors["choices"].data.numpy()
    moves = answer.tensors["choice_reach"].data.numpy()
    allowed = answer.tensors["allowed"].data.numpy()
    return [
        Tile(
            f"{kind}, {span}",
            np.where(allowed[j], weights[i][j], np.nan),
            lambda q, k, kind=kind, span=span: f"{kind}, {span}: query {q}, key {k}",
            note=f"gradient {number(moves[i][j])}",
        )
        for i, kind in enumerate(kinds)
        for j, span in enumerate(spans)
    ]


def gradients(answer: "Answer", question: Question) -> str:
    part = label("{title}: {measured}")
    parts = (
        part.format(title=label(tile.title), measured=label(tile.note))
        for tile in choices(answer, question)
    )
    return label("Weights, {parts}.").format(parts=fields.APART[LANGUAGE.get()].join(parts))


CHOICES = Tiles(choices, across=lambda answer, _: answer.axes["span"].size)


def looked_up(answer: "Answer", question: Question) -> list[Tile]:
    """What attention looks up: the weights of scaled dot, the values of the keys, and their
    product. Of each value as many components are drawn as there are keys.
    """
    weights, values, output = (
        answer.tensors[name].data.numpy() for name in ("scaled_dot", "values", "looked_up")
    )
    n = len(weights)
    return [
        Tile(
            "weights",
            weights,
            lambda q, k: f"weight of query {q} for key {k}",
            "attention",
            "query × key",
        ),
        Tile(
            "values",
            squared(values, n),
            lambda k, c: f"value of key {k}, component {c}",
            "value",
            "key × component",
        ),
        Tile(
            "weights · values",
            squared(output, n),
            lambda q, c: f"output of query {q}, component {c}",
            "cross",
            "query × component",
        ),
    ]


def squared(rows: np.ndarray, n: int) -> np.ndarray:
    """The first n columns; where there are fewer, the others stay empty."""
    return np.pad(rows[:, :n], ((0, 0), (0, max(0, n - rows.shape[1]))), constant_values=np.nan)


def values_scale(answer: "Answer", question: Question) -> tuple[float, float]:
    most = answer.tensors["values"].data.abs().max().item()
    return -most, most


LOOKED_UP = Tiles(
    looked_up,
    across=3,
    rows="row",
    columns="column",
    what="value",
    scale="signed",
    ends=values_scale,
    unit="number",
)


VISIBLE_SHARE = 1e-3
"""The lowest bar that is seen, as a share of the highest."""


def sharp(answer: "Answer") -> list[str]:
    """The functions that have no gradient left in some draws."""
    return [title for name, title in NAMES.items() if finding(answer, f"reach.{name}").premise]


def sharpened(answer: "Answer", question: Question) -> str:
    """How many of them there are at this temperature."""
    if not question["temperature"]:
        return "frozen"
    return ("none", "one", "many")[min(2, len(sharp(answer)))]


def bars_seen(answer: "Answer", question: Question) -> str:
    bars = [reached(answer)[name] for name in CONTENT]
    return "all" if min(bars) > VISIBLE_SHARE * max(bars) else "fewer"


WORDS = Words(
    "scores",
    fields={
        **setting("decimal", "temperature"),
        **counts("d_head", "keys"),
        **largest("number", "reach", function=("dot", "scaled_dot")),
        **largest("number", "choice_reach", choice=("soft", "hard")),
        **found("decimals", "sampling_slope"),
        **lasts("count", "draws"),
        **means("number", "sampling_error", draws=("last",)),
        **always("spelled", functions=len(NAMES)),
        **always("Spelled", Functions=len(NAMES), Content=len(CONTENT)),
        **always("listed", names=[*NAMES.values()]),
        **always("names", every=[*NAMES.values()]),
        "sharp": fields.Field(lambda answer, _: sharp(answer), "listed"),
        "share": fields.Field(
            lambda answer, _: answer.cut("scaled_dot", query=0).data.max().item(), "fraction"
        ),
        "best": fields.Field(
            lambda answer, _: int(answer.cut("scaled_dot", query=0).data.argmax()), "whole"
        ),
    },
    conditions={
        **displayed("choices", "looked_up", "draws"),
        "heat": Condition(
            lambda _, question: "warm" if question["temperature"] else "cold", ("warm", "cold")
        ),
        "bars": Condition(bars_seen, ("all", "fewer")),
        "moving": Condition(
            lambda answer, _: "some" if answer.cut("reach").data.any() else "none", ("some", "none")
        ),
        "sharpness": Condition(sharpened, ("none", "one", "many", "frozen")),
    },
)


def rests_on(answer: "Answer", question: Question) -> tuple[str, ...]:
    """The findings on which the heading rests."""
    moving = [f"reach.{name}" for name in NAMES]
    if not question["temperature"]:
        return "hard_reach", *moving
    return tuple(name for name in moving if not finding(answer, name).premise)


MOVING = {0: 0, len(CONTENT): 1, len(NAMES): 2}
"""The choice by how many score functions have a gradient."""


EXPERIMENT = Experiment(
    question=Scores,
    answer=ScoresAnswer,
    example="temperature=0.5",
    figures={
        "patterns": in_words(PATTERNS, tensor="dot"),
        "reach": in_words(REACH, tensor="reach", description=norms),
        "choices": in_words(CHOICES, tensor="choices", description=gradients),
        "looked_up": in_words(LOOKED_UP, tensor="looked_up"),
        "draws": in_words(
            Lines(
                "sampling_error",
                x="draws",
                looks={"": Look("mean of hard samples", "attention")},
                rules=[
                    Rule(
                        "theory, 1 / √N",
                        lambda answer, question: answer.cut("sampling_law").data.numpy(),
                        "%{x} samples<br>theory <b>%{y:.3g}</b>",
                        dash=DOTTED,
                        law=True,
                        last=True,
                    )
                ],
                names="legend",
                hover="{name}<br>%{x} samples: RMS error <b>%{y:.3g}</b>",
                x_scale=Scale("number of samples N", kind="log"),
                y=Scale("RMS error of weights", kind="log"),
            ),
        ),
    },
    words=WORDS,
    opening={"sharpness": "none", "shown": "other", "heat": "warm", "bars": "all"},
    rests_on=rests_on,
    exercise=Exercise(
        ("zero", "content", "every"),
        by_findings(
            {f"reach.{name}": (1e-300,) for name in NAMES},
            lambda steps: MOVING.get(sum(steps)),
        ),
        {"temperature=0": "cold", "temperature=0.1&d_head=256": "sharp"},
    ),
)
