"""Learned positions: learned against sinusoidal positions, trained."""

from dataclasses import replace
from typing import TYPE_CHECKING

from app.captions.exercises import Exercise, by_findings
from app.captions.fields import counts, found
from app.captions.words import Words
from app.experiment import Experiment, in_words
from app.figures.marks import Lines, Look, Scale
from app.schema.answers import KeptAnswer
from app.schema.questions import KeptSeeds

if TYPE_CHECKING:
    from model.answers.answer import Cut

LINE_LOOKS = {
    "sinusoidal": Look("sinusoidal", "position"),
    "learned": Look("learned", "embedding"),
}
STEPS = Scale("training steps", kind="every", every=100)
LATER = 3  # the first points, whose losses are far above all others, are left out


class LearnedPositions(KeptSeeds):
    """The numbers of a question were trained beforehand and kept."""


class LearnedPositionsAnswer(KeptAnswer):
    pass


def beside_sinusoidal(losses: "Cut") -> "Cut":
    """The perplexity of each translator over that of the sinusoidal one of the same seed."""
    base = losses.at(member="sinusoidal").data.unsqueeze(list(losses.axes).index("member"))
    return replace(losses, data=(losses.data - base).exp())


WORDS = Words(
    "learned_positions",
    fields={
        **counts("seeds"),
        **found("decimals", "perplexity.learned", "perplexity.sinusoidal"),
    },
)
EXPERIMENT = Experiment(
    question=LearnedPositions,
    answer=LearnedPositionsAnswer,
    example="seeds=3",
    figures={
        "loss": in_words(
            Lines(
                "loss",
                x="trained",
                by="member",
                looks=LINE_LOOKS,
                hover="{name}<br>after %{x} steps<br><b>%{y:.3g}</b> nats per token",
                x_scale=STEPS,
                y=Scale("held-out loss", "nats per token", parts=2),
            )
        ),
        "ratio": in_words(
            Lines(
                "loss",
                x="trained",
                by="member",
                each=beside_sinusoidal,
                places=slice(LATER, None),
                looks=LINE_LOOKS,
                hover="{name}, after %{x} steps<br><b>%{y:.3g}</b> times the sinusoidal perplexity",
                x_scale=STEPS,
                y=Scale("perplexity / perplexity with sinusoidal positions", parts=20),
            )
        ),
    },
    words=WORDS,
    rests_on=("learned_over_sinusoidal",),
    exercise=Exercise(
        ("learned", "neither", "sinusoidal"),
        by_findings({"learned_over_sinusoidal": (0.9, 1.1)}),
        {"seeds=1": "once", "seeds=2": "twice"},
    ),
)
