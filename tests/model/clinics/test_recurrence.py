"""What /recurrence says of five networks: what they write, where they look, and that its numbers
are those of the networks and of the record.
"""

import pytest
import torch

from model.clinics.recurrence import recurrence
from model.errors import InvalidInput
from model.measure.gradient_by_distance import gradient_by_distance
from model.recurrent.reversal import decoder_input, random_words
from model.recurrent.reversers import (
    LONGEST,
    NETWORKS,
    TOKENIZER,
    TRAINED,
    TRUNCATIONS,
    fresh_reverser,
    load_reverser,
    read_record,
)
from model.trace import Recorder
from tests.rounding import SINGLE, same
from tests.thorough import mostly

NAMES = list(NETWORKS)


@pytest.fixture(scope="module")
def answer():
    return recurrence(text="Bahdanau", seeds=2)


def finding(answer, name: str):
    return next(candidate for candidate in answer.fields["findings"] if candidate.name == name)


def test_each_network_writes_the_word_letter_by_letter_until_it_says_that_it_ends(answer):
    assert answer.fields["word"] == list("bahdanau")
    for row, writing in enumerate(answer.fields["writings"]):
        network = load_reverser(writing["network"], 0)
        ids = torch.tensor([[TOKENIZER.id(letter) for letter in "bahdanau"]])
        target = torch.tensor([[1]])
        for step, token in enumerate(writing["tokens"]):
            probabilities = network(ids, target)[0, -1].softmax(-1)
            best = int(probabilities.argmax())
            assert TOKENIZER.label(best) == token
            found = answer.tensors["written"].data[row, step]
            same(found, probabilities[best], scale=1)
            target = torch.cat([target, torch.tensor([[best]])], dim=1)
        end = [*writing["tokens"], "</s>"].index("</s>")
        assert writing["text"] == "".join(writing["tokens"][:end])
        assert writing["right"] == (writing["text"] == "uanadhab" and "</s>" in writing["tokens"])


def test_a_network_that_has_learned_the_task_writes_a_trained_length_right(answer):
    right = {writing["network"] for writing in answer.fields["writings"] if writing["right"]}
    assert {"lstm-attention", "transformer"} <= right


def test_the_alignment_of_bahdanaus_attention_is_that_of_the_network_itself(answer):
    network = load_reverser("lstm-attention", 0)
    ids = torch.tensor([[TOKENIZER.id(letter) for letter in "bahdanau"]])
    state = network.encoder.initial(1)
    states = []
    for x in network.embedding[ids].unbind(1):
        state = network.encoder(x, state)
        states.append(state[0])
    h = torch.stack(states, dim=1)
    for step, id in enumerate(decoder_input(ids)[0]):
        trace = Recorder()
        context = network.attention(state[0], h, trace)
        expected = answer.tensors["alignment"].data[1, step]
        same(trace.values["pattern"][0, 0], expected, scale=1)
        y = torch.cat([network.embedding[id][None], context], dim=-1)
        state = network.decoder(y, state)


def test_the_mean_of_the_heads_and_one_head_of_the_last_layer_are_shown(answer):
    network = load_reverser("transformer", 0)
    ids = torch.tensor([[TOKENIZER.id(letter) for letter in "bahdanau"]])
    trace = Recorder()
    network(ids, decoder_input(ids), trace)
    heads = trace.values["decoder.1.cross_attention.pattern"][0]
    *_, mean, single = answer.tensors["alignment"].data
    same(mean, heads.mean(0))
    number = int(answer.axes["map"].labels[-1].rpartition(" ")[2])
    assert torch.equal(single, heads[number])
    on_its_letter = [head[:-1].flip(1).trace().item() for head in heads]
    assert max(on_its_letter) == on_its_letter[number]


def test_shares_are_the_means_of_the_trainings_in_the_record(answer):
    for name in ("letters", "words", "truncated"):
        each = read_record().measured(name)
        assert torch.equal(answer.tensors[f"{name}.by_training"].data, each)
        same(answer.tensors[name].data, each.mean(0))
    assert answer.axes["length"].values == list(range(1, LONGEST + 1))
    assert answer.axes["truncation"].values == [*TRUNCATIONS, 2 * TRAINED + 1]


@pytest.mark.parametrize("length", mostly([2, 9], 9))
def test_gradients_are_those_of_networks_that_are_trained_or_drawn(length):
    answer = recurrence(length=length, seed=3, seeds=2)
    words = random_words(32, length, torch.Generator().manual_seed(2**41))
    for row, name in enumerate(NAMES):
        expected = gradient_by_distance(load_reverser(name, 1), words)
        found = answer.tensors["gradient.trained.by_training"].data[1, row]
        same(found, expected)
    draws = torch.Generator().manual_seed(3 * 1_000_003 + 1)
    words = random_words(32, length, draws)
    for row, name in enumerate(NAMES):
        expected = gradient_by_distance(fresh_reverser(name, draws), words)
        same(answer.tensors["gradient.initial.by_seed"].data[1, row], expected)
    assert answer.axes["distance"].size == 2 * length


def test_a_factor_per_step_taken_as_often_as_there_are_steps_is_the_whole_loss(answer):
    initial = answer.tensors["gradient.initial.by_seed"].data[:, NAMES.index("rnn")]
    steps = initial.shape[-1] - 2
    for seed, factor in enumerate(finding(answer, "factor.rnn").values):
        lost = (initial[seed, -1] / initial[seed, 1]).item()
        same(factor**steps, lost, SINGLE)


def test_what_attention_adds_is_a_difference_of_two_lines(answer):
    letters = answer.tensors["letters.by_training"].data
    for without, attending in (("rnn", "rnn-attention"), ("lstm", "lstm-attention")):
        for name, length in (("bottleneck", TRAINED), ("longer", 2 * TRAINED)):
            at = letters[..., length - 1]
            each = at[:, NAMES.index(attending)] - at[:, NAMES.index(without)]
            same(finding(answer, f"{name}.{without}").values, each)


def test_letters_behind_a_cut_are_those_that_were_read_as_many_steps_before_or_more(answer):
    gaps, truncated = answer.axes["gap"].values, answer.tensors["truncated.by_training"].data
    assert gaps == [2 * letter + 1 for letter in range(TRAINED)]
    for row, steps in enumerate(TRUNCATIONS):
        behind = [place for place, gap in enumerate(gaps) if gap >= steps]
        expected = truncated[:, row, behind].mean(-1).tolist()
        same(finding(answer, f"behind_cut.{steps}").values, expected)
        cost = truncated[:, row, behind].mean(-1) - truncated[:, -1, behind].mean(-1)
        same(finding(answer, f"cost_of_cut.{steps}").values, cost)


def test_another_training_is_another_network(answer):
    other = recurrence(text="Bahdanau", training=1, seeds=1)
    assert not torch.equal(answer.tensors["written"].data, other.tensors["written"].data)


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ({"text": ""}, "0 letters"),
        ({"text": "   "}, "0 letters"),
        ({"text": "a" * 21}, "21 letters"),
        ({"text": "naïve"}, "letters a to z"),
        ({"text": "abc1"}, "'1'"),
        ({"length": 1}, "between 2 and 20"),
        ({"length": 21}, "between 2 and 20"),
        ({"training": 3}, "between 0 and 2"),
        ({"training": -1}, "between 0 and 2"),
    ],
)
def test_a_question_that_cannot_be_answered_is_refused_in_a_sentence(question, sentence):
    with pytest.raises(InvalidInput, match=sentence) as refused:
        recurrence(**question)
    assert refused.value.field == next(iter(question))


@pytest.mark.parametrize("text", mostly(["a", "A b\tC", "z" * LONGEST], "A b\tC", "a"))
def test_every_word_that_is_allowed_has_an_answer(text):
    answer = recurrence(text=text, seeds=1)
    n = len(answer.fields["word"])
    assert answer.tensors["alignment"].data.shape[1:] == (n + 1, n)
    same(answer.tensors["alignment"].data.sum(-1), torch.ones(4, n + 1))
