"""Figures of /feed-forward: which neurons of one layer fire for a token, what each of them writes,
and what is added to the stream.
"""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from app.captions import Question
from app.captions.text import counted, decimals, label, shortened
from app.figures import theme
from app.figures.annotations import beside
from app.figures.axis_scales import linear, named
from app.figures.marks import Cells, Of
from app.figures.panels import Panel, figure
from app.figures.plot import Plot, scatter
from app.figures.traces import bars, line

if TYPE_CHECKING:
    from model.answers.answer import Answer

FUNCTIONS = {
    "relu": "ReLU",
    "gelu": "GELU",
    "gelu_tanh": "GELU with a hyperbolic tangent",
    "silu": "SiLU",
}
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
    name = FUNCTIONS[fields["activation"]]
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


def vectors(tensor: str, y: Of, rows: str, **more: Any) -> Cells:
    """Vectors as rows of a map."""
    return Cells(
        tensor,
        x="channel",
        y=y,
        columns="channel",
        rows=rows,
        scale="signed",
        unit="number written",
        hover="%{y}, channel %{x}<br><b>%{z:.3g}</b>",
        **more,
    )


def addends(answer: "Answer") -> dict[str, np.ndarray]:
    """What each neuron writes, the other neurons, the bias, and their sum."""
    rows = dict(zip(neurons(answer), numpy(answer, "written"), strict=True))
    others = answer.fields["neurons"] - len(rows)
    if others:
        rows[f"+ {others} others"] = numpy(answer, "rest")
    if numpy(answer, "bias").any():
        rows["+ bias"] = numpy(answer, "bias")
    if "edit" in answer.tensors:
        rows["+ edit"] = numpy(answer, "edit")
    return rows | {"= output": numpy(answer, "out")}


WRITES = vectors(
    "written",
    lambda answer, _: list(addends(answer)),
    "neuron",
    numbers=lambda answer, _: np.stack(list(addends(answer).values())),
    chosen_row=lambda answer, _: len(addends(answer)) - 1,
)
WORDS = Cells(
    "raised",
    x="rank",
    y="neuron",
    first=1,
    columns="rank among all words",
    rows="neuron",
    unit="added to the logit",
    words="raised_words",
    text=decimals,
    longest=LONGEST,
    otherwise=WRITES,
    hover="neuron %{y} raises %{customdata}<br><b>%{z:.3g}</b> {unit}",
)
"""The words that each neuron raises most; where none are read, the vectors."""


def terms(answer: "Answer", _: Question) -> list[str]:
    """What the rows of the stream are called."""
    own = {"added": "+ its norm"} if "output" in answer.fields["terms"] else {}
    return [(TERMS | own)[name] for name in answer.fields["terms"]]


STREAM = vectors("stream", terms, "stream")
"""The stream before, what is added, the sum, and what a norm makes of it."""


def at_tokens(answer: "Answer", _: Question) -> list[list[str]]:
    """How many neurons fire at each token, and how many of them at the chosen one."""
    here, tokens = answer.fields["position"], answer.fields["tokens"]
    counts, shares = numpy(answer, "firing_by_token"), numpy(answer, "also_fires")
    said = [
        f"{label(shortened(token, LONGEST))}, position {i};"
        f" {counted(counts[i], 'neuron fires', 'neurons fire')} here,"
        f" of which {shares[i] * counts[here]:.0f} fire at position {here} too"
        for i, token in enumerate(tokens)
    ]
    return [said] * answer.axes["neuron"].size


TOKENS = Cells(
    "post_by_token",
    x="tokens",
    y="neuron",
    columns="token",
    rows="neuron",
    scale="signed",
    unit="activation",
    longest=LONGEST,
    says=at_tokens,
    chosen_column="position",
    hover="neuron %{y} at %{customdata}<br>activation <b>%{z:.3g}</b>",
)
"""The activations of the same neurons at every token."""
