"""Figures of /learned-positions: the held-out loss along the training, and how far the perplexities
lie from the one with sinusoidal positions.
"""

import math

import numpy as np

from app.figures import axes
from app.figures.drawing import Drawn, Question
from app.figures.grammar import AxisScale, Panel, at_end, figure, line, linear
from app.figures.plot import Plot, changed
from app.figures.seeds import with_seeds
from model.answers.answer import Answer

ROLES = {"sinusoidal": "position", "learned": "embedding"}
EVERY = 100  # steps between two ticks
LATER = 3  # the first points, whose losses are far above all others, are left out


def loss(answer: Answer, question: Question) -> Plot:
    """The held-out loss of each translator; thin lines are the seeds."""
    steps = axes.values(answer, "trained")
    traces, ends = [], []
    for i, name in enumerate(axes.labels(answer, "member")):
        hover = "after %{x} steps<br><b>%{y:.3g}</b> nats a token"
        drawn = with_seeds(answer, "loss", steps, name, ROLES[name], hover, (i,), legend=False)
        traces += drawn
        ends.append(at_end(steps[-1], float(drawn[-1]["y"][-1]), name, ROLES[name]))
    every = answer.tensors["loss.by_seed"].data.numpy()
    y = linear(
        "held-out loss, nats a token",
        [],
        low=math.floor(2 * every.min()) / 2,
        high=math.ceil(2 * every.max()) / 2,
    )
    said = "Held-out loss of translators with sinusoidal and with learned positions."
    return figure(Panel(after_steps(steps), y, traces, ends), description=said)


def ratio(answer: Answer, question: Question) -> Plot:
    """The perplexity of each translator over that of the sinusoidal one of the same seed."""
    steps = axes.values(answer, "trained")[LATER:]
    names = axes.labels(answer, "member")
    base = answer.tensors["loss.by_seed"].data.numpy()[:, names.index("sinusoidal"), LATER:]
    traces, ends, shown = [], [], [np.ones(1)]
    for i, name in enumerate(names):
        losses = answer.tensors["loss.by_seed"].data.numpy()[:, i, LATER:]
        each = np.exp(losses - base)
        mean = np.exp((losses - base).mean(0))
        hover = f"{name}, after %{{x}} steps<br><b>%{{y:.3g}}</b> times the perplexity"
        for seed, row in enumerate(each):
            said = f"{name}, seed {seed}"
            thin = line(steps, row, said, ROLES[name], hover, False, legend=False)
            traces.append(changed(thin, line={"width": 1}, opacity=0.25))
        traces.append(line(steps, mean, name, ROLES[name], hover, legend=False))
        ends.append(at_end(steps[-1], float(mean[-1]), name, ROLES[name]))
        shown.append(each.ravel())
    every = np.concatenate(shown)
    low, high = math.floor(20 * every.min()) / 20, math.ceil(20 * every.max()) / 20
    y = linear("perplexity over that with sinusoidal positions", [], low=low, high=high)
    said = "Perplexity with learned positions, over that with sinusoidal ones."
    return figure(Panel(after_steps(steps), y, traces, ends), description=said)


def after_steps(steps: list[float]) -> AxisScale:
    ticks = [step for step in steps if step % EVERY == 0]
    margin = 0.03 * (steps[-1] - steps[0])
    ends = (steps[0] - margin, steps[-1] + margin)
    return AxisScale("steps of training", ends, ticks, [f"{step:g}" for step in ticks])


FIGURES = {
    "loss": Drawn("How well each translates", loss, "loss"),
    "ratio": Drawn("Beside sinusoidal positions", ratio, "loss"),
}
