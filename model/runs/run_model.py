"""How an input becomes a run: one function for each family and kind of input. The one door to a
model for what stands above.
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
"""What makes a run of a model and an input: `run_model`, or a function that keeps its runs."""


@dataclass(frozen=True)
class Reader:
    """`what` such a model reads, in words, the `fields` of an input that are for it, and how a run
    is made.
    """

    what: str
    fields: tuple[str, ...]
    run: Callable[[Model, Input], Run]


READERS = {
    ("tokens", "encoder-decoder"): Reader(
        "text", ("source", "target", "text"), run_encoder_decoder
    ),
    ("tokens", "encoder-only"): Reader("text", ("source", "target", "text"), run_one_stack),
    ("tokens", "decoder-only"): Reader("text", ("source", "target", "text"), run_one_stack),
    ("segments", "decoder-only"): Reader("text", ("source", "target", "text"), run_segments),
    ("tokens", "prefix"): Reader("text", ("source", "target", "text"), run_prefix),
    ("patches", "encoder-only"): Reader("an image", ("image",), run_image),
    ("patches", "encoder-decoder"): Reader("a picture", ("image",), run_scene),
    ("columns", "encoder-only"): Reader("a row of a table", ("row",), run_row),
}


@torch.inference_mode()
def run_model(model: Model, input: Input) -> Run:
    """Runs `input` through `model`, recording everything. Raises InvalidInput where the input does
    not fit the model.
    """
    check_fields(model, input)
    return reader(model).run(model, input)


def reader(model: Model) -> Reader:
    return READERS[model.config.reading, model.config.family]


def check_fields(model: Model, input: Input) -> None:
    for name, value in vars(input).items():
        if value is not None and name not in reader(model).fields:
            raise InvalidInput(
                f"{model.id} reads {reader(model).what}; it takes no `{name}`.", field=name
            )
