"""The analyses of the fakes, which make runs ahead: one about `poison` ends the process."""

from collections.abc import Iterator, Sequence
from types import SimpleNamespace

from tests.app import fake_analyses
from tests.app.fake_analyses import begun, behave

Questions = Sequence[tuple[str, dict]]


def answer(word: str, question: dict, **more: object) -> SimpleNamespace:
    take_poison([(word, question)])
    return fake_analyses.answer(word, question)


def price(word: str, question: dict, **more: object) -> SimpleNamespace:
    return SimpleNamespace(seconds=0, bytes=0)


def run_model(*arguments: object, **more: object) -> None:
    raise AssertionError("no answer of these needs a run")


def runs_ahead(
    questions: Questions, waiting: Questions, known: object, runs: object
) -> Iterator[tuple]:
    begun(f"runs of {len(questions)} and {len(waiting)}")
    take_poison([*questions, *waiting])
    yield from ()


def remove_ahead(*arguments: object) -> None:
    """These remove nothing."""


def take_poison(questions: Questions) -> None:
    if any(question["source"] == "poison" for _, question in questions):
        behave("die")
