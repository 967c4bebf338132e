"""Removing a key is hiding it: the rest of the network answers as under a mask."""

import pytest
import torch

from model.activations.site import Site
from model.inputs.input import Input
from model.interpretability.masks import key_removal
from model.interpretability.masks.key_removal import (
    Removal,
    answer_log_probability,
    finished,
    reached,
    removals,
    without,
)
from model.runs.run import Run, id_tensor
from model.runs.run_model import run_model
from model.runs.table_row import tensors
from model.trace import Trace
from model.zoo.models import load_model
from tests.model.support.every_model import MODELS
from tests.model.support.row_runs import BESIDE, ROW, SAINT, row_run
from tests.model.support.runs import RUNS, small_run
from tests.rounding import SINGLE, same


def removal(*args: object, **kwargs: object) -> torch.Tensor:
    """One removal alone."""
    (change,) = removals([Removal(*args, **kwargs)])
    return change


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
    predicted = of.trace["logits"].argmax(-1)
    for site in [Site.parse(name) for name in of.vocabulary if name.endswith(".scores")]:
        keys = torch.tensor([0, 2])
        found = removal(of, site, head=1, query=2, keys=keys)
        everywhere = torch.arange(len(predicted))
        before = answer_log_probability(of, of.trace["logits"][None], everywhere)[0]
        for key, change in zip(keys.tolist(), found.tolist(), strict=True):
            logits = whole_pass_without(of, site.scope, 1, 2, key).double()
            after = logits.log_softmax(-1).gather(-1, predicted[:, None]).sum()
            same(change, (after - before).item(), SINGLE, scale=1)


def test_only_what_can_change_is_computed_and_nothing_that_changes_is_left_out():
    of = small_run("decoder-only", "pre")
    first, last = (Site.parse(f"decoder.{layer}.attention.scores") for layer in (0, 1))
    n = len(of.trace["logits"])
    assert reached(of, first, 1).tolist() == list(range(1, n))
    assert reached(of, last, 1).tolist() == [1]


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
    table = tensors(tokenizer, [tokenizer.read(row) for row in (ROW, *(ref.row for ref in BESIDE))])
    with torch.inference_mode():
        x = transformer.encode(table, of.masks["encoder.attention"], Trace(hide))
        return transformer.unembed(x)[0]


@pytest.mark.parametrize("placement", ["pre", "post"])
@pytest.mark.parametrize("query", [0, 2])
def test_where_rows_look_at_one_another_the_whole_table_is_computed_again(placement, query):
    of = row_run(**SAINT, placement=placement)
    predicted = of.trace["logits"][0].argmax()
    sites = [Site.parse(name) for name in of.vocabulary if name.endswith(".scores")]
    assert {site.part for site in sites} == {"attention", "row_attention"}
    for site in sites:
        keys = torch.arange(of.trace[str(site)].shape[-1])
        found = removal(of, site, head=1, query=query, keys=keys)
        before = of.trace["logits"].double().log_softmax(-1)[0, predicted]
        for key, change in zip(keys.tolist(), found.tolist(), strict=True):
            after = whole_table_without(of, site.scope, 1, query, key).double().log_softmax(-1)
            same(change, (after[0, predicted] - before).item(), SINGLE, scale=1)


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
    everywhere = torch.arange(len(of.trace["logits"]))
    with torch.inference_mode():
        ablation = Removal(of, site, head=1, query=0, keys=torch.tensor([0]))
        logits = finished([ablation], lambda name, value: value, everywhere)
    same(logits[1], of.trace["logits"], scale=1)
    visible = (of.trace["decoder.0.attention.pattern"][1, 0] > 0).nonzero()[:, 0]
    assert removal(of, site, head=1, query=0, keys=visible).abs().max() > 1e-6


def test_what_is_left_of_a_row_sums_to_one_in_the_same_proportions():
    row = torch.tensor([0.5, 0.3, 0.2])
    left = without(row.expand(2, -1), torch.tensor([0, 2]))
    same(left, torch.tensor([[0, 0.6, 0.4], [0.625, 0.375, 0]]))


def test_of_a_row_with_one_key_nothing_is_left():
    left = without(torch.tensor([[1.0, 0.0]]), torch.tensor([0]))
    assert left.tolist() == [[0.0, 0.0]]


def asked_of(run: Run) -> list[Removal]:
    """Of each of two heads of the first and the last attention all keys that one query sees."""
    sites = [Site.parse(name) for name in run.vocabulary if name.endswith(".scores")]
    ablations = []
    for site in (sites[0], sites[-1]):
        pattern = run.trace[f"{site.scope}.pattern"]
        query = min(2, pattern.shape[-2] - 1)
        for head in range(2):
            keys = (pattern[head, query] > 0).nonzero()[:8, 0]
            ablations.append(Removal(run, site, head, query, keys))
    return ablations


@pytest.mark.parametrize("id", MODELS)
def test_removals_together_are_those_of_each_alone(id):
    """Of runs of several lengths, whose order is that in which they are asked for."""
    model = load_model(id)
    examples = [Input(**example["input"]) for example in model.card["examples"]][:2]
    by_run = [asked_of(run_model(model, input)) for input in examples]
    ablations = [ablation for row in zip(*by_run, strict=True) for ablation in row]
    for ablation, together in zip(ablations, removals(ablations), strict=True):
        assert torch.equal(together, removal(*ablation))


def test_removals_of_one_kind_are_one_pass_of_so_many_copies_at_most(monkeypatch):
    passes = []

    def counted(alike: list[Removal]) -> list[torch.Tensor]:
        passes.append(len(alike))
        return [torch.zeros(len(ablation.keys)) for ablation in alike]

    monkeypatch.setattr(key_removal, "changes", counted)
    of, other = small_run("decoder-only", "pre"), small_run("decoder-only", "pre", seed=4)
    first, last = (Site.parse(f"decoder.{layer}.attention.scores") for layer in (0, 1))
    keys = torch.tensor([0, 1])
    alike = [Removal(of, first, 0, 2, keys), Removal(of, first, 1, 2, keys[:1])]
    removals([*alike, Removal(of, last, 0, 2, keys), Removal(of, first, 0, 1, keys)])
    assert passes == [2, 1, 1]  # another attention and another query are passes of their own
    removals([*alike, Removal(other, first, 0, 2, keys)])
    assert passes[3:] == [2, 1]  # as is another model
    monkeypatch.setattr(key_removal, "COPIES", 4)
    removals(alike)
    assert passes[5:] == [1, 1]
