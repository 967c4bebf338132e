"""Figures of /generate: the probabilities along the text, a column for each token."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from app.captions import Question
from app.captions.text import label, number, shortened
from app.figures.annotations import fill, note
from app.figures.axis_scales import AxisScale, linear, named
from app.figures.generate import index_of, read_by, scaled, share, summary
from app.figures.meta import NoteLook
from app.figures.panels import Panel, Row, figure
from app.figures.plot import Plot, with_meta
from app.figures.traces import bars, line

if TYPE_CHECKING:
    from model.answers.answer import Answer

MOST = 10  # letters of a token over a column
LATER = 0.32  # opacity of what is written after the step
HIGH = 1.62  # of the axis of a probability, with room for lines of words above 1
LINES = (-2, -17, -32)  # pixels that these lines begin below its end
PROBABILITY = ([0, 0.5, 1], ["0", ".5", "1"])


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
            (label(shortened(column.said, MOST)), "ink", column.bold or i == index),
            (share(column.probability, 2), "ink-soft", False),
            (label(shortened(column.under, MOST)), column.role, False),
        ]
        notes += [
            over(i, shift, said, role, i == index, bold)
            for shift, (said, role, bold) in zip(LINES, words, strict=True)
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


def over(x: float, shift: int, said: str, role: str, here: bool, bold: bool) -> dict[str, Any]:
    """A word over a bar, which the runtime leaves out where columns are narrow, unless it is about
    the step that is shown. Where there is no room above the bar it stands on it.
    """
    look = NoteLook(kind="here" if here else "word", role=role)
    return note(look, x, HIGH, said, bold, yanchor="top", yshift=shift)


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
    sums = [step["sum"] for step in steps]
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
    written = named("the token written", [shortened(step["token"]["text"], MOST) for step in steps])
    second = Panel(written, y, [trace], [], [marked])
    description = (
        f"Probability of each token, {len(steps)} in all, and their sum of ln p,"
        f" {number(sums[-1])} nats in the end."
    )
    drawing = figure(first, second, description=description, rows=[Row(1, 0.58), Row(1, 0.42)])
    return windowed(drawing, index, columns, len(steps), {"readout": summary(answer, index)})


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
