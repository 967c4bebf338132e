"""Where an object is: its box from the vector of its query (Carion et al. 2020, section 3.2)."""

from jaxtyping import Float
from torch import Tensor, nn

from model.config import Config
from model.layers.linear import make_linear
from model.layers.norms import Stream
from model.trace import OFF, Trace

Boxes = Float[Tensor, "*batch query 4"]
"""Centre x, centre y, width, height, as shares of the image: (0, 0) is its upper left corner."""


class BoxHead(nn.Module):
    """box = sigmoid(max(0, max(0, x W_1 + b_1) W_2 + b_2) W_3 + b_3): all of the image is within
    reach, and nothing outside it.
    """

    def __init__(self, config: Config):
        super().__init__()
        d = config.d_model
        self.hidden1, self.hidden2, self.output = (
            make_linear(config, d, d),
            make_linear(config, d, d),
            make_linear(config, d, 4),
        )

    def forward(self, x: Stream, trace: Trace = OFF) -> Boxes:
        post1 = trace("post1", trace("pre1", self.hidden1(x)).relu())
        post2 = trace("post2", trace("pre2", self.hidden2(post1)).relu())
        return trace("out", trace("raw", self.output(post2)).sigmoid())
