"""How the models of each kind of input and each family read: which fields of `Input` they take, and
the function that makes a run of them.
"""

from collections.abc import Callable
from dataclasses import dataclass

from model.errors import InvalidInput
from model.inputs.input import Input
from model.runs.image import run_image
from model.runs.prefix import run_prefix, run_prefix_tokens
from model.runs.run import Run
from model.runs.scene import run_scene
from model.runs.segments import run_segments, run_segments_tokens
from model.runs.table_row import run_row
from model.runs.text import (
    run_encoder_decoder,
    run_encoder_decoder_tokens,
    run_one_stack,
    run_one_stack_tokens,
)
from model.zoo.models import Model


@dataclass(frozen=True)
class Reading:
    """How the models of one family read an input: its `name` in a sentence, the `fields` of Input
    that such a model takes, and the function that makes a `run`. Where the input is text,
    `run_tokens` makes a run of its tokens.
    """

    name: str
    fields: tuple[str, ...]
    run: Callable[..., Run]
    run_tokens: Callable[..., Run] | None = None


def text_reading(run: Callable[..., Run], run_tokens: Callable[..., Run]) -> Reading:
    return Reading("text", ("source", "target", "text"), run, run_tokens)


READINGS = {
    ("tokens", "encoder-decoder"): text_reading(run_encoder_decoder, run_encoder_decoder_tokens),
    ("tokens", "encoder-only"): text_reading(run_one_stack, run_one_stack_tokens),
    ("tokens", "decoder-only"): text_reading(run_one_stack, run_one_stack_tokens),
    ("tokens", "prefix"): text_reading(run_prefix, run_prefix_tokens),
    ("tokens", "segments"): text_reading(run_segments, run_segments_tokens),
    ("patches", "encoder-only"): Reading("an image", ("image",), run_image),
    ("patches", "encoder-decoder"): Reading("a picture", ("image",), run_scene),
    ("columns", "encoder-only"): Reading("a row of a table", ("row",), run_row),
}
"""By the kind of the input's tokens and the family; a model with segment recurrence is read by
"segments", whatever its family.
"""


def reading(model: Model) -> Reading:
    """How `model` reads its input."""
    config = model.config
    return READINGS[config.inputs, "segments" if config.segments else config.family]


def token_runner(model: Model) -> Callable[..., Run]:
    """The function that makes a run of the tokens of a text."""
    run_tokens = reading(model).run_tokens
    assert run_tokens is not None, "only text is arranged and continued"
    return run_tokens


def check_fields(model: Model, input: Input) -> None:
    """Raises InvalidInput for a field of `input` that `model` does not take."""
    for name, value in vars(input).items():
        if value is not None and name not in reading(model).fields:
            raise InvalidInput(
                f"{model.id} reads {reading(model).name}; it takes no `{name}`: leave it out.",
                field=name,
            )
