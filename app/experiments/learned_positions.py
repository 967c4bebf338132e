"""Learned positions: learned against sinusoidal positions, trained."""

from dataclasses import replace
from typing import TYPE_CHECKING

from app.captions.exercises import Exercise, by_findings
from app.experiment import Experiment, Figure
from app.figures.marks import Lines, Look, Scale
from app.schema.answers import KeptAnswer
from app.schema.questions import KeptSeeds

if TYPE_CHECKING:
    from model.answers.answer import Cut

LOOKS = {
    "sinusoidal": Look("sinusoidal", "position"),
    "learned": Look("learned", "embedding"),
}
STEPS = Scale("steps of training", kind="every", every=100)
LATER = 3  # the first points, whose losses are far above all others, are left out


class LearnedPositions(KeptSeeds):
    """The numbers of a question were trained beforehand and kept."""


class LearnedPositionsAnswer(KeptAnswer):
    pass


def beside_sinusoidal(losses: "Cut") -> "Cut":
    """The perplexity of each translator over that of the sinusoidal one of the same seed."""
    base = losses.at(member="sinusoidal").data.unsqueeze(list(losses.axes).index("member"))
    return replace(losses, data=(losses.data - base).exp())


EXPERIMENT = Experiment(
    question=LearnedPositions,
    answer=LearnedPositionsAnswer,
    sentence="Learned and sinusoidal positions in small translators trained side by side: the"
    " held-out loss along the training",
    example="seeds=3",
    figures={
        "loss": Figure(
            "How well each translates",
            Lines(
                "loss",
                x="trained",
                by="member",
                looks=LOOKS,
                hover="{name}<br>after %{x} steps<br><b>%{y:.3g}</b> nats a token",
                x_scale=STEPS,
                y=Scale("held-out loss, nats a token", parts=2),
            ),
            "Held-out loss of translators with sinusoidal and with learned positions.",
        ),
        "ratio": Figure(
            "Beside sinusoidal positions",
            Lines(
                "loss",
                x="trained",
                by="member",
                each=beside_sinusoidal,
                first=LATER,
                looks=LOOKS,
                hover="{name}, after %{x} steps<br><b>%{y:.3g}</b> times the perplexity",
                x_scale=STEPS,
                y=Scale("perplexity over that with sinusoidal positions", parts=20),
            ),
            "Perplexity with learned positions, over that with sinusoidal ones.",
        ),
    },
    claim="Learned positions translate about as well as sinusoidal ones",
    rests_on=("learned_over_sinusoidal",),
    look_for="On the left, the losses of two translators fall together. On the right, the"
    " perplexity with learned positions is divided by the one with sinusoidal positions. The law"
    " allows this line to end between 0.93 and 1.08. One head in place of eight costs the paper’s"
    " translator as much.",
    reading="At the end of the training the perplexity is {perplexity.learned:decimals} with"
    " learned positions and {perplexity.sinusoidal:decimals} with sinusoidal ones.",
    exercise=Exercise(
        "Two small translators learn from the same sentences. One adds a sinusoid to each word, and"
        " the other adds a vector that it has to learn for each position. Whose perplexity is lower"
        " in the end? Each is trained with up to {seeds:seed}.",
        (
            "That of the learned positions, by 10 % or more",
            "Neither by 10 %",
            "That of the sinusoidal positions, by 10 % or more",
        ),
        by_findings({"learned_over_sinusoidal": (0.9, 1.1)}),
        {"seeds=1": "one training", "seeds=2": "two trainings"},
    ),
)
