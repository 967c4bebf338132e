"""The position-wise feed-forward network: the same two layers for every token, which it sees alone."""

from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

from model.config import Config
from model.linear import Linear
from model.trace import OFF, Trace

ACTIVATIONS = {"relu": functional.relu, "gelu": functional.gelu}


class FeedForward(nn.Module):
    """FFN(x) = max(0, x W_1 + b_1) W_2 + b_2 (Vaswani et al. 2017, equation 2)."""

    def __init__(self, config: Config):
        super().__init__()
        self.hidden = Linear(config.d_model, config.d_ff)
        self.output = Linear(config.d_ff, config.d_model)
        self.activation = ACTIVATIONS[config.activation]

    def forward(self, x: Float[Tensor, "*batch d_model"], trace: Trace = OFF) -> Float[Tensor, "*batch d_model"]:
        pre = trace("pre", self.hidden(x))
        post = trace("post", self.activation(pre))
        return trace("out", self.output(post))
