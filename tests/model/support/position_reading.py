"""What every scheme tells of positions, cell by cell from the papers, in NumPy; only the draws of
what would be learned come from torch.
"""

import math

import numpy as np
import torch

DEFAULTS = {
    "none": {},
    "integer": {},
    "normalised": {},
    "sigmoid": {},
    "sine": {"period": 64.0},
    "sinusoidal": {"base": 10000.0},
    "learned": {"seed": 0},
    "shaw": {"most": 16, "seed": 0},
    "t5": {"heads": 8, "buckets": 32, "most": 128, "seed": 0},
    "rope": {"base": 10000.0},
    "alibi": {"heads": 8},
}
NUMBERS = {
    "none": lambda p, n, options: 0.0,
    "integer": lambda p, n, options: float(p),
    "normalised": lambda p, n, options: p / (n - 1),
    "sigmoid": lambda p, n, options: 1 / (1 + math.exp(-p)),
    "sine": lambda p, n, options: math.sin(2 * math.pi * p / options["period"]),
}
RELATIVE = ("shaw", "t5", "alibi")


def random_array(seed: int, *shape: int) -> np.ndarray:
    return torch.randn(
        *shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64
    ).numpy()


def angle(p: int, channel: int, d: int, base: float) -> float:
    return p / base ** (2 * (channel // 2) / d)


def identifiers(scheme: str, n: int, length: int, d: int, options: dict) -> np.ndarray:
    """Of the first `n` positions, or of the offsets 0, -1 …; a learned table has `length` rows."""
    if scheme in NUMBERS:
        return np.array([[NUMBERS[scheme](p, n, options)] * d for p in range(n)])
    if scheme == "learned":
        return 0.02 * random_array(options["seed"], length, d)
    if scheme in RELATIVE:
        return np.array(
            [
                [bias(scheme, head, -k, d, options) for head in range(options.get("heads", 1))]
                for k in range(n)
            ]
        )
    wave = (math.sin, math.cos) if scheme == "sinusoidal" else (math.cos, math.sin)
    return np.array(
        [[wave[c % 2](angle(p, c, d, options["base"])) for c in range(d)] for p in range(n)]
    )


def bucket(offset: int, buckets: int, most: int) -> int:
    """T5's, both ways, in whole numbers."""
    half, distance = buckets // 2, abs(offset)
    near = half // 2
    far = half - near
    steps = [j for j in range(far) if distance**far * near**j >= most**j * near**far]
    return half * (offset > 0) + (distance if distance < near else near + max(steps))


def shaws_vector(offset: int, d: int, options: dict) -> np.ndarray:
    most, seed = options["most"], options["seed"]
    return random_array(seed, 2 * most + 1, d)[max(-most, min(most, offset)) + most] / math.sqrt(d)


def bias(scheme: str, head: int, offset: int, d: int, options: dict) -> float:
    if scheme == "alibi":
        return -(2.0 ** (-8 * (head + 1) / options["heads"])) * abs(offset)
    if scheme == "shaw":
        return shaws_vector(offset, d, options).sum() / math.sqrt(d)
    return random_array(options["seed"], options["buckets"], options["heads"])[
        bucket(offset, options["buckets"], options["most"]), head
    ] / math.sqrt(d)


def biases(scheme: str, length: int, d: int, options: dict) -> np.ndarray:
    """[head, offset] of the offsets -(length - 1) … length - 1."""
    return np.array(
        [
            [bias(scheme, head, k, d, options) for k in range(1 - length, length)]
            for head in range(options.get("heads", 1))
        ]
    )


def scores(scheme: str, length: int, d: int, options: dict) -> np.ndarray:
    """How two tokens (1, …, 1) meet at positions p and q."""
    if scheme in RELATIVE:
        return np.array(
            [
                [math.sqrt(d) + bias(scheme, 0, q - p, d, options) for q in range(length)]
                for p in range(length)
            ]
        )
    if scheme == "rope":
        waves = [options["base"] ** (-2 * i / d) for i in range(d // 2)]
        return np.array(
            [
                [
                    sum(2 * math.cos((p - q) * w) for w in waves) / math.sqrt(d)
                    for q in range(length)
                ]
                for p in range(length)
            ]
        )
    x = 1 + identifiers(scheme, length, length, d, options)
    return x @ x.T / math.sqrt(d)


def requirements(scheme: str, length: int, d: int, **settings) -> dict[str, float]:
    options = DEFAULTS[scheme] | settings
    known, longer = (identifiers(scheme, n, length, d, options) for n in (length, 2 * length))
    norms = np.sqrt((longer**2).sum(-1))
    unit = 1.0 if scheme in RELATIVE else math.sqrt(d)
    met = scores(scheme, length, d, options)
    facts = {
        "change_with_length": np.abs(known - longer[:length]).max(),
        "weight": (
            np.abs(biases(scheme, 2 * length, d, options)).max()
            if scheme in RELATIVE
            else 0.0
            if scheme == "rope"
            else norms.max() / unit
        ),
        "distinct": float(len({tuple(np.round(row * 2**24)) for row in known})),
        "score_spread": max(np.ptp(np.diagonal(met, k)) for k in range(length)),
        "missing": float(2 * length - len(longer)),
    }
    if scheme != "learned":
        facts["unseen"] = (
            max(min(np.sqrt(((new - old) ** 2).sum()) for old in known) for new in longer[length:])
            / unit
        )
    if scheme in RELATIVE:
        weights = np.exp(longer) / np.exp(longer).sum(axis=0)
        facts["far_share"] = weights[length:].sum(axis=0).mean()
    return facts


def profile(scheme: str, length: int, d: int, head: int = 0, **settings) -> np.ndarray:
    """Similarity of the last query, at the length and at twice the length, with what lies k behind
    it; -inf where nothing is.
    """
    options = DEFAULTS[scheme] | settings
    longer = identifiers(scheme, 2 * length, length, d, options)
    rows = np.full((2, 2 * length), -np.inf)
    for end, query in enumerate((length - 1, 2 * length - 1)):
        for k in range(query + 1 if query < len(longer) else 0):
            rows[end, k] = (
                longer[k, head] if scheme in RELATIVE else longer[query] @ longer[query - k]
            )
    return rows
