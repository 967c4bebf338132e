"""The way of the values leads from the weights of a query to the stream, and every step adds up."""

import pytest

from model.activations.site import Site
from model.analyses.attention import attention
from model.errors import InvalidInput
from tests.model.support.runs import RUNS, small_run
from tests.rounding import same


def test_weighted_values_sum_to_z_and_the_heads_to_what_is_added_to_the_stream():
    for family, placement, choices in RUNS:
        if "weighing" in choices:
            continue  # random features have no scores, and /attention no map of them
        of = small_run(family, placement, **choices)
        for site in [Site.parse(name) for name in of.vocabulary if name.endswith(".pattern")]:
            kind = {"attention": "self", "cross_attention": "cross"}[site.part]
            answer = attention(of, kind=kind, stack=site.stack, layer=site.layer, head=1, forward=0)
            data = {name: tensor.data for name, tensor in answer.tensors.items()}
            same(data["weighted_value"].sum(0), data["z"], scale=1)
            everyone = of.trace[f"{site.scope}.head_out"][:, 0].sum(0)
            bias = dict(of.model.transformer.named_parameters()).get(f"{site.scope}.output.bias")
            same(everyone + (0 if bias is None else bias.detach()), data["out"], scale=1)
            before, added, total, after = data["stream"]
            if placement != "b2t":
                same(before + added, total, scale=1)
            if placement in ("pre", "none", "branch"):
                same(total, after, scale=1)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"head": 1}, "needs"),
        ({"layer": 0, "kind": "self"}, "needs"),
        ({"forward": 99}, "Query 99"),
    ],
)
def test_a_query_that_cannot_be_followed_is_refused_in_a_sentence(more, message):
    whole = {"kind": "cross", "layer": 1, "head": 0} if "forward" in more else {}
    with pytest.raises(InvalidInput, match=message):
        attention(small_run(), **{"forward": 1, **whole, **more})
