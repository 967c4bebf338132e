"""Text tokenization for external models: `tokenizer.json` of a Hugging Face folder, or the
vocabulary files of older folders (hub_vocabularies.py).

The library `tokenizers` splits a text into pieces, by the byte-level encoding of GPT-2 and Llama,
the WordPiece of BERT, or the unigram model of T5. The special tokens around a text are those of the
folder.

A label is the text of a token with capitals and spaces visible: · is a space, ⏎ a line break, and
<0xE2> a byte that is not a character on its own. Invisible characters, and a · or ⏎ in the text
itself, are also shown as bytes, so every symbol has one meaning. In WordPiece, ## marks a piece
inside a word. Special tokens have the folder's labels, and a mask token is labeled <mask>, as in
masked_text.py.
"""

import json
import re
from collections import ChainMap
from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from dataclasses import replace
from functools import cached_property
from itertools import accumulate, product
from pathlib import Path
from typing import Any, cast

from tokenizers import Encoding, Tokenizer

from model.errors import InvalidInput, NotRead
from model.inputs.cased_text import VISIBLE
from model.inputs.foreign_tokenizer import check_rules, encoded_by, library
from model.inputs.hub_vocabularies import read_vocabulary
from model.inputs.masked_text import MASK, moved, read_blanks
from model.inputs.reading import parsed, read_settings, read_text
from model.inputs.text import BYTES, WORD_START, Frame, TextTokenizer, Token
from model.inputs.tokenizer_bounds import check_tokenizer_size

FILE = "tokenizer.json"
SETTINGS = (
    "generation_config.json",
    "config.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
)
"""The files that define special tokens. The first one that defines a role wins."""
TEMPLATE = "chat_template.jinja"
"""The file with the chat template, if it is not in tokenizer_config.json. It is never executed."""
TYPES = "token_type_ids"
"""The name in the files for the input that distinguishes the two segments of a pair."""
ROLES = ("decoder_start", "bos", "eos", "pad", "unk", "cls", "sep", "mask", "forced_bos")
"""The roles of special tokens, as named in the files."""


class HubTokenizer(TextTokenizer):
    """The tokenizer of a folder; `settings` is the content of the files in SETTINGS.

    Special tokens typed as text, such as </s>, remain text. In an encoder trained with masking, the
    mask token can be typed: [MASK], <mask>, or ___. If the folder has a chat template (`chat`), its
    markers, such as <|im_start|>, are read as tokens. In an encoder whose tokenizer supports pairs,
    [SEP] separates two segments.
    """

    encoding = "hub"

    def __init__(
        self,
        backend: Tokenizer,
        settings: Iterable[dict[str, Any]] = (),
        cutters: Mapping[str, Tokenizer] | None = None,
        chat: bool = False,
    ):
        """If `cutters`, keyed by input name, find the pieces of a text, the backend maps them to
        ids.
        """
        super().__init__(backend)
        self.cutters = cutters or {}
        self.cutter = self.cutters.get("source", backend)
        self.chat = chat
        backend.encode_special_tokens = not chat  # else typed special tokens are text
        backend.no_padding()
        backend.no_truncation()
        self.settings = list(settings)
        self.added = backend.get_added_tokens_decoder()
        self.frame = self.frame_of_folder()
        self.between, self.separator = self.pairs_of_folder()
        backend.post_processor = None  # some strip the spaces from a token's offsets

    @classmethod
    def load(cls, path: Path) -> "HubTokenizer":
        """The tokenizer of a folder, or of its file tokenizer.json. Raises NotRead."""
        folder = path if path.is_dir() else path.parent
        settings = [read_settings(folder / name) for name in SETTINGS]
        if not (folder / FILE).exists():
            found = read_vocabulary(folder, ChainMap(*reversed(settings)))
            return cls(found.backend, [*settings, found.signs], found.cutters)
        text = read_text(folder / FILE)
        check_tokenizer_size(parsed(text, folder / FILE), folder.name)
        with library("file-is-no-tokenizer", file=FILE, folder=folder.name):
            backend = Tokenizer.from_str(text)
            check_rules(backend)
        chat = any(row.get("chat_template") for row in settings) or (folder / TEMPLATE).exists()
        return cls(backend, settings, chat=chat)

    def named(self, role: str) -> list[int]:
        """The ids for a role, such as bos, eos, or pad, from the first file that defines it. Ids
        that the model does not have are skipped. Raises NotRead for a value that is not an id or a
        token.
        """
        for settings in self.settings:
            piece = stated_token(settings, role)
            piece_id = None if piece is None else self.backend.token_to_id(piece)
            ids = stated_ids(settings, role) or ([] if piece_id is None else [piece_id])
            if known := [id for id in ids if 0 <= id < self.rows]:
                return known
        return []

    @cached_property
    def rows(self) -> int:
        """The number of tokens: as in config.json, or else in the tokenizer."""
        stated = ChainMap(*self.settings).get("vocab_size")
        if type(stated) is int and stated > 0:
            return stated
        return 1 + max(self.backend.get_vocab().values(), default=0)

    @property
    def left_aside(self) -> dict[str, str]:
        """The ids defined in the files but missing from the model, each with the reason."""
        beyond: dict[int, set[str]] = {}
        for settings, role in product(self.settings, ROLES):
            for id in stated_ids(settings, role):
                if id >= self.rows:
                    beyond.setdefault(id, set()).add(f"{role}_token_id")
        return {
            f"{' and '.join(sorted(names))} {id}": f"the model has only {self.rows:,} tokens"
            for id, names in beyond.items()
        }

    @property
    def writes(self) -> bool:
        """Whether the files say that the model has a decoder."""
        names = ("is_encoder_decoder", "is_decoder")
        return any(setting.get(name) for setting in self.settings for name in names)

    @cached_property
    def mask(self) -> int | None:
        """The id of the mask token, in an encoder that has one."""
        found = [] if self.writes else self.named("mask")
        return next((id for id in found if self.backend.id_to_token(id) is not None), None)

    @cached_property
    def blank(self) -> re.Pattern:
        """How the mask token is typed."""
        assert self.mask is not None, "the encoder has a blank"
        added = self.added.get(self.mask)
        named = (setting.get("mask_token") for setting in self.settings)
        stated = next((sign for sign in named if isinstance(sign, dict)), {})
        takes_spaces = added.lstrip if added else bool(stated.get("lstrip"))
        return blank_of(self.piece(self.mask), takes_spaces)

    def as_the_folder(self, text: str, second: str | None = None) -> Encoding:
        """A sequence, or a pair of them, with the folder's special tokens. Raises NotRead."""
        with library("cannot-cut-a-letter", file=FILE):
            return self.backend.encode(text, second)

    def frame_of_folder(self) -> Frame:
        """The special tokens that the tokenizer and the files put around a text. A decoder without
        a start token begins with the first token before a text, or else with an end token.
        """
        for file, role in product(self.settings, ROLES):
            stated_ids(file, role), stated_token(file, role)  # fail early
        around = self.as_the_folder("a")
        text = [at for at, sign in enumerate(around.special_tokens_mask) if not sign]
        if not text:
            raise NotRead("makes-no-letter", file=FILE)
        before, after = tuple(around.ids[: text[0]]), tuple(around.ids[text[-1] + 1 :])
        ends = self.named("eos")
        start = [*self.named("decoder_start"), *self.named("bos"), *before, *ends, 0][0]
        signs = {id for id, token in self.added.items() if token.special}
        unknown = [] if self.of_bytes else self.named("unk")  # bytes cover all
        typed = {*unknown, *self.named("mask")}  # these represent text
        return Frame(
            pad=[*self.named("pad"), *ends, 0][0],
            before=before,
            after=after,
            start=start,
            ends=frozenset(ends),
            special=frozenset((signs - typed) | {*before, *after}),
            first=self.first_written,
            never=frozenset(row[0] for row in self.never_written if len(row) == 1),
            never_rows=tuple(row for row in self.never_written if len(row) > 1),
        )

    def pairs_of_folder(self) -> tuple[tuple[int, ...], int]:
        """The ids between the two segments of a pair, and the id after which the second segment
        begins; () and 0 if the tokenizer does not support pairs.
        """
        separator = self.named("sep")[:1]
        if self.writes or not separator:
            return (), 0
        pair = self.as_the_folder("a", "a")
        first, second = (
            [at for at, n in enumerate(pair.sequence_ids) if n == text] for text in (0, 1)
        )
        if not first or not second:
            return (), 0
        between = tuple(pair.ids[first[-1] + 1 : second[0]])
        framed = [pair.ids[: first[0]], pair.ids[second[-1] + 1 :]]
        types = text_types(pair.ids, separator[0])
        known = [[*self.frame.before], [*self.frame.after]] == framed and {*between} == {*separator}
        if not known or pair.type_ids not in (types, [0] * len(types)):
            return (), 0
        inputs = ChainMap(*self.settings).get("model_input_names")
        untyped = isinstance(inputs, list) and TYPES not in inputs
        return between, separator[0] if any(pair.type_ids) and not untyped else 0

    @property
    def first_written(self) -> int | None:
        """The first id that a translator is forced to generate, if any. A forced end token at the
        maximum length is not generated: a text that reaches the limit is cut there and has not
        ended.
        """
        settings, forced = ChainMap(*self.settings), "forced_bos"
        if settings.get("force_bos_token_to_be_generated"):  # the name in older BART files
            forced = "bos"
        return next(iter(self.named(forced)), None) if settings.get("is_encoder_decoder") else None

    @property
    def never_written(self) -> list[tuple[int, ...]]:
        """The sequences of ids that the files forbid to generate: in Marian, only the pad token. An
        end token on its own is always allowed. Raises NotRead.
        """
        settings, ends = ChainMap(*self.settings), set(self.named("eos"))
        words, ids = (settings.get(name) or [] for name in ("bad_words_ids", "suppress_tokens"))
        try:
            rows = [tuple(word) for word in [*words, *([id] for id in ids)]]
            wrong = [
                row for row in rows if not row or not all(type(id) is int and id >= 0 for id in row)
            ]
        except TypeError:
            wrong = [words, ids]
        if wrong:
            raise NotRead("forbids-no-ids", wrong=repr(wrong[0])[:60])
        return [row for row in rows if len(row) > 1 or row[0] not in ends]

    @cached_property
    def rules(self) -> str:
        """How a text is split and joined, apart from the pieces."""
        whole = json.loads(self.backend.to_str())
        parts = [whole[name] for name in ("normalizer", "pre_tokenizer", "decoder")]
        return json.dumps(parts, ensure_ascii=False)

    @property
    def of_bytes(self) -> bool:
        """Whether each character of a piece stands for a byte."""
        return '"ByteLevel"' in self.rules

    def label(self, id: int) -> str:
        """The text of the token `id`, with every character visible."""
        if id == self.mask:
            return MASK
        if id in self.added:
            token = self.added[id]
            return token.content if token.special else printable(token.content.encode())
        piece = self.backend.id_to_token(id)
        if piece is None:
            return f"<{id}>"  # a model may have more rows than its tokenizer has pieces
        if self.of_bytes and BYTE_OF.keys() >= set(piece):
            return printable(bytes(BYTE_OF[sign] for sign in piece))
        spaced = piece.replace(WORD_START, " ") if WORD_START in self.rules else piece
        return piece if piece in BYTES else printable(spaced.encode())

    def encode(self, text: str, *, start: bool = False, end: bool = False) -> list[Token]:
        return self.framed(self.paired(text), len(text), start, end)

    def paired(self, text: str) -> list[Token]:
        """The tokens of a text, or of a pair if a separator is typed. Raises InvalidInput unless a
        pair has exactly two segments.
        """
        found = list(self.pair_mark.finditer(text)) if self.between else []
        if not found:
            return self.with_blanks(text)
        mark, sign = found[0], self.label(self.between[0])
        if len(found) > 1 or not text[: mark.start()].strip() or not text[mark.end() :].strip():
            raise InvalidInput("pair-is-two-texts", sign=sign)
        first, second = self.with_blanks(text[: mark.start()]), self.with_blanks(text[mark.end() :])
        words = 1 + max((cast(int, token.word) for token in first), default=-1)
        start, end = mark.span("sign")
        between = [replace(self.token(id), start=start, end=end) for id in self.between]
        return [*first, *between, *(moved(token, mark.end(), words) for token in second)]

    @cached_property
    def pair_mark(self) -> re.Pattern:
        """How the separator of a pair is typed: [SEP] or the folder's own token."""
        sign = re.escape(self.piece(self.between[0]))
        return re.compile(rf"\s*(?P<sign>(?:\[SEP\]|{sign})+)\s*")

    def with_blanks(self, text: str) -> list[Token]:
        """The tokens of a text that is not a pair."""
        if self.mask is None:
            return self.cut(text)
        mask = replace(self.token(self.mask), special=True)
        return read_blanks(text, self.blank, mask, self.cut)

    def tokenizer_for(self, name: str) -> "HubTokenizer":
        if name not in self.cutters:
            return self
        other = copy(self)
        other.cutter = self.cutters[name]
        return other

    def encoded(self, text: str) -> Encoding:
        return encoded_by(self.cutter, text)

    def cut(self, text: str) -> list[Token]:
        """The tokens of a text without masks. If source and target have separate tokenizers, a text
        may begin with the target language: >>fra<<.
        """
        code = LANGUAGE.match(text) if len(self.cutters) > 1 else None
        if code is None:
            return self.cut_plainly(text)
        (id,) = self.numbers([code[0]])
        rest = self.cut_plainly(text[code.end() :])
        first = Token(self.label(id), id, *code.span(), False, 0)
        return [first, *(moved(token, code.end(), 1) for token in rest)]

    def numbers(self, pieces: list[str]) -> list[int]:
        """The ids of pieces; pieces without an id become the unknown token."""
        unknown = next(iter(self.named("unk")), 0)
        found = map(self.backend.token_to_id, pieces)
        return [unknown if id is None else id for id in found]

    def cut_plainly(self, text: str) -> list[Token]:
        """The tokens of a text without masks and without a language code."""
        encoding = self.encoded(text)
        ids = self.numbers(encoding.tokens) if self.cutters else encoding.ids
        words = encoding.word_ids
        if self.cutter.pre_tokenizer is None:  # the library treats the whole text as one word
            pieces = zip(encoding.tokens, ids, strict=True)
            starts = (piece.startswith(WORD_START) or id in self.added for piece, id in pieces)
            words = [max(0, n - 1) for n in accumulate(starts)]
        return [
            Token(self.label(id), id, a, b, id in self.frame.special, word)
            for found, place, word in zip(ids, encoding.offsets, words, strict=True)
            for id, (a, b) in self.typed(found, place)
        ]

    def typed(self, id: int, place: tuple[int, int]) -> Iterator[tuple[int, tuple[int, int]]]:
        """The typed token `id` with its position in the text. If an encoding reads typed letters as
        a special token, it is replaced with the pieces of the letters, unless it is a chat marker.
        """
        if self.chat or id not in self.frame.special:
            yield id, place
            return
        start, end = place
        content = self.piece(id)
        for at, letter in enumerate(content):
            whole = end - start == len(content)
            for piece in self.spelled(letter):
                yield piece, ((start + at, start + at + 1) if whole else place)

    def spelled(self, letter: str) -> list[int]:
        """The pieces of one character: itself, its bytes, or the unknown token."""
        signs = [SIGN_OF[byte] for byte in letter.encode()] if self.of_bytes else [letter]
        of_bytes = [BYTES[byte] for byte in letter.encode()]
        for pieces in (signs, of_bytes):
            found = [self.backend.token_to_id(piece) for piece in pieces]
            ids = [id for id in found if id is not None and id not in self.frame.special]
            if len(ids) == len(pieces):
                return ids
        return self.named("unk")[:1]

    def decode(self, ids: list[int]) -> str:
        """The text of the tokens `ids`, with the spaces that the backend produces; SentencePiece
        produces none at the ends.
        """
        text = self.text_of(ids)
        return text.strip(" ") if self.cutters else text


LANGUAGE = re.compile(">>.*?<<", re.DOTALL)
"""The target language at the beginning of a text, for multilingual Marian models."""


def text_types(ids: list[int], separator: int) -> list[int]:
    """The segment of each id in a pair: 1 after the first separator, otherwise 0."""
    first = ids.index(separator) if separator in ids else len(ids)
    return [int(at > first) for at in range(len(ids))]


def blank_of(mask: str, takes_spaces: bool) -> re.Pattern:
    """How the mask token is typed: [MASK], ___, or the token itself, which may absorb the preceding
    spaces. Two underscores are text here, because identifiers contain them.
    """
    space = r"\s*" if takes_spaces else ""
    return re.compile(rf"{space}(?P<blank>\[MASK\]|_{{3,}}|{re.escape(mask)})")


def stated_ids(settings: Mapping[str, Any], role: str) -> list[int]:
    """The ids that a file defines for a role. Raises NotRead for a value that is not an id."""
    name = f"{role}_token_id"
    stated = settings.get(name)
    ids = stated if isinstance(stated, list) else [] if stated is None else [stated]
    if not all(type(id) is int for id in ids):
        raise NotRead("no-number-of-a-token", name=name, stated=repr(stated)[:60])
    return ids


def stated_token(settings: Mapping[str, Any], role: str) -> str | None:
    """The token that a file defines for a role. Raises NotRead for a value that is not a token."""
    stated = settings.get(f"{role}_token")
    token = stated.get("content") if isinstance(stated, dict) else stated
    if token is not None and not isinstance(token, str):
        raise NotRead("no-token", role=role, stated=repr(stated)[:60])
    return token


PRINTABLE = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
UNSEEN = [byte for byte in range(256) if byte not in PRINTABLE]
SIGN_OF = {byte: chr(byte) for byte in PRINTABLE} | {
    byte: chr(256 + number) for number, byte in enumerate(UNSEEN)
}
"""The characters for the bytes in a byte-level encoding (Radford et al. 2019): a byte that is not a
printable Latin-1 character is represented by a character from 256 on.
"""
BYTE_OF = {sign: byte for byte, sign in SIGN_OF.items()}


def printable(content: bytes) -> str:
    """The text of these bytes, with every character visible."""
    return "".join(map(seen_character, content.decode(errors="surrogateescape")))


def seen_character(character: str) -> str:
    if ord(character) in VISIBLE:
        return VISIBLE[ord(character)]
    if character.isprintable() and character not in VISIBLE.values():
        return character
    return "".join(BYTES[byte] for byte in character.encode(errors="surrogateescape"))
