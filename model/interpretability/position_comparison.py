"""Every position scheme at a length and a width, in one form, so that all can be held against the
same requirements.

The identifier of a position is the vector that an absolute scheme adds to the token there. A
relative scheme has an identifier for each offset of a key from a query. A scheme is a function and
one row in COMPARED, with its parameters.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import torch
from jaxtyping import Float
from torch import Tensor

from model.answers.answer import Kind
from model.checks import check_between
from model.errors import InvalidInput
from model.layers.positional_encodings import BASE, PERIOD, SCHEMES, Encoding
from model.layers.relative_positions import alibi_slopes, offsets, shaw_index, t5_bucket
from model.layers.rotary_positions import rotary

Biases = Float[Tensor, "head offset"]

LEARNED_SPREAD = 0.02


@dataclass(frozen=True, kw_only=True)
class SchemeValues:
    """The values of a scheme at a length, in float64.

    `known` has the identifier of each of the first positions, or of each offset 0, -1, -2 …, and
    `longer` those for twice the length, or as many as there are. `unit` is the norm of a token or
    the spread of a score, to which the scheme adds, and `weight` is the largest value of the scheme
    in that unit. `scores` are those of two tokens (1, …, 1) at each pair of positions. A relative
    scheme that adds to scores has `biases` at the offsets -(2 length - 1) … 2 length - 1, and
    `vectors` if they come from a vector for each offset.
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
    """Returns the function of a scheme that adds a vector for each position to the token."""

    def tell(length: int, d_model: int, **own) -> SchemeValues:
        known, longer = (
            SCHEMES[name].encode(n, d_model, dtype=torch.float64, **own)
            for n in (length, 2 * length)
        )
        return beside_tokens(known, longer, SCHEMES[name].formula, "analytic")

    return tell


def learned(length: int, d_model: int, seed: int) -> SchemeValues:
    """Returns a learned table, with no row beyond its length, as it is drawn before training
    (Devlin et al. 2019).
    """
    table = LEARNED_SPREAD * drawn(seed, length, d_model)
    return beside_tokens(
        table, table, f"W_P[p], drawn from N(0, {LEARNED_SPREAD}^2)", "random initialisation"
    )


def beside_tokens(
    known: Encoding, longer: Float[Tensor, "longer channel"], formula: str, kind: Kind
) -> SchemeValues:
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
    """Returns rotary positions, which add nothing and turn queries and keys. The identifier of an
    offset is the vector (1, 0, 1, 0, …) turned by its angles.
    """
    upright = torch.tensor([1.0, 0.0], dtype=torch.float64).repeat(d_model // 2)
    known, longer = (rotary(upright.expand(n, d_model), base=base) for n in (length, 2 * length))
    token = torch.ones(2 * length, d_model, dtype=torch.float64)
    turned = rotary(token, base=base)
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
        weight=(turned.norm(dim=-1) - token.norm(dim=-1)).abs().max() / math.sqrt(d_model),
        scores=turned[:length] @ turned[:length].mT / math.sqrt(d_model),
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
    """Returns a learned number for each bucket and head, as it is drawn before training (the
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


def shaw(length: int, d_model: int, most: int, seed: int) -> SchemeValues:
    """Returns a learned vector for each offset up to `most`, which a query multiplies like a key,
    as it is drawn before training.
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
) -> SchemeValues:
    """Returns the values of a scheme that adds a number for each head and offset to the score,
    whose spread is 1 for queries and keys drawn from N(0, 1).
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
    """Returns the offsets -(length - 1) … length - 1."""
    return torch.arange(1 - length, length)


def laid_out(bias: Float[Tensor, " offset"], length: int) -> Float[Tensor, "position position"]:
    """Returns, in each cell [query, key], the number of the offset of that pair."""
    return bias[offsets(length, length) + len(bias) // 2]


def drawn(seed: int, *shape: int) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


@dataclass(frozen=True)
class Parameter:
    """A parameter of a scheme: a number from `low` to `high`, `default` where none is given.

    `sentence` says what the parameter is, and `unit` in what it is counted, "" for a pure number.
    """

    name: str
    sentence: str
    unit: str
    default: int | float
    low: int | float
    high: int | float


WAVE_BASE = Parameter(
    "base", "the base of the wavelengths; 10000 in the papers", "", BASE, low=1, high=1e9
)
WAVE_PERIOD = Parameter(
    "period", "how many positions the wave needs", "positions", PERIOD, low=1, high=1e9
)
HEADS = Parameter("heads", "how many heads; each has its own numbers", "heads", 8, low=1, high=64)
BUCKETS = Parameter(
    "buckets",
    "how many numbers a head has, half of them for what lies ahead",
    "numbers",
    32,
    low=4,
    high=512,
)
MOST = Parameter(
    "most",
    "the offset from which farther ones are told as one",
    "positions",
    128,
    low=1,
    high=4096,
)
SEED = Parameter(
    "seed", "where the draws begin; nothing is trained here", "", 0, low=0, high=2**31 - 1
)


@dataclass(frozen=True)
class ComparedScheme:
    """A scheme, as a function of length, width and its own parameters."""

    values: Callable[..., SchemeValues]
    parameters: tuple[Parameter, ...] = ()

    @property
    def defaults(self) -> dict[str, int | float]:
        return {parameter.name: parameter.default for parameter in self.parameters}

    def checked(self, given: dict[str, int | float]) -> dict[str, int | float]:
        """Returns all parameters, those that are `given` and the defaults of the others. A number
        becomes a float where the default is one. Raises InvalidInput for one outside its range.
        """
        own = self.defaults
        for parameter in self.parameters:
            if parameter.name in given:
                value = given[parameter.name]
                check_between(parameter.name, value, parameter.low, parameter.high)
                own[parameter.name] = type(parameter.default)(value)
        return own


COMPARED = {
    **{name: ComparedScheme(added(name)) for name in SCHEMES},
    "sine": ComparedScheme(added("sine"), (WAVE_PERIOD,)),
    "sinusoidal": ComparedScheme(added("sinusoidal"), (WAVE_BASE,)),
    "learned": ComparedScheme(learned, (SEED,)),
    "shaw": ComparedScheme(shaw, (replace(MOST, default=16), SEED)),
    "t5": ComparedScheme(t5, (HEADS, BUCKETS, MOST, SEED)),
    "rope": ComparedScheme(rope, (WAVE_BASE,)),
    "alibi": ComparedScheme(alibi, (HEADS,)),
}
