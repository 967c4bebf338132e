"""Single letters as tokens: the encoding of models that are about order and not about words."""

import string

from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers

from model.errors import InvalidInput
from model.inputs.text import SPECIAL, TextCodec, Token

READ = frozenset(string.ascii_lowercase + string.whitespace)


class LetterCodec(TextCodec):
    """a to z, each a token and a word of its own; spaces and capitals make no difference. Raises InvalidInput for what is no letter."""

    encoding = "letters"

    def label(self, id: int) -> str:
        return self.tokenizer.id_to_token(id)

    def encode(self, text: str, *, start: bool = False, end: bool = False) -> list[Token]:
        strange = next((c for c in text if c.lower() not in READ), None)
        if strange is not None:
            raise InvalidInput(f"The text holds {strange!r}; this model reads the letters a to z only.", field="text", given=strange)
        return super().encode(text, start=start, end=end)

    def words(self, pieces: list[str]) -> list[int]:
        return list(range(len(pieces)))


def letters() -> LetterCodec:
    """<pad>, <s>, </s> and the 26 letters."""
    vocabulary = {piece: id for id, piece in enumerate([*SPECIAL, *string.ascii_lowercase])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Lowercase(), normalizers.Replace(Regex(r"\s"), "")])
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex("."), behavior="isolated")
    tokenizer.decoder = decoders.Fuse()
    return LetterCodec(tokenizer)
