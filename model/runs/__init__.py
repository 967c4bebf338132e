"""How an input becomes a run: one function for each family and kind of input. The one door to a
model for what stands above.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch

from model.errors import InvalidInput
from model.run import Input, Run
from model.runs.columns import run_row
from model.runs.images import run_image
from model.runs.prefixes import run_prefix
from model.runs.scenes import run_scene
from model.runs.segments import run_segments
from model.runs.texts import run_encoder_decoder, run_one_stack
from model.zoo import Model


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
def run(model: Model, input: Input) -> Run:
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
