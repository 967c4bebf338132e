"""Runs of texts: tokens, framed as the model was trained on them, pass through one stack or
through both.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from jaxtyping import Bool
from torch import Tensor
from torch.nn.functional import pad

from model.activations.site import Site
from model.answers.answer import Axis
from model.generation.decoding import greedy_decode_source
from model.inputs.input import Input
from model.inputs.text import END, PAD, START, Token
from model.layers import masks
from model.runs.framing import check_pair, check_text, read
from model.runs.run import Run, id_tensor, slot_axis, text_axis
from model.trace import Record, TraceFactory, unchanged
from model.zoo.models import Model

Texts = Mapping[str, str]
Tokens = Mapping[str, list[Token]]
"""The texts of an input as they were typed and as they are read, by the name of the input."""


@dataclass(frozen=True)
class Pads:
    """How many pads stand in front of what the first stack reads, and behind it; whether the
    padding mask hides them.
    """

    left: int = 0
    right: int = 0
    hidden: bool = True


NO_PADS = Pads()


def run_encoder_decoder(model: Model, input: Input, through: TraceFactory = unchanged) -> Run:
    """A run of an encoder-decoder: the decoder reads <s> y1 … ym and predicts y1 … ym </s>. Where
    no target is given, the target is the model's own greedy translation.
    """
    given = check_pair(model, input)
    source = read(model, "source", given)
    if input.target is None:
        written = greedy_decode_source(
            model.transformer, [token.id for token in source], model.config.max_length - 1
        )
        target = [
            model.text_tokenizer.token(START),
            *(model.text_tokenizer.token(id) for id in written),
        ]
    else:
        target = read(model, "target", input.target, end=False)
    texts = {
        "source": given,
        "target": input.target or model.text_tokenizer.decode([token.id for token in target]),
    }
    return run_encoder_decoder_tokens(model, texts, {"source": source, "target": target}, through)


def run_encoder_decoder_tokens(
    model: Model,
    texts: Texts,
    tokens: Tokens,
    through: TraceFactory = unchanged,
    pads: Pads = NO_PADS,
) -> Run:
    """The run of an encoder-decoder over `tokens`, which `texts` were read as. The source may have
    `pads`.
    """
    source, target = tokens["source"], tokens["target"]
    seen = visible(len(source), pads)
    allowed = {
        "encoder.attention": masks.full(len(source)) & seen,
        "decoder.attention": masks.causal(len(target)),
        "decoder.cross_attention": seen.expand(len(target), -1).clone(),
    }
    record = Record()
    model.transformer(id_tensor(source), id_tensor(target), allowed, through(record))
    next_tokens = [*target[1:], model.text_tokenizer.token(END)]
    return recorded(model, texts, tokens, record, allowed, next_tokens)


def run_one_stack(model: Model, input: Input, through: TraceFactory = unchanged) -> Run:
    """A run of a model of one stack. In an encoder every position sees the whole text, and no next
    token is predicted; in a decoder each position sees itself and the positions before it.
    """
    text = check_text(model, input)
    (stack,) = model.config.stacks
    tokens = read(model, "text", text, end=stack == "encoder")
    return run_one_stack_tokens(model, {"text": text}, {"text": tokens}, through)


def run_one_stack_tokens(
    model: Model,
    texts: Texts,
    tokens: Tokens,
    through: TraceFactory = unchanged,
    pads: Pads = NO_PADS,
) -> Run:
    """The run of a model of one stack over `tokens`, which may have `pads`."""
    (stack,) = model.config.stacks
    text = tokens["text"]
    pattern = masks.full(len(text)) if stack == "encoder" else masks.causal(len(text))
    allowed = pattern & visible(len(text), pads)
    record = Record()
    ids, masks_of = id_tensor(text), {f"{stack}.attention": allowed}
    source, target = (ids, None) if stack == "encoder" else (None, ids)
    model.transformer(source, target, masks_of, through(record))
    next_tokens = text[pads.left + 1 : len(text) - pads.right] if stack == "decoder" else []
    return recorded(model, texts, tokens, record, masks_of, next_tokens, pads.left)


def visible(n: int, pads: Pads) -> Bool[Tensor, " key"]:
    """Which of `n` tokens attention sees: all but the pads that are hidden."""
    at = torch.arange(n)
    return ((at >= pads.left) & (at < n - pads.right)) | (not pads.hidden)


def recorded(
    model: Model,
    texts: Texts,
    tokens: Tokens,
    record: Record,
    allowed: dict[str, Tensor],
    next_tokens: list[Token],
    target_start: int = 0,
    parts: dict[str, int] | None = None,
) -> Run:
    """The run with the axes of its `tokens`, persistent slots among the keys of its masks, and a
    note where an input is longer than any in training. `parts` are those of the text of a prefix
    model.
    """
    axes = {name: text_axis(row, parts) for name, row in tokens.items()}
    axes, allowed = widen_for_slots(model.config.slots, axes, allowed)
    return Run(
        model,
        dict(texts),
        axes,
        tokens,
        record,
        allowed,
        next_tokens,
        target_start,
        extrapolation(model, tokens),
    )


def widen_for_slots(
    n: int, axes: dict[str, Axis], allowed: dict[str, Tensor]
) -> tuple[dict[str, Axis], dict[str, Tensor]]:
    """`axes` and the masks `allowed`, with `n` persistent slots behind the keys of every
    self-attention. Every query may see every slot.
    """
    columns = (
        {f"{name}_and_slots": slot_axis(name, axis, n) for name, axis in axes.items()} if n else {}
    )
    wide = {
        name: pad(mask, (0, n), value=True) if Site.parse(name).value == "attention" else mask
        for name, mask in allowed.items()
    }
    return axes | columns, wide


def extrapolation(model: Model, tokens: Tokens) -> list[str]:
    """A sentence for each input that is longer, without pads, than any input of the training."""
    trained = model.card["limits"]["trained_tokens"]
    lengths = {name: sum(token.id != PAD for token in row) for name, row in tokens.items()}
    return [
        f"The {name} has {length} tokens; the model was trained on at most {trained}: this is"
        " extrapolation."
        for name, length in lengths.items()
        if length > trained
    ]
