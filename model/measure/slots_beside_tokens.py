"""Slots and tokens: the self-attention of a trained layer over its tokens and over added key and
value vectors that belong to no token (Sukhbaatar et al. 2019).
"""

import torch
from jaxtyping import Float
from torch import Tensor

from model.answers.measurements import Finding, exact
from model.layers import masks
from model.layers.attention import MultiHeadAttention
from model.layers.context import Context
from model.layers.masks import Allowed
from model.layers.persistent_memory import for_slots, with_slots
from model.measure.memory_laws import LAWS
from model.trace import Recorder

Tokens = Float[Tensor, "position channel"]
Pattern = Float[Tensor, "head query column"]


def mask(n: int, stack: str) -> Allowed:
    return (masks.causal if stack == "decoder" else masks.full)(n)


def attend(
    attention: MultiHeadAttention, x: Float[Tensor, "*batch position channel"], stack: str
) -> Tensor:
    return attention(x, Context(mask(x.shape[-2], stack)))


def over_slots(
    attention: MultiHeadAttention, x: Tokens, stack: str, n: int, draws: torch.Generator
) -> Pattern:
    """The weights of self-attention over the tokens and `n` slots."""
    keys, values = torch.randn(
        2, attention.n_heads, n, x.shape[1] // attention.n_heads, generator=draws
    )
    trace = Recorder()
    attention.attend(x, x, for_slots(mask(len(x), stack), n), trace, with_slots(keys, values))
    return trace.values["pattern"]


def mean_over_heads(pattern: Pattern, stack: str) -> Float[Tensor, "query column"]:
    """The weights averaged over heads, -inf where the mask hides a token. Slots are never
    masked.
    """
    tokens, columns = pattern.shape[1:]
    hidden = ~for_slots(mask(tokens, stack), columns - tokens)
    return pattern.mean(0).masked_fill(hidden, -torch.inf)


def without_slots(attention: MultiHeadAttention, x: Tokens, stack: str) -> Tensor:
    """The largest difference between self-attention and the same attention with zero slots."""
    none = torch.zeros(attention.n_heads, 0, x.shape[1] // attention.n_heads)
    return (
        (
            attend(attention, x, stack)
            - attention.attend(
                x, x, for_slots(mask(len(x), stack), 0), cache=with_slots(none, none)
            )
        )
        .abs()
        .max()
    )


def slot_findings(
    attention: MultiHeadAttention, x: Tokens, stack: str, patterns: list[Pattern]
) -> list[Finding]:
    """The findings about the weights over tokens and slots, and about attention to `x` without
    slots.
    """
    return [
        exact(LAWS["slots_sum"], torch.stack(patterns).sum(-1).sub(1).abs().max()),
        exact(LAWS["no_slots"], without_slots(attention, x, stack)),
    ]
