"""Removing a key is hiding it: the rest of the network answers as under a mask."""

import pytest
import torch

from model.activations.site import Site
from model.analyses.attention import attention
from model.errors import InvalidInput
from model.interpretability.attribution.agreement import ranks, spearman
from model.interpretability.masks.key_removal import (
    answer_log_probability,
    finished,
    removal,
    without,
)
from model.runs.run import Run, id_tensor
from model.runs.table_row import tensors
from model.trace import Trace
from tests.model.support.row_runs import BESIDE, ROW, SAINT, row_run
from tests.model.support.runs import RUNS, small_run


def whole_pass_without(of: Run, scope: str, head: int, query: int, key: int) -> torch.Tensor:
    """The logits of the whole model, from its tokens on, with the key hidden in the scores."""

    def hide(name: str, value: torch.Tensor) -> torch.Tensor:
        if name != f"{scope}.masked_scores":
            return value
        changed = value.clone()
        changed[head, query, key] = -torch.inf
        return changed

    ids = {name: id_tensor(row) for name, row in of.tokens.items()}
    first, last = of.config.stacks[0], of.config.stacks[-1]
    source = ids.get("source", ids.get("text") if first == "encoder" else None)
    target = ids.get("target", ids.get("text") if last == "decoder" else None)
    with torch.inference_mode():
        return of.model.transformer(source, target, of.masks, Trace(hide))


PLAIN = [
    run for run in RUNS if not {"segment", "slots"} & run[2].keys() and "weighing" not in run[2]
]


@pytest.mark.parametrize(("family", "placement", "choices"), PLAIN)
def test_the_effect_is_that_of_a_whole_pass_in_which_the_score_is_masked(
    family, placement, choices
):
    of = small_run(family, placement, **choices)
    own = of.trace["logits"].argmax(-1)
    for site in [Site.parse(name) for name in of.vocabulary if name.endswith(".scores")]:
        keys = torch.tensor([0, 2])
        found = removal(of, site, head=1, query=2, keys=keys)
        before = answer_log_probability(of, of.trace["logits"][None])[0]
        for key, change in zip(keys.tolist(), found.tolist(), strict=True):
            logits = whole_pass_without(of, site.scope, 1, 2, key).double()
            after = logits.log_softmax(-1).gather(-1, own[:, None]).sum()
            assert change == pytest.approx((after - before).item(), abs=2e-5)


def whole_table_without(of: Run, scope: str, head: int, query: int, key: int) -> torch.Tensor:
    """The logits of the first row of a whole pass of the table, with the key hidden in the scores:
    between columns in that row alone, between rows in the row `query`.
    """

    def hide(name: str, value: torch.Tensor) -> torch.Tensor:
        if name != f"{scope}.masked_scores":
            return value
        changed = value.clone()
        (changed if scope.endswith("row_attention") else changed[0])[head, query, key] = -torch.inf
        return changed

    tokenizer, transformer = of.model.row_tokenizer, of.model.transformer
    table = tensors(tokenizer, [tokenizer.read(row) for row in (ROW, *(one.row for one in BESIDE))])
    with torch.inference_mode():
        x = transformer.encode(table, of.masks["encoder.attention"], Trace(hide))
        return transformer.unembed(x)[0]


@pytest.mark.parametrize("placement", ["pre", "post"])
@pytest.mark.parametrize("query", [0, 2])
def test_where_rows_look_at_one_another_the_whole_table_is_computed_again(placement, query):
    of = row_run(**SAINT, placement=placement)
    own = of.trace["logits"][0].argmax()
    sites = [Site.parse(name) for name in of.vocabulary if name.endswith(".scores")]
    assert {site.part for site in sites} == {"attention", "row_attention"}
    for site in sites:
        keys = torch.arange(of.trace[str(site)].shape[-1])
        found = removal(of, site, head=1, query=query, keys=keys)
        before = of.trace["logits"].double().log_softmax(-1)[0, own]
        for key, change in zip(keys.tolist(), found.tolist(), strict=True):
            after = whole_table_without(of, site.scope, 1, query, key).double().log_softmax(-1)
            assert change == pytest.approx((after[0, own] - before).item(), abs=2e-5)


def test_a_reference_row_that_looks_elsewhere_moves_the_answer_through_a_later_layer_alone():
    of = row_run(**SAINT)
    first, last = (Site.parse(f"encoder.{layer}.row_attention.scores") for layer in (0, 1))
    keys = torch.arange(len(BESIDE) + 1)
    assert removal(of, first, head=0, query=2, keys=keys).abs().min() > 1e-6
    assert removal(of, last, head=0, query=2, keys=keys).abs().max() == 0


@pytest.mark.parametrize(
    "choices",
    [
        {"relative": "rope", "positions": "none", "segment": 2, "memory": 3, "n_kv_heads": 2},
        {"positions": "none", "segment": 2, "memory": 3, "slots": 2, "weighing": "favor"},
    ],
)
def test_with_remembered_text_and_slots_an_unchanged_row_gives_the_recorded_logits(choices):
    """The rest of the network is the one that ran; a removed key changes what it writes."""
    of = small_run("decoder-only", "pre", **choices)
    site = Site.parse("decoder.0.attention.scores")
    with torch.inference_mode():
        logits = finished(of, site, 2, lambda name, value: value)
    torch.testing.assert_close(logits[1], of.trace["logits"], atol=1e-5, rtol=1e-5)
    seen = (of.trace["decoder.0.attention.pattern"][1, 0] > 0).nonzero()[:, 0]
    assert removal(of, site, head=1, query=0, keys=seen).abs().max() > 1e-6


def test_what_is_left_of_a_row_sums_to_one_in_the_same_proportions():
    row = torch.tensor([0.5, 0.3, 0.2])
    left = without(row.expand(2, -1), torch.tensor([0, 2]))
    torch.testing.assert_close(left, torch.tensor([[0, 0.6, 0.4], [0.625, 0.375, 0]]))


def test_of_a_row_with_one_key_nothing_is_left():
    left = without(torch.tensor([[1.0, 0.0]]), torch.tensor([0]))
    assert left.tolist() == [[0.0, 0.0]]


def test_weighted_values_sum_to_z_and_the_heads_to_what_is_added_to_the_stream():
    for family, placement, choices in RUNS:
        if "weighing" in choices:
            continue  # random features have no scores, and /attention no map of them
        of = small_run(family, placement, **choices)
        for site in [Site.parse(name) for name in of.vocabulary if name.endswith(".pattern")]:
            kind = {"attention": "self", "cross_attention": "cross"}[site.part]
            answer = attention(of, kind=kind, stack=site.stack, layer=site.layer, head=1, forward=0)
            data = {name: tensor.data for name, tensor in answer.tensors.items()}
            near = {"atol": 1e-5, "rtol": 1e-5}
            torch.testing.assert_close(data["weighted_value"].sum(0), data["z"], **near)
            everyone = of.trace[f"{site.scope}.head_out"][:, 0].sum(0)
            bias = dict(of.model.transformer.named_parameters()).get(f"{site.scope}.output.bias")
            torch.testing.assert_close(
                everyone + (0 if bias is None else bias.detach()), data["out"], **near
            )
            before, added, total, after = data["stream"]
            if placement != "b2t":
                torch.testing.assert_close(before + added, total, **near)
            if placement in ("pre", "none", "branch"):
                torch.testing.assert_close(total, after, **near)


def test_the_rank_correlation_is_one_for_the_same_order_and_shares_equal_ranks():
    x = torch.tensor([0.1, 0.7, 0.2])
    assert spearman(x, x**3) == pytest.approx(1)
    assert spearman(x, -x) == pytest.approx(-1)
    assert ranks(torch.tensor([3.0, 1.0, 3.0, 2.0])).tolist() == [3.5, 1, 3.5, 2]
    # Spearman by hand: 1 - 6 * (0 + 1 + 1) / (3 * 8) with one pair of neighbours exchanged
    assert spearman(x, torch.tensor([0.1, 0.2, 0.7])) == pytest.approx(1 - 6 * 2 / 24)
    assert spearman(x[:2], x[:2]) is None
    assert spearman(x, torch.ones(3)) is None


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"head": 1}, "needs"),
        ({"layer": 0, "kind": "self"}, "needs"),
        ({"forward": 99}, "Query 99"),
    ],
)
def test_a_query_that_cannot_be_followed_is_refused_in_a_sentence(more, said):
    whole = {"kind": "cross", "layer": 1, "head": 0} if "forward" in more else {}
    with pytest.raises(InvalidInput, match=said):
        attention(small_run(), **{"forward": 1, **whole, **more})
