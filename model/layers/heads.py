"""Output heads: from the last stream to logits, and the other predictions of a model. Most models
have only the unembedding matrix W_U.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor, nn

from model.activations.activation import (
    Activation,
    answer_axis,
    linear_operands,
    plus_bias,
    stack_output,
    stream_activation,
)
from model.activations.derivation import (
    Cell,
    Rule,
    Step,
    linear,
    number,
    product,
    rule,
    softmax,
    sum_of_products,
    typeset,
)
from model.activations.residual_scale import Sum
from model.config import Config
from model.errors import InvalidInput
from model.layers.embedding import Embedding
from model.layers.feed_forward import ACTIVATIONS, ActivationFunction, relu_steps
from model.layers.linear import Linear, make_linear
from model.layers.norms import NoNorm, Stream, make_norm, norm_activations
from model.layers.tabular_embedding import Rows
from model.layers.tabular_head import Bypass, Bypassed, bypass_activations
from model.trace import OFF, Trace

Logits = Float[Tensor, "*batch answer vocabulary"]
"""`answer` is a position of the last stack; a TabTransformer has one per row."""
Boxes = Float[Tensor, "*batch query 4"]
"""Center x, center y, width, height, as fractions of the image; (0, 0) is its upper left corner."""


@typeset("tanh( {0} ) = {value}")
@rule
def tanh_steps(cell: Cell, x: Tensor) -> list[Step]:
    """tanh x."""
    return [Step("value", "tanh(x)", x.tanh())]


TRANSFORMS = {
    "none": None,
    "tanh": ActivationFunction(torch.tanh, "tanh({0})", tanh_steps),
    **ACTIVATIONS,
}
"""The function f of a transform by name; "none" for a model without a transform."""


class Transform(nn.Module):
    """h = LN(f(x W + b)), as in BERT's masked-word head (Devlin et al. 2019). Without the norm it
    is BERT's pooler, used before a text classifier.
    """

    def __init__(self, config: Config):
        super().__init__()
        function = TRANSFORMS[config.head.transform]
        assert function is not None, "a model without a transform has no such part"
        self.dense = Linear(config.d_model, config.d_model)
        self.function = function
        self.norm = make_norm(config) if config.head.normed_transform else NoNorm()

    def forward(
        self, x: Float[Tensor, "*batch channel"], trace: Trace = OFF
    ) -> Float[Tensor, "*batch channel"]:
        pre = trace("pre", self.dense(x))
        return self.norm(trace("post", self.function(pre)), trace / "norm")


def read_by_unembedding(config: Config) -> str:
    """The name of the activation that is multiplied by the unembedding."""
    if config.head.transform == "none":
        return stack_output(config, config.stacks[-1])
    return "transform.norm.out" if config.head.normed_transform else "transform.post"


def transform_activations(config: Config) -> Iterator[Activation]:
    """x W + b, the function, and the norm if there is one; nothing without a transform."""
    function = TRANSFORMS[config.head.transform]
    if function is None:
        return
    axis, last = answer_axis(config), stack_output(config, config.stacks[-1])
    yield stream_activation(
        "transform.pre",
        axis,
        "x W + b",
        "The last stream as the head reads it.",
        linear,
        f"{last}[position *]",
        "transform.dense.weight[* channel]",
        "transform.dense.bias[channel]",
    )
    yield stream_activation(
        "transform.post",
        axis,
        function.formula.format("pre"),
        "What the head makes of it.",
        function.rule,
        "transform.pre[position channel]",
    )
    if config.head.normed_transform:
        yield from norm_activations(config, "transform.norm", axis, Sum(("transform.post",)))


class BoxHead(nn.Module):
    """box = sigmoid(max(0, max(0, x W_1 + b_1) W_2 + b_2) W_3 + b_3) for each object query. The
    sigmoid keeps the box inside the image (Carion et al. 2020, section 3.2).
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


@rule
def press(cell: Cell, x: Tensor) -> list[Step]:
    """1 / (1 + e^-x)."""
    return [Step("value", "1 / (1 + e^-x)", x.sigmoid())]


def box_activations(config: Config, x: str, axis: str) -> Iterator[Activation]:
    """The two hidden layers and the box of each object query; `x` is the decoder's output."""

    def activation(
        name: str, width: str, formula: str, sentence: str, rule: Rule, *operands: str
    ) -> Activation:
        return Activation(
            f"box.{name}", ("position", width), (axis, width), formula, sentence, rule, operands
        )

    for layer in (1, 2):
        rule, operands = linear_operands(
            config, f"{x}[position *]", f"box.hidden{layer}", "channel"
        )
        bias = plus_bias(config, f"b_{layer}")
        yield activation(
            f"pre{layer}",
            "channel",
            f"x W_{layer}{bias}",
            "How well the query fits each neuron.",
            rule,
            *operands,
        )
        fires = "How strongly each neuron fires."
        yield activation(
            f"post{layer}",
            "channel",
            "max(0, pre)",
            fires,
            relu_steps,
            f"box.pre{layer}[position channel]",
        )
        x = f"box.post{layer}"
    rule, operands = linear_operands(config, f"{x}[position *]", "box.output", "side")
    yield activation(
        "raw",
        "side",
        f"post W_3{plus_bias(config, 'b_3')}",
        "The box before it is pressed into the image.",
        rule,
        *operands,
    )
    formula, sentence = (
        "1 / (1 + e^-raw)",
        "The box: its center, width and height, as shares of the image.",
    )
    yield activation("out", "side", formula, sentence, press, "box.raw[position side]")


class Head(nn.Module):
    """The parts of a network after its last stream. Their weights are stored next to those of its
    stacks.
    """

    config: Config
    embedding: Embedding

    def add_head(self, config: Config) -> None:
        """Adds the parts that the configuration has. Call it after making the stacks:
        initialization samples the weights in the order of the parts.
        """
        shape = config.n_logits, config.d_model
        self.untied = nn.Parameter(torch.zeros(shape)) if config.has_unembedding else None
        self.unembedding_bias = (
            nn.Parameter(torch.zeros(config.n_logits)) if config.head.bias else 0.0
        )
        self.transform = None if config.head.transform == "none" else Transform(config)
        self.bypass = Bypass(config) if config.bypass else None
        self.box = BoxHead(config) if config.n_queries else None

    @property
    def unembedding_weight(self) -> Float[Tensor, "... vocabulary d_model"]:
        """One vector per output class or token: the embedding, if the two are tied (Press and Wolf
        2017), or a separate matrix.
        """
        return self.embedding.token if self.untied is None else self.untied

    @property
    def unembedding(self) -> Float[Tensor, "... d_model vocabulary"]:
        """W_U, divided by sqrt(d_model) if the configuration says so."""
        w = self.unembedding_weight.mT
        return w / math.sqrt(self.config.d_model) if self.config.head.scaled else w

    def transformed(self, x: Stream, trace: Trace) -> Stream:
        """The input of the unembedding: x, after the head's transform if it has one."""
        return x if self.transform is None else self.transform(x, trace / "transform")

    def predict_boxes(self, x: Stream, trace: Trace = OFF) -> Boxes:
        """The box predicted by each object query, [*batch, query, 4]."""
        assert self.box is not None, "only a model with object queries predicts boxes"
        return self.box(x, trace / "box")

    def bypassing(self, rows: Rows, trace: Trace = OFF) -> Bypassed | None:
        """The numeric columns, which bypass the stack in a TabTransformer; None in other models."""
        return None if self.bypass is None else self.bypass.bypassed(rows, trace / "bypass")


def linear_logits(head: Head, x: Stream, trace: Trace, bypassed: Bypassed | None) -> Logits:
    """x W_U + b. In a classifier with [CLS], the logits at [CLS] are those of the classes."""
    x = head.transformed(x, trace)
    x = x / math.sqrt(head.config.d_model) if head.config.head.scaled else x
    return x @ head.unembedding_weight.mT + head.unembedding_bias


@typeset("Σ {sum} ÷ {divisor} = {value}")
@rule
def scaled_product(cell: Cell, x: Tensor, y: Tensor) -> list[Step]:
    """x W_U / sqrt(d_model) (T5, Raffel et al. 2020)."""
    steps, divisor = sum_of_products(x, y), number(math.sqrt(cell.config.d_model))
    return [
        *steps,
        Step("divisor", "sqrt(d_model)", divisor),
        Step("value", "sum / divisor", steps[-1].value / divisor),
    ]


def unembedding_activations(config: Config, sentence: str) -> Iterator[Activation]:
    """x W_U + b_U, or x W_U in a model without that bias."""
    axis, last = answer_axis(config), read_by_unembedding(config)
    unembedding = "embedding.token" if config.head.tied else "untied"
    operands = (f"{last}[position *]", f"{unembedding}[vocabulary *]")
    bias = config.head.bias
    if config.head.scaled:
        yield Activation(
            "logits",
            ("position", "vocabulary"),
            (axis, "vocabulary"),
            "x W_U / sqrt(d_model)",
            sentence,
            scaled_product,
            operands,
        )
        return
    yield Activation(
        "logits",
        ("position", "vocabulary"),
        (axis, "vocabulary"),
        f"x W_U{' + b_U' if bias else ''}",
        sentence,
        linear if bias else product,
        (*operands, "unembedding_bias[vocabulary]") if bias else operands,
    )


def probability_activation(config: Config) -> Activation:
    """softmax(logits)."""
    return Activation(
        "probabilities",
        ("position", "vocabulary"),
        (answer_axis(config), "vocabulary"),
        "softmax(logits)",
        "The logits of a position turned into probabilities, which sum to 1.",
        softmax,
        ("logits[position *]",),
    )


def bypass_logits(head: Head, x: Stream, trace: Trace, bypassed: Bypassed | None) -> Logits:
    """An MLP of all tokens of the row and of `bypassed`, its normalized numeric columns, which skip
    the stack.
    """
    assert head.bypass is not None, "only a TabTransformer has one"
    return head.bypass(head.transformed(x, trace), bypassed, trace / "bypass")


def no_logits(head: Head, x: Stream, trace: Trace, bypassed: Bypassed | None) -> Logits:
    """Raises InvalidInput."""
    raise InvalidInput("model-without-head")


@dataclass(frozen=True)
class HeadKind:
    """A way to get from the last stream x to the logits, and its activations, from (config, what
    the logits predict).
    """

    logits: Callable[[Head, Stream, Trace, Bypassed | None], Logits]
    activations: Callable[[Config, str], Iterator[Activation]]


HEADS = {
    "linear": HeadKind(linear_logits, unembedding_activations),
    "bypass": HeadKind(bypass_logits, bypass_activations),
    "none": HeadKind(no_logits, lambda config, sentence: iter(())),
}
"""Keyed by `Config.head_kind`."""
