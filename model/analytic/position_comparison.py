"""Comparison of position schemes: every scheme at one length and width, in a form that can be
checked against the same requirements.

The identifier of a position is the vector that an absolute scheme adds to the token there. A
relative scheme has an identifier for each offset between key and query. A scheme is a function and
a row in COMPARED; its parameters are a row in SCHEME_PARAMETERS.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from model.answers.answer import Kind
from model.checks import check_between
from model.config import RotarySizes
from model.errors import InvalidInput
from model.layers.position_parameters import SCHEME_PARAMETERS, Parameter
from model.layers.positional_encodings import SCHEMES, Encoding
from model.layers.relative_positions import alibi_slopes, offsets, shaw_index, t5_bucket
from model.layers.rotary_positions import rotary

Biases = Float[Tensor, "head offset"]

LEARNED_SPREAD = 0.02


@dataclass(frozen=True, kw_only=True)
class SchemeValues:
    """The values of a scheme at one length, in float64.

    `known` has the identifier of each of the first positions, or of each offset 0, -1, -2 …, and
    `longer` those for twice the length, or as many as the scheme has. `unit` is the norm of a token
    or the standard deviation of a score, to which the scheme adds, and `weight` is the scheme's
    largest value in that unit. `scores` are the scores of two tokens (1, …, 1) at each pair of
    positions. A relative scheme that adds to scores has `biases` at the offsets -(2 length - 1) … 2
    length - 1, and `vectors` if the biases come from a vector per offset.
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


def added(name: str) -> Callable[..., SchemeValues]:
    """The function of a scheme that adds a vector per position to the token."""

    def tell(length: int, d_model: int, **parameters) -> SchemeValues:
        known, longer = (
            SCHEMES[name].encode(n, d_model, dtype=torch.float64, **parameters)
            for n in (length, 2 * length)
        )
        return beside_tokens(known, longer, SCHEMES[name].formula, "analytic")

    return tell


def learned(length: int, d_model: int, seed: int) -> SchemeValues:
    """A learned table with one row per position, as initialized before training (Devlin et al.
    2019).
    """
    table = LEARNED_SPREAD * normal(seed, length, d_model)
    return beside_tokens(
        table, table, f"W_P[p], drawn from N(0, {LEARNED_SPREAD}^2)", "random initialization"
    )


def beside_tokens(
    known: Encoding, longer: Float[Tensor, "longer channel"], formula: str, kind: Kind
) -> SchemeValues:
    """The values of a scheme that adds a vector to the token (1, …, 1), whose norm is
    sqrt(d_model).
    """
    token = math.sqrt(known.shape[1])
    scores = (1 + known) @ (1 + known).mT / token
    weight = longer.norm(dim=-1).max() / token
    return SchemeValues(
        how="added to the token",
        formula=formula,
        kind=kind,
        known=known,
        longer=longer,
        unit=token,
        weight=weight,
        scores=scores,
    )


def rope(length: int, d_model: int, base: float) -> SchemeValues:
    """Rotary positions, which rotate queries and keys and add nothing. The identifier of an offset
    is the vector (1, 0, 1, 0, …), rotated by the angles of the offset (Su et al. 2021).
    """
    upright = torch.tensor([1.0, 0.0], dtype=torch.float64).repeat(d_model // 2)
    sizes = RotarySizes(base=base)
    known, longer = (rotary(upright.expand(n, d_model), 0, sizes) for n in (length, 2 * length))
    token = torch.ones(2 * length, d_model, dtype=torch.float64)
    rotated = rotary(token, 0, sizes)
    return SchemeValues(
        how="turns queries and keys",
        formula=(
            "cos(p w_i) in channel 2i, sin(p w_i) in channel 2i + 1: (1, 0, 1, 0, …) turned by p"
            " w_i, w_i = base^(-2i/d)"
        ),
        kind="analytic",
        known=known,
        longer=longer,
        unit=math.sqrt(d_model),
        weight=(rotated.norm(dim=-1) - token.norm(dim=-1)).abs().max() / math.sqrt(d_model),
        scores=rotated[:length] @ rotated[:length].mT / math.sqrt(d_model),
    )


def alibi(length: int, d_model: int, heads: int) -> SchemeValues:
    distance = both_sides(2 * length).abs()
    return beside_scores(
        length,
        d_model,
        -alibi_slopes(heads).double()[:, None] * distance,
        "-slope |offset|, slopes 2^(-8i/heads)",
        "analytic",
    )


def t5(length: int, d_model: int, heads: int, buckets: int, most: int, seed: int) -> SchemeValues:
    """A learned bias for each bucket of offsets and each head, as initialized before training
    (Raffel et al. 2020 and the authors' code).
    """
    if buckets % 2:
        raise InvalidInput("buckets-not-even", field="buckets", given=buckets)
    if most <= buckets // 4:
        nearest = buckets // 4
        raise InvalidInput(
            "most-within-buckets", field="most", limit=nearest, given=most, buckets=buckets
        )
    bucket = t5_bucket(both_sides(2 * length)[None], buckets, most, both_ways=True)[0]
    table = normal(seed, buckets, heads) / math.sqrt(d_model)
    return beside_scores(
        length,
        d_model,
        table[bucket].mT,
        "W[bucket(offset), head], drawn from N(0, 1/d)",
        "random initialization",
    )


def shaw(length: int, d_model: int, most: int, seed: int) -> SchemeValues:
    """A learned vector for each offset up to `most`, which is multiplied by the query like a key,
    as initialized before training (Shaw et al. 2018).
    """
    table = normal(seed, 2 * most + 1, d_model) / math.sqrt(d_model)
    vectors = table[shaw_index(both_sides(2 * length)[None], most)[0]]
    bias = vectors.sum(dim=-1)[None] / math.sqrt(d_model)
    formula = "q . a[clip(offset)] / sqrt(d) for the query (1, …, 1), a drawn from N(0, 1/d)"
    return beside_scores(length, d_model, bias, formula, "random initialization", vectors)


def beside_scores(
    length: int,
    d_model: int,
    biases: Biases,
    formula: str,
    kind: Kind,
    vectors: Encoding | None = None,
) -> SchemeValues:
    """The values of a scheme that adds a bias for each head and offset to the score. For queries
    and keys sampled from N(0, 1), scores have standard deviation 1.
    """
    zero = 2 * length - 1
    behind = biases[:, : zero + 1].flip(-1).mT
    return SchemeValues(
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
    """The bias of each pair [query, key], determined by its offset."""
    return bias[offsets(length, length) + len(bias) // 2]


def normal(seed: int, *shape: int) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


@dataclass(frozen=True)
class ComparedScheme:
    """A scheme: a function from length, width, and its own parameters to its values, and the
    parameters.
    """

    values: Callable[..., SchemeValues]
    parameters: tuple[Parameter, ...] = ()

    @property
    def defaults(self) -> dict[str, int | float]:
        return {parameter.name: parameter.default for parameter in self.parameters}

    def checked(self, values: dict[str, int | float]) -> dict[str, int | float]:
        """All parameters of the scheme: those in `values`, and defaults for the others. A value
        becomes a float if the default is one. Raises InvalidInput for a value out of range.
        """
        parameters = self.defaults
        for parameter in self.parameters:
            if parameter.name in values:
                value = values[parameter.name]
                check_between(parameter.name, value, parameter.least, parameter.greatest)
                parameters[parameter.name] = type(parameter.default)(value)
        return parameters


COMPARED = {
    name: ComparedScheme(values, SCHEME_PARAMETERS.get(name, ()))
    for name, values in {
        **{name: added(name) for name in SCHEMES},
        "learned": learned,
        "shaw": shaw,
        "t5": t5,
        "rope": rope,
        "alibi": alibi,
    }.items()
}
