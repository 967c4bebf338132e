"""Figures of /generate: the probabilities along the text, one column per token."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from app.captions import Question
from app.captions.text import label, number, shortened
from app.figures.axis_scales import AxisScale, linear, named
from app.figures.generate import index_of, read_by, scaled, share, summary
from app.figures.meta import NoteLook
from app.figures.plot import Panel, Plot, Row, figure, with_meta
from app.figures.traces import bars, fill, line, note

if TYPE_CHECKING:
    from model.answers.answer import Answer

MOST = 10  # maximum characters of a token over a column
LATER = 0.32  # opacity of columns after the step
HIGH = 1.62  # top of the probability axis, with room for lines of words above 1
LINES = (-2, -17, -32)  # offsets of these lines from its end, in pixels
PROBABILITY = ([0, 0.5, 1], ["0", ".5", "1"])


@dataclass(frozen=True)
class Column:
    """A `token` generated after `read`, words over its bar, and `customdata` for its hover."""

    read: str
    token: str
    probability: float
    customdata: list[Any]
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
    """A bar for each token, with the token and its probability above. Columns after `index` are
    faint; clicking a column selects its step. The hover data form the rows of a table under `head`.
    """
    x, y = titles
    notes, traces = [], []
    for i, column in enumerate(columns):
        words = [
            (label(shortened(column.token, MOST)), "ink", column.bold or i == index),
            (share(column.probability, 2), "ink-soft", False),
            (label(shortened(column.under, MOST)), column.role, False),
        ]
        notes += [
            over(i, shift, word, role, i == index, bold)
            for shift, (word, role, bold) in zip(LINES, words, strict=True)
            if word
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
            customdata=[columns[i].customdata for i in which],
        )
        trace = scaled(trace)
        table = {"columns": list(head)} if head else {"tabled": False}
        trace["meta"] |= {**table, "pick": {"step": [i + 1 for i in which]}}
        traces.append(trace)
    names = [*(shortened(column.read, MOST) for column in columns), *[""] * (count - len(columns))]
    chosen = fill("select", index - 0.5, index + 0.5, 0, HIGH)
    return Panel(named(x, names), AxisScale(y, (0, HIGH), *PROBABILITY), traces, notes, [chosen])


def over(x: float, shift: int, word: str, role: str, here: bool, bold: bool) -> dict[str, Any]:
    """A word over a bar, which the runtime hides in narrow columns, unless its step is selected. If
    there is no room above the bar, it is inside.
    """
    style = NoteLook(kind="here" if here else "word", role=role)
    return note(style, x, HIGH, word, bold, yanchor="top", yshift=shift)


def text(answer: "Answer", question: Question) -> Plot:
    """The probability of each generated token, and the cumulative log-probability."""
    index, steps = index_of(answer, question), answer.fields["steps"]
    columns = [
        Column(
            read,
            step["token"]["text"],
            step["probability"],
            [
                str(step["index"] + 1),
                label(step["token"]["text"]),
                step["probability"],
                step["rank"],
                step["log_probability"],
                step["sum"],
            ],
            f"rank {step['rank']}" if step["rank"] > 1 else "",
            "error",
        )
        for read, step in zip(read_by(answer), steps, strict=True)
    ]
    first = over_tokens(
        columns,
        index,
        ("previous token", "probability of generated token"),
        "%{customdata[1]}<br><b>%{customdata[2]:.3g}</b> probability, rank %{customdata[3]}",
        len(steps),
        ["step", "token", "probability", "rank", "ln p (nats)", "log-probability so far (nats)"],
    )
    sums = [step["sum"] for step in steps]
    trace = line(
        range(len(steps)),
        sums,
        "log-probability",
        "stream",
        "%{customdata[1]}<br>ln p = %{customdata[4]:.3g} nats"
        "<br>log-probability so far <b>%{y:.3g}</b> nats",
        customdata=[column.customdata for column in columns],
    )
    picks = {"step": [i + 1 for i in range(len(steps))]}
    trace["meta"] |= {"tabled": False, "pick": picks}
    low = 1.1 * min(*sums, -1e-6)
    y = linear("log-probability so far", [], "nats", low=low, high=0.0, wanted=3)
    marked = fill("select", index - 0.5, index + 0.5, low, 0)
    across = named("generated token", [shortened(step["token"]["text"], MOST) for step in steps])
    second = Panel(across, y, [trace], [], [marked])
    description = (
        f"The probability of each token of {len(steps)}. The sequence’s log-probability is"
        f" {number(sums[-1])} nats."
    )
    drawing = figure(first, second, description=description, rows=[Row(1, 0.58), Row(1, 0.42)])
    return windowed(drawing, index, columns, len(steps), {"readout": summary(answer, index)})


def windowed(
    drawing: Plot, index: int, columns: Sequence[Column], count: int, beside: dict[str, str]
) -> Plot:
    """The figure, of which the runtime shows as many columns around a step as have room for their
    words; zoom and pan show the others. `beside` has more text for the page, by element names.
    """
    words = [
        shortened(word, MOST)
        for column in columns
        for word in (column.read, column.token, column.under)
    ]
    meta = {
        "aligned": True,
        "window": [index, max(map(len, words)) + 2],
        "shape": [count],
        "axes": ["step"],
        "beside": beside,
    }
    for name, axis in drawing["layout"].items():
        if name.startswith("xaxis"):
            axis["showgrid"] = False
    return with_meta(drawing, **meta)
