"""Figures of /heads: the role of every head, its score beside chance, what it costs to turn the
head off, both together, and the heads of one role turned off together.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from app.captions import Question
from app.captions.axes import labels
from app.captions.heads import chosen_head, id_of, layer_name, names_of_roles, short_name
from app.captions.text import decimals, label, number
from app.figures.annotations import note
from app.figures.axis_scales import HEADROOM, linear, named
from app.figures.marks import Cells
from app.figures.meta import NoteLook
from app.figures.panels import Panel, figure
from app.figures.plot import Plot, Trace, changed
from app.figures.traces import bars, dots, level_marks, line

if TYPE_CHECKING:
    from model.answers.answer import Answer

Head = dict[str, Any]
STROKE = 0.7  # of the distance between two heads
EDGE = 0.03  # around scores from 0 to 1


def numbers(answer: "Answer", name: str) -> np.ndarray:
    """A tensor in which a number that nothing defines is NaN."""
    values = answer.tensors[name].data.numpy().astype(float)
    return np.where(np.isfinite(values), values, np.nan)


def heads_by_layer(answer: "Answer") -> list[list[Head]]:
    """The heads by layer."""
    by_layer: dict[str, list[Head]] = {}
    for head in answer.fields["heads"]:
        by_layer.setdefault(head["layer"], []).append(head)
    return list(by_layer.values())


def has_role(answer: "Answer", head: Head) -> bool:
    """Whether the head has the role that is asked for, or any."""
    role = answer.fields["role"]
    return head["role"] is not None if role is None else role in head["roles"]


def role_of(answer: "Answer", head: Head) -> str:
    """The name of the role that is asked for, or of the head's own."""
    return names_of_roles(answer)[answer.fields["role"] or head["closest"]]


def hover_texts(answer: "Answer") -> list[list[str]]:
    """Each head with its numbers, for who points at it."""
    parts = ("score", "low", "high", "chance", "cost", "cost_low", "cost_high")
    values = {name: numbers(answer, name) for name in parts}
    rows = []
    for i, row in enumerate(heads_by_layer(answer)):
        rows.append([])
        for h, head in enumerate(row):
            score, low, high, even, cost, cost_low, cost_high = (
                format_number(values[name][i, h]) for name in parts
            )
            verdict = "" if has_role(answer, head) else ", which is too near chance for a role"
            rows[-1].append(
                f"{short_name(head)}"
                f"<br>“{label(role_of(answer, head))}”{verdict}"
                f"<br>score <b>{score}</b>, interval {low} to {high}, chance {even}"
                f"<br>cost of turning it off {cost} nats, interval {cost_low} to {cost_high}"
            )
    return rows


def format_number(value: float) -> str:
    return "not defined" if np.isnan(value) else number(value)


def shown_roles(answer: "Answer", _: Question) -> list[list[str]]:
    """The role of each head; a dash where it has none."""
    return [
        [role_of(answer, head) if has_role(answer, head) else "–" for head in row]
        for row in heads_by_layer(answer)
    ]


ROLES = Cells(
    lambda answer, _: np.clip(numbers(answer, "lift"), 0, 1),
    x="head",
    y=lambda answer, _: [layer_name(name) for name in labels(answer, "layer")],
    columns="head",
    rows="layer",
    ends=(0, 1),
    unit="lift: 0 = chance, 1 = perfect",
    words=shown_roles,
    written=lambda answer, _: [
        [decimals(z) if np.isfinite(z) else "" for z in row] for row in numbers(answer, "score")
    ],
    says=lambda answer, _: hover_texts(answer),
    pick={
        "place": lambda answer, _: [[id_of(head) for head in row] for row in heads_by_layer(answer)]
    },
    chosen_row=lambda *of: labels(of[0], "layer").index(chosen_head(*of)["layer"]),
    chosen_column=lambda *of: chosen_head(*of)["head"],
    hover="head %{customdata}<br>lift %{z:.3g}",
)
"""A cell for each head: its role, and how far above chance its score lies."""


def scores(answer: "Answer", question: Question) -> Plot:
    """A bar for each head, with its interval, and a stroke for chance."""
    score, even = numbers(answer, "score").ravel(), numbers(answer, "chance").ravel()
    places, names = np.arange(len(score)), heads_in_order(answer)
    traces: list[Any] = [
        *both_kinds(answer, score),
        interval(answer, "low", "high"),
        level_marks(places, even, "chance", "ink", "chance <b>%{y:.3g}</b>", STROKE),
    ]
    if "here" in answer.tensors:
        here = own_scores(answer)
        hover = "head %{customdata}<br>score on your input <b>%{y:.3g}</b>"
        traces.append(dots(places, here, "your input", "cross", hover, customdata=names))
        changed(traces[-1], showlegend=True, marker={"size": 8, "opacity": 1, "symbol": "diamond"})
    y = linear("score: weight on the keys of the role", [0, 1], low=0, high=1 + EDGE)
    panel = Panel(named("head", names), y, traces)
    return figure(panel)


def costs(answer: "Answer", question: Question) -> Plot:
    """A bar for each head: what it costs to turn it off, with its interval."""
    cost = numbers(answer, "cost").ravel()
    ends = np.concatenate([cost, *(numbers(answer, f"cost_{end}").ravel() for end in END)])
    y = linear("rise of the loss without the head", ends, "nats")
    traces = [*both_kinds(answer, cost), interval(answer, "cost_low", "cost_high")]
    panel = Panel(named("head", heads_in_order(answer)), y, traces)
    return figure(panel)


def both(answer: "Answer", question: Question) -> Plot:
    """A dot for each head: its score against what it costs. A head without a role is hollow."""
    lift, cost = numbers(answer, "lift").ravel(), numbers(answer, "cost").ravel()
    every = [head for row in heads_by_layer(answer) for head in row]
    has = np.array([has_role(answer, head) for head in every])
    lines = [one for row in hover_texts(answer) for one in row]
    traces = []
    for which, name, role, symbol in KINDS:
        at = np.flatnonzero(has == which)
        hover = "head %{customdata}<br>lift %{x:.3g}"
        some = [lines[i] for i in at]
        trace = dots(lift[at], cost[at], name, role, hover, customdata=some)
        changed(trace, showlegend=True, marker={"size": 9, "opacity": 0.9, "symbol": symbol})
        trace["meta"] |= {"pick": {"place": [id_of(every[i]) for i in at]}}
        traces.append(trace)
    seen = np.isfinite(cost) & np.isfinite(lift)
    known = [i for i in np.argsort(-np.nan_to_num(cost, nan=-np.inf)) if seen[i]]
    notes = [
        note(
            NoteLook(kind="near", role="ink"),
            float(lift[i]),
            float(cost[i]),
            label(f"{short_name(every[i])} {role_of(answer, every[i]) if has[i] else ''}".strip()),
            xanchor="left" if lift[i] < 0.5 else "right",
            xshift=8 if lift[i] < 0.5 else -8,
        )
        for i in known[:NAMED]
    ]
    low, high = np.nanmin(cost, initial=0), np.nanmax(cost)
    edge = HEADROOM * (high - low)
    left = np.nanmin(lift, initial=0) - EDGE
    x = linear("lift: 0 = chance, 1 = perfect", [0, 1], low=left, high=1 + EDGE)
    y = linear("rise of the loss without the head", cost, "nats", low - edge, high + edge)
    return figure(Panel(x, y, traces, notes))


def groups(answer: "Answer", question: Question) -> Plot:
    """For each role two bars: what its heads cost together, and the sum of what each costs."""
    found, names = answer.fields["groups"], names_of_roles(answer)
    together = np.array([group["cost"] for group in found])
    alone = np.array([group["alone"] for group in found])
    places = np.arange(len(found))
    lines = [
        f"{label(names[group['role']])}: " + ", ".join(short_name(head) for head in group["heads"])
        for group in found
    ]
    traces: list[Any] = [
        bars(
            places - 0.2,
            together,
            "all off together",
            "attention",
            "%{customdata}<br>all off together: the loss rises by <b>%{y:.3g}</b> nats",
            legend=True,
            width=0.36,
            customdata=lines,
        ),
        bars(
            places + 0.2,
            alone,
            "sum of each alone",
            "ink-soft",
            "%{customdata}<br>sum of what each costs alone: <b>%{y:.3g}</b> nats",
            legend=True,
            width=0.36,
            customdata=lines,
        ),
        segments(
            places - 0.2,
            np.array([group["cost_low"] for group in found], dtype=float),
            np.array([group["cost_high"] for group in found], dtype=float),
        ),
    ]
    highs = [group["cost_high"] or group["cost"] for group in found]
    every = [0.0, *together, *alone, *highs]
    y = linear("rise of the loss", every, "nats")
    ticks = [f"{names[group['role']]} ({len(group['heads'])})" for group in found]
    x = named("role (number of heads)", ticks)
    return figure(Panel(x, y, traces))


END = ("low", "high")
NAMED = 4
"""How many of the heads that cost most have their names beside them."""
KINDS = (
    (True, "has a role", "attention", "circle"),
    (False, "no role found", "ink-soft", "circle-open"),
)


def heads_in_order(answer: "Answer") -> list[str]:
    return [short_name(head) for row in heads_by_layer(answer) for head in row]


def both_kinds(answer: "Answer", values: np.ndarray) -> list[Trace]:
    """Bars of all heads in their order, those with a role in a colour of their own."""
    every = [head for row in heads_by_layer(answer) for head in row]
    has = np.array([has_role(answer, head) for head in every])
    lines = [one for row in hover_texts(answer) for one in row]
    found = []
    for which, name, role, _ in KINDS:
        at = np.flatnonzero(has == which)
        trace = bars(
            at,
            values[at],
            name,
            role,
            "head %{customdata}",
            legend=True,
            width=STROKE,
            customdata=[lines[i] for i in at],
        )
        trace["meta"] |= {"pick": {"place": [id_of(every[i]) for i in at]}}
        found.append(trace)
    return [trace for trace in found if len(trace["x"])]


def interval(answer: "Answer", low: str, high: str) -> Trace:
    """The intervals of all heads in their order."""
    ends = [numbers(answer, end).ravel() for end in (low, high)]
    return segments(np.arange(len(ends[0])), *ends)


def segments(x: np.ndarray, low: np.ndarray, high: np.ndarray) -> Trace:
    """An upright line at each place, from the low to the high end of an interval."""
    gap = np.full(len(x), np.nan)
    along, up = np.stack([x, x, gap], 1).ravel(), np.stack([low, high, gap], 1).ravel()
    hover = "an end of the interval: %{y:.3g}"
    return line(along, up, "interval of 95 %", "ink", hover, dots=False)


def own_scores(answer: "Answer") -> np.ndarray:
    """The score of each head on the reader's input, for the role that is shown of it."""
    here, fields = numbers(answer, "here"), answer.fields
    order = [one["role"] for one in fields["roles"]]
    return np.array(
        [
            here[order.index(fields["role"] or head["closest"]), i, h]
            for i, row in enumerate(heads_by_layer(answer))
            for h, head in enumerate(row)
        ]
    )
