"""Masks: cells counted against closed forms, reach against matrix powers, and a model run under the mask against plain loops."""

import numpy as np
import pytest
import torch

from model import under_mask
from model.analyses import masks as word
from model.analyses.masks import masks
from model.errors import InvalidInput, UnknownName
from tests.model.runs import small_model

N = 12


def facts(answer) -> dict:
    return {fact["name"]: fact for fact in answer.fields["facts"]}


@pytest.mark.parametrize(
    ("question", "cells"),
    [
        ({"pattern": "full"}, N**2),
        ({"pattern": "causal"}, N * (N + 1) // 2),
        ({"pattern": "prefix", "prefix": 5}, 5**2 + sum(i + 1 for i in range(5, N))),
        ({"pattern": "prefix", "prefix": 5}, 88),
        ({"pattern": "prefix", "prefix": 0}, 78),
        ({"pattern": "prefix", "prefix": N}, 144),
        ({"pattern": "window", "window": 3}, 1 + 2 + 3 * 10),
        ({"pattern": "window", "window": N}, 78),
        ({"pattern": "padding", "lengths": [7]}, N * 7),
        ({"pattern": "padding", "lengths": [12, 7, 0]}, N * 19),
    ],
)
def test_as_many_cells_are_visible_as_the_formula_says(question, cells):
    answer = masks(length=N, **question)
    assert answer.fields["visible"] == int(answer.tensors["allowed"].data.sum()) == cells
    assert answer.fields["formula"].endswith(f" = {cells}")
    assert facts(answer)["visible"]["holds"]


def cell_by_cell(pattern: str, n: int, parameter: int | None) -> np.ndarray:
    rules = {
        "full": lambda q, k: True,
        "causal": lambda q, k: k <= q,
        "prefix": lambda q, k: k < parameter or k <= q,
        "window": lambda q, k: q - parameter < k <= q,
        "padding": lambda q, k: k < parameter,
    }
    return np.array([[rules[pattern](q, k) for k in range(n)] for q in range(n)])


@pytest.mark.parametrize("n", [1, 2, 9])
@pytest.mark.parametrize(
    ("pattern", "name"), [("full", None), ("causal", None), ("prefix", "prefix"), ("window", "window"), ("padding", "lengths")]
)
def test_every_pattern_opens_the_cells_its_sentence_says(pattern, name, n):
    for value in [None] if name is None else range(1, n + 1):
        given = {name: [value] if name == "lengths" else value} if name else {}
        answer = masks(pattern=pattern, length=n, **given)
        assert np.array_equal(answer.tensors["allowed"].data.numpy(), cell_by_cell(pattern, n, value))


@pytest.mark.parametrize("layers", [0, 1, 2, 5])
@pytest.mark.parametrize("question", [{"pattern": "window"}, {"pattern": "causal", "flip": "2.5,7.11"}, {"pattern": "padding"}])
def test_reach_is_the_boolean_power_of_the_mask_with_the_residual_path(question, layers):
    answer = masks(length=N, layers=layers, **question)
    step = answer.tensors["allowed"].data.numpy().astype(int) + np.eye(N, dtype=int)
    assert np.array_equal(answer.tensors["reach"].data.numpy(), np.linalg.matrix_power(step, layers) > 0)


@pytest.mark.parametrize("question", [{"pattern": "window"}, {"flip": "2.5,7.11"}, {"pattern": "padding", "lengths": [9, 0]}])
def test_layers_needed_is_the_first_power_that_reaches(question):
    answer = masks(length=N, **question)
    needed = answer.tensors["layers_needed"].data
    for layers in range(N + 3):
        reached = masks(length=N, layers=layers, **question).tensors["reach"].data.bool()
        assert torch.equal((needed <= layers) & ~needed.isneginf(), reached)


@pytest.mark.parametrize(("window", "layers", "widest"), [(3, 1, 3), (3, 3, 7), (2, 4, 5), (1, 9, 1), (5, 4, N)])
def test_a_window_reaches_layers_times_width_less_one(window, layers, widest):
    answer = masks(pattern="window", length=N, window=window, layers=layers)
    assert answer.tensors["reach"].data.sum(-1).max() == widest
    assert facts(answer)["widest_reach"]["holds"]


def test_one_painted_cell_opens_a_way_for_every_later_query():
    once, thrice = (masks(length=N, flip="2.5", layers=layers).tensors["reach"].data.bool() for layers in (1, 3))
    future = torch.ones(N, N).triu(1).bool()
    assert (once & future).nonzero().tolist() == [[2, 5]]
    assert (thrice & future).nonzero().tolist() == [[q, k] for q in range(2, 5) for k in range(q + 1, 6)]


def test_painting_turns_cells_over_and_twice_is_not_at_all():
    plain, painted = masks(length=6), masks(length=6, flip="0.3-5,4.1")
    turned = (plain.tensors["allowed"].data ^ painted.tensors["allowed"].data).nonzero().tolist()
    assert turned == [[0, 3], [0, 4], [0, 5], [4, 1]]
    assert (painted.fields["opened"], painted.fields["closed"], painted.fields["visible"]) == (3, 1, 21 + 3 - 1)
    assert masks(length=6, flip="0.3-5,0.3-5").fields["visible"] == 21


def test_a_row_that_sees_nothing_is_flagged():
    assert masks(length=3, flip="0.0,2.0-2").fields["blind_rows"] == [0, 2]
    assert masks(pattern="padding", length=2, lengths=[1, 0]).fields["blind_rows"] == [[1, 0], [1, 1]]
    assert masks(cells=[[1, 0], [0, 0]]).fields["blind_rows"] == [1]


SENTENCE = {"source": "the cat sees", "target": "le chat voit le chien"}
TEXT = {"text": "the cat sees the dog"}
CASES = pytest.mark.parametrize(
    ("family", "stack", "text"),
    [
        ("encoder-decoder", "decoder", SENTENCE),
        ("encoder-decoder", "encoder", SENTENCE),
        ("decoder-only", "decoder", TEXT),
        ("encoder-only", "encoder", TEXT),
    ],
)
PATTERNS = pytest.mark.parametrize(
    "question",
    [
        {"pattern": "causal"},
        {"pattern": "full"},
        {"pattern": "window", "window": 2},
        {"pattern": "padding", "lengths": [3]},
        {"flip": "1.3"},
        {"flip": "0.0"},
    ],
)


@pytest.fixture
def ask(monkeypatch):
    """Asks about a small random model with the given choices."""

    def ask(question: dict, family: str = "encoder-decoder", **choices):
        monkeypatch.setattr(word, "load_model", lambda name: small_model(family, **choices))
        return masks(model="small", **question)

    return ask


@CASES
@PATTERNS
@pytest.mark.parametrize("placement", ["post", "pre"])
def test_a_token_leaks_exactly_to_where_it_can_reach(ask, family, stack, text, question, placement):
    """Zero bit for bit where nothing reaches; more than zero wherever something does."""
    answer = ask({**text, **question, "stack": stack}, family, placement=placement)
    leak, reach = answer.tensors["leak"].data, answer.tensors["reach"].data.bool()
    assert (leak[~reach] == 0).all()
    assert (leak[reach] > 0).all()
    assert facts(answer)["leak_outside_reach"]["holds"]


def test_the_leak_is_the_largest_change_that_any_replacement_makes(ask):
    answer = ask({**TEXT, "flip": "1.3"}, "decoder-only")
    transformer, size = small_model("decoder-only").transformer, small_model("decoder-only").config.vocabulary_size
    ids, mask = torch.tensor(answer.axes["key"].ids), torch.where(answer.tensors["allowed"].data.bool(), 0.0, -torch.inf)
    before = transformer.unembed(transformer.decode(ids, mask)).numpy()
    for key in range(len(ids)):
        changes = []
        for other in under_mask.others(int(ids[key]), size).tolist():
            changed = ids.clone()
            changed[key] = other
            changes.append(np.abs(transformer.unembed(transformer.decode(changed, mask)).numpy() - before).max(axis=1))
        assert np.allclose(answer.tensors["leak"].data[:, key], np.max(changes, axis=0), atol=1e-5)


@pytest.mark.parametrize("size", [10, 420])
def test_a_replacement_is_always_another_ordinary_token(size):
    for id in range(size):
        others = under_mask.others(id, size).tolist()
        assert id not in others
        assert len(set(others)) == len(others) == under_mask.REPLACEMENTS
        assert all(3 <= other < size for other in others)


def test_a_check_of_the_leak_can_fail(monkeypatch, ask):
    """A model that does not get the mask it is said to run under is found out."""
    monkeypatch.setattr(under_mask, "additive", lambda allowed: torch.zeros(allowed.shape))
    assert not facts(ask(SENTENCE))["leak_outside_reach"]["holds"]


@CASES
def test_under_the_mask_it_was_trained_with_a_model_does_what_it_always_does(ask, family, stack, text):
    trained = "causal" if stack == "decoder" else "full"
    answer = ask({**text, "pattern": trained, "stack": stack, "layer": 1}, family)
    assert torch.equal(answer.tensors["allowed"].data, answer.tensors["trained"].data)
    if "loss" in answer.tensors:
        assert torch.equal(*answer.tensors["loss"].data)
    assert answer.tensors[f"{stack}.1.attention.pattern"].axes == ("head", "query", "key")


@PATTERNS
def test_a_pattern_is_zero_outside_the_mask_and_sums_to_one_inside(ask, question):
    answer = ask({**SENTENCE, **question})
    pattern, allowed = answer.tensors["decoder.0.attention.pattern"].data, answer.tensors["allowed"].data.bool()
    assert (pattern[:, ~allowed] == 0).all()
    sums = pattern.sum(-1)
    assert np.allclose(sums[:, allowed.any(-1)], 1, atol=1e-6)
    assert (sums[:, ~allowed.any(-1)] == 0).all()
    assert torch.equal(answer.tensors["row_sum"].data[0], sums)
    assert facts(answer)["row_sum_error"]["holds"]


def test_a_mask_multiplied_after_the_softmax_takes_weight_out_of_the_rows(ask):
    full, causal = ask({**SENTENCE, "pattern": "full"}), ask(SENTENCE)
    open_pattern = full.tensors["decoder.0.attention.pattern"].data.numpy()
    expected = (open_pattern * np.tri(open_pattern.shape[-1])).sum(-1)
    assert np.allclose(causal.tensors["row_sum"].data[1], expected, atol=1e-6)
    assert np.allclose(full.tensors["row_sum"].data[1], 1, atol=1e-6)
    assert facts(causal)["smallest_multiplied_row_sum"]["value"] == pytest.approx(expected.min(), abs=1e-6)
    assert expected.min() < 0.5


def test_the_loss_is_the_surprise_at_the_token_that_really_comes_next(ask):
    answer = ask({**SENTENCE, "pattern": "full"})
    transformer = small_model().transformer
    source, target = ([1, *(t.id for t in small_model().codec.encode(SENTENCE[name]))] for name in ("source", "target"))
    n, m = len(source) + 1, len(target)
    memory = transformer.encode(torch.tensor([*source, 2]), torch.zeros(n, n))
    for row, mask in enumerate([torch.full((m, m), -torch.inf).triu(1), torch.zeros(m, m)]):
        logits = transformer.unembed(transformer.decode(torch.tensor(target), mask, memory, torch.zeros(m, n))).double().numpy()
        log_p = logits - np.log(np.exp(logits).sum(-1, keepdims=True))
        law = [-log_p[i, id] for i, id in enumerate([*target[1:], 2])]
        assert np.allclose(answer.tensors["loss"].data[row], law, atol=1e-5)
        assert answer.fields["loss"][["trained", "chosen"][row]] == pytest.approx(np.mean(law), abs=1e-5)
    assert answer.axes["predicted"].labels == answer.fields["expected"]


def test_an_encoder_under_a_mask_changes_what_the_decoder_says(ask):
    answer = ask({**SENTENCE, "stack": "encoder", "pattern": "window", "window": 1})
    assert (answer.fields["unit"], answer.axes["query"].labels[0]) == ("stream", "<s>")
    assert answer.fields["loss"]["trained"] != answer.fields["loss"]["chosen"]


@pytest.mark.parametrize(
    ("question", "field", "said"),
    [
        ({"length": 0}, "length", "from 1 to 128"),
        ({"length": 129}, "length", "from 1 to 128"),
        ({"layers": 65}, "layers", "from 0 to 64"),
        ({"layers": -1}, "layers", "from 0 to 64"),
        ({"pattern": "prefix", "prefix": 13}, "prefix", "from 0 to the length, 12"),
        ({"pattern": "window", "window": 0}, "window", "from 1 to the length, 12"),
        ({"pattern": "padding", "lengths": []}, "lengths", "1 to 16"),
        ({"pattern": "padding", "lengths": [3, 13]}, "lengths", "from 0 to the length, 12"),
        ({"pattern": "padding", "lengths": [3, 4], "flip": "0.0"}, "flip", "one sequence"),
        ({"pattern": "causal", "window": 3}, "window", "takes no `window`"),
        ({"flip": "0.12"}, "flip", "leaves the mask"),
        ({"flip": "3.5-4-6"}, "flip", "query.key"),
        ({"flip": "٣.٤"}, "flip", "query.key"),
        ({"cells": [[1, 0], [1]]}, "cells", "a square"),
        ({"cells": []}, "length", "from 1 to 128"),
        ({"cells": [[2]]}, "cells", "0 or 1"),
        ({"cells": [[1]], "pattern": "full"}, "pattern", "a whole mask"),
        ({"cells": [[1]], "length": 2}, "cells", "a square of 2 by 2"),
        ({"source": "the cat"}, "source", "needs a `model`"),
        ({"layer": 0}, "layer", "needs a `model`"),
    ],
)
def test_a_question_that_makes_no_sense_is_refused_in_a_sentence(question, field, said):
    with pytest.raises(InvalidInput, match=said) as error:
        masks(**question)
    assert error.value.field == field


@pytest.mark.parametrize(
    ("question", "field", "said"),
    [
        ({"length": 3}, "length", "its text, 10 tokens"),
        ({"stack": "memory"}, "stack", "it has encoder and decoder"),
        ({"layer": 2}, "layer", "layers 0 to 1"),
        ({"layer": -1}, "layer", "layers 0 to 1"),
        ({"pattern": "padding", "lengths": [3, 4]}, "lengths", "one length"),
        ({"cells": [[1]]}, "cells", "a square of 10 by 10"),
    ],
)
def test_what_the_model_at_hand_cannot_do_is_refused_in_a_sentence(ask, question, field, said):
    with pytest.raises(InvalidInput, match=said) as error:
        ask({**SENTENCE, **question})
    assert error.value.field == field


def test_an_unknown_pattern_is_answered_with_the_nearest():
    with pytest.raises(UnknownName, match="causal"):
        masks(pattern="casual")
