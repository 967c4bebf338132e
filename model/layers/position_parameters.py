"""The parameters of every position scheme: name, description, unit, default, and range.

The web process imports this module and must never load torch, so this module doesn't import it.
"""

from dataclasses import dataclass, replace

BASE = 10000.0
PERIOD = 64.0


@dataclass(frozen=True)
class Parameter:
    """A parameter of a scheme: a number from `least` to `greatest`, by default `default`.

    `sentence` describes the parameter, and `unit` is its unit, "" for a pure number.
    """

    name: str
    sentence: str
    unit: str
    default: int | float
    least: int | float
    greatest: int | float


WAVE_BASE = Parameter(
    "base", "the base of the wavelengths; 10000 in the papers", "", BASE, least=1, greatest=1e9
)
WAVE_PERIOD = Parameter(
    "period",
    "after how many positions the wave repeats",
    "positions",
    PERIOD,
    least=1,
    greatest=1e9,
)
HEADS = Parameter(
    "heads",
    "how many heads there are; each has numbers of its own",
    "heads",
    8,
    least=1,
    greatest=64,
)
BUCKETS = Parameter(
    "buckets",
    "how many numbers each head has, half of them for keys that lie ahead",
    "numbers",
    32,
    least=4,
    greatest=512,
)
MAX_OFFSET = Parameter(
    "most",
    "the offset beyond which all offsets count as one",
    "positions",
    128,
    least=1,
    greatest=4096,
)
SEED = Parameter(
    "seed",
    "where the random draws begin; nothing is trained here",
    "",
    0,
    least=0,
    greatest=2**31 - 1,
)

SCHEME_PARAMETERS: dict[str, tuple[Parameter, ...]] = {
    "sine": (WAVE_PERIOD,),
    "sinusoidal": (WAVE_BASE,),
    "rope": (WAVE_BASE,),
    "learned": (SEED,),
    "shaw": (replace(MAX_OFFSET, default=16), SEED),
    "alibi": (HEADS,),
    "t5": (HEADS, BUCKETS, MAX_OFFSET, SEED),
}
"""The parameters of each scheme by its name, in the order in which results list them."""
