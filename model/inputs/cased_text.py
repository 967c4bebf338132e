"""Cased text: capitals, spaces, and line breaks are tokens or parts of tokens, so that verse keeps
its lines.

A word forms a part with the space before it, and consecutive line breaks form one part: ":", "⏎",
"But", "·soft", ",", "⏎⏎". Byte-pair encoding splits parts into pieces, as in text.py. A character
unknown to the encoding becomes its bytes, and decoding restores the text.
"""

import json
import string

from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

from model.inputs.text import BYTES, SIGNS, TextTokenizer

PRINTABLE = string.digits + string.ascii_letters + string.punctuation + " \n"
WORD = r" ?'?\w+(?:'\w+)*| ?[^\w\s]+|\n+|\s"
VISIBLE = str.maketrans({" ": "·", "\n": "⏎"})


class CasedTextTokenizer(TextTokenizer):
    """Lossless tokenization of text, except that CR LF becomes one line break and a curly
    apostrophe becomes a straight one.
    """

    encoding = "verbatim"

    def label(self, id: int) -> str:
        """The piece of the token `id`, with · for a space and ⏎ for a line break."""
        return self.piece(id).translate(VISIBLE)

    def decode(self, ids: list[int]) -> str:
        return self.text_of(ids)


def fit(text: str, vocabulary_size: int) -> CasedTextTokenizer:
    """A byte-pair encoding of `text` with `vocabulary_size` pieces, including the special tokens,
    every printable character, and the 256 bytes.
    """
    tokenizer = build_backend(models.BPE())
    alphabet = list(PRINTABLE)
    size = vocabulary_size - len(BYTES)
    trainer = trainers.BpeTrainer(
        vocab_size=size,
        special_tokens=SIGNS,
        initial_alphabet=alphabet,
        limit_alphabet=len(alphabet),
        show_progress=False,
    )
    tokenizer.train_from_iterator([text], trainer)
    learned = json.loads(tokenizer.to_str())["model"]
    vocabulary = {piece: id for id, piece in enumerate([*learned["vocab"], *BYTES])}
    merges = [tuple(merge) for merge in learned["merges"]]
    return CasedTextTokenizer(
        build_backend(models.BPE(vocab=vocabulary, merges=merges, byte_fallback=True))
    )


def build_backend(bpe: models.BPE) -> Tokenizer:
    tokenizer = Tokenizer(bpe)
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.Replace("\r\n", "\n"), normalizers.Replace("’", "'")]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex(WORD), behavior="isolated")
    tokenizer.decoder = decoders.Sequence([decoders.ByteFallback(), decoders.Fuse()])
    return tokenizer
