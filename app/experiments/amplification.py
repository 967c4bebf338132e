"""Amplification: how far a small change of the weights moves the output, by depth."""

from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
from pydantic import Field, model_validator

from app.captions import Question, axes, fields
from app.captions.exercises import Exercise, by_findings
from app.captions.fields import Condition, named, setting
from app.captions.words import Words
from app.experiment import Experiment, Figure, in_words
from app.figures import placements
from app.figures.marks import Lines, Rule, Scale
from app.limits import Limit
from app.schema.bounds import at_most_long, up_to
from app.schema.controls import COSTLY, Control
from app.schema.questions import Channels, Clinic, Commas, Placed, stored_or_seeds
from model.measure.recorded_amplification import (
    RECORDED_SEEDS,
    USUAL_DEPTHS,
    is_recorded,
)
from model.words import text

if TYPE_CHECKING:
    from torch import Tensor

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


MAX_SEEDS = Limit(
    "amplification_seeds",
    RECORDED_SEEDS,
    "seeds",
    "`/amplification` may take this many seeds; as many are recorded.",
)
SEEDS = 16  # of an experiment that is not stored


class Amplification(Placed, Clinic):
    compared: ClassVar = ("post", "pre", "admin")

    depths: Depths = Field(list(USUAL_DEPTHS))
    noise: Annotated[
        float,
        Field(ge=1e-4),
        up_to(NOISE),
        Control({0.001: "0.1%", 0.01: "1%", 0.05: "5%"}, "change in weights"),
    ] = 0.01
    d_model: Annotated[Channels, COSTLY, Control((32, 64, 128), "width d")] = 64

    seeds: Annotated[
        int, Field(ge=1), up_to(MAX_SEEDS), COSTLY, stored_or_seeds(RECORDED_SEEDS, SEEDS)
    ] = Field(
        SEEDS,
        description=text(
            "amplification",
            "Amplification.seeds",
            {"recorded": RECORDED_SEEDS, "usual": SEEDS},
            "en",
        ),
    )

    @model_validator(mode="after")
    def with_seeds(self) -> "Amplification":
        """Where nobody says how many seeds, all are read that are recorded."""
        if self.recorded and "seeds" not in self.model_fields_set:
            object.__setattr__(self, "seeds", RECORDED_SEEDS)
        return self

    @property
    def recorded(self) -> bool:
        """Whether the trials are read and not made."""
        return is_recorded(
            max(self.depths),
            noise=self.noise,
            d_model=self.d_model,
            stack=self.stack,
            seed=self.seed,
        )

    def sizes(self) -> dict[str, float]:
        if self.recorded:
            return {"recorded_seeds": self.seeds}  # most of it for the intervals
        read = self.MEMORY_SUBLAYERS / 2 if self.stack == "decoder" else 0  # it is not disturbed
        sublayers = self.seeds * self.n_placements * (max(self.depths) + read)
        products = sublayers * self.d_model**2
        return {"seeds": self.seeds, "sublayers": sublayers, "products": products}


TITLES = {
    "change": "mean squared change per channel",
    "constant": "C (change / sum of contributions)",
}
MARGIN = 1.08  # of the span of the numbers, so that no point lies on the frame


def law(placement: str) -> Rule:
    """The curve that the law gives a placement; none where nothing was changed."""

    def fitted(answer: "Answer", question: Question) -> "Tensor | None":
        if placement not in axes.labels(answer, "placement"):
            return None
        fit = answer.cut("fit", placement=placement).data
        return fit if (fit > 0).all() else None

    return Rule(
        f"{placements.NAMES[placement]}, {'c N' if placement == 'post' else 'a + b ln N'}",
        fitted,
        "theory, %{fullData.name}<br>N = %{x}, <b>%{y:.3g}</b>",
        placements.ROLES[placement],
        "2px,4px",
        law=True,
        last=True,
        named=False,
    )


def allowed(answer: "Answer", question: Question) -> list[tuple[float, float, float, float]]:
    """The expected band: from the smallest C of the three placements to twice it."""
    first, *_, last = axes.values(answer, "depth")
    least = answer.cut("constant").data[:3].min().item()
    return [(0.9 * first, 1.1 * last, least, 2 * least)]


def against_depth(tensor: str, **more: Any) -> Figure:
    """A line for each placement; the chosen one has dots, and thin lines for its seeds."""

    def span(answer: "Answer", question: Question) -> Scale:
        low, high = of_equal_span(answer, question)[tensor]
        return Scale(TITLES[tensor], kind="log", low=low, high=high)

    mark = Lines(
        tensor,
        x="depth",
        by="placement",
        looks=placements.look_of,
        seeds="above",
        names="both",
        hover=f"{{name}}, N = %{{x}}<br>{TITLES[tensor]} <b>%{{y:.3g}}</b>",
        x_scale=Scale("number of sub-layers N", kind="measured"),
        y=span,
        **more,
    )
    return in_words(mark)


def of_equal_span(answer: "Answer", question: Question) -> dict[str, tuple[float, float]]:
    """The ends of the upright axes of both figures, in powers of ten. They have the same ratio, so
    that a span looks as large on one as on the other.
    """
    logs = {}
    for tensor in TITLES:
        seeds = answer.cut(f"{tensor}.by_seed", placement=question["placement"])
        tensors = [answer.cut(tensor).data, seeds.data]
        if tensor == "change":
            tensors.append(answer.cut("fit").data)
        values = np.concatenate([tensor.numpy().ravel() for tensor in tensors])
        logs[tensor] = np.log10(values[values > 0])
    half = MARGIN * max(float(np.ptp(values)) for values in logs.values()) / 2
    middles = {name: float(values.min() + values.max()) / 2 for name, values in logs.items()}
    return {name: (middle - half, middle + half) for name, middle in middles.items()}


def moved(answer: "Answer", question: Question) -> str:
    """Whether Post-LN is moved farther than Pre-LN and Admin both, where the lines end."""
    post, *others = answer.tensors["change"].data[:3, -1].tolist()
    return "farther" if post > max(others) else "nearer"


def stripe(answer: "Answer", question: Question) -> str:
    """Whether the lines of Post-LN, Pre-LN and Admin lie in the stripe."""
    constants = answer.tensors["constant"].data[:3]
    return "inside" if constants.max() <= 2 * constants.min() else "outside"


def at_the_end(answer: "Answer", tensor: str, placement: str) -> float:
    """The number of a placement where its line ends."""
    at = axes.labels(answer, "placement").index(placement)
    return answer.tensors[tensor].data[at, -1].item()


def over_pre(answer: "Answer", question: Question) -> float:
    """How far the chosen placement is moved against Pre-LN: geometric means, as they are drawn."""
    chosen = at_the_end(answer, "change", question["placement"])
    return chosen / at_the_end(answer, "change", "pre")


WORDS = Words(
    "amplification",
    fields={
        **setting("name", "stack"),
        **setting("whole", "d_model"),
        "noise_percent": fields.Field(
            lambda _, question: 100 * question["noise"], "decimal", measured=False
        ),
        "depth_asked": fields.Field(
            lambda _, question: max(question["depths"]), "whole", measured=False
        ),
        **named("placement", placements.NAMES),
        "placements": fields.Field(
            lambda answer, _: placements.listed(answer), "names", measured=False
        ),
        "deepest": fields.Field(
            lambda answer, _: axes.labels(answer, "depth")[-1], "text", measured=False
        ),
        "over_pre": fields.Field(over_pre, "decimals"),
        "share": fields.Field(
            lambda answer, question: at_the_end(answer, "share", question["placement"]), "fraction"
        ),
    },
    conditions={
        "moved": Condition(moved, ("farther", "nearer")),
        "stripe": Condition(stripe, ("inside", "outside")),
        "compared": Condition(
            lambda _, question: "alone" if question["placement"] == "pre" else "with_pre",
            ("alone", "with_pre"),
        ),
    },
)
EXPERIMENT = Experiment(
    question=Amplification,
    example="depths=2,8,32&seeds=4",
    figures={
        "change": against_depth("change", rules=[law(name) for name in placements.NAMES]),
        "constant": against_depth("constant", shaded=allowed),
    },
    words=WORDS,
    opening={"moved": "farther", "stripe": "inside"},
    rests_on=("proportional", "sum_spread"),
    exercise=Exercise(
        ("pre", "neither", "post"),
        by_findings({"post_over_pre": (0.5, 2)}),
        {"stack=decoder": "stack", "noise=0.05": "noise"},
    ),
)
