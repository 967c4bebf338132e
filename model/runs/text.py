"""Runs of texts: tokens, framed as the model was trained on them, pass through one stack or
through both.
"""

import torch
from torch import Tensor
from torch.nn.functional import pad

from model.activations.site import Site
from model.answers.answer import Axis
from model.generation.decoding import greedy_decode_source
from model.inputs.given import Input
from model.inputs.text import END, START, Token
from model.layers import masks
from model.runs.run import Run, id_tensor, slot_axis, text_axis
from model.trace import Recorder, Through, unchanged
from model.zoo.framing import check_pair, check_text, read
from model.zoo.models import Model


def run_encoder_decoder(model: Model, input: Input, through: Through = unchanged) -> Run:
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
    allowed = {
        "encoder.attention": masks.full(len(source)),
        "decoder.attention": masks.causal(len(target)),
        "decoder.cross_attention": torch.ones(len(target), len(source), dtype=torch.bool),
    }
    recorder = Recorder()
    model.transformer(id_tensor(source), id_tensor(target), allowed, through(recorder))
    texts = {
        "source": given,
        "target": input.target or model.text_tokenizer.decode([token.id for token in target]),
    }
    next_tokens = [*target[1:], model.text_tokenizer.token(END)]
    tokens = {"source": source, "target": target}
    return recorded(model, texts, tokens, recorder, allowed, next_tokens)


def run_one_stack(model: Model, input: Input, through: Through = unchanged) -> Run:
    """A run of a model of one stack. In an encoder every position sees the whole text, and no next
    token is predicted; in a decoder each position sees itself and the positions before it.
    """
    text = check_text(model, input)
    (stack,) = model.config.stacks
    tokens = read(model, "text", text, end=stack == "encoder")
    allowed = masks.full(len(tokens)) if stack == "encoder" else masks.causal(len(tokens))
    recorder = Recorder()
    ids, masks_of = id_tensor(tokens), {f"{stack}.attention": allowed}
    source, target = (ids, None) if stack == "encoder" else (None, ids)
    model.transformer(source, target, masks_of, through(recorder))
    next_tokens = tokens[1:] if stack == "decoder" else []
    return recorded(
        model,
        {"text": text},
        {"text": tokens},
        recorder,
        masks_of,
        next_tokens,
    )


def recorded(
    model: Model,
    texts: dict[str, str],
    tokens: dict[str, list[Token]],
    recorder: Recorder,
    allowed: dict[str, Tensor],
    next_tokens: list[Token],
    target_start: int = 0,
) -> Run:
    """The run with the axes of its `tokens`, persistent slots among the keys of its masks, and a
    note where an input is longer than any in training.
    """
    both = {
        name: (
            {"source": target_start, "target": len(row) - target_start} if target_start else None
        )
        for name, row in tokens.items()
    }
    axes = {name: text_axis(row, both[name]) for name, row in tokens.items()}
    axes, allowed = widen_for_slots(model.config.slots, axes, allowed)
    return Run(
        model,
        texts,
        axes,
        tokens,
        recorder.values,
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


def extrapolation(model: Model, tokens: dict[str, list[Token]]) -> list[str]:
    """A sentence for each input that is longer than any input of the training."""
    trained = model.card["limits"]["trained_tokens"]
    return [
        f"The {name} has {len(row)} tokens; the model was trained on at most {trained}: this is"
        " extrapolation."
        for name, row in tokens.items()
        if len(row) > trained
    ]
