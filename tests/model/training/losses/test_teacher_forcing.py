"""A teacher chooses among the translations that people gave, and its pupil goes on from its
weights.
"""

import dataclasses

import pytest
import torch

from model.inputs.text import TextTokenizer
from model.training.checkpoint import State
from model.training.data.sentence_pairs import make_batch
from model.training.loop import Recipe, train, train_after_teacher
from model.training.losses.teacher_forcing import distil, log_likelihood
from model.training.metrics import translation
from model.training.schedule import Cycle, Dropout
from tests.model.support import tiny_training
from tests.model.support.small import small
from tests.model.support.tiny_training import TinyTranslation, write_pairs
from tests.rounding import same

START = 1


@pytest.fixture
def data(tmp_path):
    write_pairs(tmp_path / "pairs.tsv")
    return tmp_path


def mean_log_p(model, tokenizer, pair) -> float:
    """The mean of ln p over one target's tokens, one after another and with nothing padded."""
    source = [token.id for token in tokenizer.encode(pair[0], start=True, end=True)]
    target = [token.id for token in tokenizer.encode(pair[1], end=True)]
    log_p = translation.forward(model, source, [START, *target[:-1]]).log_softmax(-1)
    return sum(log_p[i, id].item() for i, id in enumerate(target)) / len(target)


def test_the_likelihood_of_a_padded_batch_is_that_of_each_pair_alone(data):
    task = TinyTranslation(data)
    model = small(dtype=torch.float64, vocabulary_size=task.tokenizer.size, max_length=32)
    pairs = task.split.train[:12]
    ids = [
        tuple([token.id for token in task.tokenizer.encode(side)] for side in pair)
        for pair in pairs
    ]
    assert len({len(target) for _, target in ids}) > 1
    together = log_likelihood(model, make_batch(ids, TextTokenizer.frame))
    same(together, [mean_log_p(model, task.tokenizer, pair) for pair in pairs], scale=1)


def test_every_sentence_keeps_the_translation_that_the_teacher_finds_likeliest(data):
    task = TinyTranslation(data)
    model = small(dtype=torch.float64, vocabulary_size=task.tokenizer.size, max_length=32)
    chosen = distil(model, task.tokenizer, task.split.train)
    sentences = {" ".join(source.lower().split()) for source, _ in task.split.train}
    assert len(chosen) == len(sentences) < len(task.split.train)
    for source, target in chosen:
        others = [
            pair for pair in task.split.train if pair[0].lower().split() == source.lower().split()
        ]
        assert (source, target) in others
        if len(others) > 1:
            assert (source, target) == max(
                others, key=lambda pair: mean_log_p(model, task.tokenizer, pair)
            )


def a_pupil(rate: float) -> Recipe:
    """Of the tiny recipe, cut short."""
    teacher = dataclasses.replace(
        tiny_training.RECIPE,
        id="teacher",
        cycles=(Cycle(peak=1e-2, warmup=2, steps=6, dropout=Dropout(0.1)),),
    )
    cycles = (Cycle(peak=rate, warmup=1, steps=4, dropout=Dropout(0.1)),)
    return Recipe(
        id="pupil",
        cycles=cycles,
        prepare=lambda data, model: TinyTranslation(data),
        teacher=teacher,
    )


def test_a_pupil_begins_with_its_teachers_weights_and_its_account_counts_both(data, tmp_path):
    torch.set_num_threads(1)
    recipe = a_pupil(rate=0.0)
    _, model, state = train_after_teacher(recipe, data, tmp_path / "work", 0, None)
    teacher, account = train(recipe.teacher, recipe.teacher.prepare(data), tmp_path / "again", 0)
    assert all(
        torch.equal(a, b)
        for a, b in zip(model.state_dict().values(), teacher.state_dict().values(), strict=True)
    )
    assert (state.done, account.done) == (10, 6)
    assert State(1, 2.0) + State(3, 4.0) == State(4, 6.0)


def test_a_pupil_that_was_stopped_goes_on_to_the_same_weights(data, tmp_path):
    torch.set_num_threads(1)
    recipe = a_pupil(rate=1e-2)
    _, whole, _ = train_after_teacher(recipe, data, tmp_path / "whole", 0, None)
    assert train_after_teacher(recipe, data, tmp_path / "cut", 0, 3) is None  # in the teacher
    train(recipe.teacher, recipe.teacher.prepare(data), tmp_path / "cut" / "teacher", 0)
    assert (
        train_after_teacher(recipe, data, tmp_path / "cut", 0, 3) is None
    )  # in the pupil: the teacher is at its end
    _, cut, _ = train_after_teacher(recipe, data, tmp_path / "cut", 0, None)
    assert all(
        torch.equal(a, b)
        for a, b in zip(whole.state_dict().values(), cut.state_dict().values(), strict=True)
    )
