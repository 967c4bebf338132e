"""The output of a feed-forward network at one token, decomposed into the contributions of its
neurons.

FFN(x) = b_2 + sum over i of post_i w_i, where w_i is row i of W_2 (Vaswani et al. 2017, equation 2;
Geva et al. 2021, section 2). The sum is exact; it is computed in float64 from the activations of
the run.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from model.layers.feed_forward import FeedForward
from model.layers.linear import Linear
from model.runs.run import Run

Neurons = Float[Tensor, "hidden"]
Channels = Float[Tensor, "channel"]


@dataclass(frozen=True)
class Writes:
    """The computation of one feed-forward network at one token.

    `argument` is the input of the activation function, and `activated` its output. In a gated
    network, the argument is the gate's, and `post` is activated * pre; otherwise the argument is
    `pre`, and post is activated. `rows` are the rows of W_2, and `bias` is b_2, or 0 in a network
    without biases. `edit` is what edits added to the output, None if they did not change it.
    """

    argument: Neurons
    activated: Neurons
    pre: Neurons
    post: Neurons
    rows: Float[Tensor, "hidden channel"]
    bias: Channels
    out: Channels
    edit: Channels | None = None

    @property
    def fires(self) -> Bool[Tensor, "hidden"]:
        """Which neurons fire: those with a positive argument."""
        return self.argument > 0

    @property
    def lengths(self) -> Neurons:
        """|post_i| |w_i|, the norm of each neuron's contribution."""
        return self.post.abs() * self.rows.norm(dim=-1)

    def strongest(self, top: int) -> Int[Tensor, "neuron"]:
        """The `top` neurons with the largest contributions, in decreasing order."""
        return self.lengths.argsort(descending=True, stable=True)[:top]

    def outputs(self, neurons: Int[Tensor, "neuron"]) -> Float[Tensor, "neuron channel"]:
        """post_i w_i, the contributions of some neurons."""
        return self.post[neurons, None] * self.rows[neurons]

    @property
    def total(self) -> Channels:
        """The contribution of all neurons, without the bias."""
        return self.post @ self.rows


def writes(run: Run, scope: str, position: int) -> Writes:
    """The computation of the feed-forward network `scope` at a position, in float64."""
    network = run.model.transformer.get_submodule(scope)
    assert isinstance(network, FeedForward), f"{scope} is no feed-forward network"
    here = {
        name: run.trace[f"{scope}.{name}"][position].double()
        for name in ("pre", "post", "out", *(("gate",) if run.config.gated else ()))
    }
    argument, stages = here.get("gate", here["pre"]), run.stages.get(f"{scope}.out")
    rows = network.output.weight.double()
    return Writes(
        argument=argument,
        activated=network.activation(argument),
        pre=here["pre"],
        post=here["post"],
        rows=rows,
        bias=network.output.bias.double()
        if isinstance(network.output, Linear)
        else torch.zeros_like(rows[0]),
        out=here["out"],
        edit=here["out"] - stages[0].before[position].double() if stages else None,
    )
