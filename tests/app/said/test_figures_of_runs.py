"""What figures about a run say in words, where other answers have it say something else: each of
its sentences is what a second rendering reads off an answer that has it. What figures say of the
questions in `tests.app.drawn` is held there.
"""

from functools import cache
from typing import Any

import numpy as np
import pytest

from app.worker.figures import draw
from model import analyses
from model.answers.answer import Answer
from tests.app.said.claims import changed, check, of, says

MASKED = {"pattern": "causal", "model": "translator", "source": "i am cold", "stack": "decoder"}
WRITTEN = {"model": "translator", "source": "i am cold", "target": "j' ai froid"}
FOLLOWED = {"model": "translator", "source": "i am cold", "kind": "cross", "layer": 2, "head": 1}


@cache
def asked(word: str, *question: tuple[str, Any]) -> Answer:
    return analyses.answer(word, dict(question))


def said(word: str, name: str, answer: Answer, question: dict[str, Any]) -> dict[str, Any]:
    """What a figure says of itself."""
    return draw(word, name, answer, question)["layout"]["meta"]


ALL = "No cell is 0: under this mask every answer changes with every token."
NONE = (
    "A hatched cell is exactly 0: its token does not reach this answer, so replacing it changes"
    " nothing, bit for bit. Press “Let a cell leak” to open one cell of the future,"
    " and see which rows change."
)
ONE = (
    "One open cell of the future is enough: the answer in its row changes with a token that it has"
    " to predict, and so do the rows that look at this row."
)
SOME = (
    "{zeros} of {cells} cells are exactly 0: there the mask lets nothing through all layers of the"
    " model. Coloured cells above the diagonal look ahead."
)


@pytest.mark.parametrize(
    ("above", "below", "opened", "sentence"),
    [(1, 1, 0, ALL), (0, 1, 0, NONE), (1, 0, 1, ONE), (1, 0, 2, SOME)],
)
def test_what_leaks_is_told_of_the_mask_that_is_drawn(
    above: int, below: int, opened: int, sentence: str
):
    question = MASKED | {"layer": 1}
    answer = changed(
        asked("masks", *question.items()),
        {"leak": lambda data: above * (1 + data).triu(1) + below * (1 + data).tril()},
        opened=opened,
    )
    leak = of(answer, "leak")
    claim = says(sentence, zeros=int((leak == 0).sum()), cells=leak.size)
    check(said("masks", "leak", answer, question)["told"], [claim], "masks, leak")


@pytest.mark.parametrize("pattern", ["window", "dilated", "block", "causal", "prefix"])
def test_a_cell_is_called_0_only_where_replacing_its_token_changes_nothing(pattern: str):
    """A window of one layer is no window of several: what it hides may come through them."""
    play = {"model": "shakespeare", "text": "the cat sat on the mat"}
    answer = asked("masks", *play.items(), ("pattern", pattern), ("layer", 0))
    leak, hidden = of(answer, "leak"), of(answer, "allowed") == 0
    told = said("masks", "leak", answer, play | {"layer": 0})["told"]
    reached = int((leak[hidden] > 0).sum())
    assert (reached > 0) == (pattern in ("window", "dilated"))
    claim = says(
        "The mask hides {hidden} cells, and of these {reached} change an answer all the same: what"
        " such a cell holds comes through several layers. Only a hatched cell is exactly 0.",
        hidden=int(hidden.sum()),
        reached=reached,
    )
    some = says(SOME, zeros=int((leak == 0).sum()), cells=leak.size)
    ahead = np.triu(leak, 1).any()
    check(told, [claim if reached else some if ahead else says(NONE)], "masks, leak")


@pytest.mark.parametrize(("trained", "chosen"), [(1.234, 2.345), (2.345, 1.234), (2.345, 2.345)])
def test_the_loss_under_a_mask_is_compared_with_that_of_the_training(trained: float, chosen: float):
    question = MASKED | {"layer": 1}
    means = {"trained": trained, "chosen": chosen}
    answer = changed(asked("masks", *question.items()), loss=means)
    told = said("masks", "loss", answer, question)
    apart = says(
        "Under this mask the mean loss is {chosen:number} nats, {more} than the {trained:number}"
        " nats under the mask of the training. See at which tokens the lines part.",
        more="more" if chosen > trained else "less",
        **means,
    )
    same = says(
        "Both lines are the same: this is the mask of the training. Choose the full mask, and"
        " compare them again."
    )
    check(told["told"], [same if trained == chosen else apart], "masks, loss")
    both = "{chosen:number} nats; under the mask of the training {trained:number} nats."
    check(told["summary"], [says(f"Mean loss {both}", **means)], "masks, loss, summary")


@pytest.mark.parametrize(("flip", "may"), [("1.3", "may now look"), ("3.1", "may no longer look")])
def test_a_cell_that_is_painted_says_what_its_query_may_do_now(flip: str, may: str):
    question = {"pattern": "causal", "length": 4, "layers": 1, "flip": flip}
    told = said("masks", "mask", asked("masks", *question.items()), question)
    query, key = flip.split(".")
    none = "No hidden cell is reached in 1 layer."
    claim = says(f"{{query}} {may} at {{key}}. {none}", query=query, key=key)
    check(told["summary"], [claim], "masks, summary")
    painted = "open" if "now" in may else "shut"
    counted = says("cells are open; 1 was painted {state}.", state=painted)
    assert counted.pattern().search(told["count"]), counted.fault(told["count"])


@pytest.mark.parametrize("first", [None, 1])
def test_the_first_row_in_which_generation_differs_is_counted_from_1(first: int | None):
    answer = asked("generate", *WRITTEN.items())
    forcing = answer.fields["teacher_forcing"] | {"first_difference": first}
    told = said("generate", "forcing", changed(answer, teacher_forcing=forcing), WRITTEN)
    if first is None:
        row, column = "no row differs.", "No column differs: both sides say the same words."
    else:
        row = f"row {first + 1} is the first that differs."
        following = forcing["rows"][first]["expected"]["text"]
        column = (
            f"Column {first + 1} is the first that differs: the reference goes on with {following}."
        )
    assert told["description"].endswith(row)
    assert told["beside"]["differs"] == column


@pytest.mark.parametrize("holds", [True, False])
def test_a_count_of_open_cells_that_is_wrong_is_marked(holds: bool):
    answer = asked("modes", ("text", "i am cold"))
    modes = [
        one | {"visible": type(one["visible"])(**vars(one["visible"]) | {"holds": holds})}
        for one in answer.fields["modes"]
    ]
    told = said("modes", "mask.prefix", changed(answer, modes=modes), {"text": "i am cold"})
    assert ("✗" in told["said"]) != holds


def test_without_an_order_of_keys_no_correlation_is_said():
    question = FOLLOWED | {"forward": 1}
    answer = asked("attention", *question.items())
    rows = [one | {"rank_correlation": None} for one in answer.fields["agreement"]]
    told = said("attention", "importance", changed(answer, agreement=rows), question)
    assert told["caption"] == "With fewer than three keys there is no order to compare."
    assert np.isfinite([one["rank_correlation"] for one in answer.fields["agreement"]]).all()


def test_a_query_that_is_matched_with_nothing_says_so():
    question = {"model": "shapes", "image": "overlap"}
    answer = asked("detection", *question.items())
    mine = answer.fields["found"][answer.fields["query"]]
    assert mine["object"] is None
    claim = says(
        "Query {query} says {kind} with probability {p:%}; in the end it is matched with no shape.",
        query=answer.fields["query"],
        kind=mine["class"],
        p=mine["probability"],
    )
    check(said("detection", "found", answer, question)["said"], [claim], "detection, found")
