"""How the models of each kind of input and each family read: which fields of `Input` they take, and
the function that makes a run of them.
"""

from collections.abc import Callable
from dataclasses import dataclass

from model.errors import InvalidInput
from model.inputs.given import Input
from model.runs.image import run_image
from model.runs.prefix import over_prefix, run_prefix
from model.runs.run import Run
from model.runs.scene import run_scene
from model.runs.segments import over_segments, run_segments
from model.runs.table_row import run_row
from model.runs.text import (
    over_encoder_decoder,
    over_one_stack,
    run_encoder_decoder,
    run_one_stack,
)
from model.zoo.models import Model


@dataclass(frozen=True)
class Reading:
    """How the models of one family read an input: its `name` in a sentence, the `fields` of Input
    that such a model takes, and the function that makes a `run`. Where the input is text, `over`
    makes a run over its tokens.
    """

    name: str
    fields: tuple[str, ...]
    run: Callable[..., Run]
    over: Callable[..., Run] | None = None


def of_text(run: Callable[..., Run], over: Callable[..., Run]) -> Reading:
    return Reading("text", ("source", "target", "text"), run, over)


READINGS = {
    ("tokens", "encoder-decoder"): of_text(run_encoder_decoder, over_encoder_decoder),
    ("tokens", "encoder-only"): of_text(run_one_stack, over_one_stack),
    ("tokens", "decoder-only"): of_text(run_one_stack, over_one_stack),
    ("tokens", "prefix"): of_text(run_prefix, over_prefix),
    ("tokens", "segments"): of_text(run_segments, over_segments),
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


def over_tokens(model: Model) -> Callable[..., Run]:
    """The function that makes a run over the tokens of a text."""
    over = reading(model).over
    assert over is not None, "only text is arranged and continued"
    return over


def check_fields(model: Model, input: Input) -> None:
    """Raises InvalidInput for a field of `input` that `model` does not take."""
    for name, value in vars(input).items():
        if value is not None and name not in reading(model).fields:
            raise InvalidInput(
                f"{model.id} reads {reading(model).name}; it takes no `{name}`: leave it out.",
                field=name,
            )
