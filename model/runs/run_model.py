"""`run_model` makes a run of any model and input: it chooses one function by the model's family and
the kind of input that the model reads. Analyses and clinics run models through it.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch

from model.errors import InvalidInput
from model.inputs.given import Input
from model.runs.image import run_image
from model.runs.prefix import run_prefix
from model.runs.run import Run
from model.runs.scene import run_scene
from model.runs.segments import run_segments
from model.runs.table_row import run_row
from model.runs.text import run_encoder_decoder, run_one_stack
from model.zoo.models import Model

Runs = Callable[[Model, Input], Run]
"""A function that makes a run of a model and an input: `run_model`, or a function that keeps its
runs.
"""


@dataclass(frozen=True)
class InputKind:
    """One kind of input: its `name` in a sentence, the `fields` of Input that models of this kind
    take, and the function that runs such a model.
    """

    name: str
    fields: tuple[str, ...]
    run: Callable[[Model, Input], Run]


INPUT_KINDS = {
    ("tokens", "encoder-decoder"): InputKind(
        "text", ("source", "target", "text"), run_encoder_decoder
    ),
    ("tokens", "encoder-only"): InputKind("text", ("source", "target", "text"), run_one_stack),
    ("tokens", "decoder-only"): InputKind("text", ("source", "target", "text"), run_one_stack),
    ("segments", "decoder-only"): InputKind("text", ("source", "target", "text"), run_segments),
    ("tokens", "prefix"): InputKind("text", ("source", "target", "text"), run_prefix),
    ("patches", "encoder-only"): InputKind("an image", ("image",), run_image),
    ("patches", "encoder-decoder"): InputKind("a picture", ("image",), run_scene),
    ("columns", "encoder-only"): InputKind("a row of a table", ("row",), run_row),
}


@torch.inference_mode()
def run_model(model: Model, input: Input) -> Run:
    """Runs `input` through `model` and records every activation. Raises InvalidInput where the
    input does not fit the model.
    """
    check_fields(model, input)
    return input_kind(model).run(model, input)


def input_kind(model: Model) -> InputKind:
    return INPUT_KINDS[model.config.reading, model.config.family]


def check_fields(model: Model, input: Input) -> None:
    """Raises InvalidInput for a field of `input` that `model` does not take."""
    for name, value in vars(input).items():
        if value is not None and name not in input_kind(model).fields:
            raise InvalidInput(
                f"{model.id} reads {input_kind(model).name}; it takes no `{name}`.", field=name
            )
