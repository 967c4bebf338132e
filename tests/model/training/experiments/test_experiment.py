"""Experiments: a run that was stopped goes on, and what is compared is comparable."""

import json
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import torch
from torch import nn

from model.errors import CorruptWeights
from model.training.experiments import EXPERIMENTS, fine_tuning, learned_positions, persistent_slots
from model.training.experiments.experiment import Experiment, losses_along, run
from model.training.schedule import Cycle, Dropout
from model.transformer import Transformer
from model.zoo.results import RESULTS, load_result
from tests.rounding import APPROXIMATED, near

PAIRS = """I am cold.\tJ'ai froid.
The black cat saw my small house.\tLe chat noir a vu ma petite maison.
We like the new book.\tNous aimons le nouveau livre.
"""


@dataclass
class Counted:
    digest: str = "data"
    facts: dict = field(default_factory=dict)
    measured: list = field(default_factory=list)
    fails_at: int = 99

    def measure(self, member: str, seed: int) -> list[float]:
        if len(self.measured) == self.fails_at:
            raise KeyboardInterrupt
        self.measured.append((member, seed))
        return [float(seed), float(len(member))]


def experiment(prepared: Counted) -> Experiment:
    return Experiment("counted", ("one", "three"), 2, "steps", (0, 1), lambda _: prepared)


def test_a_run_that_was_stopped_goes_on_after_what_it_has_measured(tmp_path: Path):
    stopped, second = Counted(fails_at=3), Counted()
    with pytest.raises(KeyboardInterrupt):
        run(experiment(stopped), tmp_path, tmp_path, tmp_path / "results")
    path = run(experiment(second), tmp_path, tmp_path, tmp_path / "results")
    assert stopped.measured == [("one", 0), ("three", 0), ("one", 1)], "seed by seed"
    assert second.measured == [("three", 1)]
    result = json.loads(path.read_text())
    assert result["measured"] == {"one": [[0, 3], [1, 3]], "three": [[0, 5], [1, 5]]}
    assert load_result("counted", tmp_path / "results") == result


def test_what_was_measured_on_other_data_is_not_continued(tmp_path: Path):
    run(experiment(Counted()), tmp_path, tmp_path, tmp_path)
    with pytest.raises(CorruptWeights, match="was measured on other data"):
        run(experiment(Counted(digest="other")), tmp_path, tmp_path, tmp_path)


def test_a_loss_is_told_before_the_first_step_and_after_the_last():
    model = nn.Linear(1, 1, bias=False)
    nn.init.ones_(model.weight)
    losses = losses_along(
        model,
        Cycle(peak=0.1, warmup=1, steps=2, dropout=Dropout(numbers=0.0)),
        (0, 2),
        lambda: model.weight.square().sum(),
        lambda: model.weight.sum(),
    )
    assert losses[0] == 1
    near(losses[1], 1 - 0.1 - 0.1, APPROXIMATED, abs=0.001)


def test_the_kept_results_are_those_of_the_experiments():
    assert {path.stem for path in RESULTS.glob("*.json")} == set(EXPERIMENTS)
    for id, study in EXPERIMENTS.items():
        data = load_result(id)
        assert tuple(data["measured"]) == study.members
        assert tuple(data[study.axis]) == study.points
        assert all(len(rows) == data["seeds"] == study.seeds for rows in data["measured"].values())


def test_slots_replace_the_weights_of_a_feed_forward_number_for_number():
    size = {
        name: sum(weights.numel() for weights in Transformer(config).parameters())
        for name, config in persistent_slots.MEMBERS.items()
    }
    base = persistent_slots.BASE
    norms_and_biases = base.n_decoder_layers * (3 * base.d_model + base.d_ff)
    assert size["feed_forward"] - size["slots"] == norms_and_biases
    assert size["slots"] - size["attention"] == 2 * 2 * base.d_ff * base.d_model


def test_the_translators_differ_in_their_positions_alone():
    first, *others = (config for config, _ in learned_positions.MEMBERS.values())
    for other in others:
        differing = {
            name for name, value in first.as_dict().items() if other.as_dict()[name] != value
        }
        assert differing == {"positions"}


def test_a_swapped_sentence_has_the_same_words_and_keeps_its_ends():
    draws = torch.Generator().manual_seed(0)
    words = ["the", "black", "cat", "saw", "my", "small", "house", "."]
    places = set()
    for _ in range(40):
        sentence = fine_tuning.swapped(words, draws)
        assert sorted(sentence) == sorted(words)
        assert (sentence[0], sentence[-1]) == (words[0], words[-1])
        moved = [i for i, (a, b) in enumerate(zip(words, sentence, strict=True)) if a != b]
        assert len(moved) == 2
        assert moved[1] == moved[0] + 1
        places.add(moved[0])
    assert places == set(range(1, 6))


def test_equal_neighbours_do_not_change_places():
    assert fine_tuning.places(["i", "had", "had", "enough", "of", "it"]) == [2, 3]
    assert fine_tuning.places(["i", "am", "cold"]) == []


@pytest.mark.parametrize("member", fine_tuning.MEMBERS)
def test_only_what_is_tuned_changes_the_encoder(member: str, tmp_path: Path, monkeypatch):
    """The encoder that is shipped stays as it is, whatever is trained from it."""
    (tmp_path / fine_tuning.DATA).write_text(PAIRS)
    monkeypatch.setattr(fine_tuning, "STEPS", 8)
    monkeypatch.setattr("model.training.recipes.fill_in.HELD_OUT", 1)
    prepared = fine_tuning.FineTuning(tmp_path)
    before = {
        name: value.clone() for name, value in prepared.model.transformer.state_dict().items()
    }
    words = ["the", "black", "cat", "saw", "my", "small", "house", "."]
    labelled = prepared.labelled([words] * 8, torch.Generator().manual_seed(0))
    assert 0 <= prepared.accuracy(member, labelled, 8, 0) <= 1
    after = prepared.model.transformer.state_dict()
    assert all(torch.equal(before[name], after[name]) for name in before)
