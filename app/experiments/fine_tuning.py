"""Fine-tuning: pre-training, and then fine-tuning."""

from app.captions import fields
from app.captions.exercises import Exercise, by_findings
from app.captions.fields import counts, means
from app.captions.words import Words
from app.experiment import Experiment, in_words
from app.figures.marks import Lines, Look, Rule, Scale
from app.schema.answers import KeptAnswer
from app.schema.questions import KeptSeeds

LOOKS = {
    "frozen": Look("frozen", "key"),
    "tuned": Look("tuned", "value"),
    "scratch": Look("scratch", "ink-soft"),
}
LABELLED = Scale("labelled sentences", kind="doubled")


class FineTuning(KeptSeeds):
    """The numbers of a question were trained beforehand and kept."""


class FineTuningAnswer(KeptAnswer):
    chance: float


WORDS = Words(
    "fine_tuning",
    fields={
        **counts("seeds"),
        "labels": fields.Field(
            lambda answer, _: int(answer.cut("gain").numbers("labelled")[-1]),
            "count",
            measured=False,
        ),
        **means("fraction", "accuracy", {"labelled": "last"}, member=("tuned", "scratch")),
    },
)
LEARNED = {(1, 1, 1): 0, (0, 1, 0): 1, (0, 0, 1): 2, (0, 0, 0): 3}
"""The choice by which of the frozen, the tuned and the untrained encoder learn the task."""


EXPERIMENT = Experiment(
    question=FineTuning,
    answer=FineTuningAnswer,
    example="seeds=3",
    figures={
        "accuracy": in_words(
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
            )
        ),
        "gain": in_words(
            Lines(
                "gain",
                x="labelled",
                looks={"": Look("tuned less scratch", "value", end="difference")},
                hover="<b>%{y:.3g}</b> of the sentences more, thanks to pre-training",
                x_scale=LABELLED,
                y=Scale("accuracy, tuned less scratch"),
            )
        ),
    },
    words=WORDS,
    rests_on=("tuned.over_scratch",),
    exercise=Exercise(
        ("all", "tuned", "scratch", "none"),
        by_findings(
            {f"{one}.over_chance": (0.25,) for one in ("frozen", "tuned", "scratch")}, LEARNED.get
        ),
        {"seeds=1": "once", "seeds=2": "twice"},
    ),
)
