"""Small tokenizers of the three kinds that folders of Hugging Face have, trained here, as files."""

import json
from functools import cache
from pathlib import Path

from tokenizers import (
    AddedToken,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)

TEXTS = [
    "The capital of France is Paris.",
    "i am cold, and you're not;  two spaces\n\nand a new line",
    "naïve café 日本 🙂 £5 · ⏎ ▁ x",
    "def f(x):\n    return x ** 2  # indented\t<tab>",
] * 10

SIGNS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
T5_SIGNS = ["<pad>", "</s>", "<unk>"]


def byte_level() -> tuple[Tokenizer, dict]:
    """As GPT-2: no sign stands around a text, and one ends it."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=True)
    trainer = trainers.BpeTrainer(
        vocab_size=340,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        special_tokens=["<|endoftext|>"],
        show_progress=False,
    )
    tokenizer.train_from_iterator(TEXTS, trainer)
    sign = "<|endoftext|>"
    return tokenizer, {"bos_token": sign, "eos_token": sign, "unk_token": sign}


def byte_level_with_blanks() -> tuple[Tokenizer, dict]:
    """As RoBERTa: <s> text </s>, and a <mask> that takes the spaces in front of it."""
    tokenizer, _ = byte_level()
    tokenizer.add_special_tokens(["<s>", "</s>", AddedToken("<mask>", lstrip=True, special=True)])
    start, end, _ = ids = [tokenizer.token_to_id(sign) for sign in ("<s>", "</s>", "<mask>")]
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", end), ("<s>", start))
    assert None not in ids
    mask = {"__type": "AddedToken", "content": "<mask>", "lstrip": True, "rstrip": False}
    return tokenizer, {"bos_token": "<s>", "eos_token": "</s>", "mask_token": mask}


def byte_fallback() -> tuple[Tokenizer, dict]:
    """As Llama 2: <s> text, spaces are signs of pieces, and a rare letter is its bytes."""
    signs = ["<unk>", "<s>", "</s>"]
    tokenizer = Tokenizer(models.BPE(unk_token=signs[0], byte_fallback=True, fuse_unk=True))
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]
    )
    tokenizer.decoder = decoders.Sequence(
        [
            decoders.Replace("▁", " "),
            decoders.ByteFallback(),
            decoders.Fuse(),
            decoders.Strip(" ", 1, 0),
        ]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Split("▁", "merged_with_next")  # while it learns
    pieces = [*signs, *(f"<0x{byte:02X}>" for byte in range(256))]
    trainer = trainers.BpeTrainer(vocab_size=420, special_tokens=pieces, show_progress=False)
    tokenizer.train_from_iterator(TEXTS, trainer)
    whole = json.loads(tokenizer.to_str())
    whole["pre_tokenizer"] = None
    whole["added_tokens"] = whole["added_tokens"][: len(signs)]  # a byte is no sign
    tokenizer = Tokenizer.from_str(json.dumps(whole))
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A", special_tokens=[("<s>", 1)]
    )
    roles = ("unk", "bos", "eos")
    return tokenizer, {f"{role}_token": sign for role, sign in zip(roles, signs, strict=True)}


def word_piece() -> tuple[Tokenizer, dict]:
    """As BERT: [CLS] text [SEP], and [MASK] for a blank."""
    tokenizer = Tokenizer(models.WordPiece(unk_token=SIGNS[1]))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    trainer = trainers.WordPieceTrainer(vocab_size=150, special_tokens=SIGNS, show_progress=False)
    tokenizer.train_from_iterator(TEXTS, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    roles = ("pad", "unk", "cls", "sep", "mask")
    return tokenizer, {f"{role}_token": sign for role, sign in zip(roles, SIGNS, strict=True)}


def unigram() -> tuple[Tokenizer, dict]:
    """As T5: text </s>; the decoder begins with <pad>."""
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    trainer = trainers.UnigramTrainer(
        vocab_size=120,
        special_tokens=T5_SIGNS,
        unk_token=T5_SIGNS[2],
        show_progress=False,
    )
    tokenizer.train_from_iterator(TEXTS, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="$A </s>", special_tokens=[("</s>", 1)]
    )
    roles = ("pad", "eos", "unk")
    return tokenizer, {f"{role}_token": sign for role, sign in zip(roles, T5_SIGNS, strict=True)}


KINDS = {
    "byte-level": byte_level,
    "byte-level with blanks": byte_level_with_blanks,
    "byte fallback": byte_fallback,
    "word-piece": word_piece,
    "unigram": unigram,
}
CONFIGS = {
    "byte-level": {"bos_token_id": 0, "eos_token_id": 0},
    "word-piece": {"pad_token_id": 0},
    "unigram": {"decoder_start_token_id": 0, "eos_token_id": 1, "is_encoder_decoder": True},
}


@cache
def trained(kind: str) -> tuple[str, str]:
    """The files tokenizer.json and tokenizer_config.json."""
    tokenizer, settings = KINDS[kind]()
    return tokenizer.to_str(), json.dumps(settings)


def write_folder(folder: Path, kind: str, **config: object) -> Path:
    """A folder with the tokenizer and what `config` says besides."""
    tokenizer, settings = trained(kind)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "tokenizer.json").write_text(tokenizer, encoding="utf-8")
    (folder / "tokenizer_config.json").write_text(settings, encoding="utf-8")
    known = CONFIGS.get(kind, {}) | config
    (folder / "config.json").write_text(json.dumps(known), encoding="utf-8")
    return folder
