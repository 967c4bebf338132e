"""Figures of /generate: the candidates of one step, and the attention to a part of a long text
during generation.

All figures of /generate are about the step `at`, counted from 1, by default the last.
"""

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from app.captions import Question, axes
from app.captions.text import label, number, percent, visible, weight
from app.figures import theme
from app.figures.axis_scales import AxisScale, linear, named
from app.figures.marks import Cells
from app.figures.plot import Panel, Plot, Row, Trace, changed, figure, with_meta
from app.figures.traces import bars, beside, dots, fill, fitting, note, open_markers, whole

if TYPE_CHECKING:
    from torch import Tensor

    from model.answers.answer import Answer

SAMPLE_HEIGHT = 0.22  # height of the sample's intervals of [0, 1), as a fraction


def step(answer: "Answer", question: Question) -> Plot:
    """The most probable tokens of a step, with their probabilities before and after temperature and
    filters. If the token was sampled, the intervals of [0, 1) are shown below, with a line at the
    sampled number.
    """
    index = index_of(answer, question)
    current = answer.fields["steps"][index]
    sampled = current["drawn"] is not None
    rest = {**current["rest"], "text": f"{current['rest']['tokens']} others", "chosen": False}
    listed: list[dict[str, Any]] = [*current["candidates"], *([rest] if rest["tokens"] else [])]
    names = [visible(candidate["text"]) for candidate in listed]
    chosen = next(i for i, candidate in enumerate(listed) if candidate["chosen"])
    removed = [i for i, candidate in enumerate(listed) if sampled and not candidate["after"]]
    left = [i for i in range(len(listed)) if i not in removed]
    columns = ["token", "probability", *(["after filters"] if sampled else []), "outcome"]
    hover = "%{customdata[0]}<br><b>%{x:.3g}</b> probability"
    if sampled:
        hover += "<br><b>%{customdata[2]:.3g}</b> after temperature and filters"
    hover += f"<br>%{{customdata[{len(columns) - 1}]}}"
    customdata = [
        [
            label(names[i]),
            candidate["probability"],
            *([candidate["after"]] if sampled else []),
            "chosen" if candidate["chosen"] else "removed" if i in removed else "",
        ]
        for i, candidate in enumerate(listed)
    ]
    probabilities = np.array([candidate["probability"] for candidate in listed])
    place, width = (-0.4, 0.46) if sampled else (-0.36, 0.72)

    def of_model(which: list[int], name: str, role: str) -> Trace:
        trace = bars(
            probabilities[which],
            which,
            name,
            role,
            hover,
            orientation="h",
            offset=place,
            width=width,
            customdata=[customdata[i] for i in which],
        )
        trace["meta"] |= {"columns": columns}
        return trace

    traces: list[Any] = [scaled(of_model(left, "model’s probability", "ink"))]
    if removed:
        gone = of_model(removed, "removed", "ink-soft")
        gone["meta"] |= {"role": ["ink-soft"] * len(removed)}
        traces.append(open_markers(gone, [True] * len(removed)))
    if sampled:
        after = bars(
            [listed[i]["after"] for i in left],
            left,
            "after temperature and filters",
            "ink",
            "after temperature and filters<br><b>%{x:.3g}</b>",
            orientation="h",
            offset=0.12,
            width=0.24,
        )
        after["meta"] |= {"tabled": False}
        traces.append(after)
    notes = [
        beside(
            max(candidate["probability"], (candidate["after"] or 0) if sampled else 0),
            i,
            bar_label(candidate, sampled),
            "ink-soft" if i in removed else "ink",
            bold=i == chosen,
        )
        for i, candidate in enumerate(listed)
    ]
    title = "next-token candidates"
    if sampled:
        title = "candidates (thin: after filters)"
    panel = Panel(
        linear("probability", [], low=0, high=1),
        named(title, [f"▸ {n}" if i == chosen else n for i, n in enumerate(names)], down=True),
        traces,
        notes,
        [fill("select", 0, 1, chosen - 0.5, chosen + 0.5)],
    )
    panels = [panel, shares(current)] if sampled else [panel]
    rows = [Row(1, 1 - SAMPLE_HEIGHT), Row(1, SAMPLE_HEIGHT)] if sampled else []
    read = " ".join(visible(before["token"]["text"]) for before in answer.fields["steps"][:index])
    drawing = figure(
        *panels,
        description=f"Step {index + 1}: {f'after {read}, ' if read else ''}the model generates"
        f" {names[chosen]} with probability {percent(current['probability'])}.",
        rows=rows,
    )
    meta: dict[str, Any] = {
        "aligned": True,
        "axes": ["step", "candidate"],
        "formula": "p = softmax(logits)",
        "shape": [len(answer.fields["steps"]), len(current["candidates"])],
        "look": attention_at(answer, question, index),
        "read": [*read_by(answer)[: index + 1], current["token"]["text"]],
        "beside": {"readout": summary(answer, index)},
    }
    return with_meta(drawing, **meta)


def summary(answer: "Answer", index: int) -> str:
    """The text generated up to a step."""
    steps, step = answer.fields["steps"], answer.fields["steps"][index]
    text = step["text"] or "(nothing yet)"
    ended = "Ended. " if step is steps[-1] and answer.fields["stopped"] == "end" else ""
    return f"{ended}Log-probability: {number(step['sum'])} nats. Text: {text}"


def attention_at(answer: "Answer", question: Question, index: int) -> dict[str, Any]:
    """The tokens attended to when the last token before a step was read, and the weights: over the
    source, or over the sequence so far in a model with one stack.
    """
    axis = "source" if "source" in answer.axes else "text"
    weights, who = looked(answer, question)
    labels = axes.labels(answer, axis)
    later = len(answer.fields["steps"]) - 1 - index if axis == "text" else 0
    memory = labels if "window" in answer.fields else labels[: len(labels) - later]
    return {
        "memory": memory,
        "weights": weights[index, : len(memory)].tolist(),
        "looking": (
            f"The {axis} tokens, colored by the attention weights that"
            f" “{visible(read_by(answer)[index])}” gives them in {who}"
        ),
    }


def looked(answer: "Answer", question: Question) -> tuple["Tensor", str]:
    """The weights [step, memory], and the name of the head, by `layer` and `head` of the question:
    by default the last layer, and the mean of the heads.
    """
    layers = sum(name.endswith(".mean") for name in answer.tensors)
    layer, head = question.get("layer"), question.get("head")
    layer = layers - 1 if layer is None else min(layer, layers - 1)
    name = f"decoder.{layer}.{'cross_' if 'source' in answer.axes else ''}attention.pattern"
    if head is None:
        return answer.tensors[f"{name}.mean"].data, f"layer {layer} (mean of all heads)"
    patterns = answer.tensors[name].data
    head = min(head, len(patterns) - 1)
    return patterns[head], f"layer {layer} (head {head})"


def shares(step: dict[str, Any]) -> Panel:
    """The intervals of [0, 1) for candidates after the filters, in decreasing order, and the
    sampled number, which selects one of them. A sampled token that is not among the listed
    candidates has no interval.
    """
    candidates = [
        candidate
        for rank, candidate in enumerate(step["candidates"], start=1)
        if candidate["after"] and (not candidate["chosen"] or rank == step["rank"])
    ]
    ends = np.cumsum([0.0, *(candidate["after"] for candidate in candidates)]).tolist()
    shapes = [fill("sunken", 0, 1, -0.5, 0.5, 1)]
    notes = []
    for (start, end), candidate in zip(pairwise(ends), candidates, strict=True):
        shapes.append(fill("select" if candidate["chosen"] else "sunken", start, end, -0.5, 0.5, 1))
        notes.append(inside(start, end, candidate["text"], "ink", candidate["chosen"]))
    if (others := step["kept"] - len(candidates)) > 0:
        notes.append(inside(ends[-1], 1, f"{others} others", "ink-soft"))
    shapes.append(
        {
            "type": "line",
            "x0": step["drawn"],
            "x1": step["drawn"],
            "y0": -0.5,
            "y1": 0.5,
            "line": {"color": theme.colour("error"), "width": 3},
            "name": "line error",
        }
    )
    at = dots(
        [step["drawn"]], [0], "random number", "error", "%{customdata}", customdata=[drawn_in(step)]
    )
    at["meta"] |= {"tabled": False}
    x = AxisScale(
        f"random number {number(step['drawn'])}", (0, 1), [], [], side="top", frameless=True
    )
    y = AxisScale("cumulative probability", (-0.5, 0.5), [0], [""], frameless=True)
    return Panel(x, y, [at], notes, shapes)


def drawn_in(step: dict[str, Any]) -> str:
    return f"random number <b>{number(step['drawn'])}</b><br>{label(step['token']['text'])}"


def bar_label(candidate: dict[str, Any], sampled: bool) -> str:
    """The number at a bar, and the result of the filters."""
    if not sampled:
        return share(candidate["probability"])
    return f"{share(candidate['probability'])} → {share(candidate['after'])}"


def share(value: float, digits: int = 3) -> str:
    """A probability at a bar. A possible token is never shown with 0."""
    least = 10**-digits
    return f"&lt;{weight(least, digits)}" if 0 < value < least / 2 else weight(value, digits)


def inside(start: float, end: float, text: str, role: str, bold: bool = False) -> dict[str, Any]:
    """A word at the beginning of an interval, if it fits."""
    return note(fitting(end, role), start, 0, whole(label(text)), bold, xanchor="left", xshift=2)


def scaled(trace: Trace) -> Trace:
    """Bars colored by probability."""
    values = trace["x"] if trace.get("orientation") == "h" else trace["y"]
    changed(trace["marker"], color=values, cmin=0, cmax=1, colorscale=theme.colorscale("cividis"))
    trace["meta"] = {**{k: v for k, v in trace["meta"].items() if k != "role"}, "scale": "cividis"}
    return trace


def read_by(answer: "Answer") -> list[str]:
    """The last token read before each step."""
    known = "start" if answer.kind == "yours" else "<s>"
    start = known if "source" in (answer.input or {}) else "…"
    return [start, *(step["token"]["text"] for step in answer.fields["steps"][:-1])]


def index_of(answer: "Answer", question: Question) -> int:
    """The index of the selected step."""
    count = len(answer.fields["steps"])
    return min(question.get("at") or count, count) - 1


def keys(answer: "Answer", _: Question) -> list[str]:
    """The tokens in the window of a long text, each with its position."""
    start = answer.fields["window"][0]
    return [f"{name} {start + i}" for i, name in enumerate(axes.labels(answer, "text"))]


ATTENTION = Cells(
    "",
    numbers=lambda *of: looked(*of)[0].numpy(),
    x=keys,
    y=lambda answer, _: [f"{i} {visible(token)}" for i, token in enumerate(read_by(answer), 1)],
    columns="key",
    rows="after",
    unit="weight",
    pick_row={"step": lambda answer, _: list(range(1, len(read_by(answer)) + 1))},
    hover="after %{y}<br>key %{x}<br>weight <b>%{z:.3g}</b>",
)
"""The weights of each step on the positions of the window. Clicking a row selects its step."""


def of_looks(answer: "Answer", question: Question) -> dict[str, str]:
    """The step's total weight on the window."""
    weights, who = looked(answer, question)
    index, read = index_of(answer, question), read_by(answer)
    share, (start, stop) = percent(float(weights.numpy()[index].sum())), answer.fields["window"]
    sentence = f"At “{visible(read[index])}”, {who} has {share} of its weight on"
    sentence += f" positions {start} to {stop - 1}."
    return {
        "description": f"Attention of {who} at {len(read)} steps. {sentence}",
        "said": f"{sentence} {summary(answer, index)}",
    }
