"""How like its training an input is, and how sure a model is, held against plain arithmetic."""

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from model.calibration.confidence import unigram_nll
from model.calibration.record import FILE, read_calibration
from model.errors import CorruptWeights
from model.inputs.input import Input
from model.runs.run_model import run_model
from model.zoo.models import WEIGHTS, load_model, read_card
from tests.rounding import SINGLE, same

READERS = [path.parent.name for path in sorted(WEIGHTS.glob(f"*/{FILE}"))]


def test_every_model_of_texts_has_a_record_and_no_other():
    texts = [
        path.parent.name
        for path in sorted(WEIGHTS.glob("*/card.json"))
        if json.loads(path.read_text())["config"]["inputs"] == "tokens"
    ]
    assert texts == READERS


@pytest.mark.parametrize("id", READERS)
def test_a_record_counts_every_token_and_its_groups_rise(id: str):
    """A model that is surer is right more often: the surest tenth against the least sure."""
    known = load_model(id).calibration
    assert known is not None
    assert len(known.counts) == load_model(id).text_tokenizer.size
    assert list(known.edges) == sorted(known.edges)
    assert len(known.right) == len(known.edges) + 1
    assert known.right[-1] > known.right[0] or id == "induction-1"


def test_surprise_is_the_mean_of_minus_ln_p_with_one_added_to_each_count():
    counts = [5, 0, 3]
    by_hand = -(math.log(6 / 11) + math.log(1 / 11)) / 2
    same(unigram_nll(counts, [0, 1]), by_hand)


def test_the_confidence_is_the_geometric_mean_of_the_probabilities_of_what_was_written():
    run = run_model(load_model("translator"), Input(source="i am cold"))
    p = run.trace["logits"].double().softmax(-1)
    product = math.prod(float(p[i, token.id]) for i, token in enumerate(run.next_tokens))
    assert run.confidence is not None
    same(run.confidence.value, product ** (1 / len(run.next_tokens)), SINGLE)
    assert run.confidence.low <= run.confidence.value <= run.confidence.high


@pytest.mark.parametrize("source", ["Hello", "My name is Anna", "dog", "Привет"])
def test_what_a_class_types_first_is_translated_with_a_warning(source: str):
    run = run_model(load_model("translator"), Input(source=source))
    assert run.confidence is not None
    assert run.confidence.right < 0.1
    assert run.remarks["notes"][-1].startswith("Expect mistakes. At this confidence, ")


def test_a_sentence_that_is_translated_right_has_no_warning():
    run = run_model(load_model("translator"), Input(source="i am cold"))
    assert run.unlike == []
    assert run.calibration_notes[0].startswith("Confident. At this confidence, ")


@pytest.mark.parametrize(("words", "unlike"), [(10, False), (12, True), (18, True), (24, True)])
def test_a_sentence_of_more_words_than_in_training_is_extrapolation(words: int, unlike: bool):
    source = " ".join(["we go home and"] * 6).split()[:words]
    run = run_model(load_model("translator"), Input(source=" ".join(source)))
    assert any(f"has {words} words" in sentence for sentence in run.unlike) is unlike


def test_another_script_holds_tokens_that_training_never_held():
    run = run_model(load_model("shakespeare"), Input(text="Привет"))
    assert "Not in the training text: <0xD0>" in run.unlike[0]


def test_of_a_target_that_the_reader_gave_no_confidence_is_told():
    run = run_model(load_model("translator"), Input(source="i am cold", target="j'ai froid"))
    assert run.confidence is None


def test_a_text_without_a_blank_is_answered_without_confidence():
    model = load_model("fill-in")
    assert run_model(model, Input(text="I am cold.")).confidence is None
    run = run_model(model, Input(text="I lost ___ keys."))
    at = [token.id for token in run.tokens["text"]].index(
        model.text_tokenizer.backend.token_to_id("▁<mask>")
    )
    assert run.confidence is not None
    same(run.confidence.value, float(run.trace["logits"][at].softmax(-1).max()), SINGLE)


def test_a_model_without_a_record_says_nothing_of_either():
    run = run_model(replace(load_model("translator"), calibration=None), Input(source="Hello"))
    assert run.remarks == {"prediction": run.input["target"]}


def test_a_record_of_other_weights_is_refused(tmp_path: Path):
    record = json.loads((WEIGHTS / "translator" / FILE).read_text()) | {"weights_sha256": "0" * 64}
    (tmp_path / FILE).write_text(json.dumps(record))
    with pytest.raises(CorruptWeights, match="other weights"):
        read_calibration(tmp_path, read_card("translator")["weights_sha256"])


def test_the_same_confidence_stands_on_every_page_about_a_run():
    from model import analyses

    question = {"model": "translator", "source": "Hello"}
    confidences = [
        analyses.answer(word, question).fields["confidence"]
        for word in ("attention", "generate", "logits")
    ]
    assert confidences[0] == confidences[1] == confidences[2]
    assert isinstance(confidences[0].value, float)
    assert torch.isfinite(torch.tensor(confidences[0].value))


@pytest.mark.parametrize(
    ("right", "certainty"),
    [(0.87, "sure"), (0.8, "sure"), (0.79, "unsure"), (0.5, "unsure"), (0.49, "expect mistakes")],
)
def test_how_far_an_answer_is_trusted_follows_the_held_out_texts(right: float, certainty: str):
    run = run_model(load_model("translator"), Input(source="i am cold"))
    assert run.confidence is not None
    changed_run = replace(run, confidence=replace(run.confidence, right=right))
    assert changed_run.certainty == certainty
    assert replace(changed_run, unlike=["It is long."]).certainty == "unlike its training"
    assert replace(changed_run, confidence=None).certainty == ""
