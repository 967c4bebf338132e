"""`run_model` makes a run of any model and input: it chooses one function by the model's family and
the kind of input that the model reads. Analyses and clinics run models through it.
"""

from collections.abc import Callable
from pkgutil import resolve_name

import torch

from model.errors import InvalidInput
from model.inputs.given import Input
from model.inputs.kinds import KINDS, Reading
from model.runs.familiarity import judged
from model.runs.run import Run
from model.zoo.models import Model

Runs = Callable[[Model, Input], Run]
"""A function that makes a run of a model and an input: `run_model`, or a function that keeps its
runs.
"""


@torch.inference_mode()
def run_model(model: Model, input: Input) -> Run:
    """Runs `input` through `model` and records every activation. Raises InvalidInput where the
    input does not fit the model.
    """
    check_fields(model, input)
    run = resolve_name(reading(model).run)(model, input)
    return judged(run, input)


def reading(model: Model) -> Reading:
    """How `model` reads its input."""
    config = model.config
    return KINDS[config.inputs].readings["segments" if config.segments else config.family]


def check_fields(model: Model, input: Input) -> None:
    """Raises InvalidInput for a field of `input` that `model` does not take."""
    for name, value in vars(input).items():
        if value is not None and name not in reading(model).fields:
            raise InvalidInput(
                f"{model.id} reads {reading(model).name}; it takes no `{name}`: leave it out.",
                field=name,
            )
