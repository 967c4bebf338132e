"""The encodings by the name a card gives them."""

from model.inputs.images import PatchCodec
from model.inputs.letters import LetterCodec
from model.inputs.text import TextCodec

Codec = TextCodec | PatchCodec

CODECS = {codec.encoding: codec for codec in (TextCodec, LetterCodec, PatchCodec)}
