"""The position-wise feed-forward network: two linear maps with an activation function between
them, applied to the vector of each token separately, with the same weights.
"""

from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

from model.config import Config
from model.layers.context import Context
from model.layers.linear import make_linear
from model.trace import OFF, Trace

ACTIVATIONS = {
    "relu": functional.relu,
    "gelu": functional.gelu,
    "gelu_tanh": lambda x: functional.gelu(x, approximate="tanh"),
    "silu": functional.silu,
}


class FeedForward(nn.Module):
    """FFN(x) = f(x W_1 + b_1) W_2 + b_2, in the paper with ReLU, f(x) = max(0, x) (Vaswani et al.
    2017, equation 2). W_1 is `hidden`, W_2 is `output`, and `context` is not used.
    """

    def __init__(self, config: Config):
        super().__init__()
        self.hidden = make_linear(config, config.d_model, config.d_ff, "feed_forward")
        self.output = make_linear(config, config.d_ff, config.d_model, "feed_forward")
        self.activation = ACTIVATIONS[config.activation]

    def forward(
        self, x: Float[Tensor, "*batch channel"], context: Context | None = None, trace: Trace = OFF
    ) -> Float[Tensor, "*batch channel"]:
        pre = trace("pre", self.hidden(x))
        post = trace("post", self.activation(pre))
        return trace("out", self.output(post))


class GatedFeedForward(FeedForward):
    """FFN(x) = (f(x W_g) * x W_1) W_2, here written without biases. f is the activation function,
    and * multiplies number by number: the gate f(x W_g) decides how much of x W_1 passes (Dauphin
    et al. 2017; Shazeer 2020, equation 6).
    """

    def __init__(self, config: Config):
        super().__init__(config)
        self.gate = make_linear(config, config.d_model, config.d_ff, "feed_forward")

    def forward(
        self, x: Float[Tensor, "*batch channel"], context: Context | None = None, trace: Trace = OFF
    ) -> Float[Tensor, "*batch channel"]:
        gate = trace("gate", self.gate(x))
        pre = trace("pre", self.hidden(x))
        post = trace("post", self.activation(gate) * pre)
        return trace("out", self.output(post))


def make_feed_forward(config: Config) -> FeedForward:
    return (GatedFeedForward if config.gated else FeedForward)(config)
