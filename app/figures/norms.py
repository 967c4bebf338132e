"""Figures of /norms: how long the stream's vectors become with depth, and beside it what the
shortcuts alone let through, the Jacobian of one norm, and what leaks into a token.
"""

import numpy as np

from app.figures import axes, placements
from app.figures.drawing import Drawn, Question
from app.figures.grammar import (
    Panel,
    at_values,
    end_of,
    figure,
    heat_map,
    line,
    linear,
    logarithmic,
    named,
    of_seeds,
    rounded,
)
from app.figures.plot import Plot
from app.figures.text import number
from model.answers.answer import Answer

AVERAGES = {"layer": "LayerNorm", "batch": "BatchNorm", "instance": "InstanceNorm"}
DOTTED = "2px,4px"
SUBLAYERS = {"encoder": 2, "decoder": 3}


def stream(answer: Answer, question: Question) -> Plot:
    """The length of a token's vector by depth, a line for each placement; for Pre-LN with plain
    shortcuts, of which Lemma 2 speaks, its bounds too. A stack without a norm grows by decades and
    is drawn only where it was asked for.
    """
    depths = depths_of(answer)
    chosen = question["placement"]
    lengths = dict(
        zip(
            axes.labels(answer, "placement"), answer.tensors["stream.all"].data.numpy(), strict=True
        )
    )
    if chosen != "none":
        del lengths["none"]
    traces = [
        line(
            depths,
            row,
            placements.NAMES[name],
            placements.ROLES[name],
            f"{placements.NAMES[name]}, after sub-layer %{{x}}<br>length <b>%{{y:.3g}}</b>",
            dots=name == chosen,
            dash=placements.dash(name),
        )
        for name, row in lengths.items()
    ]
    of_lemma = chosen == "pre" and question["shortcut"] == 1
    bounds = answer.tensors["lemma"].data.numpy() if of_lemma else np.empty((0, 0))
    size = SUBLAYERS[question["stack"]]
    layers = depths[size - 1 :: size]  # where a layer ends
    traces += [
        line(
            layers,
            bound[: len(layers)],
            f"{name} bound",
            "ink-soft",
            f"{name} bound of Lemma 2, after sub-layer %{{x}}<br>length %{{y:.3g}}",
            law=True,
            dash=DOTTED,
            legend=False,
        )
        for name, bound in zip(axes.labels(answer, "bound"), bounds, strict=False)
    ]
    y = rounded("length |x|", np.concatenate([trace["y"] for trace in traces]))
    ends = [end_of(trace, True, True) for trace in traces]
    traces += of_seeds(
        depths,
        answer.tensors["stream.by_seed"].data.numpy(),
        axes.values(answer, "seed"),
        placements.NAMES[chosen],
        placements.ROLES[chosen],
        "after sub-layer %{x}, length <b>%{y:.3g}</b>",
    )
    said = ", ".join(placements.NAMES[name] for name in lengths)
    lemma = ", with the bounds of Lemma 2" if len(bounds) else ""
    return figure(
        Panel(at_values("sub-layer n", powers_of_two(depths), log=True), y, traces, ends),
        description=f"Length of a token's vector by depth: {said}{lemma}.",
    )


def powers_of_two(depths: np.ndarray) -> list[int]:
    """The places that are marked on an axis of depths: powers of two, and the last depth."""
    last = int(depths[-1])
    powers = [2**i for i in range(last.bit_length())]
    return [power for power in powers if power < 0.8 * last or power == 1 or power == last] + (
        [last] if last not in powers else []
    )


def path(answer: Answer, question: Question) -> Plot:
    """What the shortcuts alone leave of a vector's length, a line for each scale."""
    depths, shares = depths_of(answer), answer.tensors["path"].data.numpy()
    scales = axes.labels(answer, "scale")
    values = axes.values(answer, "scale")
    traces = []
    for i, (value, scale, row) in enumerate(zip(values, scales, shares, strict=True)):
        chosen = value == question["shortcut"]
        hover = f"λ = {scale}, after %{{x}} shortcuts<br><b>%{{y:.3g}}</b> of the input's length"
        role = "stream" if chosen else f"head:{i}"
        traces.append(line(depths, row, f"λ = {scale}", role, hover, dots=chosen))
    ends = [end_of(trace, log_y=True) for trace in traces]
    panel = Panel(
        linear("sub-layer n", depths, low=0.5, high=depths[-1] + 0.5),
        logarithmic("share of the length that is left", shares.ravel()),
        traces,
        ends,
    )
    said = ", ".join(scales)
    return figure(
        panel, description=f"Length after n shortcuts, as a share of the input's: λ = {said}."
    )


def singular(answer: Answer, question: Question) -> Plot:
    """The singular values of the norm's Jacobian, times σ, in descending order."""
    values = answer.tensors["singular"].data.numpy()
    directions = np.arange(1, len(values) + 1)
    hover = "number %{x}<br>singular value × σ = <b>%{y:.3g}</b>"
    panel = Panel(
        linear("singular value, from the largest", directions, low=0.5, high=len(values) + 0.5),
        linear("singular value of dy/dx, times σ", [], low=-0.02, high=1.1),
        [line(directions, values, "singular value × σ", "stream", hover, legend=False)],
    )
    ones = int((values > 0.5).sum())
    said = f"Singular values of the norm's Jacobian times σ: {ones} are near 1, the others near 0."
    return figure(panel, description=said)


def leak(answer: Answer, question: Question) -> Plot:
    """How much a token changes when what stands elsewhere is drawn anew, a row for each norm."""
    norms = [AVERAGES[name] for name in axes.labels(answer, "averages")]
    sources = axes.labels(answer, "source")
    values = answer.tensors["leak"].data.numpy()
    trace = heat_map(
        values,
        "%{y}, %{x} drawn anew<br>moves a token by <b>%{z:.3g}</b> at most",
        unit="change",
        text=[[number(value) for value in row] for row in values],
    )
    panel = Panel(
        named("drawn anew", sources, above=True), named("norm", norms, down=True), [trace]
    )
    return figure(panel, description="How much a token changes when what stands elsewhere does.")


def depths_of(answer: Answer) -> np.ndarray:
    return np.array(axes.values(answer, "sublayer"))


FIGURES = {
    "stream": Drawn("How long a token’s vector is", stream, "stream.all"),
    "path": Drawn("What the shortcuts alone let through", path, "path"),
    "singular": Drawn("The Jacobian of one norm", singular, "singular"),
    "leak": Drawn("What leaks into a token", leak, "leak"),
}
