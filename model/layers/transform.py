"""The transform of a head: one layer between the last stream and the unembedding."""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from model.config import Config
from model.layers.feed_forward import ACTIVATIONS
from model.layers.linear import Linear
from model.layers.norms import NoNorm, make_norm
from model.trace import OFF, Trace

TRANSFORMS = {"none": None, "tanh": torch.tanh, **ACTIVATIONS}
"""The function f of a transform by its name; a model without a transform has "none"."""


class Transform(nn.Module):
    """h = LN(f(x W + b)), as before a masked word (Devlin et al. 2019), or without the norm, as
    before the classes of a text, where it is called a pooler.
    """

    def __init__(self, config: Config):
        super().__init__()
        function = TRANSFORMS[config.transform]
        assert function is not None, "a model without a transform has no such part"
        self.dense = Linear(config.d_model, config.d_model)
        self.function = function
        self.norm = make_norm(config) if config.normed_transform else NoNorm()

    def forward(
        self, x: Float[Tensor, "*batch channel"], trace: Trace = OFF
    ) -> Float[Tensor, "*batch channel"]:
        pre = trace("pre", self.dense(x))
        return self.norm(trace("post", self.function(pre)), trace / "norm")


def make_transform(config: Config) -> Transform | None:
    return None if config.transform == "none" else Transform(config)
