"""Attention: the activations from queries, keys and values over the pattern to the output of all
heads.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from torch import Tensor

from model.activations.activation import (
    Activation,
    input_axis,
    key_axis,
    linear_operands,
    plus_bias,
    stack_output,
)
from model.activations.attention_scores import SCORES
from model.activations.derivation import (
    SUM,
    Cell,
    Rule,
    Step,
    copy,
    product,
    rule,
    softmax,
    typeset,
)
from model.activations.persistent_memory import with_slots
from model.activations.random_features import FEATURES, kernel, share
from model.activations.relative_positions import (
    RELATIVE_POSITIONS,
    RelativePositions,
    with_relative,
)
from model.activations.site import Site
from model.config import Config

PROJECTIONS = "query_key_value"


@typeset("Σ {sum} + {1} = {value}")
@typeset("Σ {value}")
@rule
def sum_all(cell: Cell, parts: Tensor, bias: Tensor | float = 0.0) -> list[Step]:
    """The sum over all heads, plus the bias where there is one."""
    return [
        Step("sum", "sum over heads", parts.sum()),
        Step("value", "sum + bias", parts.sum() + bias),
    ]


@dataclass(frozen=True)
class AttentionSite:
    """An attention of the name `scope`: queries come from the stream `x` and lie on the axis
    `query`; keys and values come from the stream `memory` and lie on the axis `key`.
    """

    config: Config
    scope: str
    x: str
    memory: str
    query: str
    key: str
    positions: RelativePositions

    def grid(
        self, name: str, formula: str, sentence: str, rule: Rule, *operands: str
    ) -> Activation:
        """An activation [head, query, key]."""
        index, axes = ("head", "query", "key"), ("head", self.query, self.key)
        return Activation(f"{self.scope}.{name}", index, axes, formula, sentence, rule, operands)

    @property
    def mask(self) -> str:
        """The operand of the mask, which all layers of a stack share."""
        return f"{Site.parse(f'{self.scope}.mask').of_stack}[query key]"


def self_attention_activations(
    config: Config, scope: str, x: str, axis: str
) -> Iterator[Activation]:
    """The activations of a self-attention, with segment memory and persistent memory if the model
    has them.
    """
    memory = x
    if config.segments:
        memory = f"{scope}.recalled"
        yield recalled_activation(memory, x, axis)
    positions = RELATIVE_POSITIONS[config.relative]
    site = AttentionSite(config, scope, x, memory, axis, key_axis(config, axis), positions)
    for one in attention_activations(site):
        yield with_slots(one, scope) if config.slots else one


def cross_attention_activations(
    config: Config, scope: str, x: str, axis: str
) -> Iterator[Activation]:
    """The activations of a cross-attention, whose keys and values come from the encoder."""
    memory, key = stack_output(config, "encoder"), input_axis(config, "encoder")
    positions = RELATIVE_POSITIONS["none"]
    return attention_activations(AttentionSite(config, scope, x, memory, axis, key, positions))


def recalled_activation(name: str, x: str, axis: str) -> Activation:
    """The remembered inputs of a layer, followed by the layer's input `x` (Dai et al. 2019)."""
    site = Site.parse(name)
    given = f"{site.stack}.{site.layer}.memory[memory channel]"
    return Activation(
        name,
        ("position", "channel"),
        ("recalled", "channel"),
        "[memory, x]",
        "What the layer remembers of the segments before, and its own segment.",
        copy,
        (f"{x}[{axis} channel]",),
        parts={"memory": (copy, (given,))},
    )


def attention_activations(site: AttentionSite) -> Iterator[Activation]:
    """The activations of an attention, in the order of computation."""
    config, scope = site.config, site.scope
    sentence = "Queries: what each token looks for."
    yield rotated(site, "q", "query", "head", site.x, site.query, sentence)
    sentence = "Keys: what each token offers to be found by."
    yield rotated(site, "k", "key", "kv_head", site.memory, site.key, sentence)
    sentence = "Values: what each token hands over when it is found."
    yield projected(site, "v", "value", "kv_head", site.memory, site.key, sentence)
    yield from PATTERNS[config.weighing](site)

    def head_activation(
        name: str, width: str, formula: str, sentence: str, *operands: str
    ) -> Activation:
        index, axes = ("head", "query", width), ("head", site.query, width)
        return Activation(f"{scope}.{name}", index, axes, formula, sentence, product, operands)

    yield head_activation(
        "z",
        "head_channel",
        "pattern v",
        "What each head has gathered: the values, mixed by the pattern.",
        f"{scope}.pattern[head query *]",
        f"{scope}.v[head * head_channel]",
    )
    yield head_activation(
        "head_out",
        "channel",
        "z W_O[head]",
        "What each head writes to the stream.",
        f"{scope}.z[head query *]",
        f"{scope}.output.weight[(head *) channel]",
    )
    yield Activation(
        f"{scope}.out",
        ("query", "channel"),
        (site.query, "channel"),
        f"sum of head_out over heads{plus_bias(config, 'b_O', 'attention_output')}",
        "What all heads together write.",
        sum_all,
        (
            f"{scope}.head_out[* query channel]",
            *((f"{scope}.output.bias[channel]",) if config.has_biases("attention_output") else ()),
        ),
    )


def projected(
    site: AttentionSite, name: str, part: str, head: str, x: str, axis: str, sentence: str
) -> Activation:
    """Queries, keys or values: the linear map `part` of the stream `x`, for the heads `head`."""
    rule, operands = linear_operands(
        site.config,
        f"{x}[position *]",
        f"{site.scope}.{part}",
        f"({head} head_channel)",
        PROJECTIONS,
    )
    letter = name.upper()
    return Activation(
        f"{site.scope}.{name}",
        ("head", "position", "head_channel"),
        ("head", axis, "head_channel"),
        f"x W_{letter}{plus_bias(site.config, f'b_{letter}', PROJECTIONS)}",
        sentence,
        rule,
        operands,
    )


def rotated(
    site: AttentionSite, name: str, part: str, head: str, x: str, axis: str, sentence: str
) -> Activation:
    """Queries or keys. If the positions rotate them, a cell depends on its pair of channels, and so
    its operands are those of the whole head.
    """
    plain, rotation = projected(site, name, part, head, x, axis, sentence), site.positions.rotation
    if rotation is None:
        return plain
    _, operands = linear_operands(
        site.config, f"{x}[position *]", f"{site.scope}.{part}", f"({head} *)", PROJECTIONS
    )
    formula = rotation.formula.format(plain.formula)
    return replace(plain, formula=formula, rule=rotation.rule, operands=operands)


def softmax_activations(site: AttentionSite) -> Iterator[Activation]:
    """Scores, masked scores and the pattern of softmax attention."""
    config, scope = site.config, site.scope
    score, bias = SCORES[config.score], site.positions.bias
    formula, rule = score.formula, score.rule
    operands = tuple(operand.format(scope) for operand in score.operands)
    if bias is not None:
        yield site.grid(
            "relative",
            bias.formula,
            "What the offset of query and key adds to their score.",
            bias.rule_of(config.both_ways(str(Site.parse(f"{scope}.relative").stack))),
            *(operand.format(scope) for operand in bias.operands),
        )
        formula, rule = f"{formula} + relative", with_relative(rule)
        operands = (f"{scope}.relative[head query key]", *operands)
    yield site.grid("scores", formula, "How well each query fits each key.", rule, *operands)
    yield site.grid(
        "masked_scores",
        f"{formula} + mask",
        "The scores, with -inf where a query may not look.",
        SUM,
        f"{scope}.scores[head query key]",
        site.mask,
    )
    yield site.grid(
        "pattern",
        f"softmax({formula} + mask)",
        "How much each query takes from each key; a row sums to 1.",
        softmax,
        f"{scope}.masked_scores[head query *]",
    )


def favor_activations(site: AttentionSite) -> Iterator[Activation]:
    """Features, kernel and pattern of FAVOR+ (Choromanski et al. 2021)."""
    scope, feature = site.scope, FEATURES[site.config.features]
    for name, side, axis in (("q", "queries", site.query), ("k", "keys", site.key)):
        yield Activation(
            f"{scope}.{name}_features",
            ("head", "position", "feature"),
            ("head", axis, "feature"),
            feature.formula.format(name),
            f"Random features of the {side}.",
            feature.rule,
            (f"{scope}.{name}[head position *]", f"{scope}.projections[* *]"),
        )
    yield site.grid(
        "kernel",
        "phi(q) phi(k)^T where the mask allows",
        "What the features make of exp of the scaled score.",
        kernel,
        f"{scope}.q_features[head query *]",
        f"{scope}.k_features[head key *]",
        site.mask,
    )
    yield site.grid(
        "pattern",
        "kernel / sum of kernel",
        "How much each query takes from each key; a row sums to 1.",
        share,
        f"{scope}.kernel[head query *]",
    )


PATTERNS = {"softmax": softmax_activations, "favor": favor_activations}
"""The activations from queries and keys to the pattern."""
