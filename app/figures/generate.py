"""Figures of /generate: the candidates of one step, and where the model looks in a part of a long
text while it writes.

All figures of /generate are about the step `at`, counted from 1, or the last where none was asked
for.
"""

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from app.captions import Question, axes
from app.captions.text import label, number, percent, visible, weight
from app.figures import theme
from app.figures.annotations import beside, fill, fitting, note, whole
from app.figures.axis_scales import AxisScale, linear, named
from app.figures.marks import Cells
from app.figures.panels import Panel, Row, figure
from app.figures.plot import Plot, Trace, changed, with_meta
from app.figures.traces import bars, dots, open_markers

if TYPE_CHECKING:
    from torch import Tensor

    from model.answers.answer import Answer

DRAWN = 0.22  # of the height: the shares of [0, 1) and the number that was drawn


def step(answer: "Answer", question: Question) -> Plot:
    """The most probable tokens of a step, with their probabilities before and after temperature and
    filters. Where the token was drawn by chance, the shares of [0, 1) stand under them side by
    side, and a line at the number that was drawn.
    """
    index = index_of(answer, question)
    one = answer.fields["steps"][index]
    sampled = one["drawn"] is not None
    rest = {**one["rest"], "text": f"{one['rest']['tokens']} others", "chosen": False}
    listed: list[dict[str, Any]] = [*one["candidates"], *([rest] if rest["tokens"] else [])]
    names = [visible(candidate["text"]) for candidate in listed]
    chosen = next(i for i, candidate in enumerate(listed) if candidate["chosen"])
    removed = [i for i, candidate in enumerate(listed) if sampled and not candidate["after"]]
    left = [i for i in range(len(listed)) if i not in removed]
    columns = ["token", "probability", *(["after the filters"] if sampled else []), "what became"]
    hover = "%{customdata[0]}<br><b>%{x:.3g}</b> probability"
    if sampled:
        hover += "<br><b>%{customdata[2]:.3g}</b> after temperature and filters"
    hover += f"<br>%{{customdata[{len(columns) - 1}]}}"
    said = [
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
            customdata=[said[i] for i in which],
        )
        trace["meta"] |= {"columns": columns}
        return trace

    traces: list[Any] = [scaled(of_model(left, "the model says", "ink"))]
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
    title = "candidates for the next token"
    if sampled:
        title = "candidates (thin bar: after the filters)"
    panel = Panel(
        linear("probability", [], low=0, high=1),
        named(title, [f"▸ {n}" if i == chosen else n for i, n in enumerate(names)], down=True),
        traces,
        notes,
        [fill("select", 0, 1, chosen - 0.5, chosen + 0.5)],
    )
    panels = [panel, shares(one)] if sampled else [panel]
    rows = [Row(1, 1 - DRAWN), Row(1, DRAWN)] if sampled else []
    read = " ".join(visible(before["token"]["text"]) for before in answer.fields["steps"][:index])
    drawing = figure(
        *panels,
        description=f"Step {index + 1}: after {read or 'nothing'} the model writes {names[chosen]},"
        f" probability {percent(one['probability'])}.",
        rows=rows,
    )
    told: dict[str, Any] = {
        "aligned": True,
        "axes": ["step", "candidate"],
        "formula": "p = softmax(logits)",
        "shape": [len(answer.fields["steps"]), len(one["candidates"])],
        "look": look(answer, question, index),
        "read": [*read_by(answer)[: index + 1], one["token"]["text"]],
        "beside": {"readout": summary(answer, index)},
    }
    return with_meta(drawing, **told)


def summary(answer: "Answer", index: int) -> str:
    """What is written after a step."""
    steps, one = answer.fields["steps"], answer.fields["steps"][index]
    ended = "Ended. " if one is steps[-1] and answer.fields["stopped"] == "end" else ""
    return f"{ended}Sum of ln p: {number(one['sum'])} nats. Text: {one['text'] or '(nothing yet)'}"


def look(answer: "Answer", question: Question, index: int) -> dict[str, Any]:
    """What was looked at when the last token before a step was read, and the weights: the source,
    or in a model of one stack the text so far.
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
            f"The {axis}, coloured by how much {who} looks at each token when it"
            f" reads “{visible(read_by(answer)[index])}”"
        ),
    }


def looked(answer: "Answer", question: Question) -> tuple["Tensor", str]:
    """The weights [step, memory], and whose they are by `layer` and `head` of the question: those
    of the last layer without a layer, the mean of the heads without a head.
    """
    layers = sum(name.endswith(".mean") for name in answer.tensors)
    layer, head = question.get("layer"), question.get("head")
    layer = layers - 1 if layer is None else min(layer, layers - 1)
    name = f"decoder.{layer}.{'cross_' if 'source' in answer.axes else ''}attention.pattern"
    if head is None:
        return answer.tensors[f"{name}.mean"].data, f"layer {layer} (mean of the heads)"
    patterns = answer.tensors[name].data
    head = min(head, len(patterns) - 1)
    return patterns[head], f"layer {layer} (head {head})"


def shares(one: dict[str, Any]) -> Panel:
    """The shares of [0, 1) that candidates have after the filters, the largest first, and the
    number that fell into one of them. A token that was drawn from beyond the most probable ones has
    no place beside them.
    """
    candidates = [
        candidate
        for rank, candidate in enumerate(one["candidates"], start=1)
        if candidate["after"] and (not candidate["chosen"] or rank == one["rank"])
    ]
    ends = np.cumsum([0.0, *(candidate["after"] for candidate in candidates)]).tolist()
    shapes = [fill("sunken", 0, 1, -0.5, 0.5, 1)]
    notes = []
    for (start, end), candidate in zip(pairwise(ends), candidates, strict=True):
        shapes.append(fill("select" if candidate["chosen"] else "sunken", start, end, -0.5, 0.5, 1))
        notes.append(inside(start, end, candidate["text"], "ink", candidate["chosen"]))
    if (others := one["kept"] - len(candidates)) > 0:
        notes.append(inside(ends[-1], 1, f"{others}\u00a0others", "ink-soft"))
    shapes.append(
        {
            "type": "line",
            "x0": one["drawn"],
            "x1": one["drawn"],
            "y0": -0.5,
            "y1": 0.5,
            "line": {"color": theme.colour("error"), "width": 3},
            "name": "line error",
        }
    )
    at = dots([one["drawn"]], [0], "drawn", "error", "%{customdata}", customdata=[drawn_in(one)])
    at["meta"] |= {"tabled": False}
    x = AxisScale(f"drawn {number(one['drawn'])}", (0, 1), [], [], side="top", frameless=True)
    y = AxisScale("shares of [0, 1)", (-0.5, 0.5), [0], [""], frameless=True)
    return Panel(x, y, [at], notes, shapes)


def drawn_in(one: dict[str, Any]) -> str:
    return f"drawn <b>{number(one['drawn'])}</b><br>{label(one['token']['text'])}"


def bar_label(candidate: dict[str, Any], sampled: bool) -> str:
    """The number beside a bar, and what the filters made of it."""
    if not sampled:
        return share(candidate["probability"])
    return f"{share(candidate['probability'])} → {share(candidate['after'])}"


def share(value: float, digits: int = 3) -> str:
    """A probability over or beside a bar. What can be written is never said to have 0."""
    least = 10**-digits
    return f"&lt;{weight(least, digits)}" if 0 < value < least / 2 else weight(value, digits)


def inside(start: float, end: float, text: str, role: str, bold: bool = False) -> dict[str, Any]:
    """A word at the beginning of a share, where it fits into it."""
    return note(fitting(end, role), start, 0, whole(label(text)), bold, xanchor="left", xshift=2)


def scaled(trace: Trace) -> Trace:
    """Bars on the colour of their probability."""
    values = trace["x"] if trace.get("orientation") == "h" else trace["y"]
    changed(trace["marker"], color=values, cmin=0, cmax=1, colorscale=theme.colorscale("cividis"))
    trace["meta"] = {**{k: v for k, v in trace["meta"].items() if k != "role"}, "scale": "cividis"}
    return trace


def read_by(answer: "Answer") -> list[str]:
    """What generation had read last before each step."""
    known = "start" if answer.kind == "yours" else "<s>"
    start = known if "source" in (answer.input or {}) else "…"
    return [start, *(one["token"]["text"] for one in answer.fields["steps"][:-1])]


def index_of(answer: "Answer", question: Question) -> int:
    """The place of the step that is drawn."""
    count = len(answer.fields["steps"])
    return min(question.get("at") or count, count) - 1


def has_window(answer: "Answer") -> bool:
    return "window" in answer.fields


def keys(answer: "Answer", _: Question) -> list[str]:
    """The tokens of the part of a long text that is looked at, each with its position."""
    start = answer.fields["window"][0]
    return [f"{name} {start + i}" for i, name in enumerate(axes.labels(answer, "text"))]


LOOKS = Cells(
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
"""The weights of each step on the positions of the window. A click on a row chooses its step."""


def of_looks(answer: "Answer", question: Question) -> dict[str, str]:
    """How much of the weight of the step the whole window has."""
    weights, who = looked(answer, question)
    index, read = index_of(answer, question), read_by(answer)
    share, (start, stop) = percent(float(weights.numpy()[index].sum())), answer.fields["window"]
    said = f"When it reads “{visible(read[index])}”, {who} has {share} of its weight on the"
    said += f" positions {start} to {stop - 1}."
    return {
        "description": f"Where {who} looks at {len(read)} steps. {said}",
        "said": f"{said} {summary(answer, index)}",
    }
