"""The tokenizers by the names that cards give them."""

from model.inputs.cased_text import CasedTextTokenizer
from model.inputs.images import PatchTokenizer
from model.inputs.letters import LetterTokenizer, WordTokenizer
from model.inputs.masked_text import MaskedTextTokenizer
from model.inputs.phonemes import PronunciationTokenizer
from model.inputs.scenes import SceneTokenizer
from model.inputs.table_rows import RowTokenizer
from model.inputs.text import TextTokenizer

InputTokenizer = TextTokenizer | PatchTokenizer | SceneTokenizer | RowTokenizer

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
    )
}
