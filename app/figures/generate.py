"""Figures of /generate: the candidates of one step, the probabilities along the text, and teacher
forcing beside generation.

All are about the step `at`, counted from 1, or the last where none was asked for.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from app.captions import Question, axes
from app.captions.text import label, number, shortened, visible, weight
from app.figures import theme
from app.figures.annotations import fill, fitting
from app.figures.axis_scales import AxisScale, linear, named
from app.figures.meta import NoteLook
from app.figures.panels import Panel, Row, figure
from app.figures.plot import Plot, Trace, changed, with_meta
from app.figures.traces import bars, dots, level_marks, line, open_markers

if TYPE_CHECKING:
    from model.answers.answer import Answer

MOST = 10  # letters of a token over a column
LATER = 0.32  # opacity of what is written after the step
HIGH = 1.62  # of the axis of a probability, with room for lines of words above 1
LINES = (1.5, 1.31, 1.12)  # where these lines stand
DRAWN = 0.22  # of the height: the shares of [0, 1) and the number that was drawn

PROBABILITY = ([0, 0.5, 1], ["0", ".5", "1"])


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
            i == chosen,
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
        f" probability {number(one['probability'])}.",
        rows=rows,
    )
    told: dict[str, Any] = {
        "aligned": True,
        "axes": ["step", "candidate"],
        "formula": "p = softmax(logits)",
        "shape": [len(answer.fields["steps"]), len(one["candidates"])],
        "look": look(answer, question, index),
        "read": [*read_by(answer)[: index + 1], one["token"]["text"]],
        "beside": {"readout": summary(one)},
    }
    return with_meta(drawing, **told)


def summary(one: dict[str, Any]) -> str:
    """What is written after a step."""
    ended = "Ended. " if one["token"]["text"] == "</s>" else ""
    return f"{ended}Sum of ln p: {number(one['sum'])} nats. Text: {one['text'] or '(nothing yet)'}"


def look(answer: "Answer", question: Question, index: int) -> dict[str, Any]:
    """What was looked at when the last token before a step was read, and the weights: the source,
    or in a model of one stack the text so far. `layer` and `head` of the question say whose weights
    they are: those of the last layer without a layer, the mean of the heads without a head.
    """
    layers = sum(name.endswith(".mean") for name in answer.tensors)
    layer, head = question.get("layer"), question.get("head")
    layer = layers - 1 if layer is None else min(layer, layers - 1)
    axis = "source" if "source" in answer.axes else "text"
    name = f"decoder.{layer}.{'cross_attention' if axis == 'source' else 'attention'}.pattern"
    tensors = answer.tensors
    if head is None:
        weights, who = tensors[f"{name}.mean"].data[index], "mean of the heads"
    else:
        patterns = tensors[name].data
        head = min(head, len(patterns) - 1)
        weights, who = patterns[head, index], f"head {head}"
    labels = axes.labels(answer, axis)
    later = len(answer.fields["steps"]) - 1 - index if axis == "text" else 0
    memory = labels[: len(labels) - later]
    return {
        "memory": memory,
        "weights": weights[: len(memory)].tolist(),
        "looking": (
            f"The {axis}, coloured by how much layer {layer} ({who}) looks at each token when it"
            f" reads “{visible(read_by(answer)[index])}”"
        ),
    }


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


def beside(x: float, y: float, text: str, role: str, bold: bool) -> dict[str, Any]:
    """A number at the end of a level bar."""
    return {
        "x": x,
        "y": y,
        "xanchor": "left",
        "xshift": 6,
        "text": text,
        "font": {"color": theme.colour(role), **({"weight": "bold"} if bold else {})},
        "look": NoteLook(kind="sum", role=role),
        "showarrow": False,
    }


def inside(start: float, end: float, text: str, role: str, bold: bool = False) -> dict[str, Any]:
    """A word at the beginning of a share, where it fits into it."""
    note = beside(start, 0, label(text).replace(" ", "\u00a0"), role, bold)
    return {**note, "xshift": 2, "look": fitting(end, role)}


def scaled(trace: Trace) -> Trace:
    """Bars on the colour of their probability."""
    values = trace["x"] if trace.get("orientation") == "h" else trace["y"]
    changed(trace["marker"], color=values, cmin=0, cmax=1, colorscale=theme.colorscale("cividis"))
    trace["meta"] = {**{k: v for k, v in trace["meta"].items() if k != "role"}, "scale": "cividis"}
    return trace


@dataclass(frozen=True)
class Column:
    """A token that was said after `read`, with words over its bar, and `told` where it is pointed
    at.
    """

    read: str
    said: str
    probability: float
    told: list[Any]
    under: str = ""
    role: str = "ink"
    bold: bool = False


def over_tokens(
    columns: Sequence[Column],
    index: int,
    titles: tuple[str, str],
    hover: str,
    count: int,
    head: Sequence[str] = (),
) -> Panel:
    """A bar for each token, with the token and its probability over it. Columns after `index` are
    faint; a click on a column chooses its step. What columns tell are rows of a table under `head`.
    """
    x, y = titles
    notes, traces = [], []
    for i, column in enumerate(columns):
        words = [
            (shortened(column.said, MOST), "ink", column.bold or i == index),
            (share(column.probability, 2), "ink-soft", False),
            (shortened(column.under, MOST), column.role, False),
        ]
        notes += [
            over(i, height, said, role, i == index, bold)
            for height, (said, role, bold) in zip(LINES, words, strict=True)
            if said
        ]
    places = range(len(columns))
    for which, opacity in (
        ([i for i in places if i <= index], 1),
        ([i for i in places if i > index], LATER),
    ):
        if not which:
            continue
        trace = bars(
            which,
            [columns[i].probability for i in which],
            "probability",
            "ink",
            hover,
            width=0.6,
            opacity=opacity,
            customdata=[columns[i].told for i in which],
        )
        trace = scaled(trace)
        table = {"columns": list(head)} if head else {"tabled": False}
        trace["meta"] |= {**table, "pick": {"step": [i + 1 for i in which]}}
        traces.append(trace)
    names = [*(shortened(column.read, MOST) for column in columns), *[""] * (count - len(columns))]
    chosen = fill("select", index - 0.5, index + 0.5, 0, HIGH)
    return Panel(named(x, names), AxisScale(y, (0, HIGH), *PROBABILITY), traces, notes, [chosen])


def over(x: float, y: float, said: str, role: str, here: bool, bold: bool) -> dict[str, Any]:
    """A word over a bar, which the runtime leaves out where columns are narrow, unless it is about
    the step that is shown.
    """
    return {
        "x": x,
        "y": y,
        "text": label(said),
        "font": {"color": theme.colour(role), **({"weight": "bold"} if bold else {})},
        "look": NoteLook(kind="here" if here else "word", role=role),
        "showarrow": False,
    }


def text(answer: "Answer", question: Question) -> Plot:
    """The probability of each token that was written, and the sum of the log probabilities up to
    it.
    """
    index, steps = index_of(answer, question), answer.fields["steps"]
    columns = [
        Column(
            read,
            one["token"]["text"],
            one["probability"],
            [
                str(one["index"] + 1),
                label(one["token"]["text"]),
                one["probability"],
                one["rank"],
                one["log_probability"],
                one["sum"],
            ],
            f"rank {one['rank']}" if one["rank"] > 1 else "",
            "error",
        )
        for read, one in zip(read_by(answer), steps, strict=True)
    ]
    first = over_tokens(
        columns,
        index,
        ("the token read last", "probability of the token written"),
        "%{customdata[1]}<br><b>%{customdata[2]:.3g}</b> probability, rank %{customdata[3]}",
        len(steps),
        ["step", "token", "probability", "rank", "ln p (nats)", "sum of ln p (nats)"],
    )
    sums = [one["sum"] for one in steps]
    trace = line(
        range(len(steps)),
        sums,
        "sum of ln p",
        "stream",
        "%{customdata[1]}<br>ln p = %{customdata[4]:.3g} nats<br>sum so far <b>%{y:.3g}</b> nats",
        customdata=[column.told for column in columns],
    )
    picks = {"step": [i + 1 for i in range(len(steps))]}
    trace["meta"] |= {"tabled": False, "pick": picks}
    low = 1.1 * min(*sums, -1e-6)
    y = linear("sum of ln p so far", [], "nats", low=low, high=0.0, wanted=3)
    marked = fill("select", index - 0.5, index + 0.5, low, 0)
    written = named("the token written", [shortened(one["token"]["text"], MOST) for one in steps])
    second = Panel(written, y, [trace], [], [marked])
    description = (
        f"Probability of each of {len(steps)} tokens, and their sum of ln p,"
        f" {number(sums[-1])} nats in the end."
    )
    drawing = figure(first, second, description=description, rows=[Row(1, 0.58), Row(1, 0.42)])
    return windowed(drawing, index, columns, len(steps), {"readout": summary(steps[index])})


def forcing(answer: "Answer", question: Question) -> Plot:
    """What the model says where it reads a reference, over what it wrote from its own output. A red
    stroke is the probability of what the reference has instead, and a dashed frame stands around
    the first column in which the two differ.
    """
    steps, told = answer.fields["steps"], answer.fields["teacher_forcing"]
    rows, index = told["rows"], index_of(answer, question)
    count = max(len(rows), len(steps))
    taught = [
        Column(
            row["read"],
            row["predicted"]["text"],
            row["predicted"]["probability"],
            row_of(row),
            f"→ {visible(row['expected']['text'])}" if missed(row) else "",
            "error",
            not row["agrees"],
        )
        for row in rows
    ]
    own = [
        Column(
            read,
            one["token"]["text"],
            one["probability"],
            [label(read), label(one["token"]["text"])],
            sign(rows[i]) if i < len(rows) else "",
            "ink",
            i < len(rows) and not rows[i]["agrees"],
        )
        for i, (read, one) in enumerate(zip(read_by(answer), steps, strict=True))
    ]
    above = over_tokens(
        taught,
        index,
        ("read of the reference", "teacher forcing: probability of what it says"),
        "after %{customdata[1]} teacher forcing says %{customdata[2]}"
        "<br><b>%{y:.3g}</b> probability"
        "<br>the reference has %{customdata[4]}, <b>%{customdata[5]:.3g}</b>",
        count,
        ROW,
    )
    below = over_tokens(
        own,
        index,
        ("read of its own words", "generation: probability of what it writes"),
        "after %{customdata[0]} generation writes %{customdata[1]}<br><b>%{y:.3g}</b> probability",
        count,
    )
    wrong = [i for i, row in enumerate(rows) if missed(row)]
    strokes = level_marks(
        wrong,
        [rows[i]["expected"]["probability"] for i in wrong],
        "the reference has",
        "error",
        "the reference has %{customdata}<br><b>%{y:.3g}</b> probability",
        0.72,
        customdata=[label(rows[i]["expected"]["text"]) for i in wrong],
    )
    strokes["showlegend"] = False
    strokes["meta"] |= {"tabled": False}
    differs = told["first_difference"]
    frame = [] if differs is None else [around(differs)]
    panels = [
        Panel(panel.x, panel.y, traces, panel.notes, [*panel.shapes, *frame])
        for panel, traces in (
            (above, [*above.traces, *([strokes] if wrong else [])]),
            (below, below.traces),
        )
    ]
    description = "Teacher forcing beside generation: " + (
        "no row differs." if differs is None else f"row {differs + 1} is the first that differs."
    )
    drawing = figure(*panels, description=description, rows=[Row(1, 0.5), Row(1, 0.5)])
    beside = {
        "readout": summary(steps[index]),
        "largest": number(told["largest_difference"]),
        "differs": (
            "No column differs: both sides say the same words."
            if differs is None
            else f"Column {differs + 1} is the first that differs: the reference goes on with"
            f" {rows[differs]['expected']['text']}."
        ),
    }
    return windowed(drawing, index, [*taught, *own], count, beside)


ROW = (
    "row",
    "read of the reference",
    "says",
    "probability",
    "the reference has",
    "its probability",
    "generation wrote",
    "same input",
    "agrees",
)
"""The columns of the table of teacher forcing."""


def row_of(row: dict[str, Any]) -> list[Any]:
    return [
        str(row["index"] + 1),
        label(row["read"]),
        label(row["predicted"]["text"]),
        row["predicted"]["probability"],
        label(row["expected"]["text"]),
        row["expected"]["probability"],
        label(row["written"]["text"]) if row["written"] else "",
        "yes" if row["same_input"] else "no",
        "yes" if row["agrees"] else "no",
    ]


def around(column: int) -> dict[str, Any]:
    """A dashed frame around a column."""
    return {
        "type": "rect",
        "x0": column - 0.47,
        "x1": column + 0.47,
        "y0": 0.01,
        "y1": HIGH - 0.01,
        "line": {"color": theme.colour("error"), "width": 2, "dash": "6px,4px"},
        "name": "line error",
    }


def missed(row: dict[str, Any]) -> bool:
    """Whether the most probable token is not the one that the reference has."""
    return row["expected"]["id"] != row["predicted"]["id"]


def sign(row: dict[str, Any]) -> str:
    return "≠" if not row["agrees"] else "=" if row["same_input"] else "≈"


def windowed(
    drawing: Plot, index: int, columns: Sequence[Column], count: int, beside: dict[str, str]
) -> Plot:
    """The figure, of which the runtime shows as many columns around a step as have room for their
    words; zoom and pan go on to the others. `beside` it the page says more, by the elements' names.
    """
    words = [
        shortened(word, MOST)
        for column in columns
        for word in (column.read, column.said, column.under)
    ]
    told = {
        "aligned": True,
        "window": [index, max(map(len, words)) + 2],
        "shape": [count],
        "axes": ["step"],
        "beside": beside,
    }
    for name, axis in drawing["layout"].items():
        if name.startswith("xaxis"):
            axis["showgrid"] = False
    return with_meta(drawing, **told)


def read_by(answer: "Answer") -> list[str]:
    """What generation had read last before each step."""
    start = "<s>" if "source" in (answer.input or {}) else "…"
    return [start, *(one["token"]["text"] for one in answer.fields["steps"][:-1])]


def index_of(answer: "Answer", question: Question) -> int:
    """The place of the step that is drawn."""
    count = len(answer.fields["steps"])
    return min(question.get("at") or count, count) - 1
