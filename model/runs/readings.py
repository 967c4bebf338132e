"""How the models of each kind of input and each family read: which fields of `Input` they take, and
the functions that prepare a pass.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from model.errors import InvalidInput
from model.inputs.input import Input
from model.inputs.text import Token
from model.runs.image import prepare_image
from model.runs.prefix import prepare_joined, read_joined, written_joined
from model.runs.prepared import Prepared
from model.runs.scene import prepare_scene
from model.runs.segments import prepare_segments
from model.runs.table_row import prepare_row
from model.runs.text import (
    Texts,
    Tokens,
    prepare_pair,
    prepare_text,
    read_pair,
    read_text,
    written_targets,
)
from model.zoo.models import Model


@dataclass(frozen=True)
class Reading:
    """How the models of one family read an input: its `name` in a sentence, the `fields` of Input
    that such a model takes, and the function that prepares the pass,
    which raises InvalidInput where the model cannot read the input.
    """

    name: str
    fields: tuple[str, ...]
    prepare: Callable[[Model, Input], Prepared]


@dataclass(frozen=True)
class TextReading:
    """How models of one family read a text: `read` cuts it into tokens, `write` returns the model's
    own targets of several sources, where a target may be left out, and `prepare_tokens` prepares
    the pass over tokens.
    """

    read: Callable[[Model, Input], tuple[Texts, Tokens]]
    prepare_tokens: Callable[..., Prepared]
    write: Callable[[Model, Sequence[list[Token]]], list[list[Token]]] | None = None
    name: str = "text"
    fields: tuple[str, ...] = ("source", "target", "text")

    def prepare(self, model: Model, input: Input) -> Prepared:
        """The pass of `input`. Where it has no target, the target is what the model writes."""
        (prepared,) = self.prepare_all(model, [self.read(model, input)])
        return prepared

    def prepare_all(self, model: Model, several: Sequence[tuple[Texts, Tokens]]) -> list[Prepared]:
        """The passes of several inputs that have been read. The targets that they leave out are
        written together.
        """
        without = [tokens["source"] for _, tokens in several if self.lacks_target(tokens)]
        targets = iter(self.write(model, without) if self.write and without else ())
        return [
            self.prepare_tokens(model, *with_target(model, texts, tokens, next(targets)))
            if self.lacks_target(tokens)
            else self.prepare_tokens(model, texts, tokens)
            for texts, tokens in several
        ]

    def lacks_target(self, tokens: Tokens) -> bool:
        """Whether the model writes the target."""
        return self.write is not None and "target" not in tokens


def with_target(
    model: Model, texts: Texts, tokens: Tokens, target: list[Token]
) -> tuple[Texts, Tokens]:
    """The texts and tokens of a source with the `target` that the model has written."""
    text = model.text_tokenizer.decode([token.id for token in target])
    return {**texts, "target": text}, {**tokens, "target": target}


READINGS: dict[tuple[str, str], Reading | TextReading] = {
    ("tokens", "encoder-decoder"): TextReading(read_pair, prepare_pair, written_targets),
    ("tokens", "encoder-only"): TextReading(read_text, prepare_text),
    ("tokens", "decoder-only"): TextReading(read_text, prepare_text),
    ("tokens", "prefix"): TextReading(read_joined, prepare_joined, written_joined),
    ("tokens", "segments"): TextReading(read_text, prepare_segments),
    ("patches", "encoder-only"): Reading("an image", ("image",), prepare_image),
    ("patches", "encoder-decoder"): Reading("a picture", ("image",), prepare_scene),
    ("columns", "encoder-only"): Reading("a row of a table", ("row",), prepare_row),
}
"""By the kind of the input's tokens and the family; a model with segment recurrence is read by
"segments", whatever its family.
"""


def reading(model: Model) -> Reading | TextReading:
    """How `model` reads its input."""
    config = model.config
    return READINGS[config.inputs, "segments" if config.segments else config.family]


def token_preparer(model: Model) -> Callable[..., Prepared]:
    """The function that prepares the pass over the tokens of a text."""
    how = reading(model)
    assert isinstance(how, TextReading), "only text is arranged and continued"
    return how.prepare_tokens


def check_fields(model: Model, input: Input) -> None:
    """Raises InvalidInput for a field of `input` that `model` does not take."""
    for name, value in vars(input).items():
        if value is not None and name not in reading(model).fields:
            raise InvalidInput(
                "input-takes-no", field=name, model=model.id, what=reading(model).name
            )
