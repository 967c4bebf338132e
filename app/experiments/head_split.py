"""Head split: the queries of a layer, cut into heads with the transpose and without it."""

from typing import TYPE_CHECKING, Annotated, ClassVar

from app.captions import Question, axes, fields
from app.captions.exercises import Exercise, by_findings
from app.captions.fields import displayed, found, setting, sizes
from app.captions.text import label, visible, weight
from app.captions.words import Words
from app.experiment import Experiment, Figure, in_words
from app.figures.marks import Cells
from app.schema.answers import ClinicAnswer
from app.schema.controls import Control
from app.schema.questions import Clinic, Head, Layer

if TYPE_CHECKING:
    from model.answers.answer import Answer


class HeadSplit(Clinic):
    layer: Annotated[Layer, Control((0, 1, 2), key="layer")] = 0

    def sizes(self) -> dict[str, float]:
        return {"answer": 1, "seeds": self.seeds}


class HeadSplitFigures(HeadSplit):
    display_fields: ClassVar = ("head",)

    head: Annotated[Head, Control((0, 1, 2, 3), key="head")] = 0


class HeadSplitAnswer(ClinicAnswer):
    sentence: str


def foreign(split: str) -> fields.Field:
    """How many cells hold channels of another token than that of their position."""

    def count(answer: "Answer", question: Question) -> int:
        rows = answer.cut(f"origin.{split}").data.int().tolist()
        return sum(at != column for row in rows for column, at in enumerate(row))

    return fields.Field(count, "whole", (split,))


def head_drawn(answer: "Answer", question: Question) -> int:
    return min(question.get("head") or 0, answer.axes["head"].size - 1)


WORDS = Words(
    "head_split",
    fields={
        **found("fraction", "foreign", "moved"),
        **setting("whole", "layer"),
        **sizes("origin.right", "origin.wrong"),
        "foreign_right": foreign("right"),
        "foreign_wrong": foreign("wrong"),
        "head_drawn": fields.Field(head_drawn, "whole", measured=False),
    },
    conditions=displayed("pattern.right"),
)


def origin(split: str) -> Figure:
    """A row for each head and a column for each position. A cell has the colour of the token whose
    channels it holds, and its name.
    """

    def tokens(answer: "Answer") -> list[str]:
        return [label(visible(token)) for token in axes.labels(answer, "position")]

    def rows(answer: "Answer") -> list[list[int]]:
        return answer.cut(f"origin.{split}").data.int().tolist()

    def says(answer: "Answer", question: Question) -> list[list[str]]:
        names = tokens(answer)
        return [
            [
                f"head {head}, position {column} ({names[column]})<br>contains channels of"
                f" <b>{names[at]}</b>"
                for column, at in enumerate(row)
            ]
            for head, row in enumerate(rows(answer))
        ]

    mark = Cells(
        f"origin.{split}",
        x="position",
        y="head",
        columns="position in head",
        rows="head",
        ends=lambda answer, _: (0, answer.axes["position"].size - 1),
        unit="token index",
        cell_texts=lambda answer, _: [[tokens(answer)[at] for at in row] for row in rows(answer)],
        says=says,
        hover="%{customdata}, token <b>%{z:.3g}</b>",
    )
    return in_words(mark)


def pattern(split: str) -> Figure:
    """The attention weights of one head after a split."""

    mark = Cells(
        f"pattern.{split}",
        at={"head": "{head}"},
        x="key",
        y="query",
        columns="key",
        rows="query",
        ends=(0, 1),
        unit="weight",
        text=weight,
        sums=True,
        even=True,
        hover="query %{y}, key %{x}<br>weight <b>%{z:.3g}</b>",
    )
    return in_words(mark)


EXPERIMENT = Experiment(
    question=HeadSplit,
    answer=HeadSplitAnswer,
    example="layer=1",
    figure_query=HeadSplitFigures,
    figures={
        "origin.right": origin("right"),
        "origin.wrong": origin("wrong"),
        "pattern.right": pattern("right"),
        "pattern.wrong": pattern("wrong"),
    },
    words=WORDS,
    opening={"shown": "other"},
    rests_on=("model", "foreign"),
    exercise=Exercise(
        ("third", "half", "most"),
        by_findings({"moved": (1 / 3, 2 / 3)}),
        {"layer=1": "layer", "layer=2": "layer"},
    ),
)
