"""Figures of /warmup: the loss of each network by step, and the learning rates that led there."""

import math
from collections.abc import Sequence

from app.figures import placements
from app.figures.axes import labels, values
from app.figures.drawing import Drawn, Question
from app.figures.grammar import AxisScale, Panel, at_end, end_of, figure, line, linear, of_seeds
from app.figures.plot import Plot, Trace
from model.answers.answer import Answer

WARMED = "_warmup"
DASHED, DOTTED = "7px,4px", "1px,5px"
MOST_TICKS = 6


def loss(answer: Answer, question: Question) -> Plot:
    """The mean loss of each network by step, a thin line for each seed, and the loss of a guess."""
    steps, arms = values(answer, "step"), labels(answer, "arm")
    by_seed = answer.tensors["loss"].data.numpy()
    means = answer.tensors["mean"].data.numpy()
    thin, thick = [], []
    for i, arm in enumerate(arms):
        name, role = arm_name(arm), role_of(arm)
        seeds = of_seeds(
            steps,
            by_seed[i],
            values(answer, "seed"),
            name,
            role,
            "step %{x}, loss <b>%{y:.3g}</b> nats",
        )
        thin += [marked(trace, of="loss", arm=i, seed=j) for j, trace in enumerate(seeds)]
        hover = f"{name}, step %{{x}}<br>loss <b>%{{y:.3g}}</b> nats, mean over the seeds"
        mean = line(steps, means[i], name, role, hover, dots=False, dash=dash_of(arm))
        thick.append(marked(mean, of="loss", arm=i))
    x = step_axis(steps, question)
    shown = range(1, int(x.range[1]) + 1)
    guess = line(
        shown,
        [answer.fields["guessing"]] * len(shown),
        "guessing",
        "ink-soft",
        "guessing<br>loss %{y:.3g} nats",
        dash=DOTTED,
        law=True,
        legend=False,
    )
    ends = [end_of(trace) for trace in thick]
    ends.append(at_end(x.range[1], answer.fields["guessing"], "guessing", "ink-soft"))
    y = linear("loss", [], "nats", low=0, high=math.ceil(2 * float(by_seed.max())) / 2, wanted=7)
    said = ", ".join(map(arm_name, arms))
    return figure(Panel(x, y, [*thin, *thick, guess], ends), description=f"Loss by step: {said}.")


def rate(answer: Answer, question: Question) -> Plot:
    """The learning rate by step, with warm-up and without."""
    steps, arms = values(answer, "step"), labels(answer, "arm")
    rates = answer.tensors["rate"].data.numpy()
    warmed = next(arm for arm in arms if arm.endswith(WARMED))
    other = next(arm for arm in arms if arm != warmed)
    traces = []
    for arm, name, role in (
        (other, "the others", "ink-soft"),
        (warmed, arm_name(warmed), role_of(warmed)),
    ):
        i = arms.index(arm)
        hover = f"{name}, step %{{x}}<br>learning rate <b>%{{y:.3g}}</b>"
        trace = line(steps, rates[i], name, role, hover, dots=False, dash=dash_of(arm))
        traces.append(marked(trace, of="rate", arm=i))
    ends = [end_of(trace) for trace in traces]
    y = linear("rate η", [], low=0, high=1.1 * float(rates.max()), wanted=7)
    return figure(
        Panel(step_axis(steps, question), y, traces, ends),
        description="Learning rate by step, with and without warm-up.",
    )


def arm_name(arm: str) -> str:
    """The placement of an arm; the one that is warmed up stands beside its own twin."""
    return "with warm-up" if arm.endswith(WARMED) else placements.NAMES[arm]


def role_of(arm: str) -> str:
    return placements.ROLES[arm.removesuffix(WARMED)]


def dash_of(arm: str) -> str:
    return DASHED if arm.endswith(WARMED) else ""


def marked(trace: Trace, **what: str | int) -> Trace:
    """The trace with what it shows, of which arm and seed, in its `meta`, by which the steps of a
    training that goes on are added to it.
    """
    trace["meta"] |= {**what}
    return trace


def step_axis(steps: Sequence[float], question: Question) -> AxisScale:
    """An axis of steps, as far as a training goes that is followed; marked at 1 and at round
    numbers.
    """
    last = max(int(steps[-1]), question.get("until") or 0)
    every = next((n for n in (10, 20, 50, 100) if last <= MOST_TICKS * n), 100)
    ticks = [1, *range(every, last + 1, every)]
    return AxisScale("step t", (1, last), ticks, [str(tick) for tick in ticks])


FIGURES = {
    "loss": Drawn("The loss of each network", loss, "mean"),
    "rate": Drawn("The learning rate", rate, "rate"),
}
