"""Figures of /feed-forward: which neurons of one layer fire for a token, the contribution of each,
and their addition to the stream.
"""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from app.captions import Question
from app.captions.text import counted, decimals, label, shortened
from app.figures import theme
from app.figures.axis_scales import linear, named
from app.figures.marks import Cells, Of
from app.figures.plot import Panel, Plot, figure, scatter
from app.figures.traces import bars, beside, line

if TYPE_CHECKING:
    from model.answers.answer import Answer

FUNCTIONS = {
    "relu": "ReLU",
    "gelu": "GELU",
    "gelu_tanh": "GELU with a hyperbolic tangent",
    "silu": "SiLU",
}
LONGEST = 14  # maximum characters of a token in a cell or next to a row
TERMS = {
    "before": "before",
    "output": "feed-forward",
    "added": "+ feed-forward",
    "bottom": "+ the layer’s input",
    "sum": "= sum",
    "normed": "after the norm",
    "edited": "after the edit",
}


def numpy(answer: "Answer", name: str) -> np.ndarray:
    return answer.tensors[name].data.numpy()


def neurons(answer: "Answer") -> list[str]:
    """The indices of the neurons shown individually."""
    return [str(neuron["neuron"]) for neuron in answer.fields["top_neurons"]]


def fires(answer: "Answer", question: Question) -> Plot:
    """All neurons on the curve of the activation function; next to it, the contributions of the
    strongest by norm.
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
    for which, state, role in (
        (~above, "does not fire", "ink-soft"),
        (above, "fires", "feed-forward"),
    ):
        at = np.flatnonzero(which)
        traces.append(
            scatter(
                x=arguments[at],
                y=values[at],
                name=state,
                mode="markers",
                marker={"color": theme.colour(role), "size": 7, "opacity": 0.7},
                hovertemplate=(
                    "%{customdata}<br>input %{x:.3g}, output <b>%{y:.3g}</b><extra></extra>"
                ),
                customdata=[
                    f"neuron {i}: activation {posts[i]:.3g}, contribution of norm {sizes[i]:.3g}"
                    for i in at
                ],
                legendgroup=state,
                showlegend=True,
                meta={"role": role},
            )
        )
    argument = answer.tensors["argument"].formula.replace("_1", "₁")
    return Panel(
        linear(f"input {argument}", along, low=along[0], high=along[-1]),
        linear(f"output of {name}", np.concatenate([curve, values])),
        traces,
    )


def lengths(answer: "Answer") -> Panel:
    """The neurons with the largest contributions, in decreasing order."""
    top_neurons = answer.fields["top_neurons"]
    sizes = np.array([neuron["length"] for neuron in top_neurons])
    ends = linear("norm of contribution", sizes)
    level = replace(ends, range=(0.0, ends.range[1] * 1.25))  # room for the words
    notes = [beside(float(size), row, decimals(float(size))) for row, size in enumerate(sizes)]
    trace = bars(
        sizes,
        np.arange(len(top_neurons)),
        "norm of contribution",
        "feed-forward",
        "neuron %{customdata}<br>norm <b>%{x:.3g}</b>",
        orientation="h",
        customdata=[f"{entry['neuron']}, activation {entry['post']:.3g}" for entry in top_neurons],
    )
    return Panel(level, named("neuron", neurons(answer), down=True), [trace], notes)


def vectors(tensor: str, y: Of, rows: str, **more: Any) -> Cells:
    """Vectors as the rows of a map."""
    return Cells(
        tensor,
        x="channel",
        y=y,
        columns="channel",
        rows=rows,
        scale="signed",
        unit="value",
        hover="%{y}, channel %{x}<br><b>%{z:.3g}</b>",
        **more,
    )


def addends(answer: "Answer") -> dict[str, np.ndarray]:
    """The contributions of each neuron, the other neurons, and the bias, and their sum."""
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
"""The words that each neuron promotes most; if there are none, the vectors."""


def terms(answer: "Answer", _: Question) -> list[str]:
    """The names of the stream's rows."""
    added_term = {"added": "+ its norm"} if "output" in answer.fields["terms"] else {}
    return [(TERMS | added_term)[name] for name in answer.fields["terms"]]


STREAM = vectors("stream", terms, "stream")
"""The stream before, the addition, the sum, and the result after a norm."""


def at_tokens(answer: "Answer", _: Question) -> list[list[str]]:
    """How many neurons fire at each token, and how many of those firing at the selected one."""
    here, tokens = answer.fields["position"], answer.fields["tokens"]
    counts, shares = numpy(answer, "firing_by_token"), numpy(answer, "also_fires")
    texts = [
        f"{label(shortened(token, LONGEST))}, position {i};"
        f" {counted(counts[i], 'neuron fires', 'neurons fire')} here,"
        f" {shares[i] * counts[here]:.0f} of them also at position {here}"
        for i, token in enumerate(tokens)
    ]
    return [texts] * answer.axes["neuron"].size


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
