"""Experiments: for each word of the API that has figures one module, which declares all that is
known of it besides its mathematics and the prose of its page. EXPERIMENT has the question with its
fields, the type of the answer, the figures and what is said of an answer. A figure is a mark, or a
function of `app.figures`.

The web process, the worker and a notebook read the same object, so no file here imports torch,
Plotly or `app.http`. Adding an experiment is adding a file.
"""

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from app.experiment import Experiment


@cache
def words() -> tuple[str, ...]:
    """The words of the experiments, in the order of the names of their files."""
    return tuple(
        name.replace("_", "-") for name in sorted(module.name for module in iter_modules(__path__))
    )


@cache
def experiment(word: str) -> Experiment:
    """The experiment of a word, from its own file. Raises ModuleNotFoundError if it has none."""
    return import_module(f"{__name__}.{word.replace('-', '_')}").EXPERIMENT


@cache
def experiments() -> dict[str, Experiment]:
    """Every experiment by its word."""
    return {word: experiment(word) for word in words()}
