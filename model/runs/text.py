"""Runs of texts: their tokens, framed as the model was trained on them, through both stacks or
one.
"""

import torch
from torch import Tensor
from torch.nn.functional import pad

from model.activations.site import Site
from model.answers.answer import Axis
from model.generation.decoding import greedy_target
from model.inputs.given import Input
from model.inputs.text import END, Token
from model.layers import masks
from model.runs.run import Run, id_tensor, slot_axis, text_axis
from model.trace import Recorder
from model.zoo.framing import check_pair, check_text, read
from model.zoo.models import Model


def run_encoder_decoder(model: Model, input: Input) -> Run:
    """Without a target the model's own greedy output is the target. The decoder reads <s> y1 … ym
    and predicts y1 … ym </s>.
    """
    given = check_pair(model, input)
    source = read(model, "source", given)
    if input.target is None:
        written = greedy_target(
            model.transformer, [token.id for token in source], model.config.max_length - 1
        )
        target = [model.text_codec.token(1), *(model.text_codec.token(id) for id in written)]
    else:
        target = read(model, "target", input.target, end=False)
    allowed = {
        "encoder.attention": masks.full(len(source)),
        "decoder.attention": masks.causal(len(target)),
        "decoder.cross_attention": torch.ones(len(target), len(source), dtype=torch.bool),
    }
    trace = Recorder()
    model.transformer(id_tensor(source), id_tensor(target), allowed, trace)
    texts = {
        "source": given,
        "target": input.target or model.text_codec.decode([token.id for token in target]),
    }
    following = [*target[1:], model.text_codec.token(END)]
    return recorded(model, texts, {"source": source, "target": target}, trace, allowed, following)


def run_one_stack(model: Model, input: Input) -> Run:
    """Encoder-only sees the whole text and is not asked what comes next; decoder-only sees what
    came before.
    """
    text = check_text(model, input)
    (stack,) = model.config.stacks
    tokens = read(model, "text", text, end=stack == "encoder")
    allowed = masks.full(len(tokens)) if stack == "encoder" else masks.causal(len(tokens))
    trace = Recorder()
    ids, masks_of = id_tensor(tokens), {f"{stack}.attention": allowed}
    source, target = (ids, None) if stack == "encoder" else (None, ids)
    model.transformer(source, target, masks_of, trace)
    following = tokens[1:] if stack == "decoder" else []
    return recorded(
        model,
        {"text": text},
        {"text": tokens},
        trace,
        masks_of,
        following,
    )


def recorded(
    model: Model,
    texts: dict[str, str],
    tokens: dict[str, list[Token]],
    trace: Recorder,
    allowed: dict[str, Tensor],
    following: list[Token],
    expected_from: int = 0,
) -> Run:
    both = {
        name: (
            {"source": expected_from, "target": len(row) - expected_from} if expected_from else None
        )
        for name, row in tokens.items()
    }
    axes = {name: text_axis(row, both[name]) for name, row in tokens.items()}
    axes, allowed = with_slots(model.config.slots, axes, allowed)
    return Run(
        model,
        texts,
        axes,
        tokens,
        trace.values,
        allowed,
        following,
        expected_from,
        extrapolation(model, tokens),
    )


def with_slots(
    n: int, axes: dict[str, Axis], allowed: dict[str, Tensor]
) -> tuple[dict[str, Axis], dict[str, Tensor]]:
    """The columns that `n` persistent slots are in every self-attention, open to every query."""
    columns = (
        {f"{name}_and_slots": slot_axis(name, axis, n) for name, axis in axes.items()} if n else {}
    )
    wide = {
        name: pad(mask, (0, n), value=True) if Site.parse(name).value == "attention" else mask
        for name, mask in allowed.items()
    }
    return axes | columns, wide


def extrapolation(model: Model, tokens: dict[str, list[Token]]) -> list[str]:
    """A sentence for each input longer than any the model was trained on."""
    trained = model.card["limits"]["trained_tokens"]
    return [
        f"The {name} has {len(row)} tokens; the model was trained on at most {trained}: this is"
        " extrapolation."
        for name, row in tokens.items()
        if len(row) > trained
    ]
