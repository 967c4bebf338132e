"""The encodings by the name a card gives them."""

from model.inputs.cased_text import VerbatimCodec
from model.inputs.images import PatchCodec
from model.inputs.letters import LetterCodec, WordCodec
from model.inputs.masked_text import BlankCodec
from model.inputs.phonemes import PronunciationCodec
from model.inputs.scenes import SceneCodec
from model.inputs.table_rows import ColumnCodec
from model.inputs.text import TextCodec

Codec = TextCodec | PatchCodec | SceneCodec | ColumnCodec

CODECS = {
    codec.encoding: codec
    for codec in (
        TextCodec,
        VerbatimCodec,
        BlankCodec,
        LetterCodec,
        WordCodec,
        PronunciationCodec,
        PatchCodec,
        SceneCodec,
        ColumnCodec,
    )
}
