"""Sentence pairs: held out by sentence before anything is fitted, and cut into batches that lose
and repeat nothing.
"""

from collections import Counter

import pytest
import torch

from model.inputs.text import TextTokenizer
from model.training.data.sentence_pairs import (
    drop_full_stop,
    epoch_of_batches,
    make_batch,
    read_pairs,
    split_by_source,
)
from tests.model.support.runs import tokenizer
from tests.model.support.tiny_training import write_pairs

PAD, START, END = 0, 1, 2


@pytest.fixture(scope="module")
def pairs(tmp_path_factory):
    path = tmp_path_factory.mktemp("data") / "pairs.tsv"
    write_pairs(path)
    return read_pairs(path, 10)


def normalised(sentence: str) -> tuple[str, ...]:
    return tuple(sentence.casefold().split())


def test_no_sentence_of_one_side_of_the_split_is_on_another_whatever_its_case_and_spaces(pairs):
    split = split_by_source(pairs, n_validation=15, n_test=40)
    train = {normalised(source) for source, _ in split.train}
    validation, test = (
        {normalised(source) for source in side} for side in (split.validation, split.test)
    )
    assert (len(validation), len(test)) == (15, 40)
    assert train.isdisjoint(validation | test)
    assert validation.isdisjoint(test)
    assert len(train) + 15 + 40 == len({normalised(source) for source, _ in pairs})


def test_a_held_out_sentence_takes_all_its_translations_with_it(pairs):
    split = split_by_source(pairs, n_validation=15, n_test=40)
    held_out = [
        (normalised(source), target)
        for side in (split.validation, split.test)
        for source, targets in side.items()
        for target in targets
    ]
    everything = Counter((normalised(source), target) for source, target in pairs)
    assert Counter(held_out) + Counter((normalised(s), t) for s, t in split.train) == everything


def test_the_split_depends_on_the_sentences_and_not_on_their_order(pairs):
    first, other = split_by_source(pairs, 15, 40), split_by_source(pairs[::-1], 15, 40)
    for side in ("validation", "test"):
        assert {normalised(s) for s in getattr(first, side)} == {
            normalised(s) for s in getattr(other, side)
        }


def test_sentences_for_the_test_can_be_asked_to_have_just_so_many_translations():
    pairs = [(f"s{i}", f"t{i}.{j}") for i in range(300) for j in range(1 + i % 3)]
    split = split_by_source(pairs, n_validation=30, n_test=50, references=3)
    assert [len(targets) for targets in split.test.values()] == [3] * 50
    assert len(split.validation) == 30
    assert split.test.keys().isdisjoint(split.validation)
    assert len(split.train) == 600 - 150 - sum(map(len, split.validation.values()))


def test_long_sentences_are_left_out(tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_text("one two three\tun deux trois\none\tun deux trois quatre\n", encoding="utf-8")
    assert read_pairs(path, 3) == [("one two three", "un deux trois")]


def test_the_decoder_reads_from_the_start_and_is_asked_for_the_next():
    batch = make_batch([([5, 6, 7], [8, 9]), ([5], [8, 9, 10])], TextTokenizer.frame)
    assert batch.source.tolist() == [[START, 5, 6, 7, END], [START, 5, END, PAD, PAD]]
    assert batch.target.tolist() == [[START, 8, 9, PAD], [START, 8, 9, 10]]
    assert batch.expected.tolist() == [[8, 9, END, PAD], [8, 9, 10, END]]
    assert torch.equal(batch.target[1, 1:], batch.expected[1, :-1])


def epoch(pairs, seed, no_full_stop=0.0):
    batches = list(
        epoch_of_batches(pairs, tokenizer(), 16, no_full_stop, torch.Generator().manual_seed(seed))
    )
    rows = [
        (tuple(s.tolist()), tuple(e.tolist()))
        for batch in batches
        for s, e in zip(batch.source, batch.expected, strict=True)
    ]
    return batches, [tuple(tuple(id for id in side if id != PAD) for side in row) for row in rows]


def test_an_epoch_holds_every_pair_once_in_an_order_of_its_own(pairs):
    def ids(text):
        return [token.id for token in tokenizer().encode(text)]

    batches, rows = epoch(pairs, 0)
    assert all(len(batch.source) <= 16 for batch in batches)
    assert Counter(rows) == Counter(
        ((START, *ids(source), END), (*ids(target), END)) for source, target in pairs
    )
    assert rows == epoch(pairs, 0)[1]
    assert rows != epoch(pairs, 1)[1]


def test_a_share_of_the_pairs_loses_its_full_stops_on_both_sides_or_on_none(pairs):
    stop = tokenizer().encode(".")[0].id
    _, rows = epoch(pairs, 0, no_full_stop=0.5)
    assert all((stop in source) == (stop in target) for source, target in rows)
    with_stop = sum(stop in source for source, _ in rows)
    all_stops = sum(source.endswith(".") and target.endswith(".") for source, target in pairs)
    assert 0.35 * all_stops < with_stop < 0.65 * all_stops
    assert drop_full_stop(("Go.", "Va !")) == ("Go.", "Va !")
