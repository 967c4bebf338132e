"""Columns, points, and strokes over the steps of a stream; clicking one selects a step."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from app.captions import Question, axes
from app.captions.text import visible
from app.figures import theme
from app.figures.axis_scales import AxisScale, linear
from app.figures.meta import NoteLook
from app.figures.plot import Panel, Plot, Row, Trace, bar, figure, scatter, six_digits, with_meta
from app.figures.stream_steps import Place, along, chosen_by, layers, places
from app.figures.traces import fill, level_marks, line

if TYPE_CHECKING:
    from model.answers.answer import Answer

NAMED = 16  # maximum layers named along the whole stack
APART = 0.22  # between the stream before and after a norm, in steps
RINGS = 300
"""The maximum number of rings; beyond it, each step shows three representatives."""


def after(place: Place, token: str) -> str:
    """The subject of a sentence about the stream of a token after a step."""
    return f"After {place.within_a_sentence}, the residual stream of “{token}”"


def assembled(
    answer: "Answer",
    position: int,
    path: Sequence[Place],
    y: Any,
    traces: list,
    notes: list[dict[str, Any]],
    description: str,
    sentences: list[str],
) -> Plot:
    """Traces over the steps. `sentences` describe the selected token at each step."""
    panel = Panel(along(path), y, traces, notes)
    if "whole_steps" in answer.fields:
        beside = [panel, whole(answer, position)]
        drawing = figure(*beside, description=description, rows=[Row(1, 0.72), Row(1, 0.28)])
    else:
        drawing = figure(panel, description=description)
    meta = {
        "layers": layers(path),
        "position": position,
        "sentences": sentences,
        "tokens": tokens_of(answer),
        "titles": [place.title for place in path],
    }
    return with_meta(drawing, **meta)


def whole(answer: "Answer", position: int) -> Panel:
    """The norm of a token's stream at every step of a stack of which a window is shown. Clicking a
    step shows its window.
    """
    steps = answer.fields["whole_steps"]
    path, lengths = places(steps), answer.tensors["whole_norm"].data[:, position].numpy()
    names = {step["name"] for step in answer.fields["steps"]}
    within = [i for i, step in enumerate(steps) if step["name"] in names]
    trace = line(
        range(len(path)),
        lengths,
        "the whole stack",
        "stream",
        "%{customdata}<br>residual stream norm <b>%{y:.3g}</b>",
        dots=False,
        legend=False,
        customdata=[place.title for place in path],
    )
    trace["meta"] |= {
        "pick": {"first_layer": [str(step["first_layer"]) for step in steps]},
        "rows": [place.title for place in path],
        "column": "|x|",
    }
    named_layers = [(i, str(place.layer)) for i, place in enumerate(path) if starts(path, i)]
    every = -(-len(named_layers) // NAMED)
    across = AxisScale(
        "layer",
        (-0.5, len(path) - 0.5),
        [i for i, _ in named_layers[::every]],
        [name for _, name in named_layers[::every]],
    )
    high = 1.08 * float(lengths.max())
    frame = fill("sunken", within[0] - 0.5, within[-1] + 0.5, 0, high)
    return Panel(across, linear("|x|", [], low=0.0, high=high, wanted=3), [trace], [], [frame])


def starts(path: Sequence[Place], i: int) -> bool:
    """Whether a layer begins with this step."""
    return path[i].layer is not None and (i == 0 or path[i - 1].layer != path[i].layer)


def chosen(answer: "Answer", question: Question) -> int:
    """The requested position, by default the second; the last if the sequence is shorter."""
    position = question.get("position")
    return min(1 if position is None else position, len(tokens_of(answer)) - 1)


def tokens_of(answer: "Answer") -> list[str]:
    return axes.labels(answer, answer.tensors["norm"].axes[1])


def token_of(answer: "Answer", position: int) -> str:
    return visible(tokens_of(answer)[position])


def other_tokens(
    answer: "Answer", position: int, values: np.ndarray
) -> tuple[str, list[tuple[str, np.ndarray]]]:
    """The legend's name for the other tokens, and each of them as its name and position at every
    step. If there are many, those with the smallest, median, and largest of `values` [step, token].
    """
    labels, steps = tokens_of(answer), len(values)
    others = np.array([p for p in range(len(labels)) if p != position], dtype=int)
    if steps * len(others) <= RINGS:
        return "other tokens", [(labels[p], np.full(steps, p)) for p in others]
    ranked = others[np.argsort(values[:, others], axis=1, kind="stable")]
    places = {"least": 0, "middle": (len(others) - 1) // 2, "greatest": -1}
    legend_name = f"{', '.join(places)} of {len(others)} other tokens"
    return legend_name, [(f"{name} of the others", ranked[:, at]) for name, at in places.items()]


def by_step(answer: "Answer", path: Sequence[Place], name: str) -> dict[int, Any]:
    """The rows of a tensor, one per sub-layer, by the steps of the sub-layers."""
    labels = axes.labels(answer, "sub_layer")
    rows = answer.tensors[name].data.numpy()
    return {s: rows[labels.index(p.wrote)] for s, p in enumerate(path) if p.wrote in labels}


def column(
    path: Sequence[Place],
    steps: Sequence[int],
    values: np.ndarray,
    name: str,
    roles: list[str],
    hover: str,
    shift: Any,
    width: Any,
    customdata: list[list],
    legend: bool = False,
    base: np.ndarray | None = None,
    edge: float = 0,
    of: str = "",
) -> Trace:
    """Bars at `steps`, each with its own color; clicking one selects its step."""
    trace = bar(
        x=np.asarray(steps, dtype=float) + shift,
        y=values,
        width=np.broadcast_to(width, len(steps)).astype(float),
        name=name,
        customdata=customdata,
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
        trace["base"] = [six_digits(end) for end in base]
    return chooses(trace, path, steps, [path[s].title for s in steps], of or name)


def points(
    x: Any, y: Any, name: str, roles: list[str], hover: str, customdata: list, size: float
) -> Trace:
    """Markers, each with its own color and the same hover text as the lines below."""
    return scatter(
        x=np.asarray(x, dtype=float),
        y=np.asarray(y),
        name=name,
        mode="markers",
        customdata=customdata,
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


def total(
    path: Sequence[Place],
    values: np.ndarray,
    name: str,
    what: str,
    steps: Sequence[int] | None = None,
    quiet: bool = True,
) -> Trace:
    """A stroke across every column at its number. A quiet stroke has no hover text."""
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
    positions: Sequence[int] | None = None,
) -> Any:
    """The trace, where clicking selects a step, and a token if it is another's. In a table, its
    rows are named `titles`, and its column `of`.
    """
    pick: dict[str, list] = {"step": chosen_by(path, steps)}
    if positions is not None:
        pick["position"] = list(positions)
    table = {"rows": list(titles), "column": visible(of)} if titles else {}
    trace["meta"] |= {"pick": pick, "steps": list(steps), **table}
    return trace


def over(
    steps: Sequence[int], tops: Sequence[float] | np.ndarray, texts: Sequence[str], shift: float = 0
) -> list[dict[str, Any]]:
    """Numbers over columns."""
    return [
        {**note(s, s + shift, float(top), text), "yanchor": "bottom", "yshift": 3}
        for s, top, text in zip(steps, tops, texts, strict=True)
    ]


def note(step: int, x: float, y: float, text: str) -> dict[str, Any]:
    """A number that the runtime hides in narrow columns, unless its step is selected."""
    return {
        "x": x,
        "y": y,
        "text": text,
        "look": NoteLook(kind="step", role="ink", step=step),
        "showarrow": False,
    }
