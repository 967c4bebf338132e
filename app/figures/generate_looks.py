"""Figures of /generate: where the model looks in a part of a long text while it writes."""

from typing import TYPE_CHECKING

from app.captions import Question, axes
from app.captions.text import percent, visible
from app.figures.axis_scales import named
from app.figures.generate import index_of, looked, read_by, summary
from app.figures.panels import Panel, figure
from app.figures.plot import Plot, with_meta
from app.figures.traces import heat_map

if TYPE_CHECKING:
    from model.answers.answer import Answer


def has_window(answer: "Answer") -> bool:
    return "window" in answer.fields


def looks(answer: "Answer", question: Question) -> Plot:
    """The weights of each step on the positions of the window. A click on a row chooses its step;
    how much of the weight the whole window has is said.
    """
    weights, who = looked(answer, question)
    values = weights.numpy()
    (start, stop), read = answer.fields["window"], read_by(answer)
    index = index_of(answer, question)
    trace = heat_map(
        values,
        "after %{y}<br>key %{x}<br>weight <b>%{z:.3g}</b>",
        ends=(0, float(values.max()) or 1.0),
        unit="weight",
    )
    trace["meta"] |= {"pick_row": {"step": [i + 1 for i in range(len(read))]}}
    keys = [f"{name} {start + i}" for i, name in enumerate(axes.labels(answer, "text"))]
    rows = [f"{i + 1} {visible(token)}" for i, token in enumerate(read)]
    panel = Panel(named("key", keys, side="top"), named("after", rows, down=True), [trace])
    share = percent(float(values[index].sum()))
    said = f"When it reads “{visible(read[index])}”, {who} has {share} of its weight on the"
    said += f" positions {start} to {stop - 1}."
    drawing = figure(panel, description=f"Where {who} looks at {len(read)} steps. {said}")
    return with_meta(drawing, said=f"{said} {summary(answer, index)}")
