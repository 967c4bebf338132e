"""`arrange` puts an arrangement to the tokens of an input, or refuses it."""

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
    """The layout of an input: `tokens` are those that were typed, the source of an encoder-decoder
    and of a prefix model. `writes` says that the model goes on to write behind them. Raises
    InvalidInput for an arrangement that the input or the model does not allow.
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
    """A random order of the tokens. Those of the frame, such as <s> and [CLS], stay in place."""
    free = [at for at, token in enumerate(tokens) if not getattr(token, "special", False)]
    drawn = torch.randperm(len(free), generator=torch.Generator().manual_seed(seed)).tolist()
    order = list(range(len(tokens)))
    for at, chosen in zip(free, drawn, strict=True):
        order[at] = free[chosen]
    return tuple(order)


def check_order(order: tuple[int, ...], tokens: Sequence[AnyToken]) -> tuple[int, ...]:
    if len(order) != len(tokens):
        raise InvalidInput(
            f"`order` names {len(order)} positions, and the input has {len(tokens)} tokens: name"
            f" each of 0 to {len(tokens) - 1} once.",
            field="order",
            limit=len(tokens),
            given=len(order),
        )
    if tokens[0].text == "[CLS]" and order[0] != 0:
        raise InvalidInput(
            "The answer is read at [CLS], which stays in front: begin `order` with 0.",
            field="order",
            given=order[0],
        )
    return order


def check_pads(model: Model, arranged: Arrangement, n: int, writes: bool) -> Pads:
    """The pads in front or behind. Raises InvalidInput where the model takes none."""
    if arranged.pad is None:
        return NO_PADS
    config = model.config
    if config.inputs != "tokens" or config.segments:
        reason = (
            "reads its text in segments, which have no pads"
            if config.segments
            else "reads no text, and only a text has pads"
        )
        raise InvalidInput(f"{model.id} {reason}: leave out `pad`.", field="pad")
    if writes and arranged.pad == "right" and not config.cross:
        raise InvalidInput(
            f"{model.id} writes behind its text, where the pads would stand: pad on the left.",
            field="pad",
        )
    most = config.max_length - n
    if arranged.pads > most:
        raise InvalidInput(
            f"{arranged.pads} pads and {n} tokens are more than the {config.max_length} that"
            f" {model.id} reads; give at most {most} pads.",
            field="pad",
            limit=most,
            given=arranged.pads,
        )
    return Pads(**{arranged.pad: arranged.pads}, hidden=arranged.hidden)


def check_positions(layout: Layout, n: int) -> None:
    """Raises InvalidInput where the positions of the model cannot be changed as is asked."""
    model, config, arranged = layout.model, layout.model.config, layout.arranged
    if arranged.positions == "off" and config.positions.relative == "rope":
        raise InvalidInput(
            f"{model.id} turns its queries and keys by their positions, inside of the attention:"
            " there is no vector of a position that could be set to 0.",
            field="positions",
        )
    if not position_activations(layout):
        reason = (
            "knows positions only as offsets between tokens, which stay what they are"
            if config.positions.relative != "none"
            else "is told no positions"
        )
        raise InvalidInput(f"{model.id} {reason}: leave out `positions`.", field="positions")
    if arranged.positions == "listed":
        whole = n + layout.pads.left + layout.pads.right
        if len(arranged.listed) != whole:
            raise InvalidInput(
                f"`positions` has {len(arranged.listed)} numbers, and {whole} tokens are read: give"
                " one for each.",
                field="positions",
                limit=whole,
                given=len(arranged.listed),
            )
        check_last_position(model, max(arranged.listed), config.max_length - 1)
