"""Figures of /residual: what the stream of one token is made of, how long it is, how long every
write is, and how much of it is new.

All are about the token at `position`, or the second where none was asked for: the first begins
every text alike. The others are drawn beside it.
"""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from app.captions import Question, axes
from app.captions.text import label, number, power_of_ten, visible, weight
from app.captions.writers import WRITERS
from app.figures import theme
from app.figures.axis_scales import linear
from app.figures.meta import NoteLook
from app.figures.panels import Panel, figure
from app.figures.plot import Plot, Trace, bar, changed, scatter, with_meta
from app.figures.stream_steps import (
    Place,
    along,
    chosen_by,
    layers,
    part_title,
    places,
)
from app.figures.traces import level_marks, line, open_markers

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

APART = 0.22  # of a step, between the stream before a norm and after it
NUMBER = 0.08  # of the axis, the height that a number over a bar takes


def contributions(answer: "Answer", question: Question) -> Plot:
    """The parts of the stream along its own direction, at every step: parts that carry it forward
    are stacked up, parts that hold it back are drawn hollow and hang down, and the end of the stack
    is |x|.
    """
    path, position = places(answer.fields["steps"]), chosen(answer, question)
    values = answer.tensors["projections"].data.numpy()[..., position]
    lengths = answer.tensors["norm"].data.numpy()[:, position]
    parts = answer.fields["parts"]
    order = [i for kind in KINDS for i, part in enumerate(parts) if part["kind"] == kind]
    base = bases(values, order)
    ends = np.where(values == 0, 0, base + values)
    held = (values < 0).any(axis=1)
    traces, seen = [], set()
    for i in order:
        kind = parts[i]["kind"]
        value = np.where(values[:, i] == 0, np.nan, values[:, i])
        back = value < 0
        title = part_title(parts[i])
        said = [
            [place.title, label(title), rounded(values[s, i]), rounded(lengths[s])]
            for s, place in enumerate(path)
        ]
        trace = column(
            path,
            range(len(path)),
            value,
            WRITERS[kind].title,
            [WRITERS[kind].role] * len(path),
            "%{customdata[1]}<br>after %{customdata[0]}<br><b>%{customdata[2]:.3g}</b> of"
            " |x| = %{customdata[3]:.3g}",
            shift=np.where(back, 0.3, np.where(held, -0.1, 0.0)),
            width=np.where(back, 0.18, np.where(held, 0.58, 0.8)),
            said=said,
            legend=kind not in seen,
            base=base[:, i],
            edge=0.6,
            of=title,
        )
        traces.append(open_markers(trace, back.tolist()))
        seen.add(kind)
    traces.append(total(path, lengths, "sum = |x|", "sum of all parts, |x|"))
    tops = np.maximum(ends.max(axis=1, initial=0), lengths)
    token, exact = token_of(answer, position), within(answer.fields["largest_difference"]["value"])
    sentences = []
    for s, place in enumerate(path):
        count = int((values[s] != 0).sum())
        most = int(np.argmax(np.abs(values[s])))
        named = f"{part_title(parts[most])}, {number(values[s, most])}"
        parts_told = f"{count} parts that sum" if count > 1 else "one part, which sums"
        sentences.append(
            f"{stream_after(place, token)} has {parts_told} to {number(lengths[s])} (within"
            f" {exact}); the largest is {named}."
        )
    y = linear(
        "length of each part along the stream",
        [],
        low=1.05 * min(0.0, float(ends.min(initial=0))),
        high=1.1 * float(tops.max()),
    )
    notes = over(range(len(path)), tops, [f"{length:.1f}" for length in lengths])
    said = f"Parts of the stream of {token} at {len(path)} steps; they sum to |x|."
    return stream_figure(answer, position, path, y, traces, notes, said, sentences)


def stream_after(place: Place, token: str) -> str:
    """The subject of a sentence about the stream of a token after a step."""
    return f"After {place.within_a_sentence}, the stream of “{token}”"


def not_compared(place: Place) -> str:
    """Why a step has no share of the variance: nothing comes before it, or it adds nothing."""
    if place.wrote is None:
        return "The final norm rescales the stream and adds nothing to it, so it has no ratio."
    return "The embedding begins the stream, so there is nothing to compare it with."


def within(difference: float) -> str:
    """The least power of ten that a difference does not exceed."""
    return power_of_ten(math.ceil(math.log10(difference))) if difference else "0"


def rounded(value: float) -> float:
    """Six significant digits, which is more than a hover says and a screen shows."""
    return float(f"{value:.6g}")


def bases(values: np.ndarray, order: Sequence[int]) -> np.ndarray:
    """Where the bar of each part begins [step, part]: parts above 0 on one another in `order`, then
    parts below 0, each from where the last has ended.
    """
    base = np.zeros(values.shape)
    for s, row in enumerate(values.astype(float)):
        end = 0.0
        for i in [*(i for i in order if row[i] > 0), *(i for i in order if row[i] < 0)]:
            base[s, i] = end
            end += row[i]
    return base


def norm(answer: "Answer", question: Question) -> Plot:
    """The length of the stream at every step; with a norm after the addition, the length of the sum
    and then of what the norm makes of it.
    """
    path, position = places(answer.fields["steps"]), chosen(answer, question)
    sums, lengths = by_step(answer, path, "sum_norm"), answer.tensors["norm"].data.numpy()
    way = [
        (s, before)
        for s, place in enumerate(path)
        for before in ((True, False) if place.norm and s in sums else (False,))
    ]
    steps = [s for s, _ in way]
    normed = any(before for _, before in way)
    x = [
        s + (-APART if before else APART if path[s].norm and s in sums else 0) for s, before in way
    ]
    titles = [path[s].title + (", before the norm" if before else "") for s, before in way]
    y = np.array([sums[s] if before else lengths[s] for s, before in way])
    labels = tokens_of(answer)
    traces = []
    for p, token in sorted(enumerate(labels), key=lambda one: one[0] == position):
        own = p == position
        trace = line(
            x,
            y[:, p],
            label(token) if own else "other tokens",
            "stream",
            "%{customdata}<br>length of the stream <b>%{y:.3g}</b>",
            dots=False,
            legend=not own and p == (1 if position == 0 else 0),
            customdata=[f"{label(token)}, {title}" for title in titles],
        )
        if not own:
            changed(trace, opacity=0.25, line={"width": 1})
        traces.append(chooses(trace, path, steps, titles, token, p))
    rings, dots = (
        [i for i, (_, before) in enumerate(way) if before == wanted] for wanted in (True, False)
    )
    for name, some, roles in (
        ("x + f(x)", rings, [path[steps[i]].writer.role for i in rings]),
        ("LN(x + f(x))" if normed else "x", dots, ["stream"] * len(dots)),
    ):
        if some:
            trace = points(
                [x[i] for i in some],
                y[some, position],
                name,
                roles,
                "%{customdata}<br>length of the stream <b>%{y:.3g}</b>",
                [f"{label(labels[position])}, {titles[i]}" for i in some],
                10,
            )
            trace = chooses(trace, path, [steps[i] for i in some])
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
    token = visible(labels[position])
    sentences = [
        (
            f"With {place.title} added, “{token}” has length {number(sums[s][position])}; the norm"
            f" makes it {number(lengths[s, position])}."
            if place.norm and s in sums
            else f"{stream_after(place, token)} has length {number(lengths[s, position])}."
        )
        for s, place in enumerate(path)
    ]
    high = 1.08 * max(root, float(y.max()))
    notes = [
        {
            **note(s, at, value, f"{value:.1f}"),
            "yshift": 10 if before or s == 0 else -10,
            "yanchor": "bottom" if before or s == 0 else "top",
        }
        for (s, before), at, value in zip(way, x, y[:, position].tolist(), strict=True)
    ]
    said = f"Length of the stream of {token} at {len(path)} steps, over those of all tokens."
    axis = linear("|x|, length of the stream", [], low=-0.06 * high, high=high, wanted=7)
    return stream_figure(answer, position, path, axis, traces, notes, said, sentences)


def writes(answer: "Answer", question: Question) -> Plot:
    """The length of what each sub-layer adds to the stream of a token, and beside it of each part
    as it was written: the heads alone, and the bias.
    """
    path, position = places(answer.fields["steps"]), chosen(answer, question)
    written = by_step(answer, path, "update_norm")
    written[0] = answer.tensors["norm"].data.numpy()[0]
    cosine = by_step(answer, path, "cosine")
    steps = sorted(written)
    titles = [path[s].title for s in steps]
    own = np.array([written[s][position] for s in steps])
    angles = [
        f", cosine with the stream {number(cosine[s][position])}" if s in cosine else ""
        for s in steps
    ]
    traces: list[Any] = [
        column(
            path,
            steps,
            own,
            "whole write",
            [path[s].writer.role for s in steps],
            "%{customdata[0]}<br>writes a vector of length <b>%{y:.3g}</b>%{customdata[1]}",
            shift=-APART,
            width=0.3,
            said=[[title, angle] for title, angle in zip(titles, angles, strict=True)],
        )
    ]
    parts, sizes = answer.fields["parts"], answer.tensors["part_norm"].data.numpy()
    beside: dict[tuple[str, str], list[tuple[int, float, float, int]]] = {}
    for s in steps:
        mine = parts_of(parts, path[s])
        for n, i in enumerate(mine):
            thin = 0.46 / len(mine)
            beside.setdefault(kind_of(parts[i]), []).append(
                (s, -0.04 + thin * (n + 0.5), 0.87 * thin, i)
            )
    for (title, role), bars in sorted(beside.items(), key=lambda one: one[0][1] == "bias"):
        trace = column(
            path,
            [s for s, *_ in bars],
            np.array([sizes[i, position] for *_, i in bars]),
            title,
            [role] * len(bars),
            "%{customdata[0]} alone<br>a vector of length <b>%{y:.3g}</b>",
            shift=np.array([shift for _, shift, _, _ in bars]),
            width=np.array([width for _, _, width, _ in bars]),
            said=[[label(part_title(parts[i]))] for *_, i in bars],
            legend=role.startswith("head:") or role == "bias",
        )
        traces.append(trace)
    traces += others(answer, position, path, written, "length written", shift=-0.46)
    token = token_of(answer, position)
    sentences = [
        (
            f"To “{token}”, {place.title} writes a vector of length {number(written[s][position])};"
            f" its cosine with the stream is {number(cosine[s][position])}."
            if s in cosine
            else f"{stream_after(place, token)} has length"
            f" {number(answer.tensors['norm'].data[s, position].item())}."
        )
        for s, place in enumerate(path)
    ]
    # The axis is the chosen token's: another token may write ten times as much.
    high = 1.16 * max(float(own.max()), float(sizes[:, position].max()))
    y = linear("length of what is written", [], low=0, high=high, wanted=7)
    beyond = {s: [float(v) for v in written[s] if v > high] for s in steps}
    notes = over(steps, own, [f"{value:.1f}" for value in own], shift=-APART)
    notes += [
        {
            **note(s, s, high, f"↑ {max(far):.0f}"),
            "yanchor": "top",
            "look": NoteLook(kind="title", role="ink-soft"),
        }
        for s, far in beyond.items()
        if far
    ]
    said = f"Length of every write to the stream of {token}, and of its parts."
    return stream_figure(answer, position, path, y, traces, notes, said, sentences)


def dependency(answer: "Answer", question: Question) -> Plot:
    """How much of the variance of the stream a sub-layer has just brought, for one token as bars,
    for the others as rings, and on the mean of all.
    """
    path, position = places(answer.fields["steps"]), chosen(answer, question)
    shares = by_step(answer, path, "dependency")
    means = by_step(answer, path, "dependency_mean")
    steps = sorted(shares)
    own = np.array([shares[s][position] for s in steps])
    bars = column(
        path,
        steps,
        own,
        "this token",
        [path[s].writer.role for s in steps],
        "%{customdata[0]}<br>Var f / Var(x + f) = <b>%{y:.3g}</b>",
        shift=-0.12,
        width=0.48,
        said=[[path[s].title] for s in steps],
        legend=True,
    )
    mean = total(
        path, np.array([means[s] for s in steps]), "mean", "mean of all tokens", steps, quiet=False
    )
    traces = [bars, *others(answer, position, path, shares, "Var f / Var(x + f)", 0.26), mean]
    token = token_of(answer, position)
    sentences = [
        (
            f"At “{token}”, what {place.title} writes has {number(shares[s][position])} times the"
            f" variance of the sum (mean of all tokens: {number(means[s])})."
            if s in shares
            else not_compared(place)
        )
        for s, place in enumerate(path)
    ]
    high = max(1.0, 1.05 * float(np.max(list(shares.values()))))
    y = linear("Var f / Var(x + f), share of variance", [], low=0, high=high)
    # A number stands on its bar, and over the stroke of the mean where the stroke would cross it.
    tops = [
        max(share, means[s]) if share < means[s] < share + NUMBER * high else share
        for s, share in zip(steps, own, strict=True)
    ]
    notes = over(steps, tops, [weight(share) for share in own], shift=-0.12)
    said = f"Share of the variance that every write brought to the stream of {token}."
    return stream_figure(answer, position, path, y, traces, notes, said, sentences)


def stream_figure(
    answer: "Answer",
    position: int,
    path: Sequence[Place],
    y: Any,
    traces: list,
    notes: list[dict[str, Any]],
    description: str,
    sentences: list[str],
) -> Plot:
    """Traces over the steps. `sentences` say the chosen token at each step."""
    drawing = figure(Panel(along(path), y, traces, notes), description=description)
    told = {
        "layers": layers(path),
        "position": position,
        "sentences": sentences,
        "tokens": tokens_of(answer),
        "titles": [place.title for place in path],
    }
    return with_meta(drawing, **told)


def chosen(answer: "Answer", question: Question) -> int:
    """The position that was asked for, or the second; the last where the text is shorter."""
    position = question.get("position")
    return min(1 if position is None else position, len(tokens_of(answer)) - 1)


def tokens_of(answer: "Answer") -> list[str]:
    return axes.labels(answer, answer.tensors["norm"].axes[1])


def token_of(answer: "Answer", position: int) -> str:
    return visible(tokens_of(answer)[position])


def by_step(answer: "Answer", path: Sequence[Place], name: str) -> dict[int, Any]:
    """The rows of a tensor, one a sub-layer, by the steps at which the sub-layers wrote."""
    labels = axes.labels(answer, "sub_layer")
    rows = answer.tensors[name].data.numpy()
    return {s: rows[labels.index(p.wrote)] for s, p in enumerate(path) if p.wrote in labels}


def parts_of(parts: Sequence[dict[str, Any]], place: Place) -> list[int]:
    """The places of the parts that were written at a step."""
    scope = (place.wrote or "").rpartition(".")[0]
    return [
        i
        for i, part in enumerate(parts)
        if scope and (part["name"] == scope or part["name"].startswith(f"{scope}."))
    ]


def kind_of(part: dict[str, Any]) -> tuple[str, str]:
    """A part's name in the legend and its colour: a head has its own, every other part that of what
    wrote it.
    """
    if part["head"] is not None:
        return f"head {part['head']}", f"head:{part['head']}"
    writer = WRITERS[part["kind"]]
    return writer.title, writer.role


def column(
    path: Sequence[Place],
    steps: Sequence[int],
    values: np.ndarray,
    name: str,
    roles: list[str],
    hover: str,
    shift: Any,
    width: Any,
    said: list[list],
    legend: bool = False,
    base: np.ndarray | None = None,
    edge: float = 0,
    of: str = "",
) -> Trace:
    """Bars at `steps`, each with its own colour; a click on one chooses its step."""
    trace = bar(
        x=np.asarray(steps, dtype=float) + shift,
        y=values,
        width=np.broadcast_to(width, len(steps)).astype(float),
        name=name,
        customdata=said,
        marker={
            "color": [theme.colour(role) for role in roles],
            "line": {"color": theme.colour("paper"), "width": edge},
        },
        hovertemplate=f"{hover}<extra></extra>",
        legendgroup=name,
        showlegend=legend,
        meta={"role": roles},
    )
    if base is not None:
        trace["base"] = [rounded(end) for end in base]
    return chooses(trace, path, steps, [path[s].title for s in steps], of or name)


def points(
    x: Any, y: Any, name: str, roles: list[str], hover: str, said: list, size: float
) -> Trace:
    """Markers, each with its own colour, which say no more than the lines under them."""
    return scatter(
        x=np.asarray(x, dtype=float),
        y=np.asarray(y),
        name=name,
        mode="markers",
        customdata=said,
        marker={
            "color": [theme.colour(role) for role in roles],
            "size": size,
            "line": {"color": theme.colour("paper"), "width": 0},
        },
        hovertemplate=f"{hover}<extra></extra>",
        legendgroup=name,
        showlegend=True,
        meta={"role": roles, "tabled": False},
    )


def others(
    answer: "Answer",
    position: int,
    path: Sequence[Place],
    values: dict[int, np.ndarray],
    what: str,
    shift: float,
) -> list[Trace]:
    """The same number of every other token, as rings; a click on one chooses its token."""
    steps = sorted(values)
    traces: list[Trace] = []
    for p, token in enumerate(tokens_of(answer)):
        if p == position:
            continue
        trace = points(
            np.array(steps) + shift,
            np.array([values[s][p] for s in steps]),
            "other tokens",
            ["ink-soft"] * len(steps),
            f"%{{customdata}}<br>{what} = <b>%{{y:.3g}}</b>",
            [f"{label(token)}, {path[s].title}" for s in steps],
            6,
        )
        trace["showlegend"] = not traces
        trace = open_markers(trace, [True] * len(steps))
        traces.append(chooses(trace, path, steps, [path[s].title for s in steps], token, p))
    return traces


def total(
    path: Sequence[Place],
    values: np.ndarray,
    name: str,
    what: str,
    steps: Sequence[int] | None = None,
    quiet: bool = True,
) -> Trace:
    """A stroke across every column at its number. A quiet stroke lets the bars under it speak."""
    steps = range(len(path)) if steps is None else steps
    titles = [path[s].title for s in steps]
    hover = f"%{{customdata}}<br>{what} = <b>%{{y:.3g}}</b>"
    trace = level_marks(np.asarray(steps), values, name, "ink", hover, 0.84, customdata=titles)
    if quiet:
        trace["hoverinfo"] = "skip"
    return chooses(trace, path, steps, titles, name)


def chooses(
    trace: Any,
    path: Sequence[Place],
    steps: Sequence[int],
    titles: Sequence[str] | None = None,
    of: str = "",
    position: int | None = None,
) -> Any:
    """The trace, a click on which chooses a step, and a token where it is another's. In a table its
    rows are called `titles`, and its column is called `of`.
    """
    pick: dict[str, list] = {"step": chosen_by(path, steps)}
    if position is not None:
        pick["position"] = [position] * len(steps)
    table = {"rows": list(titles), "column": visible(of)} if titles else {}
    trace["meta"] |= {"pick": pick, "steps": list(steps), **table}
    return trace


def over(
    steps: Sequence[int], tops: Sequence[float] | np.ndarray, said: Sequence[str], shift: float = 0
) -> list[dict[str, Any]]:
    """Numbers over columns."""
    return [
        {**note(s, s + shift, float(top), text), "yanchor": "bottom", "yshift": 3}
        for s, top, text in zip(steps, tops, said, strict=True)
    ]


def note(step: int, x: float, y: float, text: str) -> dict[str, Any]:
    """A number that the runtime leaves out where columns are narrow, unless its step is chosen."""
    return {
        "x": x,
        "y": y,
        "text": text,
        "look": NoteLook(kind="step", role="ink", step=step),
        "showarrow": False,
    }
