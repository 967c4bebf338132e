"""Amplification: how far a small change of the weights moves the output, by depth."""

import math
from typing import TYPE_CHECKING, Annotated

import numpy as np
from pydantic import Field

from app.experiments import Experiment, Figure
from app.figures import placements
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
from app.limits import Limit
from app.schema.bounds import at_most_long, up_to
from app.schema.controls import COSTLY, Control
from app.schema.questions import SEEDS, Channels, Clinic, Commas, Placed
from app.words import Question, axes
from app.words.text import decimals, number, power_of_ten

if TYPE_CHECKING:
    from model.answers.answer import Answer

NOISE = Limit(
    "noise",
    0.1,
    "standard deviations",
    "`/amplification` may disturb the weights by this much.",
    float,
)
DEPTHS = Limit("depths", 16, "depths", "`/amplification` may measure at this many depths.")
Depths = Annotated[
    list[Annotated[int, Field(ge=1), up_to("depth")]],
    Field(min_length=3),
    at_most_long(DEPTHS),
    Commas,
    COSTLY,
]


class Amplification(Placed, Clinic):
    depths: Depths = Field(
        [2, 4, 8, 16, 32, 64],
        description="The numbers of sub-layers after which the change is measured.",
    )
    noise: Annotated[
        float,
        Field(ge=1e-4),
        up_to(NOISE),
        Control({0.001: "0.1 %", 0.01: "1 %", 0.05: "5 %"}, "change of the weights"),
    ] = Field(
        0.01,
        description="How much the weights are changed, in standard deviations of each matrix.",
    )
    d_model: Annotated[Channels, COSTLY, Control((32, 64, 128), "d")] = Field(
        64, description="How many channels the residual stream has, a multiple of 4."
    )

    seeds: Annotated[int, Field(ge=1), up_to("seeds"), COSTLY, Control(SEEDS)] = Field(
        16,
        description="How many times the experiment is repeated with other draws. The numbers differ"
        " by factors from one draw of the weights to the next, so 16 is the default"
        " here.",
    )

    def work(self) -> float:
        """Fitted to measurements on one core of a two-core server; wrong by a factor of at most
        1.4.
        """
        n, d = max(self.depths), self.d_model
        more = 1.4 if self.placement in ("b2t", "branch", "none") else 1.0
        more *= 1.3 if self.stack == "decoder" else 1.0
        return 0.001 + self.seeds * n * more * (0.0013 + 1.2e-7 * d**2)


PANELS = {"change": "mean square change per channel", "constant": "C"}
MARGIN = 1.08  # of the span of the numbers, so that no point lies on the frame
DOTTED = "2px,4px"


def change(answer: "Answer", question: Question) -> Plot:
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


def constant(answer: "Answer", question: Question) -> Plot:
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
    answer: "Answer",
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
    names, said = axes.labels(answer, "placement"), f"{PANELS[tensor]} <b>%{{y:.3g}}</b>"
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


def of_equal_span(answer: "Answer", chosen: int) -> dict[str, AxisScale]:
    """The upright axes of both figures. Their ends have the same ratio, so that a span looks as
    large on one as on the other.
    """
    logs = {}
    for tensor in PANELS:
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
        axes[tensor] = AxisScale(PANELS[tensor], (low, high), ticks, names, type="log")
    return axes


def depths_of(answer: "Answer") -> np.ndarray:
    return np.array(axes.values(answer, "depth"))


def values_of(answer: "Answer", tensor: str) -> tuple[np.ndarray, np.ndarray]:
    """The means of a tensor, and the values of each seed."""
    return tuple(answer.tensors[name].data.numpy() for name in (tensor, f"{tensor}.by_seed"))


LOOK_FOR = (
    "Left, the same small change of the weights moves the output of a deep Post-LN stack farther"
    " than"
    " that of Pre-LN or Admin. Right, each line is divided by the sum of the shares that its"
    " sub-layers supply, its dependencies. Post-LN, Pre-LN and Admin then lie near one grey stripe,"
    " whose upper edge is twice its lower one."
)
DECODER = (
    "Left, the lines of a decoder lie closer together than those of an encoder. Right, each is"
    " divided by the sum of the shares that its sub-layers supply, its dependencies. If the"
    " quotient"
    " were one constant, all lines would lie in the grey stripe."
)


def look_for(answer: "Answer", question: Question) -> str:
    """What to look for in the figures."""
    return DECODER if question["stack"] == "decoder" else LOOK_FOR


def reading(answer: "Answer", question: Question) -> str:
    """How far the chosen placement is moved against Pre-LN, and what a sub-layer supplies to it:
    geometric means, as they are drawn.
    """
    names, depths = axes.labels(answer, "placement"), axes.labels(answer, "depth")
    change, share = (answer.tensors[name].data[:, -1].tolist() for name in ("change", "share"))
    chosen, pre = names.index(question["placement"]), names.index("pre")
    name = placements.NAMES[question["placement"]]
    supplied = (
        f"on average each sub-layer supplies {number(share[chosen])} of the variance of the stream"
        " when it has just been added"
    )
    if chosen == pre:
        return f"{name}, {depths[-1]} sub-layers: {supplied}."
    return (
        f"After {depths[-1]} sub-layers the mean square change of the output of {name} is"
        f" {decimals(change[chosen] / change[pre])} times that of Pre-LN; {supplied}."
    )


EXPERIMENT = Experiment(
    question=Amplification,
    sentence="How far a small change of all weights moves the output, by depth and placement of the"
    " norm",
    example="depths=2,8,32&seeds=4",
    figures={
        "change": Figure("How far the output moves", change, tensor="change"),
        "constant": Figure("Change over dependencies", constant, tensor="constant"),
    },
    claim="The output moves with the sum of the shares that the sub-layers supply",
    rests_on=("proportional", "sum_spread"),
    look_for=LOOK_FOR,
    look_for_of=look_for,
    reading=reading,
    titles={
        "constant_spread": "C, largest over smallest",
        "proportional": "Exponent of the change in the sum of dependencies",
        "sum_spread": "Sum of dependencies, largest over smallest",
        **{
            f"slope.{name}": f"Slope of the change, {said}"
            for name, said in placements.NAMES.items()
        },
        "post_over_pre": "Change, Post-LN over Pre-LN",
        **{f"share.{name}": f"Mean share, {said}" for name, said in placements.NAMES.items()},
    },
)
