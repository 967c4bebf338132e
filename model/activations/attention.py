"""The vocabulary's rows of an attention, by what it is told of positions, how it scores and how it
weighs.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from model.activations.activation import (
    Activation,
    input_axis,
    key_axis,
    linear_operands,
    plus_bias,
    stack_output,
)
from model.config import Config
from model.layers.attention_scores import FORMULAS

SCORE_WEIGHTS = {
    "general": ("w[* *]",),
    "additive": ("w_q[* *]", "w_k[* *]", "v[*]"),
    "location": ("w[* key]",),
}
"""What a score has learned, as operands of one cell."""

RELATIVE_FORMULAS = {
    "alibi": "-slope |j - i|",
    "t5": "b[bucket of j - i]",
    "shaw": "q a[j - i]^T / sqrt(d_head)",
}
RELATIVE_OPERANDS = {
    "alibi": (),
    "t5": ("{scope}.relation.weight[* head]",),
    "shaw": ("{scope}.q[head query *]", "{scope}.relation.weight[* *]"),
}


@dataclass(frozen=True)
class Place:
    """An attention: `x` is read for the queries, `memory` for keys and values; `query` and `key`
    are the axes they lie on.
    """

    config: Config
    scope: str
    x: str
    memory: str
    query: str
    key: str
    relative: str

    def grid(self, name: str, formula: str, sentence: str, rule: str, *operands: str) -> Activation:
        index, axes = ("head", "query", "key"), ("head", self.query, self.key)
        return Activation(f"{self.scope}.{name}", index, axes, formula, sentence, rule, operands)

    @property
    def mask(self) -> str:
        """decoder.2.attention -> decoder.attention.mask: the layers of a stack share their
        masks.
        """
        stack, _, attention = self.scope.split(".")
        return f"{stack}.{attention}.mask[query key]"


def self_attention_rows(config: Config, scope: str, x: str, text: str) -> Iterator[Activation]:
    memory = x
    if config.segment:
        memory = f"{scope}.recalled"
        yield recalled_row(memory, x, text)
    for row in attention_rows(
        Place(config, scope, x, memory, text, key_axis(config, text), config.relative)
    ):
        yield with_slots(row, scope, row.name.rsplit(".", 1)[1]) if config.slots else row


def recalled_row(name: str, x: str, text: str) -> Activation:
    """decoder.2.attention.recalled: what layer 2 remembers, decoder.2.memory, and its own input
    behind it.
    """
    given = f"{name.removesuffix('.attention.recalled')}.memory[memory channel]"
    formula, sentence = (
        "[memory, x]",
        "What the layer remembers of the segments before, and its own segment.",
    )
    parts = {"memory": ("copy", (given,))}
    return Activation(
        name,
        ("position", "channel"),
        ("recalled", "channel"),
        formula,
        sentence,
        "copy",
        (f"{x}[{text} channel]",),
        parts=parts,
    )


SLOT_WEIGHTS = {"k": "keys", "v": "values"}


def with_slots(row: Activation, scope: str, name: str) -> Activation:
    """Keys and values of the slots are learned, as they are; what is not a key or a value has no
    slots.
    """
    if name not in SLOT_WEIGHTS:
        return row
    return replace(
        row,
        parts={"slot": ("copy", (f"{scope}.slots.{SLOT_WEIGHTS[name]}[head slot head_channel]",))},
    )


def cross_attention_rows(config: Config, scope: str, x: str, text: str) -> Iterator[Activation]:
    return attention_rows(
        Place(
            config,
            scope,
            x,
            stack_output(config, "encoder"),
            text,
            input_axis(config, "encoder"),
            "none",
        )
    )


def attention_rows(place: Place) -> Iterator[Activation]:
    config, scope = place.config, place.scope
    turn = turned if place.relative == "rope" else projected
    yield turn(
        place, "q", "query", "head", place.x, place.query, "Queries: what each token looks for."
    )
    yield turn(
        place,
        "k",
        "key",
        "kv_head",
        place.memory,
        place.key,
        "Keys: what each token offers to be found by.",
    )
    yield projected(
        place,
        "v",
        "value",
        "kv_head",
        place.memory,
        place.key,
        "Values: what each token hands over when it is found.",
    )
    yield from WEIGHING_ROWS[config.weighing](place)

    def of_head(name: str, width: str, formula: str, sentence: str, *operands: str) -> Activation:
        index, axes = ("head", "query", width), ("head", place.query, width)
        return Activation(f"{scope}.{name}", index, axes, formula, sentence, "product", operands)

    attend = "What each head has gathered: the values, mixed by the pattern."
    yield of_head(
        "z",
        "head_channel",
        "pattern v",
        attend,
        f"{scope}.pattern[head query *]",
        f"{scope}.v[head * head_channel]",
    )
    weight = f"{scope}.output.weight[(head *) channel]"
    yield of_head(
        "head_out",
        "channel",
        "z W_O[head]",
        "What each head writes to the stream.",
        f"{scope}.z[head query *]",
        weight,
    )
    yield Activation(
        f"{scope}.out",
        ("query", "channel"),
        (place.query, "channel"),
        f"sum of head_out over heads{plus_bias(config, 'b_O')}",
        "What all heads together write.",
        "sum_all",
        (
            f"{scope}.head_out[* query channel]",
            *((f"{scope}.output.bias[channel]",) if config.biases else ()),
        ),
    )


def projected(
    place: Place, name: str, part: str, head: str, read: str, text: str, sentence: str
) -> Activation:
    rule, operands = linear_operands(
        place.config, f"{read}[position *]", f"{place.scope}.{part}", f"({head} head_channel)"
    )
    letter = name.upper()
    formula = f"x W_{letter}{plus_bias(place.config, f'b_{letter}')}"
    return Activation(
        f"{place.scope}.{name}",
        ("head", "position", "head_channel"),
        ("head", text, "head_channel"),
        formula,
        sentence,
        rule,
        operands,
    )


def turned(
    place: Place, name: str, part: str, head: str, read: str, text: str, sentence: str
) -> Activation:
    """A rotary query or key: a channel is made of its pair, so that the whole head is an
    operand.
    """
    flat = projected(place, name, part, head, read, text, sentence)
    _, operands = linear_operands(
        place.config, f"{read}[position *]", f"{place.scope}.{part}", f"({head} *)"
    )
    return Activation(
        flat.name,
        flat.index,
        flat.axes,
        f"({flat.formula}) turned by p w_i",
        sentence,
        "turned",
        operands,
    )


def softmax_rows(place: Place) -> Iterator[Activation]:
    config, scope = place.config, place.scope
    formula, more = FORMULAS[config.score], place.relative in RELATIVE_FORMULAS
    learned = tuple(f"{scope}.score.{weight}" for weight in SCORE_WEIGHTS.get(config.score, ()))
    operands = (
        f"{scope}.q[head query *]",
        *((f"{scope}.k[head key *]",) if config.score != "location" else ()),
        *learned,
    )
    if more:
        yield place.grid(
            "relative",
            RELATIVE_FORMULAS[place.relative],
            "What the offset of query and key adds to their score.",
            (
                "t5_both_ways"
                if place.relative == "t5" and config.both_ways(scope.split(".")[0])
                else place.relative
            ),
            *(operand.format(scope=scope) for operand in RELATIVE_OPERANDS[place.relative]),
        )
        formula, operands = (
            f"{formula} + relative",
            (
                f"{scope}.relative[head query key]",
                *operands,
            ),
        )
    yield place.grid(
        "scores",
        formula,
        "How well each query fits each key.",
        f"{config.score}{'.relative' if more else ''}",
        *operands,
    )
    yield place.grid(
        "masked_scores",
        f"{formula} + mask",
        "The scores, with -inf where a query may not look.",
        "sum",
        f"{scope}.scores[head query key]",
        place.mask,
    )
    yield place.grid(
        "pattern",
        f"softmax({formula} + mask)",
        "How much each query takes from each key; a row sums to 1.",
        "softmax",
        f"{scope}.masked_scores[head query *]",
    )


def favor_rows(place: Place) -> Iterator[Activation]:
    config, scope = place.config, place.scope
    for name, side, text in (("q", "queries", place.query), ("k", "keys", place.key)):
        yield Activation(
            f"{scope}.{name}_features",
            ("head", "position", "feature"),
            ("head", text, "feature"),
            FEATURE_FORMULAS[config.features].format(name),
            f"Random features of the {side}.",
            f"{config.features}_feature",
            (f"{scope}.{name}[head position *]", f"{scope}.projections[* *]"),
        )
    yield place.grid(
        "kernel",
        "phi(q) phi(k)^T where the mask allows",
        "What the features make of exp of the scaled score.",
        "kernel",
        f"{scope}.q_features[head query *]",
        f"{scope}.k_features[head key *]",
        place.mask,
    )
    yield place.grid(
        "pattern",
        "kernel / sum of kernel",
        "How much each query takes from each key; a row sums to 1.",
        "share",
        f"{scope}.kernel[head query *]",
    )


FEATURE_FORMULAS = {
    "positive": "exp(w x - |x|^2 / 2) / sqrt(m), x = {} / d_head^(1/4)",
    "trigonometric": "exp(|x|^2 / 2) [sin w x, cos w x] / sqrt(m), x = {} / d_head^(1/4)",
}
WEIGHING_ROWS = {"softmax": softmax_rows, "favor": favor_rows}
