"""Batched training: several modules with the same architecture train in one forward and one
backward pass, with Adam and a learning rate per module.
"""

from collections.abc import Mapping, Sequence

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.func import functional_call

BETA1, BETA2, EPSILON = 0.9, 0.98, 1e-9
"""Vaswani et al. 2017, section 5.3."""

Texts = Int[Tensor, "member position"]


class EnsembleTrainer:
    """Trains the modules `members`, each of which computes a loss from the ids of a text and the
    expected ids. Every member trains as it would on its own, up to rounding.

    The weights of all members are stacked on a leading axis `member` and run as the single module
    `shape`. A parameter that a member lacks keeps its value in `shape`. `table` is the name of the
    embedding, whose rows the ids select: the tables of all members are concatenated, and each
    member's ids are shifted to its own rows.
    """

    def __init__(self, shape: nn.Module, members: Sequence[nn.Module], table: str):
        self.shape, self.table = shape, table
        self.shared = {name: weight.detach() for name, weight in shape.named_parameters()}
        parameters = [dict(member.named_parameters()) for member in members]
        self.weights = torch.stack([self.flat_weights(model) for model in parameters])
        self.learned = torch.stack([self.flat_learned(model) for model in parameters])
        self.mean, self.square = torch.zeros_like(self.weights), torch.zeros_like(self.weights)
        # The first row of each member in the concatenated tables.
        self.first_row = torch.arange(len(members))[:, None] * len(self.shared[table])
        self.done = 0

    def flat_weights(self, parameters: Mapping[str, Tensor]) -> Float[Tensor, " number"]:
        """The parameters of one member in the order of `shape`, flattened and concatenated."""
        return torch.cat(
            [parameters.get(name, p).detach().flatten() for name, p in self.shared.items()]
        )

    def flat_learned(self, parameters: Mapping[str, Tensor]) -> Float[Tensor, " number"]:
        """1 for each number that the member has and learns, 0 for those that only `shape` has."""
        return torch.cat(
            [p.new_full((p.numel(),), name in parameters) for name, p in self.shared.items()]
        )

    def losses(
        self, weights: Float[Tensor, "member number"], ids: Texts, expected: Texts
    ) -> Float[Tensor, " member"]:
        """The loss of each member with the weights `weights`."""
        parts = zip(
            self.shared.items(),
            weights.split([p.numel() for p in self.shared.values()], dim=1),
            strict=True,
        )
        stacked = {
            name: broadcast_over_positions(part.unflatten(1, p.shape)) for (name, p), part in parts
        }
        stacked[self.table] = stacked[self.table].flatten(0, -2)
        return functional_call(self.shape, stacked, (ids + self.first_row, expected))

    def step(
        self, rates: Float[Tensor, " member"], ids: Texts, expected: Texts
    ) -> Float[Tensor, " member"]:
        """One step of Adam for every member (Kingma and Ba 2015, algorithm 1). Returns each
        member's loss before the step.
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
        """The tensors that the next step depends on; `restore` reads them."""
        return {"weights": self.weights, "mean": self.mean, "square": self.square}

    def restore(self, state: dict[str, Tensor], done: int) -> None:
        """Restores `state`, which was reached after `done` steps."""
        self.weights, self.mean, self.square = state["weights"], state["mean"], state["square"]
        self.done = done


def broadcast_over_positions(weight: Float[Tensor, "member ..."]) -> Tensor:
    """The stacked weights of all members in a form that broadcasts over a stream [member, position,
    channel]: matrices are [member, row, column], vectors become [member, 1, channel].
    """
    return weight if weight.ndim == 3 else weight[:, None]
