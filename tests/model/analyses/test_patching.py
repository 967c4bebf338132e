"""/patching answers about the two runs as they are: its grid, its pairs and its chosen patch are
those of edited runs, and what does not fit is refused in a sentence.
"""

import pytest
import torch

from model.edits.edit import read_edits
from model.errors import InvalidInput, UnknownName
from model.inputs.input import Input
from model.interpretability.patching import activations, clean_input
from model.interpretability.patching.clean_input import PAPER
from model.runs.run_model import run_model
from model.zoo.models import load_model
from tests.model.support.asked import answer
from tests.rounding import SINGLE, same
from tests.thorough import mostly

COLD = {"model": "translator", "source": "i am cold"}
HE = {**COLD, "clean": "he is cold"}


def difference(model: str, input: dict, edits: tuple, fields: dict) -> float:
    """The logit difference of an edited run, from its logits."""
    run = run_model(load_model(model), Input(**input), edits=edits)
    logits = run.trace["logits"][fields["step"]]
    ids = {
        row["text"]: row["id"] for name in ("clean", "corrupted") for row in fields[name]["answers"]
    }
    return (logits[ids[fields["answer_clean"]]] - logits[ids[fields["answer_corrupted"]]]).item()


def test_one_word_patched_turns_j_ai_into_il_a_and_the_verb_alone_does_not():
    fields = answer("patching", HE).fields
    assert fields["corrupted"]["writes"] == "j' ai froid"
    assert fields["patched"]["writes"] == "il a froid"
    assert (fields["site"], fields["layer"], fields["position"]) == ("residual.in", 0, 1)
    verb = answer("patching", {**HE, "position": 2}).fields
    assert verb["patched"]["writes"] == "j' ai froid"
    assert verb["chosen_restored"] < 0.2 < 0.9 < fields["chosen_restored"]


def test_two_pieces_of_paper_make_an_8_of_a_3_and_no_other_two_do():
    reply = answer("patching", {"model": "digits", "image": "three", "clean": PAPER, "pairs": True})
    answers = reply.fields["pair_answers"]
    eights = {(i, j) for i, row in enumerate(answers) for j, text in enumerate(row) if text == "8"}
    assert eights == {(7, 14), (14, 7)}
    assert reply.fields["corrupted"]["answers"][0]["text"] == "3"


@pytest.mark.parametrize("place", [(0, 0, 1), (5, 1, 2), (8, 2, 3)])
def test_a_cell_of_the_grid_is_the_run_with_that_edit(place: tuple[int, int, int]):
    reply = answer("patching", HE)
    site, layer, at = place
    edit = {
        "op": "patch",
        "at": f"encoder.{layer}.{(reply.axes['site'].labels or [])[site]}",
        "from": {"source": "he is cold", "target": "j' ai froid"},
        "positions": [[at, at]],
    }
    inputs = {"source": "i am cold", "target": "j' ai froid"}
    expected = difference("translator", inputs, read_edits([edit]), reply.fields)
    same(reply.tensors["measured"].data[place].item(), expected, SINGLE, scale=1)
    low, high = (reply.fields[name]["value"] for name in ("corrupted", "clean"))
    share = (expected - low) / (high - low)
    same(reply.tensors["restored"].data[place].item(), share, SINGLE, scale=1)


def test_the_edit_of_the_chosen_patch_gives_its_number_again():
    fields = answer("patching", {**HE, "stack": "decoder"}).fields
    found = difference(
        "translator", fields["corrupted"]["input"], read_edits([fields["edit"]]), fields
    )
    same(fields["patched"]["value"], found, SINGLE, scale=1)


def test_the_ends_are_those_of_the_two_runs():
    fields = answer("patching", HE).fields
    assert fields["nothing"] == 0
    same(fields["everything"], 1, SINGLE, scale=1)


def test_what_bypasses_the_stacks_is_told_by_the_end():
    fields = answer("patching", {"model": "penguins-tab", "row": "adelie"}).fields
    assert 0 < fields["everything"] < 0.9


def test_both_runs_read_the_target_of_the_corrupted_one():
    fields = answer("patching", HE).fields
    assert fields["clean"]["input"] == {"source": "he is cold", "target": "j' ai froid"}
    clean = '{"source": "he is cold", "target": "il"}'
    fields = answer("patching", {**HE, "clean": clean}).fields
    assert fields["clean"]["input"]["target"] == "il"


def test_a_causal_model_answers_from_earlier_positions_alone():
    reply = answer("patching", {**HE, "stack": "decoder"})
    assert reply.fields["step"] == 0
    same(reply.tensors["restored"].data[:, :, 1:], 0, SINGLE, scale=1)


def test_the_corrupted_input_can_be_given_by_its_name():
    named = {"model": "translator", "corrupted": "i am cold", "clean": '{"source": "he is cold"}'}
    assert torch.equal(
        answer("patching", named).tensors["restored"].data,
        answer("patching", HE).tensors["restored"].data,
    )


def test_heads_sum_up_to_no_more_than_their_site_and_each_is_one_edit():
    reply = answer("patching", {**HE, "heads": True})
    found = reply.tensors["measured_by_head"].data[0, 3, 1, 1].item()
    edit = {
        "op": "patch",
        "at": "encoder.1.attention.z",
        "where": {"head": [3]},
        "from": {"source": "he is cold"},
        "positions": [[1, 1]],
    }
    inputs = reply.fields["corrupted"]["input"]
    expected = difference("translator", inputs, read_edits([edit]), reply.fields)
    same(found, expected, SINGLE, scale=1)


def test_a_path_restores_no_more_than_a_single_edge_can():
    whole = answer("patching", HE).tensors["restored"].data
    path = answer("patching", {**HE, "receiver": "decoder.2.cross_attention.v"})
    assert path.tensors["restored"].data.abs().max() < whole.max()
    assert path.tensors["restored"].data[-1, 2, 1] > 0.1
    back = answer("patching", {**HE, "receiver": "encoder.0.attention.q"}).tensors["restored"].data
    same(back[:, 1:], 0, SINGLE, scale=1)


def test_positions_align_inputs_of_different_lengths():
    pairs = [[0, 0], [1, 1], [3, 2], [4, 3], [5, 4]]
    reply = answer("patching", {**COLD, "clean": "he is not cold", "positions": pairs})
    sites = reply.axes["site"].labels or []
    assert "attention.pattern" not in sites
    assert reply.fields["everything"] is None
    assert reply.tensors["restored"].data.shape == (len(sites), 3, 5)


def test_where_there_is_no_difference_no_share_is_told():
    reply = answer("patching", {**COLD, "clean": "i am cold"})
    assert "restored" not in reply.tensors
    assert reply.fields["nothing"] is None is reply.fields["chosen_restored"]
    same(reply.fields["difference"], 0, SINGLE, scale=1)


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"clean": "he is very cold"}, "tokens in the clean input but 5 in the corrupted one: use"),
        ({"clean": '{"words": "he"}'}, "give a text, or a JSON object with some of"),
        ({"clean": '{"source": 3}'}, "give a text, or a JSON object with some of"),
        ({"clean": "{he"}, "give a text, or a JSON object with some of"),
        ({"corrupted": "i am cold"}, "given twice"),
        ({"site": "attention.s"}, "it must be one of"),
        ({"layer": 3}, "Layer 3 does not exist"),
        ({"position": 5}, "Position 5 does not exist"),
        ({"step": 9}, "Step 9 does not exist"),
        ({"stack": "middle"}, "has no middle"),
        ({"metric": "loss"}, "it must be one of"),
        ({"positions": [[0, 9]]}, "Position 9 does not exist; the corrupted source"),
        (
            {"positions": [[0, 1], [1, 1]]},
            "Give at least one pair in `positions`, and each corrupted",
        ),
        ({"receiver_head": 0}, "needs `receiver`"),
        ({"receiver": "decoder.0.feed_forward.out", "receiver_head": 0}, "has no heads"),
        ({"model": "shakespeare-xl", "source": None, "text": "O"}, "remembers earlier segments"),
    ],
    ids=str,
)
def test_what_does_not_fit_is_refused_in_a_sentence(changed: dict, sentence: str):
    question = {name: it for name, it in {**HE, **changed}.items() if it is not None}
    with pytest.raises(InvalidInput, match=sentence):
        answer("patching", question)


@pytest.mark.parametrize(
    "inputs",
    mostly(
        (
            {"source": "you are happy today"},
            hello := {"source": "hello"},
            king := {"model": "shakespeare", "text": "the king and the queen"},
            {"model": "pronouncer", "source": "kitten"},
        ),
        *(hello, king),
    ),
    ids=str,
)
def test_a_text_without_an_example_of_its_length_is_compared_with_itself_but_for_a_word(inputs):
    question = {"model": "translator", **inputs}
    fields = answer("patching", question).fields
    clean, corrupted = fields["clean"], fields["corrupted"]
    assert clean["input"] != corrupted["input"]
    assert len(clean["tokens"]) == len(corrupted["tokens"])
    assert clean["value"] != corrupted["value"]


def test_where_no_text_of_as_many_tokens_is_found_a_clean_input_is_asked_for(monkeypatch):
    monkeypatch.setattr(clean_input, "variants", lambda text, pairs: iter(()))
    with pytest.raises(
        InvalidInput, match="has equal length and another prediction: give an input in"
    ):
        answer("patching", {"model": "translator", "source": "we"})


def test_an_unknown_receiver_is_refused():
    with pytest.raises(UnknownName):
        answer("patching", {**HE, "receiver": "decoder.9.attention.q"})


@pytest.mark.parametrize(
    "model",
    mostly(
        ["translator", "fill-in", "pronouncer", "speller", "induction-2", "digits", "penguins-ft"],
        *("translator", "fill-in", "induction-2", "digits", "penguins-ft"),
    ),
)
def test_a_question_without_a_clean_input_finds_one_of_as_many_tokens(model: str):
    card = load_model(model).card
    fields = answer("patching", {"model": model, **card["examples"][0]["input"]}).fields
    assert len(fields["clean"]["tokens"]) == len(fields["corrupted"]["tokens"])
    assert fields["clean"]["input"] != fields["corrupted"]["input"]
    assert abs(fields["difference"]) > 0.1


def test_a_causal_model_restores_nothing_before_the_first_other_token_and_runs_nothing(monkeypatch):
    """In the two texts the fifth letter is the first that differs, and no other does."""
    rows = []
    sweep = activations.sweep_steps
    monkeypatch.setattr(
        activations,
        "sweep_steps",
        lambda model, inputs, edits, at: rows.extend(edits) or sweep(model, inputs, edits, at=at),
    )
    question = {"model": "induction-2", "text": "qvmtzkdbqv", "clean": "qvmtakdbqv"}
    found = answer("patching", question | {"sites": "attention.out,residual.in"})
    assert found.axes["site"].labels == ["residual.in", "attention.out"]
    of_grid = [row for row in rows if not row or row[0].positions]
    assert len(of_grid) == 1 + 1 + 3 * 6, "none, one token before layer 0, six at three places"
    measured, whole = found.tensors["measured"].data, answer("patching", question)
    sites = [whole.axes["site"].labels.index(site) for site in found.axes["site"].labels]
    same(measured, whole.tensors["measured"].data[sites])
    assert (measured[:, :, :5] == measured[0, 0, 0]).all()
    with pytest.raises(InvalidInput, match="sites is 'nowhere'"):
        answer("patching", question | {"sites": "nowhere"})
