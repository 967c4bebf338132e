"""The tokenizers by their names in cards."""

from typing import Protocol, runtime_checkable

from model.inputs.cased_text import CasedTextTokenizer
from model.inputs.hub_text import HubTokenizer
from model.inputs.images import PatchTokenizer
from model.inputs.letters import LetterTokenizer, WordTokenizer
from model.inputs.masked_text import MaskedTextTokenizer
from model.inputs.phonemes import PronunciationTokenizer
from model.inputs.scenes import SceneTokenizer
from model.inputs.table_rows import RowTokenizer
from model.inputs.text import TextTokenizer


@runtime_checkable
class InputTokenizer(Protocol):
    """The common interface of all tokenizers: `size`, the number of tokens or classes that a model
    can predict; a `label` for each; and the text of their file, which `load` of the same class
    reads. Their `encoding` is their name in a card.
    """

    @property
    def encoding(self) -> str: ...

    @property
    def size(self) -> int: ...

    def label(self, id: int) -> str: ...

    def to_str(self) -> str: ...


TOKENIZERS = {
    tokenizer.encoding: tokenizer
    for tokenizer in (
        TextTokenizer,
        CasedTextTokenizer,
        MaskedTextTokenizer,
        LetterTokenizer,
        WordTokenizer,
        PronunciationTokenizer,
        PatchTokenizer,
        SceneTokenizer,
        RowTokenizer,
        HubTokenizer,
    )
}
