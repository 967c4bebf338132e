"""Figures of /heads: the role of every head, its score compared with chance, the cost of turning it
off, both together, and the heads of one role turned off together.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from app.captions import Question
from app.captions.axes import labels
from app.captions.text import decimals, label, number
from app.figures.axis_scales import HEADROOM, AxisScale, linear
from app.figures.marks import Bar, Cells, Look, Of, Point, Points, Records, Scale
from app.figures.meta import NoteLook
from app.figures.traces import note
from model.labels import label as in_words

if TYPE_CHECKING:
    from model.answers.answer import Answer

Head = dict[str, Any]
EDGE = 0.03  # margin around scores from 0 to 1
ROWS = "attention between rows"
ATTENTIONS = {"attention": "{stack}", "cross_attention": "cross", "row_attention": "rows"}
"""The name of a layer's attention in a figure, by its name in the activations."""


def names_of_roles(answer: "Answer") -> dict[str, str]:
    return {role["role"]: role["name"] for role in answer.fields["roles"]}


def id_of(head: Head) -> str:
    """The head as in a query string: decoder.2.cross_attention.1."""
    return f"{head['layer']}.{head['head']}"


def layer_name(layer: str) -> str:
    """The attention layer as in figures: encoder 0, decoder 0, or cross 0."""
    stack, number_, kind = layer.split(".")
    return f"{ATTENTIONS[kind].format(stack=stack)} {number_}"


def short_name(head: Head) -> str:
    """The head as in figures: cross L2H1 is head 1 of the cross-attention of layer 2."""
    kind, layer = layer_name(head["layer"]).split()
    return f"{kind} L{layer}H{head['head']}"


def whole_name(head: Head) -> str:
    """The head as in sentences: L2H1 (cross-attention)."""
    kind, _, short = short_name(head).rpartition(" ")
    return f"{short} ({label({'cross': 'cross-attention', 'rows': ROWS}.get(kind, kind))})"


def chosen_head(answer: "Answer", question: Question) -> Head:
    """The requested head; by default, the most expensive one with a role."""
    heads: list[Head] = answer.fields["heads"]
    for head in heads:
        if id_of(head) == question.get("place"):
            return head
    with_role = [head for head in heads if head["role"] is not None]
    return max(with_role or heads, key=lambda head: head["cost"])


def numbers(answer: "Answer", name: str) -> np.ndarray:
    """A tensor with NaN for undefined numbers."""
    values = answer.tensors[name].data.numpy().astype(float)
    return np.where(np.isfinite(values), values, np.nan)


def heads_by_layer(answer: "Answer") -> list[list[Head]]:
    """The heads by layer."""
    by_layer: dict[str, list[Head]] = {}
    for head in answer.fields["heads"]:
        by_layer.setdefault(head["layer"], []).append(head)
    return list(by_layer.values())


def has_role(answer: "Answer", head: Head) -> bool:
    """Whether the head has the requested role, or any."""
    role = answer.fields["role"]
    return head["role"] is not None if role is None else role in head["roles"]


def role_of(answer: "Answer", head: Head) -> str:
    """The name of the requested role, or of the head's own."""
    return names_of_roles(answer)[answer.fields["role"] or head["closest"]]


def hover_texts(answer: "Answer") -> list[list[str]]:
    """The hover text of each head, with its numbers."""
    parts = ("score", "low", "high", "chance", "cost", "cost_low", "cost_high")
    values = {name: numbers(answer, name) for name in parts}
    rows = []
    for i, row in enumerate(heads_by_layer(answer)):
        rows.append([])
        for h, head in enumerate(row):
            score, low, high, even, cost, cost_low, cost_high = (
                format_number(values[name][i, h]) for name in parts
            )
            verdict = "" if has_role(answer, head) else ", but too close to chance for a role"
            rows[-1].append(
                f"{short_name(head)}"
                f"<br>“{label(role_of(answer, head))}”{verdict}"
                f"<br>score <b>{score}</b>, interval {low} to {high}, chance {even}"
                f"<br>loss increase without it {cost} nats, interval {cost_low} to {cost_high}"
            )
    return rows


def format_number(value: float) -> str:
    return "not defined" if np.isnan(value) else number(value)


def shown_roles(answer: "Answer", _: Question) -> list[list[str]]:
    """The role of each head; a dash if it has none."""
    return [
        [role_of(answer, head) if has_role(answer, head) else "–" for head in row]
        for row in heads_by_layer(answer)
    ]


ROLES = Cells(
    "lift",
    numbers=lambda answer, _: np.clip(numbers(answer, "lift"), 0, 1),
    x="head",
    y=lambda answer, _: [layer_name(name) for name in labels(answer, "layer")],
    columns="head",
    rows="layer",
    ends=(0, 1),
    unit="lift (0: chance, 1: maximum)",
    words=shown_roles,
    cell_texts=lambda answer, _: [
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
"""A cell for each head: its role, and its lift above chance."""


def bars_of(tensor: str, low: str, high: str, chance: str = "") -> Of:
    """A bar for each head with its interval, in a separate color if it has a role."""

    def bars(answer: "Answer", _: Question) -> list[Bar]:
        every = [head for row in heads_by_layer(answer) for head in row]
        texts = [text for row in hover_texts(answer) for text in row]
        values, *ends = (numbers(answer, name).ravel() for name in (tensor, low, high))
        even = numbers(answer, chance).ravel() if chance else None
        scores = own_scores(answer) if chance and "here" in answer.tensors else None
        return [
            Bar(
                i,
                short_name(head),
                values[i],
                texts[i],
                role,
                name,
                *(None if of is None else of[i] for of in (*ends, even)),
                [] if scores is None else [(scores[i], texts[i])],
                id_of(head),
            )
            for has, name, role, _ in KINDS
            for i, head in enumerate(every)
            if has_role(answer, head) == has
        ]

    return bars


SCORES = Records(
    bars_of("score", "low", "high", "chance"),
    places="head",
    lengths=Scale("role score (weight on the role’s keys)", low=0, high=1 + EDGE),
    stroke=Look("chance", "ink", hover="chance <b>%{y:.3g}</b>"),
    dots=Look(
        "your input",
        "cross",
        hover="head %{customdata}<br>score on your input <b>%{y:.3g}</b>",
    ),
    pick="place",
    hover="head %{customdata}",
)
"""A bar for each head, with its interval and a stroke for chance."""

COSTS = Records(
    bars_of("cost", "cost_low", "cost_high"),
    places="head",
    lengths=Scale("loss increase without head", "nats"),
    pick="place",
    hover="head %{customdata}",
)
"""A bar for each head: the cost of turning it off, with its interval."""


def both(answer: "Answer", question: Question) -> list[Point]:
    """A dot for each head: its score and its cost. A head without a role is hollow."""
    lift, cost = numbers(answer, "lift").ravel(), numbers(answer, "cost").ravel()
    every = [head for row in heads_by_layer(answer) for head in row]
    lines = [line_text for row in hover_texts(answer) for line_text in row]
    return [
        Point(lift[i], cost[i], lines[i], role, name, symbol, id_of(head))
        for has, name, role, symbol in KINDS
        for i, head in enumerate(every)
        if has_role(answer, head) == has
    ]


def dearest(answer: "Answer", question: Question) -> list[dict[str, Any]]:
    """The names of the most expensive heads, next to their dots."""
    lift, cost = numbers(answer, "lift").ravel(), numbers(answer, "cost").ravel()
    every = [head for row in heads_by_layer(answer) for head in row]
    finite = np.isfinite(cost) & np.isfinite(lift)
    known = [i for i in np.argsort(-np.nan_to_num(cost, nan=-np.inf)) if finite[i]]
    return [
        note(
            NoteLook(kind="near", role="ink"),
            float(lift[i]),
            float(cost[i]),
            label(f"{short_name(every[i])} {role}".strip()),
            xanchor="left" if lift[i] < 0.5 else "right",
            xshift=8 if lift[i] < 0.5 else -8,
        )
        for i in known[:NAMED]
        for role in [role_of(answer, every[i]) if has_role(answer, every[i]) else ""]
    ]


def lifts(answer: "Answer", question: Question) -> AxisScale:
    left = np.nanmin(numbers(answer, "lift"), initial=0) - EDGE
    return linear("lift (0: chance, 1: maximum)", [0, 1], low=left, high=1 + EDGE)


def rises(answer: "Answer", question: Question) -> AxisScale:
    cost = numbers(answer, "cost")
    low, high = np.nanmin(cost, initial=0), np.nanmax(cost)
    edge = HEADROOM * (high - low)
    return linear("loss increase without head", cost, "nats", low - edge, high + edge)


BOTH = Points(
    both,
    x=lifts,
    y=rises,
    opacity=0.9,
    pick="place",
    notes=dearest,
    hover="head %{customdata}<br>lift %{x:.3g}",
)


def costs_of_groups(answer: "Answer", _: Question) -> list[Bar]:
    """Two bars for each role: the cost of turning off all its heads, and the sum of single ones."""
    names, bars = names_of_roles(answer), []
    for i, group in enumerate(answer.fields["groups"]):
        name = f"{names[group['role']]} ({len(group['heads'])})"
        role, heads = in_words(label(names[group["role"]])), map(short_name, group["heads"])
        who = f"{role}: " + ", ".join(map(in_words, heads))
        ends = group["cost_low"], group["cost_high"]
        bars.append(Bar(i, name, group["cost"], who, "attention", "all off together", *ends))
        bars.append(Bar(i, name, group["alone"], who, "ink-soft", "sum of individual effects"))
    return bars


GROUPS = Records(
    costs_of_groups,
    places="role (number of heads)",
    lengths=Scale("loss increase", "nats"),
    hover="%{customdata}<br>{name}: the loss rises by <b>%{y:.3g}</b> nats",
)


NAMED = 4
"""How many of the most expensive heads are named."""
KINDS = (
    (True, "has a role", "attention", "circle"),
    (False, "no role found", "ink-soft", "circle-open"),
)


def own_scores(answer: "Answer") -> np.ndarray:
    """The score of each head on the user's input, for the displayed role."""
    here, fields = numbers(answer, "here"), answer.fields
    order = [role["role"] for role in fields["roles"]]
    return np.array(
        [
            here[order.index(fields["role"] or head["closest"]), i, h]
            for i, row in enumerate(heads_by_layer(answer))
            for h, head in enumerate(row)
        ]
    )
