"""Text as it stands: capitals, spaces and line breaks are tokens or parts of them, so that verse
stays verse.

Words are cut from their neighbours, each with the space before it; line breaks stand together: ":",
"⏎", "But", "·soft", ",", "⏎⏎". What is cut is a byte-pair encoding as in text.py; a character that
it does not know becomes its bytes, and decoding gives back what was read.
"""

import json
import string

from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

from model.inputs.text import BYTES, SPECIAL, TextTokenizer

PRINTABLE = string.digits + string.ascii_letters + string.punctuation + " \n"
WORD = r" ?'?\w+(?:'\w+)*| ?[^\w\s]+|\n+|\s"
SHOWN = str.maketrans({" ": "·", "\n": "⏎"})


class CasedTextTokenizer(TextTokenizer):
    """Text and back, character by character the same; only CR LF is read as one line break, and a
    curly apostrophe as a straight one.
    """

    encoding = "verbatim"

    def label(self, id: int) -> str:
        """The piece with its spaces as · and its line breaks as ⏎."""
        return self.piece(id).translate(SHOWN)

    def decode(self, ids: list[int]) -> str:
        return self.backend.decode(
            [id for id in ids if id >= len(SPECIAL)], skip_special_tokens=False
        )


def fit(text: str, vocabulary_size: int) -> CasedTextTokenizer:
    """A byte-pair encoding of `vocabulary_size` pieces, the special ones, every printable character
    and the 256 bytes among them.
    """
    tokenizer = frame(models.BPE())
    alphabet = list(PRINTABLE)
    size = vocabulary_size - len(BYTES)
    trainer = trainers.BpeTrainer(
        vocab_size=size,
        special_tokens=SPECIAL,
        initial_alphabet=alphabet,
        limit_alphabet=len(alphabet),
        show_progress=False,
    )
    tokenizer.train_from_iterator([text], trainer)
    learned = json.loads(tokenizer.to_str())["model"]
    vocabulary = {piece: id for id, piece in enumerate([*learned["vocab"], *BYTES])}
    merges = [tuple(merge) for merge in learned["merges"]]
    return CasedTextTokenizer(
        frame(models.BPE(vocab=vocabulary, merges=merges, byte_fallback=True))
    )


def frame(bpe: models.BPE) -> Tokenizer:
    tokenizer = Tokenizer(bpe)
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.Replace("\r\n", "\n"), normalizers.Replace("’", "'")]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex(WORD), behavior="isolated")
    tokenizer.decoder = decoders.Sequence([decoders.ByteFallback(), decoders.Fuse()])
    return tokenizer
