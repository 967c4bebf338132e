"""The tokenizers by the names that cards give them."""

from pkgutil import resolve_name
from typing import Protocol, runtime_checkable

from model.inputs.kinds import KINDS


@runtime_checkable
class InputTokenizer(Protocol):
    """What the tokenizers of all kinds of input have: a `size`, which is the number of tokens or
    classes that a model can answer with, a `label` for each of them, and the text of their file,
    which the function `load` of the same class reads. Their `encoding` is their name on a card.
    """

    @property
    def encoding(self) -> str: ...

    @property
    def size(self) -> int: ...

    def label(self, id: int) -> str: ...

    def to_str(self) -> str: ...


TOKENIZERS = {
    tokenizer.encoding: tokenizer
    for kind in KINDS.values()
    for tokenizer in map(resolve_name, kind.tokenizers)
}
