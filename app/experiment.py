"""What an experiment is declared with. Each file of `app.experiments` makes one `Experiment`; who
reads them finds the types here.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pydantic import BaseModel

    from app.captions import Question
    from app.captions.exercises import Exercise
    from app.captions.words import Words
    from app.figures.marks import Mark
    from app.figures.plot import Plot
    from app.schema import questions
    from model.answers import Kind
    from model.answers.answer import Answer

Sentence = Callable[["Answer", "Question"], str]
"""A sentence that is computed from an answer and its question."""


@dataclass(frozen=True)
class Figure:
    """One figure: its title, its mark, and what it shows in a sentence. Where the mark depends on
    the answer, a function makes it, and what is no such chart a function draws. The formula and the
    shape under it are those of `tensor`, which is the mark's unless it is given. `kind` is given
    where it is another than the answer's. `has` is the field or tensor that an answer with this
    figure has, or says whether an answer has it. What a figure says itself in `layout.meta` goes
    before all of these, and `meta` is what a mark does not say of it. The tensors `placed_by` say
    where points stand; in a difference they stand where the edited run has them. With `marks_edits`
    an edited run's figure marks what is another number without the edits.
    """

    title: str
    mark: "Mark | Callable[[Answer, Question], Mark | Plot]"
    description: str | Sentence = ""
    tensor: str = ""
    kind: "Kind | None" = None
    has: "str | Callable[[Answer], bool]" = lambda answer: True
    placed_by: tuple[str, ...] = ()
    marks_edits: bool = False
    meta: "Callable[[Answer, Question], Mapping[str, Any]]" = lambda answer, question: {}


def in_words(mark: "Mark | Callable[[Answer, Question], Mark | Plot]", **more: Any) -> Figure:
    """A figure whose title and description are among the words of its experiment."""
    return Figure("", mark, **more)


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """What a word declares. The term `-answers` of its words says in the API what it answers, and
    `example` is a query to try. `answer` is given where it has fields besides those of every
    clinic. Figures are asked with `figure_query` where they take fields of their own, and are drawn
    from the answer to the question with `source_fields`, of which None leaves one out; `figure` is
    the name of one to try, the first unless it is given. A word that is drawn
    as SVG too has `drawing`, the question with the size of the drawing, and `drawing_fields`, what
    the drawing adds to its answer.

    With `streams` the answer is also served as events, and with `trains` a process of its own
    writes them.

    A word about a run computes what its page says with `captions`, of `captions_type`; what there
    is to see in the view of a figure's name describes the figure. A clinic says it with the
    messages of its `words`: `claim` is the heading and holds if the findings do on which it
    `rests_on`, else the heading is `question`; `look_for` says what to look for, `reading` is the
    number to read off, and `asks` is the question of the `exercise` before the measurement is
    shown. The titles of figures that have none are messages
    of their names, with an attribute `description`. Before there is an answer the conditions are as
    in `opening`.
    """

    question: "type[questions.Question]"
    figures: Mapping[str, Figure]
    example: str = ""
    answer: "type[BaseModel] | None" = None
    figure_query: "type[questions.Question] | None" = None
    source_fields: Mapping[str, Any] = field(default_factory=dict)
    figure: str = ""
    drawing: "type[questions.Question] | None" = None
    drawing_fields: "type[BaseModel] | None" = None
    streams: bool = False
    trains: bool = False
    captions: "Callable[[Answer, Question], dict[str, Any]] | None" = None
    captions_type: "type[BaseModel] | None" = None
    rests_on: "tuple[str, ...] | Callable[[Answer, Question], tuple[str, ...]]" = ()
    exercise: "Exercise | None" = None
    words: "Words | None" = None
    opening: Mapping[str, str] = field(default_factory=dict)

    def with_words(self, name: str) -> Figure:
        """A figure with its title and what it shows in the language that is read."""
        figure, message = self.figures[name], name.replace(".", "-")
        if self.words is None or figure.title:
            return figure
        says = f"{message}.description"
        described = self.words.sentence(says) if says in self.words else figure.description
        return replace(figure, title=self.words(message), description=described)
