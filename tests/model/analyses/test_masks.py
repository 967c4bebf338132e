"""Masks: cells counted against closed forms, reach against matrix powers, and a model run under the
mask against plain loops.
"""

from dataclasses import replace

import numpy as np
import pytest
import torch

from model.analyses import masks as word
from model.analyses.masks import masks
from model.errors import InvalidInput, UnknownName
from model.inputs.text import TextTokenizer
from model.interpretability.masks import intervention as mask_intervention
from model.layers.masks import MASKS, Parameter, Pattern, full
from tests.model.support.runs import small_model
from tests.rounding import SINGLE, same
from tests.thorough import mostly

N = 12


def facts(answer) -> dict:
    return {fact.name: fact for fact in answer.fields["facts"]}


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
        ({"pattern": "dilated", "window": 3, "dilation": 2}, 12 + 10 + 8),
        ({"pattern": "dilated", "window": 12, "dilation": 5}, 12 + 7 + 2),
        ({"pattern": "dilated", "window": 3, "dilation": 1}, 1 + 2 + 3 * 10),
        ({"pattern": "block", "block": 4}, 3 * 16),
        ({"pattern": "block", "block": 5}, 25 + 25 + 4),
        ({"pattern": "window_2d", "columns": 4, "above": 0, "beside": 3}, 3 * 10),
        ({"pattern": "window_2d", "columns": 4, "above": 1, "beside": 1}, 3 * 7 + 2 * 10),
        ({"pattern": "causal and block", "block": 4}, 3 * 10),
        ({"pattern": "causal or block", "block": 4}, 78 + 48 - 30),
        ({"pattern": "block and block", "block": 4}, 48),
        ({"pattern": "full and window", "window": 3}, 33),
        ({"pattern": "window or dilated", "window": 3, "dilation": 3}, 33 + 12 + 9 + 6 - 12),
        ({"pattern": "causal and padding", "lengths": [7]}, 28 + 5 * 7),
        ({"pattern": "causal and padding", "lengths": [12, 7, 0]}, 78 + 28 + 5 * 7),
        ({"pattern": "padding or padding", "lengths": [12, 7, 0]}, N * 19),
        ({"pattern": "padding", "lengths": [7]}, N * 7),
        ({"pattern": "padding", "lengths": [12, 7, 0]}, N * 19),
    ],
)
def test_as_many_cells_are_visible_as_the_formula_says(question, cells):
    answer = masks(length=N, **question)
    assert answer.fields["visible"] == int(answer.tensors["allowed"].data.sum()) == cells
    assert answer.fields["formula"].endswith(f" = {cells}")
    assert facts(answer)["visible"].holds


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
    ("pattern", "name"),
    [
        ("full", None),
        ("causal", None),
        ("prefix", "prefix"),
        ("window", "window"),
        ("padding", "lengths"),
    ],
)
def test_every_pattern_opens_the_cells_its_sentence_says(pattern, name, n):
    for value in [None] if name is None else range(1, n + 1):
        parameters = {name: [value] if name == "lengths" else value} if name else {}
        answer = masks(pattern=pattern, length=n, **parameters)
        assert np.array_equal(
            answer.tensors["allowed"].data.numpy(), cell_by_cell(pattern, n, value)
        )


@pytest.mark.parametrize("layers", [0, 1, 2, 5])
@pytest.mark.parametrize(
    "question",
    [{"pattern": "window"}, {"pattern": "causal", "flip": "2.5,7.11"}, {"pattern": "padding"}],
)
def test_reach_is_the_boolean_power_of_the_mask_with_the_residual_path(question, layers):
    answer = masks(length=N, layers=layers, **question)
    step = answer.tensors["allowed"].data.numpy().astype(int) + np.eye(N, dtype=int)
    assert np.array_equal(
        answer.tensors["reach"].data.numpy(), np.linalg.matrix_power(step, layers) > 0
    )


@pytest.mark.parametrize(
    "question",
    [{"pattern": "window"}, {"flip": "2.5,7.11"}, {"pattern": "padding", "lengths": [9, 0]}],
)
def test_layers_needed_is_the_first_power_that_reaches(question):
    answer = masks(length=N, **question)
    needed = answer.tensors["layers_needed"].data
    for layers in range(N + 3):
        reached = masks(length=N, layers=layers, **question).tensors["reach"].data.bool()
        assert torch.equal((needed <= layers) & ~needed.isneginf(), reached)


@pytest.mark.parametrize(
    ("window", "layers", "widest"), [(3, 1, 3), (3, 3, 7), (2, 4, 5), (1, 9, 1), (5, 4, N)]
)
def test_a_window_reaches_layers_times_width_less_one(window, layers, widest):
    answer = masks(pattern="window", length=N, window=window, layers=layers)
    assert answer.tensors["reach"].data.sum(-1).max() == widest
    assert facts(answer)["widest_reach"].holds


@pytest.mark.parametrize(
    ("question", "layers", "widest"),
    [
        ({"pattern": "dilated", "window": 2, "dilation": 3}, 3, 3 * 1 * 3 + 1),
        ({"pattern": "dilated", "window": 2, "dilation": 3}, 9, 10),
        ({"pattern": "dilated", "window": 4, "dilation": 2}, 0, 1),
        ({"pattern": "block", "block": 5}, 1, 5),
        ({"pattern": "block", "block": 5}, 7, 5),
        ({"pattern": "block", "block": 5}, 0, 1),
        ({"pattern": "window_2d", "columns": 4, "above": 1, "beside": 1}, 1, 4 + 1 + 1),
        ({"pattern": "window_2d", "columns": 4, "above": 1, "beside": 1}, 9, N),
        ({"pattern": "window_2d", "columns": 6, "above": 0, "beside": 2}, 2, 5),
    ],
)
def test_every_new_pattern_reaches_as_far_as_its_law(question, layers, widest):
    answer = masks(length=N, layers=layers, **question)
    assert facts(answer)["widest_reach"].value == widest
    assert facts(answer)["widest_reach"].holds


def test_what_is_joined_or_painted_claims_no_law_of_reach():
    assert "widest_reach" not in facts(masks(pattern="window and block"))
    assert "widest_reach" not in facts(masks(pattern="window", flip="2.5"))


@pytest.mark.parametrize(("pattern", "joined"), [("and", np.logical_and), ("or", np.logical_or)])
@pytest.mark.parametrize(
    ("first", "second"),
    [("causal", "block"), ("window", "dilated"), ("padding", "causal"), ("window_2d", "prefix")],
)
def test_two_patterns_are_joined_cell_by_cell(first, pattern, second, joined):
    there, back = (
        masks(pattern=f"{a} {pattern} {b}") for a, b in [(first, second), (second, first)]
    )
    each = [masks(pattern=name).tensors["allowed"].data.numpy() for name in (first, second)]
    assert np.array_equal(there.tensors["allowed"].data.numpy(), joined(*each))
    assert torch.equal(there.tensors["allowed"].data, back.tensors["allowed"].data)
    assert there.fields["pattern"] == f"{first} {pattern} {second}"
    assert facts(there)["visible"].holds


def test_a_join_is_counted_by_inclusion_and_exclusion_in_words_and_numbers():
    answer = masks(pattern=" causal  or block ", block=4, flip="0.11")
    assert answer.fields["formula"] == "|causal| + |block| - |causal and block| = 78 + 48 - 30 = 96"
    assert answer.fields["pattern"] == "causal or block"
    assert answer.fields["visible"] == 97
    assert facts(answer)["visible"].holds


def test_a_check_of_the_count_can_fail(monkeypatch):
    """A mask that is not the one its closed form counts is found out, alone and joined."""
    wrong = replace(MASKS["block"], allowed=lambda n, block: MASKS["full"](n))
    monkeypatch.setitem(MASKS, "block", wrong)
    for pattern in ("block", "causal and block"):
        assert not facts(masks(pattern=pattern, block=4))["visible"].holds


@pytest.mark.parametrize(
    ("length", "columns"), [(1, 1), (12, 4), (13, 13), (24, 6), (36, 6), (128, 16)]
)
def test_a_grid_is_as_square_as_the_length_allows(length, columns):
    assert masks(pattern="window_2d", length=length).fields["columns"] == columns


def test_every_pattern_has_a_usual_value_for_every_parameter_at_every_length():
    for length in (1, 2, 3, 7, 128):
        for pattern in MASKS:
            assert facts(masks(pattern=pattern, length=length))["visible"].holds


def test_one_painted_cell_opens_a_way_for_every_later_query():
    once, thrice = (
        masks(length=N, flip="2.5", layers=layers).tensors["reach"].data.bool() for layers in (1, 3)
    )
    future = torch.ones(N, N).triu(1).bool()
    assert (once & future).nonzero().tolist() == [[2, 5]]
    assert (thrice & future).nonzero().tolist() == [
        [q, k] for q in range(2, 5) for k in range(q + 1, 6)
    ]


def test_painting_turns_cells_over_and_twice_is_not_at_all():
    plain, painted = masks(length=6), masks(length=6, flip="0.3-5,4.1")
    turned = (plain.tensors["allowed"].data ^ painted.tensors["allowed"].data).nonzero().tolist()
    assert turned == [[0, 3], [0, 4], [0, 5], [4, 1]]
    assert (painted.fields["opened"], painted.fields["closed"], painted.fields["visible"]) == (
        3,
        1,
        21 + 3 - 1,
    )
    assert masks(length=6, flip="0.3-5,0.3-5").fields["visible"] == 21


def test_a_row_that_sees_nothing_is_flagged():
    assert masks(length=3, flip="0.0,2.0-2").fields["blind_rows"] == [0, 2]
    assert masks(pattern="padding", length=2, lengths=[1, 0]).fields["blind_rows"] == [
        [1, 0],
        [1, 1],
    ]
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
        {"pattern": "dilated", "window": 2, "dilation": 2},
        {"pattern": "block and causal", "block": 2},
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
@pytest.mark.parametrize("placement", mostly(["post", "pre"], "pre"))
def test_a_token_leaks_exactly_to_where_it_can_reach(ask, family, stack, text, question, placement):
    """Zero bit for bit where nothing reaches; more than zero wherever something does."""
    answer = ask({**text, **question, "stack": stack}, family, placement=placement)
    leak, reach = answer.tensors["leak"].data, answer.tensors["reach"].data.bool()
    assert (leak[~reach] == 0).all()
    assert (leak[reach] > 0).all()
    assert facts(answer)["leak_outside_reach"].holds


def test_the_leak_is_the_largest_change_that_any_replacement_makes(ask):
    answer = ask({**TEXT, "flip": "1.3"}, "decoder-only")
    transformer, size = (
        small_model("decoder-only").transformer,
        small_model("decoder-only").config.vocabulary_size,
    )
    ids, mask = (
        torch.tensor(answer.axes["key"].ids),
        answer.tensors["allowed"].data.bool(),
    )
    before = transformer.unembed(transformer.decode(ids, mask)).numpy()
    for key in range(len(ids)):
        changes = []
        for other in mask_intervention.others(int(ids[key]), size, TextTokenizer.frame).tolist():
            changed = ids.clone()
            changed[key] = other
            changes.append(
                np.abs(transformer.unembed(transformer.decode(changed, mask)).numpy() - before).max(
                    axis=1
                )
            )
        same(answer.tensors["leak"].data[:, key], np.max(changes, axis=0), scale=1)


@pytest.mark.parametrize("size", [10, 420])
def test_a_replacement_is_always_another_ordinary_token(size):
    for id in range(size):
        others = mask_intervention.others(id, size, TextTokenizer.frame).tolist()
        assert id not in others
        assert len(set(others)) == len(others) == mask_intervention.REPLACEMENTS
        assert all(3 <= other < size for other in others)


def test_a_check_of_the_leak_can_fail(monkeypatch, ask):
    """A model that does not get the mask it is said to run under is found out."""
    monkeypatch.setattr(mask_intervention, "beside_memory", lambda run, allowed: full(len(allowed)))
    assert not facts(ask(SENTENCE))["leak_outside_reach"].holds


@CASES
def test_under_the_mask_it_was_trained_with_a_model_does_what_it_always_does(
    ask, family, stack, text
):
    trained = "causal" if stack == "decoder" else "full"
    answer = ask({**text, "pattern": trained, "stack": stack, "layer": 1}, family)
    assert torch.equal(answer.tensors["allowed"].data, answer.tensors["trained"].data)
    if "loss" in answer.tensors:
        assert torch.equal(*answer.tensors["loss"].data)
    assert answer.tensors[f"{stack}.1.attention.pattern"].axes == ("head", "query", "key")


@PATTERNS
def test_a_pattern_is_zero_outside_the_mask_and_sums_to_one_inside(ask, question):
    answer = ask({**SENTENCE, **question})
    pattern, allowed = (
        answer.tensors["decoder.0.attention.pattern"].data,
        answer.tensors["allowed"].data.bool(),
    )
    assert (pattern[:, ~allowed] == 0).all()
    sums = pattern.sum(-1)
    same(sums[:, allowed.any(-1)], 1, scale=1)
    assert (sums[:, ~allowed.any(-1)] == 0).all()
    assert torch.equal(answer.tensors["row_sum"].data[0], sums)
    assert facts(answer)["row_sum_error"].holds


def test_a_mask_multiplied_after_the_softmax_takes_weight_out_of_the_rows(ask):
    full, causal = ask({**SENTENCE, "pattern": "full"}), ask(SENTENCE)
    open_pattern = full.tensors["decoder.0.attention.pattern"].data.numpy()
    expected = (open_pattern * np.tri(open_pattern.shape[-1])).sum(-1)
    same(causal.tensors["row_sum"].data[1], expected, scale=1)
    same(full.tensors["row_sum"].data[1], 1, scale=1)
    same(facts(causal)["smallest_multiplied_row_sum"].value, expected.min(), scale=1)
    assert expected.min() < 0.5


def test_the_loss_is_the_surprise_at_the_token_that_really_comes_next(ask):
    answer = ask({**SENTENCE, "pattern": "full"})
    transformer = small_model().transformer
    source, target = (
        [1, *(t.id for t in small_model().tokenizer.encode(SENTENCE[name]))]
        for name in ("source", "target")
    )
    n, m = len(source) + 1, len(target)
    everywhere = torch.ones(m, n, dtype=torch.bool)
    memory = transformer.encode(torch.tensor([*source, 2]), full(n))
    for row, mask in enumerate([full(m).tril(), full(m)]):
        logits = (
            transformer.unembed(transformer.decode(torch.tensor(target), mask, memory, everywhere))
            .double()
            .numpy()
        )
        log_p = logits - np.log(np.exp(logits).sum(-1, keepdims=True))
        law = [-log_p[i, id] for i, id in enumerate([*target[1:], 2])]
        same(answer.tensors["loss"].data[row], law, scale=1)
        same(answer.fields["loss"][["trained", "chosen"][row]], np.mean(law), SINGLE, scale=1)
    assert answer.axes["predicted"].labels == answer.fields["expected"]


def test_an_encoder_under_a_mask_changes_what_the_decoder_says(ask):
    answer = ask({**SENTENCE, "stack": "encoder", "pattern": "window", "window": 1})
    assert (answer.fields["unit"], answer.axes["query"].labels[0]) == ("stream", "<s>")
    assert answer.fields["loss"]["trained"] != answer.fields["loss"]["chosen"]


@pytest.mark.parametrize(
    ("question", "field", "message"),
    [
        ({"length": 0}, "length", "between 1 and 128"),
        ({"length": 129}, "length", "between 1 and 128"),
        ({"layers": 65}, "layers", "between 0 and 64"),
        ({"layers": -1}, "layers", "between 0 and 64"),
        ({"pattern": "prefix", "prefix": 13}, "prefix", "it must be between 0 and the length"),
        ({"pattern": "window", "window": 0}, "window", "it must be between 1 and the length"),
        ({"pattern": "padding", "lengths": []}, "lengths", "the limit is 16"),
        (
            {"pattern": "padding", "lengths": [3, 13]},
            "lengths",
            "it must be between 0 and the length",
        ),
        ({"pattern": "padding", "lengths": [3, 4], "flip": "0.0"}, "flip", "one sequence"),
        ({"pattern": "causal", "window": 3}, "window", "has no `window`"),
        ({"pattern": "window", "window": 13}, "window", "it must be between 1 and the length"),
        (
            {"pattern": "dilated", "dilation": 0},
            "dilation",
            "dilation is 0; it must be between 1 and the length",
        ),
        ({"pattern": "dilated", "dilation": 13}, "dilation", "it must be between 1 and the length"),
        ({"pattern": "dilated", "window": 0}, "window", "it must be between 1 and the length"),
        ({"pattern": "block", "block": 0}, "block", "it must be between 1 and the length"),
        ({"pattern": "block", "block": 13}, "block", "it must be between 1 and the length"),
        (
            {"pattern": "window_2d", "columns": 5},
            "columns",
            "12 positions don’t fit a grid of 5 columns",
        ),
        (
            {"pattern": "window_2d", "columns": 0},
            "columns",
            "positions don’t fit a grid of 0 columns",
        ),
        ({"pattern": "window_2d", "above": -1}, "above", "it must be between 0 and the length"),
        ({"pattern": "window_2d", "beside": 13}, "beside", "it must be between 0 and the length"),
        ({"pattern": "window_2d", "window": 3}, "window", "has no `window`"),
        (
            {"pattern": "causal and block", "window": 3},
            "window",
            "causal and block has no `window`",
        ),
        (
            {"pattern": "causal and"},
            "pattern",
            "`pattern` must be one pattern, or two joined by `and` or",
        ),
        (
            {"pattern": "causal block"},
            "pattern",
            "`pattern` must be one pattern, or two joined by `and` or",
        ),
        (
            {"pattern": "causal xor block"},
            "pattern",
            "`pattern` must be one pattern, or two joined by `and` or",
        ),
        (
            {"pattern": "causal and block or window"},
            "pattern",
            "`pattern` must be one pattern, or two joined by `and` or",
        ),
        ({"pattern": ""}, "pattern", "one pattern"),
        (
            {"pattern": "causal and padding", "lengths": [3, 4], "flip": "0.0"},
            "flip",
            "one sequence",
        ),
        ({"flip": "0.12"}, "flip", "leaves the mask"),
        ({"flip": "3.5-4-6"}, "flip", "query.key"),
        ({"flip": "٣.٤"}, "flip", "query.key"),
        ({"cells": [[1, 0], [1]]}, "cells", "`cells` must be"),
        ({"cells": []}, "length", "between 1 and 128"),
        ({"cells": [[2]]}, "cells", "0 or 1"),
        ({"cells": [[1]], "pattern": "full"}, "pattern", "a whole mask"),
        ({"cells": [[1]], "length": 2}, "cells", "cells were given."),
        ({"source": "the cat"}, "source", "needs a `model`"),
        ({"layer": 0}, "layer", "needs a `model`"),
    ],
)
def test_a_question_that_makes_no_sense_is_refused_in_a_sentence(question, field, message):
    with pytest.raises(InvalidInput, match=message) as error:
        masks(**question)
    assert error.value.field == field


@pytest.mark.parametrize(
    ("question", "field", "message"),
    [
        ({"length": 3}, "length", "its text: 10 tokens"),
        ({"stack": "memory"}, "stack", "it has encoder and decoder"),
        ({"layer": 2}, "layer", "layers 0 to 1"),
        ({"layer": -1}, "layer", "layers 0 to 1"),
        ({"pattern": "padding", "lengths": [3, 4]}, "lengths", "one length"),
        ({"cells": [[1]]}, "cells", "cells were given."),
    ],
)
def test_what_the_model_at_hand_cannot_do_is_refused_in_a_sentence(ask, question, field, message):
    with pytest.raises(InvalidInput, match=message) as error:
        ask({**SENTENCE, **question})
    assert error.value.field == field


def test_an_unknown_pattern_is_answered_with_the_nearest():
    with pytest.raises(UnknownName, match="causal"):
        masks(pattern="casual")
    with pytest.raises(UnknownName, match="window"):
        masks(pattern="causal and windows")


@pytest.mark.parametrize("n", [1, 2, 7, 12, 128])
def test_the_default_of_every_parameter_fits_every_length(n):
    for pattern, row in MASKS.items():
        for parameter in row.parameters:
            parameter.check(parameter.default(n), n)
            assert parameter.sentence
            assert parameter.unit
        fields = masks(pattern=pattern, length=n).fields
        assert {parameter.name: fields[parameter.name] for parameter in row.parameters} == {
            parameter.name: parameter.default(n) for parameter in row.parameters
        }


def test_a_mask_with_a_parameter_of_its_own_is_one_row(monkeypatch):
    """Nothing else has to know of it: its default, its range, its refusal and its closed form."""

    def sink(n: int, sinks: int) -> torch.Tensor:
        return torch.arange(n).expand(n, n) < sinks

    def count(n: int, sinks: int) -> tuple[str, int]:
        return f"{n} x {sinks}", n * sinks

    sinks = Parameter("sinks", "how many first keys are seen", "positions", lambda n: 2, least=1)
    monkeypatch.setitem(MASKS, "sink", Pattern(sink, "n s", count, (sinks,)))
    answer = masks(pattern="sink", length=6)
    assert (answer.fields["sinks"], answer.fields["visible"]) == (2, 12)
    assert facts(answer)["visible"].holds
    assert masks(pattern="sink", length=6, sinks=3).fields["visible"] == 18
    with pytest.raises(InvalidInput, match="sinks is 7; it must be between 1 and the length"):
        masks(pattern="sink", length=6, sinks=7)
    with pytest.raises(InvalidInput, match="has no `window`"):
        masks(pattern="sink", length=6, window=3)
    assert masks(pattern="sink or causal", length=6, sinks=1).fields["visible"] == 21
