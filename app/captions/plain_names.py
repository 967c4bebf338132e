"""What the page calls the numbers of a derivation, from their names in the API."""

import re

from app.captions.sentences import of_derivations
from model.labels import label

AVERAGES = {"layer": "LayerNorm", "batch": "BatchNorm", "instance": "InstanceNorm"}
"""By what is averaged over."""
LAST = {
    "q": "query q",
    "k": "key k",
    "v": "value v",
    "relative": "bias of the offset",
    "scores": "score",
    "masked_scores": "score with mask",
    "q_features": "features of the query",
    "k_features": "features of the key",
    "pattern": "weight",
    "z": "weighted sum z",
    "head_out": "part of this head",
    "pre": "input of the neuron",
    "gate": "gate",
    "post": "output of the neuron",
    "logits": "logit",
    "probabilities": "probability",
    "mask": "mask",
}
"""By the last word of a name, where it says enough."""

WHOLE = {
    "attention.out": "output of attention",
    "cross_attention.out": "output of cross-attention",
    "row_attention.out": "output of attention between rows",
    "feed_forward.out": "output of feed-forward",
    "row_feed_forward.out": "output of feed-forward",
    "residual.in": "stream",
    "residual.after_attention": "stream after attention",
    "residual.after_cross_attention": "stream after cross-attention",
    "residual.after_feed_forward": "stream after feed-forward",
    "residual.after_row_attention": "stream after attention between rows",
    "residual.out": "stream after the block",
    "embedding.token": "vector of the token",
    "embedding.position": "vector of the position",
    "embedding.sum": "token + position",
    "row_attention.rows": "vector of a reference row",
    "bypass.numbers": "normed number of the row",
    "box.raw": "side of the box before it is pressed between 0 and 1",
    "box.out": "side of the box",
    **{
        f"{head}.{value}{layer}": f"{name} of hidden layer {layer}"
        for head in ("box", "bypass")
        for value, name in (("pre", "input"), ("post", "output"))
        for layer in (1, 2)
    },
    "norm.mean": "mean of the final norm",
    "norm.scale": "spread of the final norm",
    "norm.out": "stream after the final norm",
}
"""By the last two words of a name."""

NORM = re.compile(r"norm(\d)\.(mean|scale|out|gain|bias)$")
OF_NORM = {
    "mean": "mean of norm {}",
    "scale": "spread of norm {}",
    "out": "stream after norm {}",
    "gain": "gain of norm {}",
    "bias": "bias of norm {}",
}

INDICES = {"head_channel": "channel", "hidden": "neuron", "vocabulary": "token"}
"""What is counted along an axis, where its role says it in another word."""

STEPS = {
    "products": "products",
    "largest": "largest of the row",
    "exponentials": "exponentials",
    "own": "its exponential",
    "sum": "sum",
    "divisor": "√d_head",
    "epsilon": "ε",
    "variance": "variance",
    "square": "mean square",
    "normal": "normalized",
    "x": "sum of the inputs",
    "past": "stream × its factor",
    "factor": "√d_model",
    "share": "share that passes",
    "content": "score without the bias",
    "first": "first of the pair",
    "second": "second of the pair",
}
"""By the name of a step."""

FORMULAS = {
    "x_i y_i": "the two numbers of each channel, multiplied",
    "exp(score - largest)": "e to the power of each number minus the largest of the row",
}
"""What a step that has a number for each member does."""

NOTES = {
    "softmax": (
        "The largest number of the row is subtracted first. That leaves the result as it is,"
        " because it divides this exponential and the sum of all alike, and it keeps the"
        " exponentials from becoming too large to store."
    ),
    "scaled_dot": (
        "The products are summed and divided by √d_head. Without the divisor the scores would"
        " grow with the number of channels, and the weights would gather on one key."
    ),
    "turned": "Rotary positions turn each pair of channels by an angle that grows with position.",
}
"""What is worth knowing of a rule, by its name."""


def plain_name(name: str) -> str:
    """An activation, a weight or a step, as the page calls it; what has no words keeps its name."""
    if norm := NORM.search(name):
        return label(OF_NORM[norm[2]].format(norm[1]))
    last = name.rpartition(".")[2]
    two = ".".join(name.split(".")[-2:])
    return label(WHOLE.get(two) or LAST.get(last) or STEPS.get(name) or "") or name


IN_A_LAYER = re.compile(r"(encoder|decoder)\.(\d+)\.(\w+)")
ATTENTIONS = {
    "attention": "self-attention",
    "cross_attention": "cross-attention",
    "row_attention": "attention between rows",
}


def place_of(name: str) -> str:
    """Where in the model an activation stands: cross-attention, decoder layer 1; "" for one that
    belongs to no layer.
    """
    found = IN_A_LAYER.match(name)
    if found is None:
        return ""
    stack, layer, part = found.groups()
    return ", ".join(filter(None, [label(ATTENTIONS.get(part, "")), layer_of(stack, layer)]))


def layer_of(stack: str, layer: str) -> str:
    """decoder layer 1"""
    return of_derivations("layer", stack=stack, layer=layer)


def plain_formula(formula: str) -> str:
    """What a step does, in words where it has some."""
    return label(FORMULAS.get(formula, formula))
