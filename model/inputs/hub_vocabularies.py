"""Tokenizers of folders without tokenizer.json: the vocabularies and merges that BERT, GPT-2, and
RoBERTa were published with, the SentencePiece models of Marian and T5, and the class that reads
each.

The rules, and a class's special tokens if tokenizer_config.json names none, are those of
`transformers`. Settings that would change the tokenization are rejected.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tokenizers import (
    AddedToken,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
)

from model.errors import NotRead
from model.inputs.reading import read_settings, read_text
from model.inputs.sentencepiece_files import read_sentencepiece
from model.inputs.text import WORD_START
from model.inputs.tokenizer_bounds import check_tokenizer_size

Settings = Mapping[str, Any]
Signs = dict[str, AddedToken]
"""Special tokens by role, such as mask_token."""


def word_pieces(folder: Path, settings: Settings, signs: Signs) -> Tokenizer:
    """WordPiece: words are split at spaces and punctuation, and into the longest pieces in the
    vocabulary.
    """
    pieces = read_text(folder / "vocab.txt").removesuffix("\n").split("\n")
    unknown = signs["unk_token"].content
    backend = Tokenizer(
        models.WordPiece({piece: id for id, piece in enumerate(pieces)}, unk_token=unknown)
    )
    backend.normalizer = normalizers.BertNormalizer(
        clean_text=True,
        handle_chinese_chars=settings.get("tokenize_chinese_chars", True),
        strip_accents=settings.get("strip_accents"),  # None: stripped if the text is lowercased
        lowercase=settings.get("do_lower_case", True),
    )
    backend.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    backend.decoder = decoders.WordPiece()
    return backend


def bytes_merged(folder: Path, settings: Settings, signs: Signs) -> Tokenizer:
    """Byte-level byte-pair encoding; earlier merges take precedence."""
    vocabulary, merges = folder / "vocab.json", folder / "merges.txt"
    listed = {"vocab": read_settings(vocabulary), "merges": read_text(merges).split("\n")}
    check_tokenizer_size({"model": listed}, folder.name)
    backend = Tokenizer(models.BPE.from_file(str(vocabulary), str(merges)))
    space = settings.get("add_prefix_space", False)
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=space)
    backend.decoder = decoders.ByteLevel()
    return backend


def numbered(folder: Path, settings: Settings, signs: Signs) -> Tokenizer:
    """The ids of the pieces into which SentencePiece models split a text."""
    return numbers_of(read_settings(folder / "vocab.json"), signs)


def numbered_by_the_model(folder: Path, settings: Settings, signs: Signs) -> Tokenizer:
    """A SentencePiece model with ids of its own. After its pieces come the sentinel tokens that T5
    was trained on (Raffel et al. 2020), in reverse order.
    """
    pieces = read_sentencepiece(folder / SPIECE).pieces
    gaps = [f"<extra_id_{n}>" for n in reversed(range(settings.get("extra_ids", 100)))]
    backend = numbers_of({piece: id for id, piece in enumerate([*pieces, *gaps])}, signs)
    backend.add_special_tokens(gaps)
    return backend


def numbers_of(pieces: dict[str, int], signs: Signs) -> Tokenizer:
    check_tokenizer_size({"model": {"vocab": pieces}}, "the folder")
    backend = Tokenizer(models.WordLevel(pieces, unk_token=signs["unk_token"].content))
    backend.decoder = decoders.Metaspace(WORD_START)
    return backend


@dataclass(frozen=True)
class Kind:
    """A class of tokenizers: the `files` it reads, how they are `read`, its special tokens
    (`signs`) by role, the roles of those before and after a text ("" for none), the form of the
    `second` segment of a pair, and which files are SentencePiece models, keyed by the inputs that
    they split.
    """

    files: tuple[str, ...]
    read: Callable[[Path, Settings, Signs], Tokenizer]
    signs: Mapping[str, str]
    before: str = ""
    after: str = ""
    second: str = ""
    cutters: Mapping[str, str] = field(default_factory=dict)


def roles(**signs: str) -> dict[str, str]:
    return {f"{role}_token": sign for role, sign in signs.items()}


END = "<|endoftext|>"
SPIECE = "spiece.model"
BERT = Kind(
    ("vocab.txt",),
    word_pieces,
    roles(unk="[UNK]", sep="[SEP]", pad="[PAD]", cls="[CLS]", mask="[MASK]"),
    "cls_token",
    "sep_token",
    "$B:1 {1}:1",
)
GPT2 = Kind(("vocab.json", "merges.txt"), bytes_merged, roles(unk=END, bos=END, eos=END))
ROBERTA = Kind(
    ("vocab.json", "merges.txt"),
    bytes_merged,
    roles(bos="<s>", eos="</s>", sep="</s>", cls="<s>", unk="<unk>", pad="<pad>", mask="<mask>"),
    "cls_token",
    "sep_token",
    "{1} $B {1}",
)
MARIAN = Kind(
    ("vocab.json", "source.spm", "target.spm"),
    numbered,
    roles(unk="<unk>", eos="</s>", pad="<pad>"),
    after="eos_token",
    cutters={"source": "source.spm", "target": "target.spm"},
)
T5 = Kind(
    (SPIECE,),
    numbered_by_the_model,
    roles(unk="<unk>", eos="</s>", pad="<pad>"),
    after="eos_token",
    cutters={"source": SPIECE},
)
KINDS = {
    "BertTokenizer": BERT,
    "DistilBertTokenizer": BERT,
    "GPT2Tokenizer": GPT2,
    "RobertaTokenizer": ROBERTA,
    "BartTokenizer": ROBERTA,
    "MarianTokenizer": MARIAN,
    "T5Tokenizer": T5,
}
OF_TYPE = {
    "bert": "BertTokenizer",
    "distilbert": "DistilBertTokenizer",
    "gpt2": "GPT2Tokenizer",
    "roberta": "RobertaTokenizer",
    "bart": "BartTokenizer",
    "marian": "MarianTokenizer",
    "t5": "T5Tokenizer",
}
"""The tokenizer class of a model type, if tokenizer_config.json names none."""

REFUSED = {
    "do_basic_tokenize": True,
    "never_split": None,
    "add_bos_token": False,
    "separate_vocabs": False,
    "sp_model_kwargs": None,
}
"""Settings that change the tokenization, each with the only value supported."""


@dataclass(frozen=True)
class Vocabulary:
    """The tokenizer of a folder without tokenizer.json, and its special tokens by role. If
    SentencePiece models split the text, `cutters` has one for each input, or a single one named
    "source".
    """

    backend: Tokenizer
    signs: dict[str, str]
    cutters: dict[str, Tokenizer]


def read_vocabulary(folder: Path, settings: Settings) -> Vocabulary:
    """The tokenizer of a folder. `settings` merges its JSON files. Raises NotRead."""
    kind = kind_of(folder, settings)
    for name, known in REFUSED.items():
        if settings.get(name, known) not in (known, [], {}, None):
            raise NotRead(
                "setting-not-read",
                name=name,
                value=repr(settings[name]),
                folder=folder.name,
                known=known,
            )
    signs = {role: sign(settings.get(role) or usual, role) for role, usual in kind.signs.items()}
    try:
        backend = kind.read(folder, settings, signs)
    except NotRead:
        raise
    except Exception as error:  # the library raises no more specific error
        raise NotRead(
            "make-no-tokenizer", files=kind.files, folder=folder.name, error=error
        ) from error
    known = {
        role: sign for role, sign in signs.items() if backend.token_to_id(sign.content) is not None
    }
    check_whole(folder, settings, kind, backend, known)
    backend.add_special_tokens(list(known.values()))
    if kind.after:
        around = [signs[role].content if role else "" for role in (kind.before, kind.after)]
        single = " $A ".join(around).strip()
        backend.post_processor = processors.TemplateProcessing(
            single=single,
            pair=f"{single} {kind.second.format(*around)}" if kind.second else None,
            special_tokens=[(sign, backend.token_to_id(sign)) for sign in set(around) - {""}],
        )
    return Vocabulary(
        backend,
        {role: sign.content for role, sign in known.items()},
        {name: read_sentencepiece(folder / file).cutter for name, file in kind.cutters.items()},
    )


def kind_of(folder: Path, settings: Settings) -> Kind:
    """The class that reads a folder's files. Raises NotRead if there is none."""
    name = settings.get("tokenizer_class") or OF_TYPE.get(settings.get("model_type"))
    kind = KINDS.get(str(name).removesuffix("Fast"))
    if kind and all((folder / file).is_file() for file in kind.files):
        return kind
    if kind:
        raise NotRead("files-missing", folder=folder.name, name=name, files=kind.files)
    if any((folder / file).is_file() for known in KINDS.values() for file in known.files):
        raise NotRead("vocabulary-not-read", folder=folder.name, name=name, known=KINDS)
    raise NotRead("no-tokenizer", folder=folder.name)


def sign(value: Any, role: str) -> AddedToken:
    """A special token as defined in a file. RoBERTa's mask token absorbs the preceding spaces, as
    in the tokenizer.json of the published models.
    """
    if isinstance(value, dict):
        how = {name: bool(value.get(name)) for name in ("lstrip", "rstrip", "single_word")}
        return AddedToken(str(value.get("content")), special=True, normalized=False, **how)
    takes = role == "mask_token" and value == ROBERTA.signs[role]
    return AddedToken(str(value), special=True, normalized=False, lstrip=takes)


def check_whole(
    folder: Path, settings: Settings, kind: Kind, backend: Tokenizer, known: Signs
) -> None:
    """Raises NotRead if settings name pieces that are missing from the vocabulary and have no
    id.
    """
    needed = {kind.before, kind.after} - {""}
    needed |= {"unk_token"} if kind.read is not bytes_merged else set()
    needed -= known.keys()
    for role in sorted(needed):
        raise NotRead("no-piece-for-role", file=kind.files[0], folder=folder.name, role=role)
    for piece, id in added_pieces(folder, settings).items():
        if backend.token_to_id(piece) != id:
            raise NotRead("adds-a-piece", folder=folder.name, piece=piece, file=kind.files[0])


def added_pieces(folder: Path, settings: Settings) -> dict[str, int]:
    """The pieces and ids that a folder's files add to its vocabulary. Raises NotRead."""
    named = settings.get("added_tokens_decoder") or {}
    try:
        pieces = {str(entry["content"]): int(id) for id, entry in named.items()}
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise NotRead(
            "added-pieces-make-no-sense", folder=folder.name, named=repr(named)[:60]
        ) from error
    return pieces | read_settings(folder / "added_tokens.json")
