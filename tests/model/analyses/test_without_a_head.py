"""A model without a head has streams and no logits: what is about streams is answered, and what is
about logits is refused in a sentence. The logits of a text's classes have the names of classes.
"""

from dataclasses import replace

import pytest

from model import analyses
from model.analyses import OF_LOGITS
from model.analyses.architecture import architecture
from model.analyses.attention import attention
from model.analyses.attribution import attribution
from model.analyses.feed_forward import feed_forward
from model.analyses.logits import logits
from model.analyses.residual import residual
from model.errors import InvalidInput
from model.inputs.input import Input
from model.runs.run_model import run_model
from tests.model.support.recomputed import assert_axes_fit, assert_every_number_follows
from tests.model.support.runs import small_model, small_run

TEXT = Input(text="the cat sees me")


def test_every_number_of_its_streams_follows_and_there_are_no_logits():
    run = small_run("encoder-only", headless=True)
    assert list(run.trace)[-1] == "encoder.1.residual.out"
    assert_axes_fit(run)
    assert_every_number_follows(run)


@pytest.mark.parametrize("about_streams", [architecture, attention, feed_forward, residual])
def test_what_is_about_streams_is_answered_and_says_no_prediction(about_streams):
    answered = about_streams(small_run("encoder-only", headless=True))
    assert "prediction" not in answered.fields
    assert not answered.fields.get("raised_words")
    assert not answered.fields.get("says")


@pytest.mark.parametrize("word", OF_LOGITS)
def test_what_is_about_logits_is_refused_in_a_sentence(word: str, monkeypatch: pytest.MonkeyPatch):
    model = small_model("encoder-only", headless=True)
    monkeypatch.setattr(analyses, "load_model", lambda id: model)
    with pytest.raises(InvalidInput, match="small has no head, so it has no logits"):
        analyses.answer(word, {"model": "small", "text": TEXT.text})
    with pytest.raises(InvalidInput, match="it has no head"):
        attribution(small_run("encoder-only", headless=True), TEXT)


def test_the_classes_of_a_text_have_logits_with_their_names(monkeypatch: pytest.MonkeyPatch):
    head = {"n_classes": 3, "tied_unembedding": False, "unembedding_bias": True}
    model = small_model("encoder-only", **head, transform="tanh")
    model = replace(model, card={**model.card, "classes": ["bad", "neither", "good"]})
    run = run_model(model, TEXT)
    assert_axes_fit(run)
    assert_every_number_follows(run)
    assert run.axes["vocabulary"].size == 3
    assert sorted(logits(run).fields["top_tokens"][0]) == ["bad", "good", "neither"]
    assert feed_forward(run).fields["raised_words"] is None
    monkeypatch.setattr(analyses, "load_model", lambda id: model)
    with pytest.raises(InvalidInput, match="predicts classes; circuits need a model that predicts"):
        analyses.answer("circuit", {"model": "small"})
