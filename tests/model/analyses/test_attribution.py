"""Attribution: every method says something of every token, and what it says is compared with
removal, with random orders and with attention that knows the mask alone.
"""

import json

import numpy as np
import pytest
from scipy.stats import spearmanr, t

from model import analyses
from model.analyses.attribution import attribution, usual_steps
from model.answers.answer import Answer
from model.errors import InvalidInput
from model.inputs.input import Input
from model.interpretability.attribution.methods import METHODS
from model.progress import reporting
from model.runs.run_model import run_model
from model.training.experiments import attribution as experiment
from model.zoo.models import load_model
from model.zoo.results import result_path
from tests.model.support.asked import answer
from tests.model.support.runs import SPREAD_CONFIGURATIONS, small_model, small_run
from tests.rounding import PRINTED, SINGLE, near, same
from tests.thorough import mostly

TRANSLATOR = {"model": "translator", "source": "i am cold", "target": "j' ai froid"}
QUESTIONS = [
    {**TRANSLATOR, "steps": 257},
    {"model": "prefix-translator", "source": "i am cold", "steps": 257},
    {"model": "shakespeare", "text": "ROMEO:\nBut soft"},
    {"model": "fill-in", "text": "I lost ___ keys."},
    {"model": "pronouncer", "source": "thought", "steps": 257},
    {"model": "induction-2", "text": "hearthearthear"},
    {"model": "digits", "image": "three"},
    {"model": "penguins-ft", "row": "adelie"},
]


def row(result: Answer, method: str) -> np.ndarray:
    labels = result.axes["method"].labels
    assert labels is not None
    return result.tensors["score"].data[labels.index(method)].double().numpy()


@pytest.mark.parametrize(
    "question",
    mostly(
        QUESTIONS,
        *(case for case in QUESTIONS if case["model"] not in ("prefix-translator", "pronouncer")),
    ),
    ids=lambda question: question["model"],
)
def test_every_kind_of_model_is_attributed_by_every_method(question: dict):
    result = answer("attribution", question)
    fields, tokens = result.fields, result.axes["token"]
    assert result.axes["method"].labels == list(METHODS)
    assert tokens.labels == fields["tokens"]
    assert result.tensors["score"].data.isfinite().all()
    same(row(result, "rollout").sum(), 1, SINGLE, scale=1)
    same(row(result, "attention").sum(), 1, SINGLE, scale=1)
    same(result.tensors["uniform"].data.sum().item(), 1, SINGLE, scale=1)
    assert row(result, "flow").max() <= 1 + 1e-6
    assert (row(result, "flow") >= row(result, "rollout") - 1e-5).all(), "flow shares no pipe"
    direct, whole = fields["direct"], fields["completeness"]
    same(row(result, "logit").sum() + direct["rest"], direct["logit"], SINGLE, scale=1)
    same(row(result, "integrated").sum(), whole["sum"], SINGLE, scale=1)
    same(whole["error"], abs(whole["sum"] - whole["difference"]))
    assert whole["complete"] == (whole["error"] <= 5e-3)


@pytest.mark.thorough  # 257 points do as well above, and how many are usual is said below
def test_integrated_gradients_of_the_opening_example_are_complete_with_the_usual_points():
    opening = {"model": "translator", "source": "i am cold", "methods": "integrated"}
    whole = answer("attribution", opening).fields
    assert whole["completeness"]["complete"]
    assert whole["answered"]["text"] == "froid"


def test_the_agreement_is_the_rank_correlation_with_removal_of_the_sizes():
    result = answer("attribution", {**TRANSLATOR, "steps": 257})
    removal = np.abs(row(result, "removal"))
    for entry in result.fields["agreement"]:
        expected = spearmanr(np.abs(row(result, entry["method"])), removal).statistic
        near(entry["rank_correlation"], expected, PRINTED, abs=0.001)
        reached = entry["chance_of_as_much"]
        assert (entry["verdict"] == "better than chance") == (reached <= 0.025)


def test_a_position_is_attributed_by_its_own_most_probable_token():
    model, inputs = load_model("translator"), Input(source="i am cold")
    run = run_model(model, inputs)
    predicted = run.trace["logits"].argmax(-1).tolist()
    for index in range(len(predicted)):
        result = attribution(run, inputs, answer=index, methods="attention")
        assert result.fields["answered"]["id"] == predicted[index]
        assert result.axes["token"].parts == {"source": 5, "target": index + 1}
        probability = run.trace["probabilities"][index, predicted[index]].item()
        same(result.fields["answered"]["probability"], probability, SINGLE)


def test_the_usual_answer_is_the_last_word_the_blank_or_what_comes_next():
    cases = [
        ({"model": "translator", "source": "I have a black cat."}, 4, "noir"),
        ({"model": "fill-in", "text": "I lost ___ keys."}, 3, "my"),
        ({"model": "induction-2", "text": "hearthearthear"}, 14, "t"),
        ({"model": "digits", "image": "three"}, 0, "3"),
        ({"model": "penguins-ft", "row": "adelie"}, 0, "Adelie"),
    ]
    for question, index, text in cases:
        fields = answer("attribution", {**question, "methods": "attention"}).fields
        assert (fields["answer"], fields["answered"]["text"]) == (index, text)
        assert fields["answers"][index] == text


def test_only_the_methods_that_are_asked_for_are_computed_beside_removal():
    result = answer("attribution", {**TRANSLATOR, "methods": "flow, attention"})
    assert result.axes["method"].labels == ["removal", "attention", "flow"]
    assert result.fields["completeness"] is None
    assert result.fields["direct"] is None
    assert [entry["method"] for entry in result.fields["agreement"]] == ["attention", "flow"]


def test_the_held_out_agreement_is_the_mean_of_what_was_measured_with_its_interval():
    record = json.loads(result_path("attribution").read_text())
    held_out = answer("attribution", {**TRANSLATOR, "methods": "attention"}).fields["held_out"]
    values = np.array(record["measured"]["translator"])
    assert held_out["inputs"] == len(values) == experiment.INPUTS
    for column, entry in enumerate(held_out["agreement"]):
        sample = values[:, column]
        half = t.ppf(0.975, len(sample) - 1) * sample.std(ddof=1) / np.sqrt(len(sample))
        assert entry["method"] == experiment.POINTS[column]
        same(entry["mean"], sample.mean())
        same((entry["low"], entry["high"]), (sample.mean() - half, sample.mean() + half))
        better, worse = entry["low"] > 0, entry["high"] < 0
        expected = "better" if better else "worse" if worse else "no better"
        assert entry["verdict"] == f"{expected} than chance"


def test_progress_is_told_from_nothing_to_all():
    reports: list[int] = []
    with reporting(lambda done, of: reports.append(done)):
        analyses.answer("attribution", {**TRANSLATOR, "steps": 17})
    assert reports == sorted(reports)
    assert reports[0] == 0
    assert len(set(reports)) > 5


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"answer": 4}, "Answer 4 does not exist; this input has answers 0 to 3."),
        ({"answer": -1}, "Answer -1 does not exist; this input has answers 0 to 3."),
        ({"methods": "rollout,guess"}, "methods is 'guess'; it must be one of"),
        ({"methods": ""}, "methods is ''; it must be one of"),
        ({"steps": 16}, "steps is 16; it must be between 17 and 4096."),
        ({"steps": 5000}, "steps is 5000; it must be between 17 and 4096."),
    ],
    ids=str,
)
def test_what_does_not_exist_is_refused_in_a_sentence(changed: dict, sentence: str):
    with pytest.raises(InvalidInput) as refused:
        answer("attribution", {**TRANSLATOR, **changed})
    assert str(refused.value).startswith(sentence)
    assert refused.value.field == next(iter(changed))


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ({"model": "shapes", "image": "three"}, "it predicts boxes"),
        ({"model": "shakespeare-xl", "text": "to be"}, "remembers earlier segments"),
        ({"model": "penguins-saint", "row": "adelie"}, "other rows"),
        ({"model": "penguins-tab", "row": "adelie"}, "numbers that are no tokens"),
    ],
    ids=str,
)
def test_a_model_whose_answer_has_other_sources_is_refused_with_the_reason(question, reason):
    with pytest.raises(InvalidInput, match=reason) as refused:
        answer("attribution", question)
    assert "Choose another model" in str(refused.value)
    assert refused.value.field == "model"


@pytest.mark.parametrize(("family", "placement", "choices"), SPREAD_CONFIGURATIONS)
def test_every_configuration_is_attributed_or_refused(family, placement, choices):
    run = small_run(family, placement, **choices)
    refused = {"segment", "slots", "weighing"} & choices.keys()
    if refused:
        with pytest.raises(InvalidInput, match="can’t be attributed to its tokens"):
            attribution(run, Input(**run.input))
        return
    result = attribution(run, Input(**run.input), steps=33)
    assert result.fields["direct"]["error"] < 2e-4
    assert result.tensors["score"].data.isfinite().all()


def test_more_tokens_are_given_fewer_points_unless_their_number_is_asked_for():
    assert [usual_steps(tokens) for tokens in (1, 8, 32, 64)] == [1024, 1024, 256, 128]
    assert usual_steps(10**6) == 17


def test_a_method_whose_numbers_are_too_large_is_left_out_and_said():
    """At the baseline each norm divides by the root of its epsilon."""
    model = small_model(
        "decoder-only",
        "pre",
        norm="rms",
        norm_epsilon=1e-30,
        positions="none",
        relative="rope",
        biases=False,
    )
    text = Input(text="the cat sees me")
    found = attribution(run_model(model, text), text)
    assert "integrated" not in found.axes["method"].labels
    assert found.fields["completeness"] is None
    assert found.fields["notes"][-1].startswith("The method integrated is left out")
    assert found.tensors["score"].data.isfinite().all()
