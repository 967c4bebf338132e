"""Figures of /steering: what is written at each strength, and what the direction does to the
probabilities beside random directions.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from app.captions import Question
from app.captions.axes import values
from app.captions.text import label, shortened, tick
from app.figures.annotations import outline, upright
from app.figures.axis_scales import linear, named
from app.figures.panels import Panel, figure
from app.figures.plot import Plot
from app.figures.traces import heat_map, line, of_seeds

if TYPE_CHECKING:
    from model.answers.answer import Answer

LONGEST = 12  # letters of a token in a cell
EDGE = 0.02  # of an axis, beside its first and its last dot


def token_map(answer: "Answer", field: str) -> Plot:
    """The tokens at each strength, each coloured by the probability that it was taken with."""
    rows, strengths = answer.fields[field], values(answer, "strength")
    steps = max(len(row["tokens"]) for row in rows)
    chances = np.full((len(rows), steps), np.nan, np.float32)
    said = [[""] * steps for _ in rows]
    for at, row in enumerate(rows):
        for step, token in enumerate(row["tokens"]):
            chances[at, step], said[at][step] = token["probability"], label(token["text"])
    trace = heat_map(
        chances,
        "strength %{y}, token %{x}: %{customdata}<br>taken with probability <b>%{z:.3g}</b>",
        ends=(0, 1),
        unit="probability",
        customdata=said,
        text=[[shortened(word, LONGEST) for word in row] for row in said],
    )
    picked = [[strength] * steps for strength in strengths]
    trace["meta"] |= {"worded": True, "pick": {"strength": picked}}
    at = answer.fields["at"]
    panel = Panel(
        named("token written", [str(step + 1) for step in range(steps)], side="top"),
        named("strength (lengths of the stream)", [tick(s) for s in strengths], down=True),
        [trace],
        shapes=[outline("ink", -0.5, steps - 0.5, at - 0.5, at + 0.5, 2)],
    )
    return figure(panel)


def texts(answer: "Answer", question: Question) -> Plot:
    return token_map(answer, "texts")


def random(answer: "Answer", question: Question) -> Plot:
    return token_map(answer, "random_texts")


def effect(answer: "Answer", question: Question) -> Plot:
    """What the direction does to the probability of its tokens, and what its texts cost the model
    without it; a thin line for each random direction.
    """
    share = measured(answer, "share", "probability of the direction’s tokens", "probability", 1.0)
    nats = measured(
        answer, "surprise", "loss without the direction, nats a token", "nats", legend=False
    )
    return figure(share, nats, across=True)


def measured(
    answer: "Answer",
    name: str,
    title: str,
    unit: str,
    most: float | None = None,
    legend: bool = True,
) -> Panel:
    strengths = values(answer, "strength")
    own = answer.tensors[name].data.numpy()
    others = answer.tensors[f"random.{name}"].data.numpy()
    hover = f"strength %{{x:.3g}}<br><b>%{{y:.3g}}</b> {unit}"
    traces: list[Any] = [
        *of_seeds(
            strengths, others, range(1, len(others) + 1), "random directions", "ink-soft", hover
        ),
        line(
            strengths,
            others.mean(0),
            "random directions",
            "ink-soft",
            f"mean of the random directions, {hover}",
            legend=legend,
        ),
        line(
            strengths, own, "the direction", "attention", f"the direction, {hover}", legend=legend
        ),
    ]
    beside = EDGE * (strengths[-1] - strengths[0])
    level = linear(
        "strength (lengths of the stream)",
        strengths,
        low=strengths[0] - beside,
        high=strengths[-1] + beside,
    )
    here = upright(strengths[answer.fields["at"]])
    return Panel(level, linear(title, [*own, *others.ravel()], high=most), traces, shapes=[here])
