"""Heads: how logits follow from the last stream, and what a model says beside them. Most models
have W_U, a matrix, and nothing else.
"""

import math
from collections.abc import Callable

import torch
from jaxtyping import Float
from torch import Tensor, nn

from model.config import Config
from model.errors import InvalidInput
from model.layers.embedding import Embedding
from model.layers.feed_forward import ACTIVATIONS
from model.layers.linear import Linear, make_linear
from model.layers.norms import NoNorm, Stream, make_norm
from model.layers.tabular_embedding import Rows
from model.layers.tabular_head import Bypass, Bypassed
from model.trace import OFF, Trace

Logits = Float[Tensor, "*batch answer vocabulary"]
"""`answer` is a position of the last stack; in a TabTransformer there is one answer for a row."""
Boxes = Float[Tensor, "*batch query 4"]
"""Centre x, centre y, width, height, as shares of the image: (0, 0) is its upper left corner."""

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


class BoxHead(nn.Module):
    """box = sigmoid(max(0, max(0, x W_1 + b_1) W_2 + b_2) W_3 + b_3), of the object of a query: all
    of the image is within reach, and nothing outside it (Carion et al. 2020, section 3.2).
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


class Head(nn.Module):
    """The parts of a network behind its last stream. Their weights are stored beside its stacks."""

    config: Config
    embedding: Embedding

    def add_head(self, config: Config) -> None:
        """Makes the parts that the configuration has. To be called when the stacks are made, since
        weights are drawn in the order of the parts.
        """
        shape = config.n_logits, config.d_model
        self.untied = nn.Parameter(torch.zeros(shape)) if config.has_unembedding else None
        self.unembedding_bias = (
            nn.Parameter(torch.zeros(config.n_logits)) if config.unembedding_bias else 0.0
        )
        self.transform = None if config.transform == "none" else Transform(config)
        self.bypass = Bypass(config) if config.bypass else None
        self.box = BoxHead(config) if config.n_queries else None

    @property
    def answer_vectors(self) -> Float[Tensor, "... vocabulary d_model"]:
        """A vector for each answer: that of the embedding, where both are tied (Press and Wolf
        2017), or its own.
        """
        return self.embedding.token if self.untied is None else self.untied

    @property
    def unembedding(self) -> Float[Tensor, "... d_model vocabulary"]:
        """W_U, divided by sqrt(d_model) where the configuration says so."""
        w = self.answer_vectors.mT
        return w / math.sqrt(self.config.d_model) if self.config.scaled_unembedding else w

    def transformed(self, x: Stream, trace: Trace) -> Stream:
        """x as the unembedding reads it: a head may have a transform, one more layer before W_U."""
        return x if self.transform is None else self.transform(x, trace / "transform")

    def predict_boxes(self, x: Stream, trace: Trace = OFF) -> Boxes:
        """The box of the object that each query has found, [*batch, query, 4]."""
        assert self.box is not None, "only a model with object queries predicts boxes"
        return self.box(x, trace / "box")

    def bypassing(self, rows: Rows, trace: Trace = OFF) -> Bypassed | None:
        """The numbers of a row that go past the stack in a TabTransformer; None in other models."""
        return None if self.bypass is None else self.bypass.bypassed(rows, trace / "bypass")


def linear(head: Head, x: Stream, trace: Trace, bypassed: Bypassed | None) -> Logits:
    """x W_U + b. In a classifier that reads [CLS], the logits at [CLS] are those of the classes."""
    x = head.transformed(x, trace)
    x = x / math.sqrt(head.config.d_model) if head.config.scaled_unembedding else x
    return x @ head.answer_vectors.mT + head.unembedding_bias


def bypass(head: Head, x: Stream, trace: Trace, bypassed: Bypassed | None) -> Logits:
    """An MLP of all tokens of the row and of `bypassed`, its normalised numeric columns, which do
    not go through the stack.
    """
    assert head.bypass is not None, "only a TabTransformer has one"
    return head.bypass(head.transformed(x, trace), bypassed, trace / "bypass")


def none(head: Head, x: Stream, trace: Trace, bypassed: Bypassed | None) -> Logits:
    """Raises InvalidInput."""
    raise InvalidInput("This model has no head: it gives streams, and no logits.")


HEADS: dict[str, Callable[[Head, Stream, Trace, Bypassed | None], Logits]] = {
    "linear": linear,
    "bypass": bypass,
    "none": none,
}
"""The logits of the last stream x, by `Config.head`."""
