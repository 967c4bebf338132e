"""Searches on small chains against every text tried by hand, and the filters' leavings against
their definitions.
"""

from itertools import pairwise, product
from math import comb

import numpy as np
import pytest
import torch

from model.clinics import decoding as clinic
from model.clinics.decoding import STATED, Chain, decoding, draw_chain, mean_deviation, over_chance
from model.errors import InvalidInput
from model.generation.decoding import greedy
from model.measure.initialised_stacks import generator
from tests.rounding import SINGLE, same
from tests.thorough import mostly


@pytest.fixture
def short(monkeypatch):
    """For what neither texts that are drawn nor errors of searches are asked for."""
    monkeypatch.setattr(clinic, "SAMPLES", 1)
    monkeypatch.setattr(clinic, "CHAINS", 1)


def found(answer, name: str) -> dict:
    return next(finding for finding in answer.fields["findings"] if finding.name == name)


def by_hand(table: np.ndarray, length: int) -> dict[str, float]:
    """Letter by letter, with a loop."""
    texts = {}
    for letters in product(range(table.shape[1]), repeat=length):
        p, state = 1.0, 0
        for letter in letters:
            p, state = p * table[state, letter], letter + 1
        texts["".join("abcd"[letter] for letter in letters)] = p
    return texts


def test_every_text_has_the_product_of_its_letters_and_all_sum_to_one():
    for n, length in ((2, 4), (3, 3), (4, 1)):
        chain = draw_chain(n, generator(0, n))
        texts, expected = chain.every_text(length), by_hand(chain.table.numpy(), length)
        assert list(texts) == list(expected)
        same(list(texts.values()), list(expected.values()), scale=1)
        same(sum(texts.values()), 1, SINGLE)


def test_in_the_stated_chain_greedy_is_wrong_and_two_beams_are_right(short):
    texts = by_hand(STATED.numpy(), 3)
    assert max(texts, key=texts.get) == "bcc"
    answer = decoding(seeds=1)
    assert (answer.fields["greedy"], answer.fields["best"], answer.fields["beam"][-1]) == (
        "aaa",
        "bcc",
        ["aaa"],
    )
    same(found(answer, "greedy_over_best").value, 0.08 / 0.144)
    steps = decoding(beams=2, seeds=1).fields["beam"]
    assert steps[:2] == [["a", "b"], ["bc", "aa"]]
    assert steps[-1][0] == "bcc"


@pytest.mark.parametrize(("n", "length"), [(2, 3), (3, 3), (3, 4)])
def test_one_beam_is_greedy_and_all_beams_rank_every_text(n, length):
    draws = generator(1, 0)
    for _ in range(5):
        chain = draw_chain(n, draws)
        texts = by_hand(chain.table.numpy(), length)
        assert chain.searched(1, length)[-1] == [chain.write_text(greedy, length)]
        ranked = chain.searched(n**length, length)[-1]
        assert set(ranked) == set(texts)
        same([texts[text] for text in ranked], sorted(texts.values(), reverse=True))


def test_a_beam_keeps_the_best_of_what_it_grew():
    chain = draw_chain(3, generator(2, 0))
    texts = chain.every_text(3)
    for beams in (2, 3, 5):
        steps = chain.searched(beams, 3)
        assert all(len(step) <= beams for step in steps)
        assert all(text[:-1] in before for before, after in pairwise(steps) for text in after)
        same(
            [texts[text] for text in steps[-1]],
            sorted((texts[text] for text in steps[-1]), reverse=True),
        )


@pytest.mark.parametrize("vocabulary", mostly([2, 3, 4], 4))
def test_every_finding_holds(vocabulary):
    answer = decoding(vocabulary=vocabulary, chain="drawn", beams=2)
    assert all(finding.verdict != "fails" for finding in answer.fields["findings"])


@pytest.mark.parametrize("seed", mostly([0, 1, 2], 0))
def test_the_drawn_chain_is_the_first_of_its_seed_on_which_greedy_misses(short, seed):
    answer = decoding(chain="drawn", seed=seed, seeds=1)
    draws = clinic.generator(seed, 0)
    for number in range(1, answer.fields["tried"] + 1):
        chain = clinic.draw_chain(3, draws)
        texts = by_hand(chain.table.numpy(), 3)
        best, probability = max(texts.items(), key=lambda pair: pair[1])
        text, p = "", 1.0
        for _ in range(3):  # greedy by hand: row 0 is the start, then the row of the last letter
            row = chain.table["abc".index(text[-1]) + 1 if text else 0].numpy()
            text, p = text + "abc"[row.argmax()], p * row.max()
        assert (p < probability - 1e-12) == (number == answer.fields["tried"])
    assert (answer.fields["greedy"], answer.fields["best"]) == (text, best)


def test_more_beams_miss_less_over_many_chains(monkeypatch):
    monkeypatch.setattr(clinic, "SAMPLES", 1)  # texts that are drawn, which no search looks at
    missed = [found(decoding(beams=beams, seeds=4), "beam_misses").mean for beams in (1, 2, 4)]
    assert missed[0] > missed[1] > missed[2]


def test_another_table_moves_the_numbers(short, monkeypatch):
    before = decoding(seeds=1)
    monkeypatch.setattr(clinic, "STATED", STATED.index_fill(0, torch.tensor([2]), 1 / 3))
    after = decoding(seeds=1)
    assert after.fields["best"] == "aaa"
    assert not torch.equal(before.tensors["probability"].data, after.tensors["probability"].data)


def test_the_mean_deviation_of_a_binomial_count_is_what_its_distribution_says():
    for n, p in ((20, 0.3), (7, 0.01), (50, 0.5)):
        same(
            mean_deviation(n, p),
            sum(comb(n, x) * p**x * (1 - p) ** (n - x) * abs(x - n * p) for x in range(n + 1)),
        )


def test_samples_of_another_chain_are_farther_than_chance():
    texts = Chain(STATED).every_text(2)
    from_elsewhere = clinic.sample(draw_chain(3, generator(0, 0)), 2, 0, 0)
    assert over_chance(texts, from_elsewhere) > 3
    assert 0.5 < over_chance(texts, clinic.sample(Chain(STATED), 2, 0, 0)) < 2


def test_the_filters_work_on_the_translators_own_distribution(short):
    plain = decoding(seeds=1)
    p = plain.tensors["before"].data
    assert torch.equal(p, plain.tensors["after"].data)
    assert (p.diff() <= 0).all()
    three = decoding(top_k=3, seeds=1)
    assert found(three, "kept").value == 3
    same(three.tensors["after"].data[:3], p[:3] / p[:3].sum())
    assert found(decoding(min_p=0.2, seeds=1), "kept").value == (p >= 0.2 * p[0]).sum()
    nucleus = int(found(decoding(top_p=0.6, seeds=1), "kept").value)
    assert p[: nucleus - 1].sum() < 0.6 <= p[:nucleus].sum()
    assert decoding(temperature=0.5, seeds=1).tensors["after"].data[0] > p[0]


@pytest.mark.parametrize(
    "wrong",
    [
        {"chain": "long"},
        {"vocabulary": 5},
        {"length": 5},
        {"length": 1},
        {"beams": 9},
        {"temperature": -1.0},
        {"top_k": 0},
        {"top_p": 0.0},
        {"min_p": 2.0},
    ],
)
def test_what_is_out_of_bounds_is_refused_in_a_sentence(wrong):
    with pytest.raises(InvalidInput, match=next(iter(wrong))):
        decoding(**wrong)
