"""One endpoint of the API: its path, the question that is asked there, and how it is answered.

Every experiment of `app/experiments` has one, and so has every file of `app/api/endpoints`, which
are the words without figures; adding either is adding a file.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from pydantic import BaseModel, create_model

from app.api import endpoints as package
from app.experiment import Experiment
from app.experiments import experiments
from app.schema.answers import ClinicAnswer
from app.schema.described import shared
from app.schema.questions import Question
from app.site.services import Services
from model.words import text

PREFIX = "/api/v1"


@dataclass(frozen=True)
class Endpoint:
    """One path of the API, the question asked there and how it is answered."""

    name: str
    question: type[Question]
    answer: type[BaseModel]
    example: str = ""
    """A query to try."""
    path: str = ""
    operation: str = ""
    streams: bool = False
    """Whether the answer is also served as events, one for each step."""
    trains: bool = False
    """Whether a process of its own writes those events, so that they survive a restart."""
    local: Callable[[Services, Question, str], dict | Awaitable[dict]] | None = None
    """Answers a client in the web process what needs no model, or what is gathered from kept
    answers.
    """
    followed: Callable[[Services, Question, str], AsyncGenerator[bytes]] | None = None
    """The events of what a local answer tells and goes on to tell; raises Problem."""
    posted: type[Question] | None = None
    """What a POST takes where it may do more than ask."""
    figure_query: type[Question] | None = None
    """What figures take, where that is more than the numbers do: the `display_fields` too."""
    figure: str = ""
    """The name of a figure to try, of a word that has figures."""
    drawing: type[Question] | None = None
    """The question with the size of the drawing, of a word that is drawn as SVG."""
    drawing_fields: type[BaseModel] | None = None
    """What the drawing adds to the answer."""
    captions: type[BaseModel] | None = None
    """What is said with the figures, where the word is no clinic."""

    page: str = ""
    """The file of words of its page, which says what an experiment answers."""

    @property
    def sentence(self) -> str:
        """What it answers, in words."""
        return text(self.page, "-answers", {}) if self.page else shared(f"answers-{self.id}")

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
        one.example,
        page=word.replace("-", "_"),
        figure=one.figure or next(iter(one.figures)),
        figure_query=one.figure_query,
        drawing=one.drawing,
        drawing_fields=one.drawing_fields,
        captions=one.captions_type,
        streams=one.streams,
        trains=one.trains,
    )
