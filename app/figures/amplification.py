"""Figures of /amplification: how far a disturbance of the weights moves the output, and the same
divided by the sum of the dependencies.
"""

import math

import numpy as np

from app.figures import axes, placements
from app.figures.drawing import Drawn, Question
from app.figures.grammar import (
    AxisScale,
    Panel,
    at_values,
    end_of,
    figure,
    fill,
    line,
    of_seeds,
)
from app.figures.placement_lines import placement_lines
from app.figures.plot import Plot, Trace
from app.figures.text import power_of_ten
from model.answers.answer import Answer

TITLES = {"change": "mean square change per channel", "constant": "C"}
MARGIN = 1.08  # of the span of the numbers, so that no point lies on the frame
DOTTED = "2px,4px"


def change(answer: Answer, question: Question) -> Plot:
    """Mean square of the change of the output against depth, a line for each placement, and dotted
    the curve that the law gives it.
    """
    depths, fits = depths_of(answer), answer.tensors["fit"].data.numpy()
    laws = [
        line(
            depths,
            fit,
            f"{placements.NAMES[name]}, {'c N' if name == 'post' else 'a + b ln N'}",
            placements.ROLES[name],
            "law of %{fullData.name}<br>N = %{x}, <b>%{y:.3g}</b>",
            law=True,
            dash=DOTTED,
            legend=False,
        )
        for name, fit in zip(axes.labels(answer, "placement"), fits, strict=True)
        if np.isfinite(fit).all() and (fit > 0).all()
    ]
    return against_depth(answer, question, "change", "The output's mean square change", laws)


def constant(answer: Answer, question: Question) -> Plot:
    """The change divided by the sum of the dependencies, against depth. The stripe reaches from the
    smallest C of Post-LN, Pre-LN and Admin to twice that, which is what the law allows.
    """
    depths, (values, _) = depths_of(answer), values_of(answer, "constant")
    least = float(values[:3].min())
    wide = (depths[0] * 0.9, depths[-1] * 1.1)
    stripe = [fill("sunken", *wide, least, 2 * least)]
    what = "Change over the sum of dependencies, C, and the stripe from C to 2 C,"
    return against_depth(answer, question, "constant", what, [], stripe)


def against_depth(
    answer: Answer,
    question: Question,
    tensor: str,
    what: str,
    laws: list[Trace],
    stripe: list[dict] | None = None,
) -> Plot:
    """One line for each placement; the one that was asked for has dots, and thin lines for its
    seeds.
    """
    depths, (values, by_seed) = depths_of(answer), values_of(answer, tensor)
    names, said = axes.labels(answer, "placement"), f"{TITLES[tensor]} <b>%{{y:.3g}}</b>"
    chosen = names.index(question["placement"])
    lines = placement_lines(depths, values, names, question["placement"], f"N = %{{x}}<br>{said}")
    ends = [end_of(of, True, True) for of in lines]
    title, role = lines[chosen]["name"], lines[chosen]["meta"]["role"]
    seeds = axes.values(answer, "seed")
    thin = of_seeds(depths, by_seed[:, chosen], seeds, title, role, f"N = %{{x}}, {said}")
    panel = Panel(
        at_values("sub-layers N", [*map(int, depths)], log=True),
        of_equal_span(answer, chosen)[tensor],
        [*lines, *laws, *thin],
        ends,
        stripe or (),
    )
    shown = ", ".join(placements.NAMES[name] for name in names)
    return figure(panel, description=f"{what} against depth: {shown}.")


def of_equal_span(answer: Answer, chosen: int) -> dict[str, AxisScale]:
    """The upright axes of both figures. Their ends have the same ratio, so that a span looks as
    large on one as on the other.
    """
    logs = {}
    for tensor in TITLES:
        values, by_seed = values_of(answer, tensor)
        drawn = np.concatenate([values.ravel(), by_seed[:, chosen].ravel()])
        if tensor == "change":
            drawn = np.concatenate([drawn, answer.tensors["fit"].data.numpy().ravel()])
        logs[tensor] = np.log10(drawn[drawn > 0])
    half = MARGIN * max(float(np.ptp(values)) for values in logs.values()) / 2
    axes = {}
    for tensor, values in logs.items():
        middle = float(values.min() + values.max()) / 2
        low, high = middle - half, middle + half
        powers = range(math.ceil(low), math.floor(high) + 1)
        ticks, names = [10.0**power for power in powers], [power_of_ten(power) for power in powers]
        axes[tensor] = AxisScale(TITLES[tensor], (low, high), ticks, names, type="log")
    return axes


def depths_of(answer: Answer) -> np.ndarray:
    return np.array(axes.values(answer, "depth"))


def values_of(answer: Answer, tensor: str) -> tuple[np.ndarray, np.ndarray]:
    """The means of a tensor, and the values of each seed."""
    return tuple(answer.tensors[name].data.numpy() for name in (tensor, f"{tensor}.by_seed"))


FIGURES = {
    "change": Drawn("How far the output moves", change, "change"),
    "constant": Drawn("Change over dependencies", constant, "constant"),
}
