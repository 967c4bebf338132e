"""Experiments: for each word of the API one module, which declares all that is known of it besides
its mathematics and the prose of its page. EXPERIMENT has the question with its fields, the type of
the answer, the figures and what is said of an answer.

The web process, the worker and a notebook read the same object, so no file here imports torch,
Plotly or `app.http`. Adding an experiment is adding a file.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Literal

from app.figures.marks import Mark, Question

if TYPE_CHECKING:
    from app.figures.plot import Plot
    from app.schema.answers import ClinicAnswer
    from app.schema.questions import Clinic
    from app.words.verdicts import Claim
    from model.answers.answer import Answer
    from model.laws import Law

Said = Callable[["Answer", Question], str]
"""A sentence that is computed from an answer and its question."""


@dataclass(frozen=True)
class Figure:
    """One figure: its title, its mark, and what it shows in a sentence. Where the mark depends on
    the answer, a function makes it, and what is no such chart a function draws. The formula and the
    shape under it are those of `tensor`, which is the mark's unless it is given. `kind` is given
    where it is another than the answer's.
    """

    title: str
    mark: "Mark | Callable[[Answer, Question], Mark | Plot]"
    description: str | Said = ""
    tensor: str = ""
    kind: Literal["trained", "random initialisation", "analytic"] | None = None


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """What a word declares. `sentence` says in the API what it answers, and `example` is a query to
    try. `answer` is given where it has fields besides those of every clinic. Figures are asked with
    `drawn` where they take fields of their own; `figure` is the name of one to try, the first
    unless it is given.

    With `streams` the answer is also served as events, and with `trains` a process of its own
    writes them.

    `claim` is the heading, which holds if the findings do on which it `rests_on`, `look_for` says
    what to look for, and `reading` is the number to read off. The last two are a text, or one for
    each figure that may be shown, and under "" one for where none of these is. What depends on more
    than that is computed by `claim_of`, by `look_for_of` and by a function as `reading`. `laws`
    are those of the findings, which have their titles.

    A text may have findings and fields in it, with how their number is written:
    "{token:percent}".
    """

    question: "type[Clinic]"
    sentence: str
    example: str
    figures: Mapping[str, Figure]
    claim: str
    look_for: str | Mapping[str, str]
    reading: str | Mapping[str, str] | Said
    laws: "Mapping[str, Law]"
    rests_on: tuple[str, ...] = ()
    claim_of: "Callable[[Answer, Question], Claim] | None" = None
    look_for_of: Said | None = None
    answer: "type[ClinicAnswer] | None" = None
    drawn: "type[Clinic] | None" = None
    figure: str = ""
    streams: bool = False
    trains: bool = False

    @property
    def titles(self) -> dict[str, str]:
        """What its findings are called."""
        return {name: law.title for name, law in self.laws.items()}


@cache
def words() -> tuple[str, ...]:
    """The words of the experiments, in the order of the names of their files."""
    return tuple(
        name.replace("_", "-") for name in sorted(one.name for one in iter_modules(__path__))
    )


@cache
def experiment(word: str) -> Experiment | None:
    """The experiment of a word, or None where the word has none. Only its own file is read."""
    if word not in words():
        return None
    return import_module(f"{__name__}.{word.replace('-', '_')}").EXPERIMENT


@cache
def experiments() -> dict[str, Experiment]:
    """Every experiment by its word."""
    return {word: one for word in words() if (one := experiment(word))}
