"""One endpoint of the API: its path, the question that is asked there, and how it is answered.

Every experiment of `app/experiments` has one, and so has every file of `app/api/endpoints`, which
are the words without figures; adding either is adding a file.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from pydantic import BaseModel, create_model

from app.api import endpoints as package
from app.experiments import Experiment, experiments
from app.schema.answers import ClinicAnswer
from app.schema.questions import Question
from app.site.services import Services

PREFIX = "/api/v1"


@dataclass(frozen=True)
class Endpoint:
    """One path, the question asked there and the type of its answer; `example` is a query to try.

    `local` answers in the web process what needs no model, or what is gathered from answers that
    the engine keeps. `posted` is what a POST takes where it may do more than ask. With `streams`
    the answer is also served as events, one for each step. With `trains` a process of its own
    writes those events, and they survive a restart of the server. Figures are asked with
    `figure_query` where they take more fields than the numbers, those of its `display_fields`;
    `figure` is the name of one to try, of a word that has figures. A word that is drawn as SVG has
    `drawing`, the question with the size of the drawing, and `drawing_fields`, what the drawing
    adds to its answer. `words` is the type of what is said with its figures, where the word is no
    clinic.
    """

    name: str
    question: type[Question]
    answer: type[BaseModel]
    sentence: str
    example: str = ""
    path: str = ""
    operation: str = ""
    streams: bool = False
    trains: bool = False
    local: Callable[[Services, Question], dict | Awaitable[dict]] | None = None
    posted: type[Question] | None = None
    figure_query: type[Question] | None = None
    figure: str = ""
    drawing: type[Question] | None = None
    drawing_fields: type[BaseModel] | None = None
    words: type[BaseModel] | None = None

    @property
    def address(self) -> str:
        return PREFIX + (self.path or f"/{self.name}")

    @property
    def id(self) -> str:
        """What follows the method in the operation's id: norms, circuits_theory, model."""
        return self.operation or self.name.replace("-", "_")


def endpoints() -> list[Endpoint]:
    """Every endpoint, in the order of their words."""
    found = [
        import_module(f"{package.__name__}.{one.name}").ENDPOINT
        for one in iter_modules(package.__path__)
    ]
    found += [of_experiment(word, one) for word, one in experiments().items()]
    return sorted(found, key=lambda one: (one.name.replace("-", "_"), one.path))


@cache
def answer_of(question: type[Question]) -> type[ClinicAnswer]:
    """The type of an answer that has the fields of every clinic and no others."""
    return create_model(f"{question.__name__}Answer", __base__=ClinicAnswer)


def of_experiment(word: str, one: Experiment) -> Endpoint:
    """The endpoint of an experiment."""
    return Endpoint(
        word,
        one.question,
        one.answer or answer_of(one.question),
        one.sentence,
        one.example,
        figure=one.figure or next(iter(one.figures)),
        figure_query=one.figure_query,
        drawing=one.drawing,
        drawing_fields=one.drawing_fields,
        words=one.words_type,
        streams=one.streams,
        trains=one.trains,
    )
