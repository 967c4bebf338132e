"""The encodings by the name a card gives them."""

from model.inputs.blanks import BlankCodec
from model.inputs.columns import ColumnCodec
from model.inputs.images import PatchCodec
from model.inputs.letters import LetterCodec, WordCodec
from model.inputs.phonemes import PronunciationCodec
from model.inputs.scenes import SceneCodec
from model.inputs.text import TextCodec
from model.inputs.verbatim import VerbatimCodec

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
