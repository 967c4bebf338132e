"""One question each: the word of an analysis or a clinic is its file, its function, its route and
its page.

`answer` and `stream` are the two doors the service comes in by.
"""

from collections.abc import Callable, Iterator
from importlib import import_module

from model.answers.answer import Answer
from model.clinics import CLINICS
from model.inputs.given import Input
from model.runs.run import Run
from model.runs.run_model import check_fields, run
from model.zoo.models import Model, load_model

OF_A_RUN = (
    "tokens",
    "attention",
    "activations",
    "residual",
    "logits",
    "explain",
    "images",
    "detection",
    "tables",
)
OF_A_MODEL = ("generate",)
INPUT = ("source", "target", "text", "image", "row")


def answer(word: str, question: dict, run: Callable[[Model, Input], Run] = run) -> Answer:
    """Answers `question`, plain JSON values, about `word`. A caller that keeps runs hands in its
    own `run`.
    """
    analyse = function_of(word)
    if word in OF_A_RUN:
        model, input, rest = of_a_model(question)
        return analyse(run(model, input), **rest)
    if word in OF_A_MODEL:
        model, input, rest = of_a_model(question)
        return analyse(model, input, **rest)
    return analyse(**question)


def function_of(word: str) -> Callable[..., Answer]:
    """The function that answers about `word`: its module has its name, "_" for "-", and so has the
    function.
    """
    name = word.replace("-", "_")
    return getattr(
        import_module(f"model.{'clinics' if name in CLINICS else 'analyses'}.{name}"), name
    )


def load_ahead() -> None:
    """Imports what the first questions would otherwise wait for: every clinic, and the library that
    torch.func loads at its first use.
    """
    for name in CLINICS:
        import_module(f"model.clinics.{name}")
    import_module("sympy")


def stream(word: str, question: dict) -> Iterator[dict]:
    """The same answer in pieces, each as soon as it is known."""
    model, input, rest = of_a_model(question)
    return getattr(import_module(f"model.analyses.{word}"), f"{word}_steps")(model, input, **rest)


def of_a_model(question: dict) -> tuple[Model, Input, dict]:
    """The model and the input a question is about, and what else it asks."""
    rest = dict(question)
    model = load_model(rest.pop("model"))
    input = Input(**{name: rest.pop(name, None) for name in INPUT})
    check_fields(model, input)
    return model, input, rest
