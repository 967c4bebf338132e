"""Runs of text: tokens, with special tokens as in training, pass through one or both stacks. An
input that does not fit the model raises an error.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Bool
from torch import Tensor
from torch.nn.functional import pad

from model.activations.site import Site
from model.answers.answer import Axis
from model.errors import InvalidInput
from model.generation.decoding import greedy_decode_sources
from model.inputs.hub_text import HubTokenizer
from model.inputs.input import Input
from model.inputs.text import Token
from model.layers import masks
from model.runs.run import Prepared, Run, id_tensor, slot_axis, text_axis
from model.zoo.models import Model


def check_text(model: Model, input: Input) -> str:
    """The text of `input`, for a model that reads one text. Raises InvalidInput if `input` has no
    text, or has a source or a target.
    """
    if input.source is not None or input.target is not None:
        raise InvalidInput("reads-one-text", field="text", model=model.id)
    if input.text is None:
        raise InvalidInput("input-is-empty", field="text", limit=1, given=0)
    return input.text


def check_pair(model: Model, input: Input) -> str:
    """The source of `input`, for an encoder-decoder or prefix model. Raises InvalidInput if `input`
    has no source, or has a text.
    """
    if input.text is not None:
        raise InvalidInput("reads-a-source", field="source", model=model.id)
    if input.source is None:
        raise InvalidInput("input-is-empty", field="source", limit=1, given=0)
    return input.source


def read(
    model: Model, name: str, text: str, *, end: bool = True, most: int | None = None
) -> list[Token]:
    """The tokens of the text `text` of the input `name`, with special tokens as in training. Raises
    InvalidInput for a text that is empty, or longer than `most` or than the model reads.
    """
    if not text.strip():
        raise InvalidInput("input-is-empty", field=name, limit=1, given=0)
    tokenizer = model.text_tokenizer
    frame = tokenizer.frame
    front = frame.opening if name == "target" else frame.before
    try:
        tokens = tokenizer.tokenizer_for(name).encode(text, end=end)
    except InvalidInput as error:
        error.field = name
        raise
    tokens = [*map(tokenizer.token, front), *tokens]
    limit = most or model.config.max_length
    if len(tokens) > limit:
        trained = model.card["limits"].get("trained_tokens")
        learned, chosen = (
            model.config.positions.absolute == "learned",
            "chosen" if trained else "unknown",
        )
        raise InvalidInput(
            "too-many-tokens-read",
            field=name,
            limit=limit,
            given=len(tokens),
            model=model.id,
            reason="asked" if most else "learned" if learned else chosen,
            trained=trained,
        )
    return tokens


def read_prefix(model: Model, text: str) -> list[Token]:
    """The tokens of a prefix model's source. Raises InvalidInput if they leave no room for the
    start token and one more.
    """
    source, limit = read(model, "source", text), model.config.max_length - 2
    if len(source) > limit:
        raise InvalidInput(
            "no-room-to-write", field="source", limit=limit, given=len(source), model=model.id
        )
    return source


Texts = Mapping[str, str]
Tokens = Mapping[str, list[Token]]
"""The texts of an input as typed and as tokens, by the name of the input."""


@dataclass(frozen=True)
class Pads:
    """The number of padding tokens before and after the input of the first stack, and whether the
    padding mask hides them.
    """

    left: int = 0
    right: int = 0
    hidden: bool = True


NO_PADS = Pads()


def read_pair(model: Model, input: Input) -> tuple[Texts, Tokens]:
    """The texts and tokens of a source and, if given, a target."""
    source = check_pair(model, input)
    texts, tokens = {"source": source}, {"source": read(model, "source", source)}
    if input.target is not None:
        texts["target"] = input.target
        tokens["target"] = read(model, "target", input.target, end=False)
    return texts, tokens


def written_targets(model: Model, sources: Sequence[list[Token]]) -> list[list[Token]]:
    """The start token and the model's own greedy translation of each of the `sources`."""
    return with_start(
        model,
        greedy_decode_sources(
            model.transformer,
            [[token.id for token in source] for source in sources],
            model.config.max_length - 1,
            model.text_tokenizer.frame,
        ),
    )


def with_start(model: Model, targets: Iterable[list[int]]) -> list[list[Token]]:
    """The tokens of each text with these ids, after the start token."""
    tokenizer = model.text_tokenizer
    return [[tokenizer.token(id) for id in (tokenizer.frame.start, *ids)] for ids in targets]


def prepare_pair(model: Model, texts: Texts, tokens: Tokens, pads: Pads = NO_PADS) -> Prepared:
    """An encoder-decoder reads `tokens`, tokenized from `texts`: the decoder reads <s> y1 … ym and
    predicts y1 … ym </s>. The source may have `pads`.
    """
    source, target = tokens["source"], tokens["target"]
    unpadded = visible(len(source), pads)
    allowed = {
        "encoder.attention": masks.full(len(source)) & unpadded,
        "decoder.attention": masks.causal(len(target)),
        "decoder.cross_attention": unpadded.expand(len(target), -1).clone(),
    }
    tokenizer = model.text_tokenizer
    next_tokens = [*target[1:], tokenizer.token(tokenizer.frame.end)]
    run = run_of(model, texts, tokens, allowed, next_tokens)
    return Prepared(run, id_tensor(source), id_tensor(target), allowed)


def read_text(model: Model, input: Input) -> tuple[Texts, Tokens]:
    """The text and tokens of the input of a single-stack model. An encoder also reads </s>."""
    text = check_text(model, input)
    (stack,) = model.config.stacks
    return {"text": text}, {"text": read(model, "text", text, end=stack == "encoder")}


def prepare_text(model: Model, texts: Texts, tokens: Tokens, pads: Pads = NO_PADS) -> Prepared:
    """A single-stack model reads `tokens`, which may have `pads`. In an encoder, every position
    attends to the whole text, and no next token is predicted; in a decoder, each position attends
    to itself and earlier positions.
    """
    (stack,) = model.config.stacks
    text = tokens["text"]
    check_recorded(len(text))
    pattern = masks.full(len(text)) if stack == "encoder" else masks.causal(len(text))
    allowed = {f"{stack}.attention": pattern & visible(len(text), pads)}
    next_tokens = text[pads.left + 1 : len(text) - pads.right] if stack == "decoder" else []
    run = run_of(model, texts, tokens, allowed, next_tokens, pads.left)
    ids = id_tensor(text)
    source, target = (ids, None) if stack == "encoder" else (None, ids)
    return Prepared(run, source, target, allowed)


RECORDED = 512
"""The maximum number of tokens for which every number is recorded: 30 layers of 9 heads then have
850 MB of maps.
"""


def check_recorded(tokens: int) -> None:
    """Raises InvalidInput for a text with more tokens than a run records with its maps."""
    if tokens > RECORDED:
        raise InvalidInput("text-not-kept", field="text", limit=RECORDED, given=tokens)


def visible(n: int, pads: Pads) -> Bool[Tensor, " key"]:
    """Which of `n` tokens are visible to attention: all except hidden padding."""
    at = torch.arange(n)
    return ((at >= pads.left) & (at < n - pads.right)) | (not pads.hidden)


def run_of(
    model: Model,
    texts: Texts,
    tokens: Tokens,
    allowed: dict[str, Tensor],
    next_tokens: list[Token],
    target_start: int = 0,
    parts: dict[str, int] | None = None,
) -> Run:
    """The run, before its pass, with the axes of its `tokens`, persistent slots among the keys of
    its masks, and a note if an input is longer than any in training. `parts` are those of a prefix
    model's sequence.
    """
    axes = {name: text_axis(row, parts) for name, row in tokens.items()}
    axes, allowed = widen_for_slots(model.config.attention.slots, axes, allowed)
    notes = remarks(model, tokens)
    return Run(model, dict(texts), axes, tokens, {}, allowed, next_tokens, target_start, notes)


def widen_for_slots(
    n: int, axes: dict[str, Axis], allowed: dict[str, Tensor]
) -> tuple[dict[str, Axis], dict[str, Tensor]]:
    """`axes` and the masks `allowed`, with `n` persistent slots after the keys of every
    self-attention layer. Every query may attend to every slot.
    """
    columns = (
        {f"{name}_and_slots": slot_axis(name, axis, n) for name, axis in axes.items()} if n else {}
    )
    wide = {
        name: pad(mask, (0, n), value=True) if Site.parse(name).value == "attention" else mask
        for name, mask in allowed.items()
    }
    return axes | columns, wide


def remarks(model: Model, tokens: Tokens) -> list[str]:
    """Remarks on how an input was read, one sentence each."""
    return [*extrapolation(model, tokens), *typed_signs(model, tokens)]


def typed_signs(model: Model, tokens: Tokens) -> list[str]:
    """A sentence listing the special tokens that were typed and read as such."""
    tokenizer = model.text_tokenizer
    typed = (t for row in tokens.values() for t in row if t.special and t.end > t.start)
    signs = {token.id: token.text for token in typed if token.id != tokenizer.mask}
    if not signs:
        return []
    names = " and ".join(signs.values())
    if isinstance(tokenizer, HubTokenizer) and signs.keys() <= {*tokenizer.between}:
        return [f"Read as a pair: two texts with {names} between them."]
    return [f"Read as special tokens, not as text: {names}."]


def extrapolation(model: Model, tokens: Tokens) -> list[str]:
    """A sentence for each input that is longer, without padding, than any input in training. None
    for users' own models, whose training is unknown.
    """
    trained = model.card["limits"].get("trained_tokens", math.inf)
    pad = model.text_tokenizer.frame.pad
    lengths = {name: sum(token.id != pad for token in row) for name, row in tokens.items()}
    return [
        f"The {name} has {length} tokens; the model was trained on at most {trained}: this is"
        " extrapolation."
        for name, length in lengths.items()
        if length > trained
    ]
