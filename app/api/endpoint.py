"""One endpoint of the API: its path, its question, and how it is answered.

Every experiment in `app/experiments` has one, and so does every file in `app/api/endpoints`, the
words without figures. To add an endpoint, add a file.
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
    """One path of the API, its question, and how it is answered."""

    name: str
    question: type[Question]
    answer: type[BaseModel]
    example: str = ""
    """An example query."""
    path: str = ""
    operation: str = ""
    streams: bool = False
    """Whether the answer is also served as events, one per step."""
    trains: bool = False
    """Whether a separate process writes those events, so that they survive a restart."""
    local: Callable[[Services, Question, str], dict | Awaitable[dict]] | None = None
    """Answers in the web process, without a model or from cached answers."""
    followed: Callable[[Services, Question, str], AsyncGenerator[bytes]] | None = None
    """The events of a local answer that continues to change; raises Problem."""
    posted: type[Question] | None = None
    """The question of a POST, if it can do more than ask."""
    figure_query: type[Question] | None = None
    """The question of figures, if it has more fields than the numbers: the `display_fields` too."""
    figure: str = ""
    """The name of an example figure, for a word with figures."""
    drawing: type[Question] | None = None
    """The question with the size of the drawing, for a word drawn as SVG."""
    drawing_fields: type[BaseModel] | None = None
    """The fields that the drawing adds to the answer."""
    captions: type[BaseModel] | None = None
    """The captions of the figures, if the word is not a clinic."""

    page: str = ""
    """The words file of its page, which describes the answer of an experiment."""

    @property
    def sentence(self) -> str:
        """What it answers, in words."""
        return text(self.page, "-answers", {}, "en") if self.page else shared(f"answers-{self.id}")

    @property
    def address(self) -> str:
        return PREFIX + (self.path or f"/{self.name}")

    @property
    def id(self) -> str:
        """The part of the operation's id after the method: norms, circuits_theory, model."""
        return self.operation or self.name.replace("-", "_")


def endpoints() -> list[Endpoint]:
    """Every endpoint, in the order of the words."""
    found = [
        import_module(f"{package.__name__}.{module.name}").ENDPOINT
        for module in iter_modules(package.__path__)
    ]
    found += [of_experiment(word, spec) for word, spec in experiments().items()]
    return sorted(found, key=lambda endpoint: (endpoint.name.replace("-", "_"), endpoint.path))


@cache
def answer_of(question: type[Question]) -> type[ClinicAnswer]:
    """The answer type with the fields of every clinic and no others."""
    return create_model(f"{question.__name__}Answer", __base__=ClinicAnswer)


def of_experiment(word: str, spec: Experiment) -> Endpoint:
    """The endpoint of an experiment."""
    return Endpoint(
        word,
        spec.question,
        spec.answer or answer_of(spec.question),
        spec.example,
        page=word.replace("-", "_"),
        figure=spec.figure or next(iter(spec.figures)),
        figure_query=spec.figure_query,
        drawing=spec.drawing,
        drawing_fields=spec.drawing_fields,
        captions=spec.captions_type,
        streams=spec.streams,
        trains=spec.trains,
    )
