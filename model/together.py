"""Modules that learn side by side: one forward and one backward pass for all of them, and Adam with a rate for each."""

from collections.abc import Sequence

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.func import functional_call, vmap

BETA1, BETA2, EPSILON = 0.9, 0.98, 1e-9
"""Vaswani et al. 2017, section 5.3."""


class Together:
    """Members turn ids, and the ids expected, into a loss. What they do together each would do alone, up to rounding.

    All are run as `shape`: a weight that it has and a member has not stays as it is there.
    """

    def __init__(self, shape: nn.Module, members: Sequence[nn.Module]):
        self.own = {name: weight.detach() for name, weight in shape.named_parameters()}
        self.run = vmap(lambda weights, ids, expected: functional_call(shape, weights, (ids, expected)))
        self.weights = torch.stack([self.row(dict(member.named_parameters()), lambda weight: weight) for member in members])
        self.learned = torch.stack([self.row(dict(member.named_parameters()), torch.ones_like, torch.zeros_like) for member in members])
        self.mean, self.square = torch.zeros_like(self.weights), torch.zeros_like(self.weights)
        self.done = 0

    def row(self, weights: dict[str, Tensor], has, has_not=lambda weight: weight) -> Float[Tensor, " number"]:
        """All that `shape` has, one number after another."""
        return torch.cat([(has(weights[name]) if name in weights else has_not(own)).detach().flatten() for name, own in self.own.items()])

    def losses(
        self,
        weights: Float[Tensor, "member number"],
        ids: Int[Tensor, "member sequence position"],
        expected: Int[Tensor, "member sequence position"],
    ) -> Float[Tensor, " member"]:
        parts = zip(self.own.items(), weights.split([own.numel() for own in self.own.values()], dim=1), strict=True)
        return self.run({name: part.unflatten(1, own.shape) for (name, own), part in parts}, ids, expected)

    def step(
        self,
        rates: Float[Tensor, " member"],
        ids: Int[Tensor, "member sequence position"],
        expected: Int[Tensor, "member sequence position"],
    ) -> Float[Tensor, " member"]:
        """Each member's loss before the step that it then takes (Adam: Kingma and Ba 2015, algorithm 1)."""
        weights = self.weights.requires_grad_()
        losses = self.losses(weights, ids, expected)
        (gradient,) = torch.autograd.grad(losses.sum(), weights)
        self.done += 1
        self.mean.lerp_(gradient, 1 - BETA1)
        self.square.lerp_(gradient.square_(), 1 - BETA2)
        mean, square = self.mean / (1 - BETA1**self.done), self.square / (1 - BETA2**self.done)
        self.weights = weights.detach() - rates[:, None] * self.learned * mean / (square.sqrt_() + EPSILON)
        return losses.detach()

    def state(self) -> dict[str, Tensor]:
        """All that the next step depends on."""
        return {"weights": self.weights, "mean": self.mean, "square": self.square}

    def restore(self, state: dict[str, Tensor], done: int) -> None:
        self.weights, self.mean, self.square = state["weights"], state["mean"], state["square"]
        self.done = done
