"""Modules that learn side by side: one forward and one backward pass for all of them, and Adam with
a rate for each.
"""

from collections.abc import Sequence

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.func import functional_call

BETA1, BETA2, EPSILON = 0.9, 0.98, 1e-9
"""Vaswani et al. 2017, section 5.3."""

Texts = Int[Tensor, "member position"]


class Together:
    """Members turn a text, and the ids expected, into a loss. What they do together each would do
    alone, up to rounding.

    All are run as `shape`: a weight that it has and a member has not stays as it is there. A
    Transformer does the same along any axes in front, so the texts of all go through it as one
    batch, and each meets weights of its own; `table` is the weight whose rows ids pick.
    """

    def __init__(self, shape: nn.Module, members: Sequence[nn.Module], table: str):
        self.shape, self.table = shape, table
        self.own = {name: weight.detach() for name, weight in shape.named_parameters()}
        self.weights = torch.stack(
            [self.row(dict(member.named_parameters()), lambda weight: weight) for member in members]
        )
        self.learned = torch.stack(
            [
                self.row(dict(member.named_parameters()), torch.ones_like, torch.zeros_like)
                for member in members
            ]
        )
        self.mean, self.square = torch.zeros_like(self.weights), torch.zeros_like(self.weights)
        self.first_row = torch.arange(len(members))[:, None] * len(
            self.own[table]
        )  # of each member's in the common table
        self.done = 0

    def row(
        self, weights: dict[str, Tensor], has, has_not=lambda weight: weight
    ) -> Float[Tensor, " number"]:
        """All that `shape` has, one number after another."""
        return torch.cat(
            [
                (has(weights[name]) if name in weights else has_not(own)).detach().flatten()
                for name, own in self.own.items()
            ]
        )

    def losses(
        self, weights: Float[Tensor, "member number"], ids: Texts, expected: Texts
    ) -> Float[Tensor, " member"]:
        parts = zip(
            self.own.items(),
            weights.split([own.numel() for own in self.own.values()], dim=1),
            strict=True,
        )
        stacked = {name: in_front(part.unflatten(1, own.shape)) for (name, own), part in parts}
        stacked[self.table] = stacked[self.table].flatten(0, -2)
        return functional_call(self.shape, stacked, (ids + self.first_row, expected))

    def step(
        self, rates: Float[Tensor, " member"], ids: Texts, expected: Texts
    ) -> Float[Tensor, " member"]:
        """Each member's loss before the step that it then takes (Adam: Kingma and Ba 2015,
        algorithm 1).
        """
        weights = self.weights.requires_grad_()
        losses = self.losses(weights, ids, expected)
        (gradient,) = torch.autograd.grad(losses.sum(), weights)
        self.done += 1
        self.mean.lerp_(gradient, 1 - BETA1)
        self.square.lerp_(gradient.square_(), 1 - BETA2)
        mean, square = self.mean / (1 - BETA1**self.done), self.square / (1 - BETA2**self.done)
        self.weights = weights.detach() - rates[:, None] * self.learned * mean / (
            square.sqrt_() + EPSILON
        )
        return losses.detach()

    def state(self) -> dict[str, Tensor]:
        """All that the next step depends on."""
        return {"weights": self.weights, "mean": self.mean, "square": self.square}

    def restore(self, state: dict[str, Tensor], done: int) -> None:
        self.weights, self.mean, self.square = state["weights"], state["mean"], state["square"]
        self.done = done


def in_front(weight: Float[Tensor, "member ..."]) -> Tensor:
    """Matrices [member, row, column], vectors [member, 1, channel]: they meet a stream [member,
    position, channel].
    """
    return weight if weight.ndim == 3 else weight[:, None]
