"""What figures about a run say in words, where other answers have it say something else. What they
say of the questions in `tests.app.drawn` is held there.
"""

from functools import cache
from typing import Any

import numpy as np
import pytest
import torch

from app.worker.figures import draw
from model import analyses
from model.answers.answer import Answer
from tests.app.words.answered import cut, with_fields, with_tensor
from tests.app.words.printed import percent

MASKED = {"pattern": "causal", "model": "translator", "source": "i am cold", "stack": "decoder"}
QUESTION = {"model": "translator", "source": "i am cold", "target": "j' ai froid"}
FOLLOWED = {"model": "translator", "source": "i am cold", "kind": "cross", "layer": 2, "head": 1}


@cache
def answer_to(word: str, *question: tuple[str, Any]) -> Answer:
    return analyses.answer(word, dict(question))


def captions_of(word: str, name: str, answer: Answer, question: dict[str, Any]) -> dict[str, Any]:
    """What a figure says of itself."""
    return draw(word, name, answer, question)["layout"]["meta"]


ALL = "With this mask, every token influences every prediction."
NONE = (
    "In a hatched cell on the right, the change is exactly 0: the token in its column cannot"
    " influence the prediction in its row. Press “Unmask one cell” to open one future cell, and"
    " see which rows change."
)
ONE_CLAIM = (
    "One open future cell is enough: the prediction in its row now depends on a later token, and so"
    " do the rows that attend to this row."
)
SOME = (
    "In {} of {} cells on the right, the change is exactly 0: there the mask blocks every"
    " path through the model. Colored cells above the diagonal are leaks from later tokens."
)


@pytest.mark.parametrize(
    ("above", "below", "opened", "sentence"),
    [(1, 1, 0, ALL), (0, 1, 0, NONE), (1, 0, 1, ONE_CLAIM), (1, 0, 2, SOME)],
)
def test_what_leaks_is_told_of_the_mask_that_is_drawn(
    above: int, below: int, opened: int, sentence: str
):
    question = MASKED | {"layer": 1}
    answer = answer_to("masks", *question.items())
    ones = torch.ones_like(answer.tensors["leak"].data)
    leak = above * ones.triu(1) + below * ones.tril()
    answer = with_fields(with_tensor(answer, "leak", leak), opened=opened)
    claim = captions_of("masks", "leak", answer, question)["told"]
    assert claim == sentence.format(int((leak == 0).sum()), leak.numel())


@pytest.mark.parametrize("pattern", ["window", "dilated", "block", "causal", "prefix"])
def test_a_cell_is_called_0_only_where_replacing_its_token_changes_nothing(pattern: str):
    """A window of one layer is no window of several: what it hides may come through them."""
    play = {"model": "shakespeare", "text": "the cat sat on the mat"}
    answer = answer_to("masks", *play.items(), ("pattern", pattern), ("layer", 0))
    leak, hidden = cut(answer, "leak"), cut(answer, "allowed") == 0
    reached = int((leak[hidden] > 0).sum())
    assert (reached > 0) == (pattern in ("window", "dilated"))
    through = (
        f"The mask hides {hidden.sum()} cells, but in {reached} of them the token still changes the"
        " prediction, through several layers. Only in hatched cells is the change exactly 0."
    )
    some = SOME.format((leak == 0).sum(), leak.size) if np.triu(leak, 1).any() else NONE
    claim = captions_of("masks", "leak", answer, play | {"layer": 0})["told"]
    assert claim == (through if reached else some)


APART = (
    "The mean loss is {} with this mask than with the training mask. Notice at which tokens the"
    " lines differ."
)
SAME = (
    "Both lines are the same: this is the training mask. Choose the full mask to see them differ."
)


@pytest.mark.parametrize(
    ("trained", "chosen", "claim"),
    [
        (1.234, 2.346, APART.format("higher")),
        (2.346, 1.234, APART.format("lower")),
        (2.346, 2.346, SAME),
    ],
)
def test_the_loss_under_a_mask_is_compared_with_that_of_the_training(trained, chosen, claim: str):
    question = MASKED | {"layer": 1}
    loss = {"trained": trained, "chosen": chosen}
    answer = with_fields(answer_to("masks", *question.items()), loss=loss)
    words = captions_of("masks", "loss", answer, question)
    assert words["told"] == claim
    both = f"{chosen:.2f} nats (with the training mask: {trained:.2f} nats)."
    assert words["summary"] == f"Mean loss with this mask: {both}"


@pytest.mark.parametrize(
    ("flip", "summary", "count"),
    [
        ("1.3", "1 may now attend to 3.", "11 of 16 cells are open; 1 was opened by hand."),
        ("3.1", "3 may no longer attend to 1.", "9 of 16 cells are open; 1 was closed by hand."),
    ],
)
def test_a_cell_that_is_painted_says_what_its_query_may_do_now(flip, summary: str, count: str):
    question = {"pattern": "causal", "length": 4, "layers": 1, "flip": flip}
    words = captions_of("masks", "mask", answer_to("masks", *question.items()), question)
    none = "Through 1 layer, no query reaches a key that is masked for it."
    assert words["summary"] == f"{summary} {none}"
    assert words["count"] == count


@pytest.mark.parametrize("first", [None, 1])
def test_the_first_row_in_which_generation_differs_is_counted_from_1(first: int | None):
    answer = answer_to("generate", *QUESTION.items())
    forcing = answer.fields["teacher_forcing"] | {"first_difference": first}
    answer = with_fields(answer, teacher_forcing=forcing)
    words = captions_of("generate", "forcing", answer, QUESTION)
    if first is None:
        row, column = "no row differs.", "No column differs: both produce the same tokens."
    else:
        row = f"row {first + 1} is the first to differ."
        following = forcing["rows"][first]["expected"]["text"]
        column = (
            f"Column {first + 1} is the first to differ: the reference continues with {following}."
        )
    assert words["description"].endswith(row)
    assert words["beside"]["differs"] == column


@pytest.mark.parametrize("holds", [True, False])
def test_a_count_of_open_cells_that_is_wrong_is_marked(holds: bool):
    answer = answer_to("modes", ("text", "i am cold"))
    modes = [
        entry | {"visible": type(entry["visible"])(**vars(entry["visible"]) | {"holds": holds})}
        for entry in answer.fields["modes"]
    ]
    answer = with_fields(answer, modes=modes)
    words = captions_of("modes", "mask.prefix", answer, {"text": "i am cold"})
    assert ("✗" in words["said"]) != holds


def test_without_an_order_of_keys_no_correlation_is_said():
    question = FOLLOWED | {"forward": 1}
    answer = answer_to("attention", *question.items())
    rows = [row | {"rank_correlation": None} for row in answer.fields["agreement"]]
    words = captions_of("attention", "importance", with_fields(answer, agreement=rows), question)
    assert words["caption"] == "With fewer than three keys there is no order to compare."
    assert np.isfinite([entry["rank_correlation"] for entry in answer.fields["agreement"]]).all()


def test_a_query_that_is_matched_with_nothing_says_so():
    question = {"model": "shapes", "image": "overlap"}
    answer = answer_to("detection", *question.items())
    query, found = answer.fields["query"], answer.fields["found"]
    assert found[query]["object"] is None
    assert captions_of("detection", "found", answer, question)["said"] == (
        f"Query {query} predicts “{found[query]['class']}” with probability"
        f" {percent(found[query]['probability'])}. After the last layer, it is matched to no shape."
    )
