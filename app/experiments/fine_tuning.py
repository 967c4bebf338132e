"""Fine-tuning: pre-training, and then fine-tuning."""

from app.captions import fields
from app.captions.exercises import Exercise, by_findings
from app.captions.fields import counts, means
from app.captions.words import Words
from app.experiment import Experiment, in_words
from app.figures.marks import Lines, Look, Rule, Scale
from app.schema.answers import KeptAnswer
from app.schema.questions import KeptSeeds

STYLES = {
    "frozen": Look("frozen", "key"),
    "tuned": Look("fine-tuned", "value"),
    "scratch": Look("from scratch", "ink-soft"),
}
LABELLED = Scale("labeled sentences", kind="doubled")


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
                looks=STYLES,
                rules=[
                    Rule(
                        "chance",
                        "chance",
                        "chance: <b>%{y:.3g}</b> of the sentences correct",
                        dash="2px,3px",
                    )
                ],
                hover="{name}<br>%{customdata} labels<br><b>%{y:.3g}</b> of the sentences correct",
                x_scale=LABELLED,
                y=Scale("held-out accuracy", parts=10),
            )
        ),
        "gain": in_words(
            Lines(
                "gain",
                x="labelled",
                looks={"": Look("fine-tuned − from scratch", "value", end="difference")},
                hover="%{customdata} labels<br>accuracy difference <b>%{y:.3g}</b>",
                x_scale=LABELLED,
                y=Scale("accuracy: fine-tuned − from scratch"),
            )
        ),
    },
    words=WORDS,
    rests_on=("tuned.over_scratch",),
    exercise=Exercise(
        ("all", "tuned", "scratch", "none"),
        by_findings(
            {f"{network}.over_chance": (0.25,) for network in ("frozen", "tuned", "scratch")},
            LEARNED.get,
        ),
        {"seeds=1": "once", "seeds=2": "twice"},
    ),
)
