"""The whole vocabulary as one literal list: the names that pages, scripts and people rely on, in
the order of computation.

One block a stack, as every further block has the same names under its own number.
"""

import pytest

from model.activations.catalogue import activations
from tests.model.support.small import small, traced

ENCODER = {
    "post": (
        """
encoder.embedding: token position sum
encoder.0.residual: in
encoder.0.attention: q k v scores masked_scores pattern z head_out out
encoder.0.norm1: mean scale out
encoder.0.residual: after_attention
encoder.0.feed_forward: pre post out
encoder.0.norm2: mean scale out
encoder.0.residual: out
"""
    ),
    "pre": (
        """
encoder.embedding: token position sum
encoder.0.residual: in
encoder.0.norm1: mean scale out
encoder.0.attention: q k v scores masked_scores pattern z head_out out
encoder.0.residual: after_attention
encoder.0.norm2: mean scale out
encoder.0.feed_forward: pre post out
encoder.0.residual: out
encoder.norm: mean scale out
"""
    ),
}
DECODER_ALONE = {
    placement: names.replace("encoder", "decoder") for placement, names in ENCODER.items()
}
DECODER = {
    "post": (
        """
decoder.embedding: token position sum
decoder.0.residual: in
decoder.0.attention: q k v scores masked_scores pattern z head_out out
decoder.0.norm1: mean scale out
decoder.0.residual: after_attention
decoder.0.cross_attention: q k v scores masked_scores pattern z head_out out
decoder.0.norm2: mean scale out
decoder.0.residual: after_cross_attention
decoder.0.feed_forward: pre post out
decoder.0.norm3: mean scale out
decoder.0.residual: out
"""
    ),
    "pre": (
        """
decoder.embedding: token position sum
decoder.0.residual: in
decoder.0.norm1: mean scale out
decoder.0.attention: q k v scores masked_scores pattern z head_out out
decoder.0.residual: after_attention
decoder.0.norm2: mean scale out
decoder.0.cross_attention: q k v scores masked_scores pattern z head_out out
decoder.0.residual: after_cross_attention
decoder.0.norm3: mean scale out
decoder.0.feed_forward: pre post out
decoder.0.residual: out
decoder.norm: mean scale out
"""
    ),
}
STACKS = {
    "encoder-only": (ENCODER,),
    "decoder-only": (DECODER_ALONE,),
    "encoder-decoder": (ENCODER, DECODER),
}


def names(table: str) -> list[str]:
    """`scope: a b` is scope.a and scope.b."""
    rows = [line.split(": ") for line in table.strip().splitlines()]
    return [f"{scope}.{last}" for scope, lasts in rows for last in lasts.split()]


@pytest.mark.parametrize("placement", ["post", "pre"])
@pytest.mark.parametrize("family", STACKS)
def test_a_run_records_exactly_the_vocabulary_in_the_order_of_computation(family, placement):
    expected = [name for stack in STACKS[family] for name in names(stack[placement])] + [
        "logits",
        "probabilities",
    ]
    one_layer = {f"n_{stack}_layers": 1 for stack in ("encoder", "decoder") if stack in family}
    assert list(traced(small(family, placement=placement, **one_layer))) == expected


@pytest.mark.parametrize("placement", ["post", "pre"])
@pytest.mark.parametrize("family", STACKS)
def test_every_name_has_its_row_and_lies_on_the_axes_of_its_row(family, placement):
    model = small(family, placement=placement)
    config, trace = model.config, traced(model)
    sizes = {
        "source": 7,
        "target": 5,
        "text": 7,
        "head": 4,
        "head_channel": 4,
        "channel": 16,
        "hidden": 24,
        "vocabulary": 13,
    }
    rows = activations(config)
    assert list(rows) == list(trace)
    assert {name: tuple(value.shape) for name, value in trace.items()} == {
        n: tuple(sizes[a] for a in row.axes) for n, row in rows.items()
    }


@pytest.mark.parametrize("family", STACKS)
def test_a_second_block_has_the_names_of_the_first_under_its_own_number(family):
    recorded = list(traced(small(family)))
    for stack in ("encoder", "decoder"):
        of_layer = [
            [n.removeprefix(f"{stack}.{i}.") for n in recorded if n.startswith(f"{stack}.{i}.")]
            for i in (0, 1)
        ]
        assert of_layer[0] == of_layer[1]
