"""`arrange` applies an arrangement to the tokens of an input, or raises an error."""

from collections.abc import Sequence

import torch

from model.activations.activation import input_axis
from model.arrangement.arrangement import Arrangement
from model.arrangement.layout import Layout, check_last_position, position_activations
from model.errors import InvalidInput
from model.runs.run import AnyToken
from model.runs.text import NO_PADS, Pads
from model.zoo.models import Model


def arrange(
    model: Model, arranged: Arrangement, tokens: Sequence[AnyToken], *, writes: bool = False
) -> Layout:
    """The layout of an input: `tokens` are those that were typed, or the source of an
    encoder-decoder or prefix model. `writes` says that the model will generate after them. Raises
    InvalidInput for an arrangement that the input or the model does not support.
    """
    stack = model.config.stacks[0]
    pads = check_pads(model, arranged, len(tokens), writes)
    order = tuple(range(len(tokens)))
    if arranged.shuffle is not None:
        order = shuffled(tokens, arranged.shuffle)
    elif arranged.order is not None:
        order = check_order(arranged.order, tokens)
    layout = Layout(model, arranged, stack, input_axis(model.config, stack), order, pads)
    if arranged.positions != "on":
        check_positions(layout, len(tokens))
    return layout


def shuffled(tokens: Sequence[AnyToken], seed: int) -> tuple[int, ...]:
    """A random order of the tokens. Special tokens such as <s> and [CLS] stay in place."""
    free = [at for at, token in enumerate(tokens) if not getattr(token, "special", False)]
    permutation = torch.randperm(len(free), generator=torch.Generator().manual_seed(seed)).tolist()
    order = list(range(len(tokens)))
    for at, chosen in zip(free, permutation, strict=True):
        order[at] = free[chosen]
    return tuple(order)


def check_order(order: tuple[int, ...], tokens: Sequence[AnyToken]) -> tuple[int, ...]:
    if len(order) != len(tokens):
        raise InvalidInput(
            "order-too-short",
            field="order",
            limit=len(tokens),
            given=len(order),
            last=len(tokens) - 1,
        )
    if tokens[0].text == "[CLS]" and order[0] != 0:
        raise InvalidInput("order-begins-with-cls", field="order", given=order[0])
    return order


def check_pads(model: Model, arranged: Arrangement, n: int, writes: bool) -> Pads:
    """The padding before or after. Raises InvalidInput if the model supports none."""
    if arranged.pad is None:
        return NO_PADS
    config = model.config
    if config.segments:
        raise InvalidInput("segments-have-no-pads", field="pad", model=model.id)
    if config.inputs != "tokens":
        raise InvalidInput("only-a-text-has-pads", field="pad", model=model.id)
    if writes and arranged.pad == "right" and not config.cross:
        raise InvalidInput("pad-on-the-left", field="pad", model=model.id)
    most = config.max_length - n
    if arranged.pads > most:
        raise InvalidInput(
            "too-many-pads",
            field="pad",
            limit=most,
            given=arranged.pads,
            tokens=n,
            most=config.max_length,
            model=model.id,
        )
    return Pads(**{arranged.pad: arranged.pads}, hidden=arranged.hidden)


def check_positions(layout: Layout, n: int) -> None:
    """Raises InvalidInput if the model's positions cannot be changed as requested."""
    model, config, arranged = layout.model, layout.model.config, layout.arranged
    if arranged.positions == "off" and config.positions.relative == "rope":
        raise InvalidInput("no-position-vectors", field="positions", model=model.id)
    if not position_activations(layout):
        message = "only-offsets" if config.positions.relative != "none" else "told-no-positions"
        raise InvalidInput(message, field="positions", model=model.id)
    if arranged.positions == "listed":
        whole = n + layout.pads.left + layout.pads.right
        if len(arranged.listed) != whole:
            raise InvalidInput(
                "positions-for-each-token",
                field="positions",
                limit=whole,
                given=len(arranged.listed),
            )
        check_last_position(model, max(arranged.listed), config.max_length - 1)
