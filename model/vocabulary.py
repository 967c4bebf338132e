"""The vocabulary: every activation's name, axes, formula and operands, as one table for one configuration.

A row says which numbers make one cell, so an explanation is data: `q[head query *]` is the whole vector of one query, `*` a whole
axis, `(head head_channel)` two indices counted as one, `id:position` the token id at a position. Indices, outermost first:

    position, query, key   a place in a text (which text is in `axes`: source, target or text)
    head, head_channel     a head, and a channel inside its d_head
    channel, hidden        a channel of the stream (d_model) and of the feed-forward's inside (d_ff)
    vocabulary             a piece of the encoding
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from model.config import Config


@dataclass(frozen=True)
class Activation:
    """One name: `index` are the roles of its axes in the operands, `axes` the axes they lie on in an answer."""

    name: str
    index: tuple[str, ...]
    axes: tuple[str, ...]
    formula: str
    sentence: str
    rule: str
    operands: tuple[str, ...]


def input_axis(config: Config, stack: str) -> str:
    """Which text a stack reads: source and target of an encoder-decoder, or the one text of a single stack."""
    return {"encoder": "source", "decoder": "target"}[stack] if config.family == "encoder-decoder" else "text"


@cache
def activations(config: Config) -> dict[str, Activation]:
    """Every name that a run of such a model records, in the order of computation."""
    return {row.name: row for row in model_rows(config)}


def model_rows(config: Config) -> Iterator[Activation]:
    for stack in config.stacks:
        yield from stack_rows(config, stack)
    text, last = input_axis(config, config.stacks[-1]), stack_output(config, config.stacks[-1])
    unembedding = "embedding.token" if config.tied_unembedding else "untied"
    yield Activation(
        "logits",
        ("position", "vocabulary"),
        (text, "vocabulary"),
        "x W_U",
        "How strongly each piece of the vocabulary is suggested as the next.",
        "product",
        (f"{last}[position *]", f"{unembedding}[vocabulary *]"),
    )
    yield Activation(
        "probabilities",
        ("position", "vocabulary"),
        (text, "vocabulary"),
        "softmax(logits)",
        "The same as probabilities that sum to 1.",
        "softmax",
        ("logits[position *]",),
    )


def stack_output(config: Config, stack: str) -> str:
    """The name of what a stack hands on: the final norm's output, or in a Post-LN stack the last block's."""
    return f"{stack}.norm.out" if config.placement == "pre" else f"{stack}.{config.layers(stack) - 1}.residual.out"


def stack_rows(config: Config, stack: str) -> Iterator[Activation]:
    text = input_axis(config, stack)

    def row(name: str, formula: str, sentence: str, rule: str, *operands: str) -> Activation:
        return Activation(f"{stack}.{name}", ("position", "channel"), (text, "channel"), formula, sentence, rule, operands)

    yield row("embedding.token", "W_E[id] sqrt(d_model)", "The token's vector.", "embed", "embedding.token[id:position channel]")
    yield from POSITION_ROWS[config.positions](row)
    yield row(
        "embedding.sum",
        "token + position",
        "Token and position, added: the stream before the first block.",
        "sum",
        f"{stack}.embedding.token[position channel]",
        f"{stack}.embedding.position[position channel]",
    )
    for layer in range(config.layers(stack)):
        yield from block_rows(config, stack, layer)
    if config.placement == "pre":
        yield row(
            "norm.out",
            "LN(x)",
            "The stream after the final norm.",
            "layer_norm",
            f"{stack}.{config.layers(stack) - 1}.residual.out[position *]",
            f"{stack}.norm.gain[channel]",
            f"{stack}.norm.bias[channel]",
        )


POSITION_ROWS = {
    "none": lambda row: [row("embedding.position", "0", "No position is told.", "zero")],
    "sinusoidal": lambda row: [row("embedding.position", "sin or cos(p / 10000^(2i/d_model))", "The position's vector.", "sinusoid")],
    "learned": lambda row: [
        row("embedding.position", "W_P[p]", "The position's learned vector.", "copy", "embedding.learned[position channel]")
    ],
}


def block_rows(config: Config, stack: str, layer: int) -> Iterator[Activation]:
    """A block's rows, sub-layer by sub-layer. `x` is always the name of the stream as it stands."""
    scope, text = f"{stack}.{layer}", input_axis(config, stack)

    def residual(name: str, formula: str, sentence: str, rule: str, *operands: str) -> Activation:
        index, axes = ("position", "channel"), (text, "channel")
        return Activation(
            f"{scope}.residual.{name}", index, axes, formula, sentence, rule, tuple(f"{o}[position channel]" for o in operands)
        )

    before = f"{stack}.{layer - 1}.residual.out" if layer else f"{stack}.embedding.sum"
    yield residual("in", "x", "The residual stream as the block finds it.", "copy", before)
    sublayers = ["attention", "cross_attention", "feed_forward"] if config.cross and stack == "decoder" else ["attention", "feed_forward"]
    x = f"{scope}.residual.in"
    for number, sublayer in enumerate(sublayers, start=1):
        norm, written = f"{scope}.norm{number}", f"{scope}.{sublayer}.out"
        after = "out" if sublayer == "feed_forward" else f"after_{sublayer}"
        read = f"{norm}.out" if config.placement == "pre" else x
        rows = SUBLAYER_ROWS[sublayer](config, f"{scope}.{sublayer}", read, text)
        if config.placement == "pre":
            yield from norm_rows(norm, text, x)
            yield from rows
            yield residual(after, f"x + {sublayer}(LN(x))", f"The stream after {sublayer} has written to it.", "sum", x, written)
        else:
            yield from rows
            yield from norm_rows(norm, text, x, written)
            yield residual(
                after, f"LN(x + {sublayer}(x))", f"The stream after {sublayer} has written to it, normalised.", "copy", f"{norm}.out"
            )
        x = f"{scope}.residual.{after}"


def norm_rows(scope: str, text: str, *summands: str) -> Iterator[Activation]:
    """Mean, scale and output of a LayerNorm over the sum of `summands`."""
    whole, cell = tuple(f"{s}[position *]" for s in summands), tuple(f"{s}[position channel]" for s in summands)
    yield Activation(f"{scope}.mean", ("position",), (text,), "mean of x", "The mean over the channels of one token.", "mean", whole)
    yield Activation(
        f"{scope}.scale", ("position",), (text,), "sqrt(var x + epsilon)", "The spread over the channels of one token.", "scale", whole
    )
    yield Activation(
        f"{scope}.out",
        ("position", "channel"),
        (text, "channel"),
        "(x - mean) / scale * gain + bias",
        "The normalised vector.",
        "normalise",
        (*cell, f"{scope}.mean[position]", f"{scope}.scale[position]", f"{scope}.gain[channel]", f"{scope}.bias[channel]"),
    )


def self_attention_rows(config: Config, scope: str, x: str, text: str) -> Iterator[Activation]:
    return attention_rows(config, scope, x, x, text, text)


def cross_attention_rows(config: Config, scope: str, x: str, text: str) -> Iterator[Activation]:
    return attention_rows(config, scope, x, stack_output(config, "encoder"), text, input_axis(config, "encoder"))


SCORE_FORMULAS = {"dot": "q k^T", "scaled_dot": "q k^T / sqrt(d_head)"}


def attention_rows(config: Config, scope: str, x: str, memory: str, query: str, key: str) -> Iterator[Activation]:
    """`x` is read for the queries, `memory` for keys and values; `query` and `key` are the texts they stand for."""
    score = SCORE_FORMULAS[config.score]

    def projection(name: str, part: str, read: str, text: str, sentence: str) -> Activation:
        operands = (f"{read}[position *]", f"{scope}.{part}.weight[* (head head_channel)]", f"{scope}.{part}.bias[(head head_channel)]")
        letter = name.upper()
        return Activation(
            f"{scope}.{name}",
            ("head", "position", "head_channel"),
            ("head", text, "head_channel"),
            f"x W_{letter} + b_{letter}",
            sentence,
            "linear",
            operands,
        )

    def grid(name: str, formula: str, sentence: str, rule: str, *operands: str) -> Activation:
        return Activation(f"{scope}.{name}", ("head", "query", "key"), ("head", query, key), formula, sentence, rule, operands)

    yield projection("q", "query", x, query, "Queries: what each token looks for.")
    yield projection("k", "key", memory, key, "Keys: what each token offers to be found by.")
    yield projection("v", "value", memory, key, "Values: what each token hands over when it is found.")
    yield grid("scores", score, "How well each query fits each key.", config.score, f"{scope}.q[head query *]", f"{scope}.k[head key *]")
    yield grid(
        "masked_scores",
        f"{score} + mask",
        "The scores, with -inf where a query may not look.",
        "sum",
        f"{scope}.scores[head query key]",
        f"{mask_name(scope)}[query key]",
    )
    yield grid(
        "pattern",
        f"softmax({score} + mask)",
        "How much each query takes from each key; a row sums to 1.",
        "softmax",
        f"{scope}.masked_scores[head query *]",
    )
    yield Activation(
        f"{scope}.z",
        ("head", "query", "head_channel"),
        ("head", query, "head_channel"),
        "pattern v",
        "What each head has gathered: the values, mixed by the pattern.",
        "product",
        (f"{scope}.pattern[head query *]", f"{scope}.v[head * head_channel]"),
    )
    yield Activation(
        f"{scope}.head_out",
        ("head", "query", "channel"),
        ("head", query, "channel"),
        "z W_O[head]",
        "What each head writes to the stream.",
        "product",
        (f"{scope}.z[head query *]", f"{scope}.output.weight[(head *) channel]"),
    )
    yield Activation(
        f"{scope}.out",
        ("query", "channel"),
        (query, "channel"),
        "sum of head_out over heads + b_O",
        "What all heads together write.",
        "sum_all",
        (f"{scope}.head_out[* query channel]", f"{scope}.output.bias[channel]"),
    )


def mask_name(scope: str) -> str:
    """decoder.2.attention -> decoder.attention.mask: the layers of a stack share their masks."""
    stack, _, attention = scope.split(".")
    return f"{stack}.{attention}.mask"


ACTIVATION_FORMULAS = {"relu": "max(0, pre)", "gelu": "pre Phi(pre)"}


def feed_forward_rows(config: Config, scope: str, x: str, text: str) -> Iterator[Activation]:
    def row(name: str, width: str, formula: str, sentence: str, rule: str, *operands: str) -> Activation:
        return Activation(f"{scope}.{name}", ("position", width), (text, width), formula, sentence, rule, operands)

    hidden, output = f"{scope}.hidden", f"{scope}.output"
    yield row(
        "pre",
        "hidden",
        "x W_1 + b_1",
        "How well the token fits each hidden unit.",
        "linear",
        f"{x}[position *]",
        f"{hidden}.weight[* hidden]",
        f"{hidden}.bias[hidden]",
    )
    yield row(
        "post",
        "hidden",
        ACTIVATION_FORMULAS[config.activation],
        "How strongly each hidden unit fires.",
        config.activation,
        f"{scope}.pre[position hidden]",
    )
    yield row(
        "out",
        "channel",
        "post W_2 + b_2",
        "What the feed-forward writes to the stream.",
        "linear",
        f"{scope}.post[position *]",
        f"{output}.weight[* channel]",
        f"{output}.bias[channel]",
    )


SUBLAYER_ROWS = {"attention": self_attention_rows, "cross_attention": cross_attention_rows, "feed_forward": feed_forward_rows}


SIZES = {"head": "n_heads", "head_channel": "d_head", "channel": "d_model", "hidden": "d_ff", "vocabulary": "vocabulary_size"}


def size_names(row: Activation) -> list[str]:
    """The shape in symbols: n_heads, target, d_head."""
    return [SIZES.get(axis, axis) for axis in row.axes]
