"""Every scheme at a length and a width, in one form, so that all can be asked the same questions.

What a scheme tells of a position is its identifier there: a vector that is added to the token, or,
where the scheme is relative, what attention is told of an offset.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from model.answers.answer import Kind
from model.errors import InvalidInput
from model.layers.positional_encodings import BASE, PERIOD, SCHEMES, Encoding, rotary
from model.layers.relative_positions import alibi_slopes, offsets, shaw_index, t5_bucket

Biases = Float[Tensor, "head offset"]

LEARNED_SPREAD = 0.02
OWN: dict[str, dict] = {
    "sine": {"period": PERIOD},
    "sinusoidal": {"base": BASE},
    "learned": {"seed": 0},
    "shaw": {"most": 16, "seed": 0},
    "t5": {"heads": 8, "buckets": 32, "most": 128, "seed": 0},
    "rope": {"base": BASE},
    "alibi": {"heads": 8},
}
"""The parameters that are a scheme's own, and what they are where nothing is said."""


@dataclass(frozen=True, kw_only=True)
class Told:
    """What a scheme tells at a length, in float64.

    `known` has a row for each of the first positions, or for each offset 0, -1, -2 …; `longer` the
    same for twice the length, or for as many as there are. `unit` is the size of what they meet,
    the norm of a token or the spread of a score, and `weight` the most that positions put beside
    it. `scores` is how two tokens (1, …, 1) meet at each pair of positions. A relative scheme that
    adds to scores has `biases`, of the offsets -(2 length - 1) … 2 length - 1.
    """

    how: str
    formula: str
    kind: Kind
    known: Float[Tensor, "position identifier"]
    longer: Float[Tensor, "longer identifier"]
    unit: float
    weight: float | Tensor
    scores: Float[Tensor, "position position"]
    biases: Biases | None = None
    vectors: Float[Tensor, "offset channel"] | None = None


def added(name: str) -> Callable[..., Told]:
    """A vector for each position, added to the token's."""

    def tell(length: int, d_model: int, **own) -> Told:
        known, longer = (
            SCHEMES[name].encode(n, d_model, dtype=torch.float64, **own)
            for n in (length, 2 * length)
        )
        return beside_tokens(known, longer, SCHEMES[name].formula, "analytic")

    return tell


def learned(length: int, d_model: int, seed: int) -> Told:
    """As many rows as were learned, and none beyond; here as they are drawn before training (Devlin
    et al. 2019).
    """
    table = LEARNED_SPREAD * drawn(seed, length, d_model)
    return beside_tokens(
        table, table, f"W_P[p], drawn from N(0, {LEARNED_SPREAD}^2)", "random initialisation"
    )


def beside_tokens(
    known: Encoding, longer: Float[Tensor, "longer channel"], formula: str, kind: Kind
) -> Told:
    token = math.sqrt(known.shape[1])
    scores = (1 + known) @ (1 + known).mT / token
    weight = longer.norm(dim=-1).max() / token
    return Told(
        how="added to the token",
        formula=formula,
        kind=kind,
        known=known,
        longer=longer,
        unit=token,
        weight=weight,
        scores=scores,
    )


def rope(length: int, d_model: int, base: float) -> Told:
    """Nothing is added: queries and keys turn. What is told of an offset is the angles, as the
    vector (1, 0, 1, 0, …) turned by them.
    """
    upright = torch.tensor([1.0, 0.0], dtype=torch.float64).repeat(d_model // 2)
    known, longer = (rotary(upright.expand(n, d_model), base=base) for n in (length, 2 * length))
    token = torch.ones(2 * length, d_model, dtype=torch.float64)
    turned = rotary(token, base=base)
    return Told(
        how="turns queries and keys",
        formula=(
            "cos(p w_i) in channel 2i, sin(p w_i) in channel 2i + 1: (1, 0, 1, 0, …) turned by p"
            " w_i, w_i = base^(-2i/d)"
        ),
        kind="analytic",
        known=known,
        longer=longer,
        unit=math.sqrt(d_model),
        weight=(turned.norm(dim=-1) - token.norm(dim=-1)).abs().max() / math.sqrt(d_model),
        scores=turned[:length] @ turned[:length].mT / math.sqrt(d_model),
    )


def alibi(length: int, d_model: int, heads: int) -> Told:
    distance = both_sides(2 * length).abs()
    return beside_scores(
        length,
        d_model,
        -alibi_slopes(heads).double()[:, None] * distance,
        "-slope |offset|, slopes 2^(-8i/heads)",
        "analytic",
    )


def t5(length: int, d_model: int, heads: int, buckets: int, most: int, seed: int) -> Told:
    """A learned number for each bucket and head, here as they are drawn before training (the
    authors' code).
    """
    if buckets % 2:
        raise InvalidInput(
            f"buckets is {buckets}; it has to be even: half are for what lies ahead.",
            field="buckets",
            given=buckets,
        )
    if most <= buckets // 4:
        nearest = buckets // 4
        raise InvalidInput(
            f"most is {most}; {buckets} buckets reach further: more than {nearest}.",
            field="most",
            limit=nearest,
            given=most,
        )
    bucket = t5_bucket(both_sides(2 * length)[None], buckets, most, both_ways=True)[0]
    table = drawn(seed, buckets, heads) / math.sqrt(d_model)
    return beside_scores(
        length,
        d_model,
        table[bucket].mT,
        "W[bucket(offset), head], drawn from N(0, 1/d)",
        "random initialisation",
    )


def shaw(length: int, d_model: int, most: int, seed: int) -> Told:
    """A learned vector for each offset up to `most`, which the query meets as it meets a key; here
    before training.
    """
    table = drawn(seed, 2 * most + 1, d_model) / math.sqrt(d_model)
    vectors = table[shaw_index(both_sides(2 * length)[None], most)[0]]
    bias = vectors.sum(dim=-1)[None] / math.sqrt(d_model)
    formula = "q . a[clip(offset)] / sqrt(d) for the query (1, …, 1), a drawn from N(0, 1/d)"
    return beside_scores(length, d_model, bias, formula, "random initialisation", vectors)


def beside_scores(
    length: int,
    d_model: int,
    biases: Biases,
    formula: str,
    kind: Kind,
    vectors: Encoding | None = None,
) -> Told:
    """A number for each head and offset, added to the score, whose spread is 1 for queries and keys
    drawn from N(0, 1).
    """
    zero = 2 * length - 1
    behind = biases[:, : zero + 1].flip(-1).mT
    return Told(
        how="added to the score",
        formula=formula,
        kind=kind,
        known=behind[:length],
        longer=behind,
        unit=1.0,
        weight=biases.abs().max(),
        scores=math.sqrt(d_model) + laid_out(biases[0], length),
        biases=biases,
        vectors=vectors,
    )


def both_sides(length: int) -> Tensor:
    """The offsets -(length - 1) … length - 1."""
    return torch.arange(1 - length, length)


def laid_out(bias: Float[Tensor, " offset"], length: int) -> Float[Tensor, "position position"]:
    """The number of each pair's offset in its cell [query, key]."""
    return bias[offsets(length, length) + len(bias) // 2]


def drawn(seed: int, *shape: int) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


TELLERS: dict[str, Callable[..., Told]] = {
    **{name: added(name) for name in SCHEMES},
    "learned": learned,
    "shaw": shaw,
    "t5": t5,
    "rope": rope,
    "alibi": alibi,
}
