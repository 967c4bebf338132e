"""Figures of /feed-forward: which neurons of one layer fire for a token, what each of them writes,
and what is added to the stream.
"""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from app.captions import Question
from app.captions.feed_forward import FUNCTIONS
from app.captions.text import counted, decimals, label, shortened
from app.figures import theme
from app.figures.annotations import beside, outline
from app.figures.axis_scales import linear, named
from app.figures.panels import Panel, figure
from app.figures.plot import Plot, scatter, with_meta
from app.figures.traces import bars, heat_map, line

if TYPE_CHECKING:
    from model.answers.answer import Answer

LONGEST = 14  # letters of a token in a cell or beside a row
TERMS = {
    "before": "before",
    "output": "feed-forward",
    "added": "+ feed-forward",
    "bottom": "+ the block’s input",
    "sum": "= sum",
    "normed": "after the norm",
    "edited": "after the edit",
}


def numpy(answer: "Answer", name: str) -> np.ndarray:
    return answer.tensors[name].data.numpy()


def neurons(answer: "Answer") -> list[str]:
    """The numbers of the neurons that are told one by one."""
    return [str(one["neuron"]) for one in answer.fields["top_neurons"]]


def fires(answer: "Answer", question: Question) -> Plot:
    """All neurons on the curve of the activation function; beside it, how much the strongest
    write.
    """
    panels = [on_the_curve(answer), lengths(answer)]
    return figure(*panels, across=True)


def on_the_curve(answer: "Answer") -> Panel:
    fields = answer.fields
    arguments, values = numpy(answer, "argument"), numpy(answer, "activated")
    posts, sizes = numpy(answer, "post"), numpy(answer, "length")
    along, curve = answer.axes["point"].values or [], numpy(answer, "curve")
    name = FUNCTIONS[fields["activation"]].split(",")[0]
    traces: list[Any] = [
        line(along, curve, name, "rule-strong", f"{name} of %{{x:.3g}} is %{{y:.3g}}", dots=False)
    ]
    above = arguments > 0
    for which, said, role in (
        (~above, "does not fire", "ink-soft"),
        (above, "fires", "feed-forward"),
    ):
        at = np.flatnonzero(which)
        traces.append(
            scatter(
                x=arguments[at],
                y=values[at],
                name=said,
                mode="markers",
                marker={"color": theme.colour(role), "size": 7, "opacity": 0.7},
                hovertemplate=(
                    "%{customdata}<br>argument %{x:.3g}, value <b>%{y:.3g}</b><extra></extra>"
                ),
                customdata=[
                    f"neuron {i}: activation {posts[i]:.3g}, writes a vector of length"
                    f" {sizes[i]:.3g}"
                    for i in at
                ],
                legendgroup=said,
                showlegend=True,
                meta={"role": role},
            )
        )
    argument = answer.tensors["argument"].formula.replace("_1", "₁")
    return Panel(
        linear(f"argument {argument}", along, low=along[0], high=along[-1]),
        linear(f"value of {name}", np.concatenate([curve, values])),
        traces,
    )


def lengths(answer: "Answer") -> Panel:
    """The neurons that write the longest vectors, the longest on top."""
    told = answer.fields["top_neurons"]
    sizes = np.array([one["length"] for one in told])
    ends = linear("length written", sizes)
    level = replace(ends, range=(0.0, ends.range[1] * 1.25))  # room for the words
    notes = [beside(float(size), row, decimals(float(size))) for row, size in enumerate(sizes)]
    trace = bars(
        sizes,
        np.arange(len(told)),
        "length of what the neuron writes",
        "feed-forward",
        "neuron %{customdata}<br>length <b>%{x:.3g}</b>",
        orientation="h",
        customdata=[f"{one['neuron']}, activation {one['post']:.3g}" for one in told],
    )
    return Panel(level, named("neuron", neurons(answer), down=True), [trace], notes)


def vectors(rows: list[str], values: np.ndarray, title: str, marked: int | None = None) -> Panel:
    """Vectors as rows of a map; the row `marked` has a frame."""
    width = values.shape[1]
    trace = heat_map(
        values, "%{y}, channel %{x}<br><b>%{z:.3g}</b>", "signed", unit="number written"
    )
    level = linear("channel", [0, width - 1], low=-0.5, high=width - 0.5)
    ticks = [tick for tick in level.ticks if tick >= 0]
    level = replace(level, ticks=ticks, names=[f"{tick:g}" for tick in ticks])
    frame = (
        [] if marked is None else [outline("ink", -0.5, width - 0.5, marked - 0.5, marked + 0.5, 2)]
    )
    return Panel(level, named(title, rows, down=True), [trace], shapes=frame)


def writes(answer: "Answer", question: Question) -> Plot:
    """What each neuron writes, the other neurons, the bias, and their sum."""
    rows = [
        (name, row) for name, row in zip(neurons(answer), numpy(answer, "written"), strict=True)
    ]
    others = answer.fields["neurons"] - len(rows)
    if others:
        rows.append((f"+ {others} others", numpy(answer, "rest")))
    if numpy(answer, "bias").any():
        rows.append(("+ bias", numpy(answer, "bias")))
    if "edit" in answer.tensors:
        rows.append(("+ edit", numpy(answer, "edit")))
    rows.append(("= output", numpy(answer, "out")))
    names, values = [name for name, _ in rows], np.stack([row for _, row in rows])
    panel = vectors(names, values, "neuron", len(rows) - 1)
    return figure(panel)


def raised(answer: "Answer", question: Question) -> Plot:
    """The words that each neuron raises most; where none are read, the vectors."""
    told = answer.fields["raised_words"]
    if told is None:
        return with_meta(writes(answer, question), title="What each neuron writes")
    numbers = numpy(answer, "raised")
    trace = heat_map(
        numbers,
        "neuron %{y} raises %{customdata}<br><b>%{z:.3g}</b> added to its logit",
        ends=(min(0.0, float(numbers.min())), max(float(numbers.max()), 1e-12)),
        unit="added to the logit",
        customdata=[[label(word) for word in row] for row in told],
        text=[
            [
                f"{label(shortened(word, LONGEST))}<br>{decimals(float(z))}"
                for word, z in zip(*both, strict=True)
            ]
            for both in zip(told, numbers, strict=True)
        ],
    )
    trace["meta"] |= {"worded": True}
    ranks = named("rank among all words", [str(i + 1) for i in range(numbers.shape[1])], side="top")
    panel = Panel(ranks, named("neuron", neurons(answer), down=True), [trace])
    return figure(panel)


def stream(answer: "Answer", question: Question) -> Plot:
    """The stream before, what is added, the sum, and what a norm makes of it."""
    names = dict(TERMS)
    if "output" in answer.fields["terms"]:
        names["added"] = "+ its norm"
    rows = [names[name] for name in answer.fields["terms"]]
    panel = vectors(rows, numpy(answer, "stream"), "stream")
    return figure(panel)


def tokens(answer: "Answer", question: Question) -> Plot:
    """The activations of the same neurons at every token; the chosen token has a frame."""
    values, here = numpy(answer, "post_by_token"), answer.fields["position"]
    names = [shortened(token, LONGEST) for token in answer.fields["tokens"]]
    counts, shares = numpy(answer, "firing_by_token"), numpy(answer, "also_fires")
    said = [
        f"{label(name)}, position {i}; {counted(counts[i], 'neuron fires', 'neurons fire')} here,"
        f" of which {shares[i] * counts[here]:.0f} fire at position {here} too"
        for i, name in enumerate(names)
    ]
    trace = heat_map(
        values,
        "neuron %{y} at %{customdata}<br>activation <b>%{z:.3g}</b>",
        "signed",
        unit="activation",
        customdata=[said] * len(values),
    )
    rows = len(values)
    panel = Panel(
        named("token", names, side="top"),
        named("neuron", neurons(answer), down=True),
        [trace],
        shapes=[outline("ink", here - 0.5, here + 0.5, -0.5, rows - 0.5, 2)],
    )
    return figure(panel)
