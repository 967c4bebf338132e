"""What edits cost is known before they are made; of other inputs only what the edits name is kept,
and a computation may be cancelled between its runs and between its edits.
"""

import pytest

from app.compute.messages import Sizes as Limits
from app.worker.process import State, TooExpensive
from model import analyses
from model.edits.edit import read_edits
from model.inputs.input import Input
from model.progress import reporting
from model.runs.price import price_of_run, price_of_text
from model.runs.run_model import other_runs, run_model
from model.zoo.models import load_model
from tests.rounding import same

OTHERS = [{"text": text} for text in ("ab ab", "ba ba", "aa bb")]
MEAN = {"op": "mean", "at": "*.z", "from": OTHERS}
QUESTION = {"model": "shakespeare", "text": "ab ab", "edits": [MEAN]}


@pytest.fixture(scope="module")
def model():
    return load_model("shakespeare")


@pytest.fixture(scope="module")
def run(model):
    return run_model(model, Input(text="ab ab"))


def test_of_another_input_only_the_named_activations_are_kept_in_the_bytes_of_the_price(model, run):
    edits, passed = read_edits([MEAN, MEAN]), []
    with reporting(lambda done, of: passed.append(done)):
        others = other_runs(model, edits)
    assert len(passed) == 3, f"{len(passed)} checkpoints for 3 other inputs"
    names = {name for record in others.values() for name in record}
    assert names == {f"decoder.{layer}.attention.z" for layer in range(4)}
    total = sum(x.untyped_storage().nbytes() for record in others.values() for x in record.values())
    priced = price_of_run(run, edits).bytes
    assert priced / 1.5 < total < priced * 1.5, f"{total} bytes are kept, {priced} were priced"


def test_a_price_counts_each_other_input_once_and_each_edit_and_token(run):
    def seconds(*edits: dict) -> float:
        return price_of_run(run, read_edits(edits)).seconds

    scale = {"op": "scale", "at": "*", "value": 2}
    one_more = seconds(MEAN, MEAN) - seconds(MEAN)
    assert 0 < one_more < seconds(MEAN) / 3, "the other inputs are priced twice"
    everywhere, twice, none = seconds(scale), seconds(scale, scale), seconds()
    same(twice - none, 2 * (everywhere - none), what="an edit is not in the price")
    texts = [price_of_text(run, read_edits([scale]), rows, 20).seconds for rows in (1, 4)]
    assert texts[0] > 20 * (everywhere - none), "a token costs less than its edits"
    assert texts[1] > 4 * texts[0], "beams are not in the price"


def test_a_computation_may_be_cancelled_before_each_edit_of_each_activation(model):
    passed = []
    scale = {"op": "scale", "at": "*.z", "value": 2}
    with reporting(lambda done, of: passed.append(done)):
        edited = run_model(model, Input(text="ab ab"), read_edits([scale, scale]))
    assert len(passed) == 2 * 4 + 4, "a checkpoint for each edit, and for each report"
    assert [len(report.invariants) for report in edited.edits] == [1, 1]


@pytest.mark.parametrize(
    ("limit", "code"), [("work_seconds", "too_much_work"), ("runs_bytes", "too_much_memory")]
)
def test_edits_that_cost_more_than_the_limit_are_refused_before_one_is_made(
    monkeypatch, limit: str, code: str
):
    limits = {"runs_kept": 4, "runs_bytes": 2**28, "turn_seconds": 1, "answer_bytes": 2**25}
    sizes = Limits(**{**limits, "work_seconds": 10, "model_bytes": 2**31, limit: 1e-3})
    monkeypatch.setattr(State, "analyses", analyses, raising=False)
    monkeypatch.setattr(State, "sizes", sizes, raising=False)
    monkeypatch.setattr(State, "memo", {"runs": run_model})
    with pytest.raises(TooExpensive) as refused:
        State.computed("attention", QUESTION, store=False)
    assert refused.value.code == code
    assert State.check_price("attention", {**QUESTION, "edits": []}) is None


def test_runs_are_kept_up_to_a_number_of_bytes(monkeypatch, model, run):
    monkeypatch.setattr(State, "analyses", analyses, raising=False)
    monkeypatch.setattr(State, "memo", {})
    State.keep_runs(16, 5 * run.bytes)
    runs = State.memo["runs"]
    for text in ("ab ab", "ba ba", "aa bb", "the king", "my lord", "good sir"):
        runs(model, Input(text=text))
    total = sum(cached.bytes for cached in runs.cache.values())
    assert total <= 5 * run.bytes, f"{total} bytes are kept of at most {5 * run.bytes}"
    assert 0 < len(runs.cache) < 5
