"""Figures of /residual: the parts of one token's stream, and its norm.

All figures of /residual are about the token at `position`, by default the second: the first is the
same in every text. The others are drawn for comparison.
"""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from app.captions import Question
from app.captions.text import label, number, power_of_ten
from app.captions.writers import WRITERS
from app.figures import stream_traces as stream
from app.figures.axis_scales import linear
from app.figures.plot import Plot, changed, six_digits
from app.figures.stream_steps import part_title, places
from app.figures.traces import line, open_markers

if TYPE_CHECKING:
    from model.answers.answer import Answer

KINDS = (
    "token",
    "position",
    "attention",
    "cross_attention",
    "feed_forward",
    "row_attention",
    "row_feed_forward",
    "bias",
    "edit",
)
"""The order in which parts are stacked."""
PARTS = 20
"""The number of parts of a window of layers that are drawn separately."""


def contributions(answer: "Answer", question: Question) -> Plot:
    """The components of the parts along the direction of the stream, at every step: positive ones
    are stacked upward, negative ones hang down as outlines, and the top of the stack is |x|.
    """
    path, position = places(answer.fields["steps"]), stream.chosen(answer, question)
    values = answer.tensors["projections"].data.numpy()[..., position]
    lengths = answer.tensors["norm"].data.numpy()[:, position]
    parts = answer.fields["parts"]
    if "whole_steps" in answer.fields:
        first = min(place.layer for place in path if place.layer is not None)
        parts, values = gathered(parts, values, first)
    order = [i for kind in KINDS for i, part in enumerate(parts) if part["kind"] == kind]
    base = bases(values, order)
    ends = np.where(values == 0, 0, base + values)
    held = np.asarray((values < 0).any(axis=1))
    traces, kinds = [], set()
    for i in order:
        kind = parts[i]["kind"]
        # A part has no component before it is added, and the page draws no bar for it.
        if not (steps := np.flatnonzero(values[:, i]).tolist()):
            continue
        value = values[steps, i]
        back = value < 0
        title = part_title(parts[i])
        customdata = [
            [path[s].title, label(title), six_digits(values[s, i]), six_digits(lengths[s])]
            for s in steps
        ]
        trace = stream.column(
            path,
            steps,
            value,
            WRITERS[kind].title,
            [WRITERS[kind].role] * len(steps),
            "%{customdata[1]}<br>after %{customdata[0]}<br><b>%{customdata[2]:.3g}</b> of"
            " |x| = %{customdata[3]:.3g}",
            shift=np.where(back, 0.3, np.where(held[steps], -0.1, 0.0)),
            width=np.where(back, 0.18, np.where(held[steps], 0.58, 0.8)),
            customdata=customdata,
            legend=kind not in kinds,
            base=base[steps, i],
            edge=0.6,
            of=title,
        )
        traces.append(open_markers(trace, back.tolist()))
        kinds.add(kind)
    traces.append(stream.total(path, lengths, "sum = |x|", "sum of all parts, |x|"))
    tops = np.maximum(ends.max(axis=1, initial=0), lengths)
    token = stream.token_of(answer, position)
    exact = within(answer.fields["largest_difference"]["value"])
    sentences = []
    for s, place in enumerate(path):
        count = int((values[s] != 0).sum())
        most = int(np.argmax(np.abs(values[s])))
        named = f"{part_title(parts[most])}, {number(values[s, most])}"
        parts_told = (
            f"the sum of {count} components (within {exact}); the largest is"
            if count > 1
            else "from one part:"
        )
        sentences.append(
            f"{stream.after(place, token)} has norm {number(lengths[s])}, {parts_told} {named}."
        )
    y = linear(
        "component along residual stream",
        [],
        low=1.05 * min(0.0, float(ends.min(initial=0))),
        high=1.1 * float(tops.max()),
    )
    notes = stream.over(range(len(path)), tops, [f"{length:.1f}" for length in lengths])
    description = f"Parts of the residual stream of {token} at {len(path)} steps; they sum to |x|."
    return stream.assembled(answer, position, path, y, traces, notes, description, sentences)


def gathered(
    parts: Sequence[dict[str, Any]], values: np.ndarray, first: int
) -> tuple[list[dict[str, Any]], np.ndarray]:
    """The parts of a window of layers that starts with `first`. Earlier parts are summed by kind,
    and so are those of the window except the PARTS largest by norm; later ones are omitted. Values
    are [step, part].
    """
    most = np.abs(values).max(axis=0)
    before = [i for i, part in enumerate(parts) if (part["layer"] or 0) < first]
    ranked = sorted({*range(len(parts))} - {*before}, key=lambda i: -most[i])
    small = [i for i in ranked[PARTS:] if most[i]]
    window_parts, columns = list[dict[str, Any]](), []
    separate = {i for i in (*before, *ranked) if most[i]}
    for some, of in ((before, f"before layer {first}, {{}} parts"), (small, "{} smaller parts")):
        for kind in KINDS:
            these = [i for i in some if parts[i]["kind"] == kind]
            if len(these) > 1:
                name = f"{WRITERS[kind].title} {of.format(len(these))}"
                window_parts.append({**parts[these[0]], "name": name, "gathered": True})
                columns.append(values[:, these].sum(axis=1))
                separate -= {*these}
    for i in sorted(separate):
        window_parts.append(parts[i])
        columns.append(values[:, i])
    return window_parts, np.stack(columns, axis=1)


def within(difference: float) -> str:
    """The smallest power of ten that a difference does not exceed."""
    return power_of_ten(math.ceil(math.log10(difference))) if difference else "0"


def bases(values: np.ndarray, order: Sequence[int]) -> np.ndarray:
    """The base of each part's bar [step, part]: positive parts stacked in `order`, then negative
    parts, each from the end of the previous one.
    """
    base = np.zeros(values.shape)
    for s, row in enumerate(values.astype(float)):
        end = 0.0
        for i in [*(i for i in order if row[i] > 0), *(i for i in order if row[i] < 0)]:
            base[s, i] = end
            end += row[i]
    return base


def norm(answer: "Answer", question: Question) -> Plot:
    """The norm of the stream at every step; with a norm after the addition, that of the sum, then
    of the normalized result.
    """
    path, position = places(answer.fields["steps"]), stream.chosen(answer, question)
    sums, lengths = stream.by_step(answer, path, "sum_norm"), answer.tensors["norm"].data.numpy()
    way = [
        (s, before)
        for s, place in enumerate(path)
        for before in ((True, False) if place.norm and s in sums else (False,))
    ]
    steps = [s for s, _ in way]
    normed = any(before for _, before in way)
    x = [
        s + (-stream.APART if before else stream.APART if path[s].norm and s in sums else 0)
        for s, before in way
    ]
    titles = [path[s].title + (", before the norm" if before else "") for s, before in way]
    y = np.array([sums[s] if before else lengths[s] for s, before in way])
    labels, token = stream.tokens_of(answer), stream.token_of(answer, position)
    traces = []
    legend_name, others = stream.other_tokens(answer, position, y)
    for name, tokens in [*others, (labels[position], np.full(len(y), position))]:
        is_chosen = tokens[0] == position
        trace = line(
            x,
            np.take_along_axis(y, tokens[:, None], axis=1)[:, 0],
            label(name) if is_chosen else legend_name,
            "stream",
            "%{customdata}<br>residual stream norm <b>%{y:.3g}</b>",
            dots=False,
            legend=not is_chosen and not traces,
            customdata=[f"{label(labels[p])}, {at}" for p, at in zip(tokens, titles, strict=True)],
        )
        if not is_chosen:
            changed(trace, opacity=0.25, line={"width": 1})
        traces.append(stream.chooses(trace, path, steps, titles, name, tokens.tolist()))
    rings, dots = (
        [i for i, (_, before) in enumerate(way) if before == wanted] for wanted in (True, False)
    )
    for name, some, roles in (
        ("x + f(x)", rings, [path[steps[i]].writer.role for i in rings]),
        ("LN(x + f(x))" if normed else "x", dots, ["stream"] * len(dots)),
    ):
        if some:
            trace = stream.points(
                [x[i] for i in some],
                y[some, position],
                name,
                roles,
                "%{customdata}<br>residual stream norm <b>%{y:.3g}</b>",
                [f"{label(labels[position])}, {titles[i]}" for i in some],
                10,
            )
            trace = stream.chooses(trace, path, [steps[i] for i in some])
            traces.append(open_markers(trace, [name == "x + f(x)"] * len(some)))
    root = math.sqrt(answer.fields["d_model"])
    law = line(
        [-0.5, len(path) - 0.5],
        [root, root],
        f"√d_model {number(root)}",
        "ink",
        "√d_model = %{y:.3g}",
        law=True,
    )
    traces.append(changed(law, meta={"tabled": False}))
    sentences = [
        (
            f"With {place.within_a_sentence} added, “{token}” has norm {number(sums[s][position])};"
            f" normalization makes it {number(lengths[s, position])}."
            if place.norm and s in sums
            else f"{stream.after(place, token)} has norm {number(lengths[s, position])}."
        )
        for s, place in enumerate(path)
    ]
    high = 1.08 * max(root, float(y.max()))
    notes = [
        {
            **stream.note(s, at, value, f"{value:.1f}"),
            "yshift": 10 if before or s == 0 else -10,
            "yanchor": "bottom" if before or s == 0 else "top",
        }
        for (s, before), at, value in zip(way, x, y[:, position].tolist(), strict=True)
    ]
    description = (
        f"Norm of the residual stream of {token} at {len(path)} steps, over those of all tokens."
    )
    axis = linear("residual stream norm |x|", [], low=-0.06 * high, high=high, wanted=7)
    return stream.assembled(answer, position, path, axis, traces, notes, description, sentences)
