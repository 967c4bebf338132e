"""Fine-tuning: pre-training, and then fine-tuning."""

from typing import TYPE_CHECKING

from pydantic import Field

from app.captions import Question
from app.captions.exercises import Exercise, by_findings
from app.captions.text import counted, grouped, percent
from app.experiment import Experiment, Figure
from app.figures.marks import Lines, Look, Rule, Scale
from app.schema.answers import KeptAnswer
from app.schema.questions import KeptSeeds

if TYPE_CHECKING:
    from model.answers.answer import Answer

LOOKS = {
    "frozen": Look("frozen", "key"),
    "tuned": Look("tuned", "value"),
    "scratch": Look("scratch", "ink-soft"),
}
LABELLED = Scale("labelled sentences", kind="doubled")


class FineTuning(KeptSeeds):
    """The numbers of a question were trained beforehand and kept."""


class FineTuningAnswer(KeptAnswer):
    chance: float = Field(description="The accuracy of a coin.")


def reading(answer: "Answer", question: Question) -> str:
    """How often each is right with the most labels."""
    accuracy = answer.cut("accuracy")
    most = accuracy.numbers("labelled")[-1]
    right = accuracy.at(labelled=most)
    tuned, scratch = (percent(right.at(member=name).data.item()) for name in ("tuned", "scratch"))
    return (
        f"With {grouped(int(most))} labels the tuned encoder judges {tuned} of the sentences"
        f" rightly, and the one from scratch {scratch}."
    )


def asks(question: Question) -> str:
    """The exercise: which of three encoders learns the task."""
    return (
        "An encoder has learned to fill blanks. Its new task has 2,048 labelled sentences: in half"
        " of them two neighbouring words have changed places. One copy is frozen below a linear"
        " map, one copy is tuned, and one encoder begins from scratch. Which of them is right at"
        " least 25 percentage points more often than a coin? Each"
        f" is trained with up to {counted(question['seeds'], 'seed')}."
    )


LEARNED = {(1, 1, 1): 0, (0, 1, 0): 1, (0, 0, 1): 2, (0, 0, 0): 3}
"""The choice by which of the frozen, the tuned and the untrained encoder learn the task."""


EXPERIMENT = Experiment(
    question=FineTuning,
    answer=FineTuningAnswer,
    sentence="A pre-trained encoder that learns another task from few labels, frozen or"
    " fine-tuned, beside an encoder that learns from scratch",
    example="seeds=3",
    figures={
        "accuracy": Figure(
            "How often each is right",
            Lines(
                "accuracy",
                x="labelled",
                by="member",
                looks=LOOKS,
                rules=[
                    Rule(
                        "a coin",
                        "chance",
                        "a coin is right for <b>%{y:.3g}</b> of the sentences",
                        dash="2px,3px",
                    )
                ],
                hover="{name}<br>%{customdata} labels<br>"
                "<b>%{y:.3g}</b> of the sentences judged right",
                x_scale=LABELLED,
                y=Scale("share of held-out sentences judged right", parts=10),
            ),
            "Accuracy of a frozen, a tuned and a fresh encoder by the number of labelled"
            " sentences.",
        ),
        "gain": Figure(
            "What pre-training adds",
            Lines(
                "gain",
                x="labelled",
                looks={"": Look("tuned less scratch", "value", end="difference")},
                hover="<b>%{y:.3g}</b> of the sentences more, thanks to pre-training",
                x_scale=LABELLED,
                y=Scale("accuracy, tuned less scratch"),
            ),
            "What pre-training adds to the accuracy, by the number of labelled sentences.",
        ),
    },
    claim="A pre-trained encoder learns from labels too few for an untrained one",
    rests_on=("tuned.over_scratch",),
    look_for="On the left, all three lines begin near the dotted line, where a coin would be. With"
    " more labels the tuned encoder improves most, the frozen one a little, and the one from"
    " scratch stays near the coin. On the right is the tuned encoder less the one from scratch.",
    reading=reading,
    exercise=Exercise(
        asks,
        ("All three", "Only the tuned one", "Only the one from scratch", "None"),
        by_findings(
            {f"{one}.over_chance": (0.25,) for one in ("frozen", "tuned", "scratch")}, LEARNED.get
        ),
        {"seeds=1": "one training", "seeds=2": "two trainings"},
    ),
)
