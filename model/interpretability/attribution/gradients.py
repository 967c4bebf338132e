"""Gradients with respect to the input tokens: gradient times input, and integrated gradients
(Sundararajan et al. 2017).

The input of a token is its vector e_i, before its position is added. F is the log-probability of
the answer. In the baseline, every e_i is 0, but positions are kept:

    gradient times input      e_i . dF/de_i
    integrated gradients      e_i . (integral from 0 to 1 of dF/de_i at a e da)

The integrated gradients of all tokens sum to F(e) - F(0), which is called completeness (section 3,
proposition 1). This holds for every piece of the path from 0 to 1 too, so the error of each piece
is known: its integral minus the change of F. The pieces with the largest errors are halved until
the total error is small, or the maximum number of steps is reached.

The forward pass is that of the model. A trace replaces `embedding.sum`, the vectors with their
positions, with tensors that require gradients.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise

import torch
from jaxtyping import Float
from torch import Tensor

from model import progress
from model.interpretability.attribution.answer import AttributedAnswer
from model.interpretability.attribution.flow import OfTokens
from model.runs.run_model import reading
from model.trace import Trace

Batch = Float[Tensor, "row position channel"]
AT_ONCE = 36
"""The maximum number of path points in one batch."""
PAIRS = AT_ONCE * 64**2
"""The maximum number of token pairs in a batch, because every layer stores its patterns."""
PIECES = 8
"""The initial number of pieces."""
COMPLETE = 5e-4
"""The difference between sum and expected value, in nats, at which halving stops."""
TOLERANCE = 1e-2
"""The total absolute error of the pieces at which halving stops."""
RULE = ((-1.0, 0.0, 1.0), (1 / 6, 4 / 6, 1 / 6))
"""Points from -1 to 1 and weights, which sum to 1, of Simpson's rule. The ends and the middle of a
piece are the ends of its halves. ReLU makes the path non-smooth, so a higher order would not help.
"""
NEW_POINTS = 2
"""The number of points in the two halves of a piece that are not points of the piece."""


@dataclass(frozen=True)
class Integrated:
    """The integrated gradient of every token, the difference F(e) - F(0) that they sum to, and the
    number of points at which the gradient was computed.
    """

    scores: OfTokens
    difference: float
    steps: int

    @property
    def error(self) -> float:
        """The difference between the sum and its expected value, in nats."""
        return abs(self.scores.sum().item() - self.difference)


def gradient_times_input(target: AttributedAnswer) -> OfTokens:
    """e_i . dF/de_i of every token."""
    _, gradients = gradients_at(target, torch.ones(1))
    return gradients[0]


def integrated_gradients(target: AttributedAnswer, steps: int) -> Integrated:
    """The integrated gradients, with the gradient at no more than `steps` points of the path, or at
    the minimum number that the rule needs. They are NaN if a gradient is: in a deep Pre-LN stack,
    each norm divides by a scale that is 0 at the baseline.
    """
    path = IntegrationPath(target)
    bounds = [i / PIECES for i in range(PIECES + 1)]
    pieces = path.pieces(list(pairwise(bounds)))
    while finite(pieces) and len(path.known) + NEW_POINTS <= steps and not complete(pieces):
        progress.arrive(len(path.known) / steps)
        room = min(AT_ONCE, steps - len(path.known)) // NEW_POINTS
        worst = to_halve(pieces, room)
        halves = [half for piece in worst for half in piece.halves()]
        pieces = [piece for piece in pieces if piece not in worst] + path.pieces(halves)
    scores = torch.stack([piece.integral for piece in pieces]).sum(0)
    difference = path.known[1.0][0] - path.known[0.0][0]
    return Integrated(scores, difference, len(path.known))


@dataclass(frozen=True, eq=False)
class Piece:
    """The path from `start` to `end`: the integral of e_i . dF/de_i over it, and the error, the sum
    of the integrals minus the change of F.
    """

    start: float
    end: float
    integral: OfTokens
    error: float

    def halves(self) -> list[tuple[float, float]]:
        middle = (self.start + self.end) / 2
        return [(self.start, middle), (middle, self.end)]


def complete(pieces: list[Piece]) -> bool:
    """Whether the integrals sum to the change of F, and not just by chance."""
    errors = [piece.error for piece in pieces]
    return abs(sum(errors)) <= COMPLETE and sum(map(abs, errors)) <= TOLERANCE


def finite(pieces: list[Piece]) -> bool:
    return all(math.isfinite(piece.error) for piece in pieces)


def to_halve(pieces: list[Piece], most: int) -> list[Piece]:
    """The pieces with the largest errors, making up half of the total error, but at most `most` of
    them.
    """
    worst = sorted(pieces, key=lambda piece: -abs(piece.error))
    errors = list(accumulate(abs(piece.error) for piece in worst))
    enough = next(n for n, error in enumerate(errors, start=1) if error >= errors[-1] / 2)
    return worst[: min(enough, most)]


class IntegrationPath:
    """The path from the baseline (0) to the input (1). `known` has F and e_i . dF/de_i at the
    computed points.
    """

    def __init__(self, target: AttributedAnswer):
        self.target = target
        self.known: dict[float, tuple[float, OfTokens]] = {}

    def pieces(self, bounds: list[tuple[float, float]]) -> list[Piece]:
        """The pieces between these bounds."""
        self.compute([point for ends in bounds for point in points_of(*ends)])
        return [self.piece(*ends) for ends in bounds]

    def piece(self, start: float, end: float) -> Piece:
        gradients = torch.stack([self.known[point][1] for point in points_of(start, end)])
        weights = torch.tensor(RULE[1], dtype=torch.float64)
        integral = (end - start) * (weights @ gradients)
        change = self.known[end][0] - self.known[start][0]
        return Piece(start, end, integral, integral.sum().item() - change)

    def compute(self, points: list[float]) -> None:
        """Computes F and its gradients at the `points` that are not known yet."""
        new = [point for point in dict.fromkeys(points) if point not in self.known]
        tokens = max(len(row) for row in self.target.run.tokens.values())
        at_once = max(1, min(AT_ONCE, PAIRS // tokens**2))
        for first in range(0, len(new), at_once):
            progress.checkpoint()
            some = new[first : first + at_once]
            values, gradients = gradients_at(self.target, torch.tensor(some, dtype=torch.float64))
            self.known |= dict(zip(some, zip(values.tolist(), gradients, strict=True), strict=True))


def points_of(start: float, end: float) -> list[float]:
    """The points of a piece. Its middle is exactly the end of its halves."""
    middle, half = (start + end) / 2, (end - start) / 2
    inner = [middle + half * at for at in RULE[0][1:-1]]
    return [start, *inner, end]


def without_inference() -> torch.inference_mode:
    """A context in which tensors may have gradients, even inside inference mode."""
    return torch.inference_mode(False)


def gradients_at(
    target: AttributedAnswer, points: Float[Tensor, " row"]
) -> tuple[Float[Tensor, " row"], Float[Tensor, "row token"]]:
    """F and e_i . dF/de_i of every token at a e, for each a."""
    with without_inference(), torch.enable_grad():
        sums = {name: value.requires_grad_() for name, value in sums_at(target, points).items()}
        known = log_probabilities(target, sums)
        gradients = torch.autograd.grad(known.sum(), list(sums.values()))
    found = dict(zip(sums, gradients, strict=True))
    products = {
        name: (found[f"{name}.sum"].double() * vectors.double()).sum(-1)
        for name, vectors in token_vectors(target).items()
    }
    chosen = [products[f"{token.stack}.embedding"][:, token.position] for token in target.tokens]
    return known.detach(), torch.stack(chosen, -1)


def token_vectors(target: AttributedAnswer) -> dict[str, Float[Tensor, "position channel"]]:
    """The vectors e of every stack, without positions, by the name of the embedding."""
    names = [f"{stack}.embedding" for stack in target.run.config.stacks]
    return {name: target.run.trace[f"{name}.token"].clone() for name in names}


def sums_at(target: AttributedAnswer, points: Float[Tensor, " row"]) -> dict[str, Batch]:
    """a e + position of every stack, for each a: the replacement for `embedding.sum`."""
    return {
        f"{name}.sum": (
            points.to(vectors.dtype)[:, None, None] * vectors + beside_tokens(target, name)
        )
        for name, vectors in token_vectors(target).items()
    }


def beside_tokens(target: AttributedAnswer, name: str) -> Float[Tensor, "position channel"]:
    """What the embedding `name` adds to the token vectors: positions, and segments in a model with
    segment vectors.
    """
    position = target.run.trace[f"{name}.position"].clone()
    typed = target.run.config.embedding.token_types
    return position + target.run.trace[f"{name}.token_type"] if typed else position


def log_probabilities(target: AttributedAnswer, sums: Mapping[str, Batch]) -> Float[Tensor, " row"]:
    """F in a forward pass in which `sums` replace the activations with these names."""
    found: dict[str, Tensor] = {}

    def batch(name: str, value: Tensor) -> Tensor:
        if name == "logits":
            found[name] = value
        return sums.get(name, value)

    model = target.run.model
    replace(reading(model).prepare(model, target.input), through=lambda record: Trace(batch))()
    return target.log_probability(found["logits"])
