"""Properties of a table of positions: the requirements on any scheme, and the identities of
sinusoids, measured on the table.
"""

import math

import torch
from jaxtyping import Float
from torch import Tensor

from model import progress
from model.analytic.position_comparison import SchemeValues
from model.analytic.sinusoidal_shift import longest_wavelength, rotate, rotation
from model.answers.measurements import Measurement, fact
from model.layers.positional_encodings import Encoding

EXACT, SERVED = (
    1e-9,
    1e-6,
)  # tolerances of an identity in float64, and in the float32 that is served

STEP = 2**-24  # spacing of float32 just below 1; closer numbers are equal
HALF_AS_EVEN = 0.25

Longer = Float[Tensor, "longer channel"]
Similarity = Float[Tensor, "position position"]
Errors = Float[Tensor, "precision offset"]


def requirements(scheme_values: SchemeValues) -> list[Measurement]:
    """The facts that apply to any scheme, absolute or relative, starting with the two
    requirements.
    """
    length, d = scheme_values.known.shape
    changed = (scheme_values.known - scheme_values.longer[:length]).abs().max()
    different = len((scheme_values.known / STEP).round().unique(dim=0))
    spread = offset_spread(scheme_values.scores)
    missing = 2 * length - len(scheme_values.longer)
    facts = [
        fact(
            "change_with_length",
            changed,
            "0: the same numbers at any length",
            changed <= EXACT,
        ),
        fact(
            "weight",
            scheme_values.weight,
            "at most 1: too small to drown out the token",
            scheme_values.weight <= 1 + EXACT,
        ),
        fact(
            "distinct",
            different,
            f"{length}: even in float32, no two positions have the same vector",
            different == length,
        ),
        fact(
            "score_spread",
            spread,
            "0: with the same query and key vectors at every position, it is 0 if position affects"
            " the score only through the offset, as with RoPE or ALiBi",
            spread <= EXACT * d,
        ),
        fact(
            "missing",
            missing,
            "0: all have a vector, up to twice the length",
            missing == 0,
            "positions",
        ),
    ]
    if not missing:
        news = farthest(scheme_values.longer[length:], scheme_values.known) / scheme_values.unit
        facts.append(fact("unseen", news, "0: no new numbers beyond the length", news <= EXACT))
    if scheme_values.biases is not None:
        far = scheme_values.longer.softmax(dim=0)[length:].sum(dim=0).mean()
        facts.append(
            fact(
                "far_share",
                far,
                "at most 0.25: beyond the length, half of what an even spread has there",
                far <= HALF_AS_EVEN,
            )
        )
    return facts


def farthest(
    news: Float[Tensor, "new identifier"], known: Float[Tensor, "known identifier"]
) -> Tensor:
    """The largest distance between a row of `news` and its nearest row in `known`. It is computed
    from differences, so that equal rows have distance 0.
    """
    return (
        torch.cdist(news, known, compute_mode="donot_use_mm_for_euclid_dist")
        .min(dim=1)
        .values.max()
    )


def general_facts(table: Encoding, longer: Longer) -> list[Measurement]:
    """The facts that apply to any table. `longer` is the table of the same scheme for a longer
    input; both are float64.
    """
    similarity = table @ table.mT
    tolerance = EXACT * table.shape[1]
    largest, nearest = table.abs().max(), torch.pdist(table).min()
    changed = (table - longer[: len(table)]).abs().max()
    spread, odd = offset_spread(similarity), oddness(similarity)
    return [
        fact(
            "change_with_length",
            changed,
            "0: a position has the same vector whatever the length",
            changed == 0,
        ),
        fact(
            "largest_value",
            largest,
            "at most 1: too small to drown out the token",
            largest <= 1,
        ),
        fact(
            "nearest_distance",
            nearest,
            "> 0: no two positions share a vector in float64",
            nearest > 0,
        ),
        fact(
            "offset_spread",
            spread,
            "0 up to rounding: at a given offset, similarity is the same for every p",
            spread <= tolerance,
        ),
        fact("oddness", odd, "0: looking k forward and k back are alike", odd <= tolerance),
    ]


def sinusoidal_facts(table: Encoding, longer: Longer, base: float) -> list[Measurement]:
    """The identities of sinusoids (Vaswani et al. 2017, section 3.5), measured on the table."""
    d = table.shape[1]
    norms = table.square().sum(-1)
    kernel = table @ table[0]
    rises = (kernel.diff() > EXACT * d).sum()
    waves, longest = wavelengths(longer), longest_wavelength(d, base)
    float64, float32 = shift_errors(table, base).amax(-1)
    blocks = rotation(1, d, base)
    crooked = (blocks.mT @ blocks - torch.eye(2)).abs().max()
    return [
        fact(
            "squared_norm",
            norms[(norms - d / 2).abs().argmax()],
            f"d / 2 = {d / 2:g} at every position",
            close(norms, d / 2),
        ),
        fact(
            "shift_error",
            float64,
            "0: PE(p + k) = M_k PE(p) for every p and k, in float64",
            float64 <= EXACT,
        ),
        fact(
            "shift_error_float32",
            float32,
            "0: the same in the float32 that is served",
            float32 <= SERVED,
        ),
        fact("shift_crookedness", crooked, "0: M_k is orthogonal, M_k^T M_k = 1", crooked <= EXACT),
        fact("rises", rises, "> 0: similarity doesn’t always fall with distance", rises > 0),
        fact(
            "shortest_wavelength",
            waves[0],
            f"2 pi = {2 * math.pi:.6g}",
            close(waves[0], 2 * math.pi),
            "positions",
        ),
        fact(
            "longest_wavelength",
            waves[-1],
            f"2 pi base^((d - 2) / d) = {longest:.6g}",
            close(waves[-1], longest),
            "positions",
        ),
    ]


def close(values: Tensor, law: float) -> Tensor:
    return ((values - law).abs() <= EXACT * law).all()


def offset_spread(similarity: Similarity) -> float:
    """The largest range of PE(p) . PE(p + k) over positions p, for any offset k."""
    diagonals = (similarity.diagonal(k) for k in range(len(similarity)))
    return max((diagonal.max() - diagonal.min()).item() for diagonal in diagonals)


def oddness(similarity: Similarity) -> float:
    """The largest |PE(p) . PE(p + k) - PE(p) . PE(p - k)|; 0 if no position has both neighbours."""
    n = len(similarity)
    pairs = (
        (similarity.diagonal(k)[k:], similarity.diagonal(-k)[: n - 2 * k])
        for k in range(1, (n + 1) // 2)
    )
    return max(((ahead - back).abs().max().item() for ahead, back in pairs), default=0.0)


def shift_errors(table: Encoding, base: float) -> Errors:
    """The largest |PE(p + k) - M_k PE(p)| over positions and channels, for each k = 1 … length - 1,
    in float64 and in float32.
    """
    return torch.stack(
        [
            shift_errors_in(dtype, table, base)
            for dtype in progress.steps((torch.float64, torch.float32))
        ]
    )


def shift_errors_in(dtype: torch.dtype, table: Encoding, base: float) -> Float[Tensor, " offset"]:
    served, (length, d) = table.to(dtype), table.shape
    shifted = (
        rotate(rotation(k, d, base).to(dtype), served[:-k])
        for k in progress.steps(range(1, length))
    )
    return torch.stack(
        [(there - served[k:]).abs().max().double() for k, there in enumerate(shifted, start=1)]
    )


def wavelengths(table: Encoding) -> Float[Tensor, " pair"]:
    """The wavelength of each pair of channels in positions, computed from the first two rows of the
    table.
    """
    angle = torch.atan2(table[:2, 0::2], table[:2, 1::2])
    return 2 * math.pi / (angle[1] - angle[0])
