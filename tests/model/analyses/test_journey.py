"""The walk of one token: which token is followed, and each number of each step, computed here from
the trace with NumPy.
"""

from functools import cache
from typing import Any

import numpy as np
import pytest

from model import analyses
from model.answers.answer import Answer
from model.errors import InvalidInput
from model.inputs.input import Input
from model.interpretability.token_journey import STEPS, TOURS
from model.runs.run import Run
from model.runs.run_model import run_model
from model.zoo.models import load_model
from tests.rounding import PRINTED, SINGLE, near, same
from tests.thorough import mostly

WALKED = {
    "translator": {"source": "i am cold"},
    "translator-pre": {"source": "the cat is black"},
    "pronouncer": {"source": "telephone"},
    "speller": {"source": "recieve"},
    "shakespeare": {"text": "ROMEO:\nBut soft, what light?\n"},
    "shakespeare-xl": {"text": "But soft, what light? " * 8},
    "induction-2": {"text": "qvmtzkdbqvmtzkdbqvmt"},
    "prefix-translator": {"source": "i am cold"},
    "fill-in": {"text": "I drink a cup of ___ every morning."},
    "digits": {"image": "eight"},
}
COMPARES_POSITIONS = ("shakespeare", "shakespeare-xl", "induction-2")
"""Positions change the scores inside their attention."""
every_model = pytest.mark.parametrize("model", WALKED)


@cache
def run_of(model: str) -> Run:
    return run_model(load_model(model), Input(**WALKED[model]))


@cache
def walked(model: str, token: int | None = None) -> Answer:
    more = {} if token is None else {"token": token}
    return analyses.answer("journey", {"model": model, **WALKED[model], **more})


def numbers(model: str, step: str) -> dict[str, Any]:
    return next(row["numbers"] for row in walked(model).fields["steps"] if row["name"] == step)


def head_of(model: str, value: str) -> np.ndarray:
    """An activation of the attention that is shown, in its head."""
    answer, run = walked(model), run_of(model)
    stack = run.config.stacks[0]
    name = f"{stack}.{answer.fields['layer']}.attention.{value}"
    return run.trace[name][answer.fields["head"]].double().numpy()


def length(vector: np.ndarray) -> float:
    return float(np.sqrt((vector**2).sum()))


def softmax(values: np.ndarray) -> np.ndarray:
    raised = np.exp(values - values.max(-1, keepdims=True))
    return raised / raised.sum(-1, keepdims=True)


def last_logits(model: str) -> np.ndarray:
    run = run_of(model)
    return run.trace["logits"][walked(model).fields["read_at"]].double().numpy()


@every_model
def test_a_walk_has_the_steps_of_its_kind_that_the_model_has(model: str):
    answer = walked(model)
    names = [step["name"] for step in answer.fields["steps"]]
    expected = [
        name
        for name in TOURS[answer.fields["walk"]]
        if name != "feed_forward" or run_of(model).config.d_ff
    ]
    assert names == expected
    assert all(step["tensor"] in answer.tensors for step in answer.fields["steps"])


def test_every_step_is_in_a_walk():
    assert {name for walk in TOURS.values() for name in walk} == STEPS.keys()


@pytest.mark.parametrize("model", [name for name in WALKED if name not in COMPARES_POSITIONS])
def test_scores_are_the_query_times_the_keys_over_the_root_of_their_width(model: str):
    at, values = walked(model).fields["followed"], numbers(model, "scores")
    row = head_of(model, "q")[at] @ head_of(model, "k").T / np.sqrt(run_of(model).config.d_head)
    row = np.where(np.isfinite(head_of(model, "masked_scores")[at]), row, np.nan)
    same(values["top_score"], np.nanmax(row), SINGLE, scale=1)
    same(values["least_score"], np.nanmin(row), SINGLE, scale=1)
    assert values["keys"] == np.isfinite(row).sum()


@every_model
def test_weights_are_the_softmax_of_the_scores_and_sum_to_one(model: str):
    at = walked(model).fields["followed"]
    step = "looks" if model == "digits" else "weights"
    row = softmax(head_of(model, "masked_scores")[at])
    values = numbers(model, step)
    same(values["top_weight"], row.max(), SINGLE, scale=1)
    same(values["sum"], 1, SINGLE, scale=1)
    key = at + len(row) - len(head_of(model, "masked_scores"))
    same(values["own_weight"], row[key], SINGLE, scale=1)


@every_model
def test_the_rows_that_keys_hand_over_sum_to_what_the_head_found(model: str):
    at, values = walked(model).fields["followed"], numbers(model, "values")
    rows = head_of(model, "pattern")[at][:, None] * head_of(model, "v")
    same(walked(model).tensors["values"].data, rows, scale=1)
    same(values["length"], length(rows.sum(0)), SINGLE)
    lengths = [length(row) for row in rows]
    same(values["top_length"], max(lengths), SINGLE)
    assert values["top_place"] == int(np.argmax(lengths))
    assert values["heaviest_place"] == int(head_of(model, "pattern")[at].argmax())


@every_model
@pytest.mark.parametrize("temperature", mostly([0.1, 1.0, 2.5], 2.5))
def test_the_next_words_at_a_temperature_are_the_softmax_of_the_divided_logits(
    model: str, temperature: float
):
    question = {"model": model, **WALKED[model], "temperature": temperature}
    answer = analyses.answer("journey", question)
    chances = softmax(last_logits(model) / temperature)
    best = answer.axes["candidate"].ids or []
    same(answer.tensors["logits.probability"].data, chances[best], scale=1)
    same(answer.tensors["logits"].data, last_logits(model)[best])
    assert chances[best].min() >= np.sort(chances)[-len(best)] - 1e-12


@every_model
def test_what_is_added_is_what_attention_wrote_and_the_sum_is_their_sum(model: str):
    answer, run = walked(model), run_of(model)
    rows = dict(
        zip(answer.axes["term"].labels or [], answer.tensors["add"].data.double(), strict=True)
    )
    layer = f"{run.config.stacks[0]}.{answer.fields['layer']}"
    at, values = answer.fields["followed"], numbers(model, "add")
    same(rows["before"], run.trace[f"{layer}.residual.in"][at])
    same(rows["written"], run.trace[f"{layer}.attention.out"][at])
    same(rows["before"] + rows["written"], rows["sum"], SINGLE, scale=1)
    for name, row in rows.items():
        same(values[name], length(row.numpy()), SINGLE)
    before, after = rows["before"].numpy(), rows.get("normed", rows["sum"]).numpy()
    cosine = before @ after / length(before) / length(after)
    same(values["cosine"], cosine, SINGLE, scale=1)


@pytest.mark.parametrize("model", [name for name in WALKED if name != "induction-2"])
def test_the_neurons_that_fire_are_those_above_zero(model: str):
    run, answer = run_of(model), walked(model)
    name = f"{run.config.stacks[0]}.{answer.fields['layer']}.feed_forward.post"
    fires = run.trace[name][answer.fields["followed"]].numpy()
    values = numbers(model, "feed_forward")
    assert (values["neurons"], values["firing"]) == (fires.size, (fires > 0).sum())
    assert values["strongest"] == fires[values["neuron"]] == fires.max()


@every_model
def test_the_word_is_what_the_largest_logit_names(model: str):
    row, values = last_logits(model), numbers(model, "logits")
    first, second = np.argsort(-row)[:2]
    label = run_of(model).model.tokenizer.label
    assert (values["word"], values["second"]) == (label(int(first)), label(int(second)))
    same(values["logit"], row[first])
    same(values["probability"], softmax(row)[first], SINGLE)
    same(values["second_probability"], softmax(row)[second], SINGLE)


@every_model
def test_the_stream_ends_with_the_probability_of_the_word_and_leads_from_where_it_says(model: str):
    answer, values = walked(model), numbers(model, "stream")
    same(values["last"], softmax(last_logits(model)).max(), SINGLE)
    guesses = [point["guess"] for point in answer.fields["points"]]
    assert set(guesses[values["leads_from"] :]) == {values["word"]}
    assert values["leads_from"] == 0 or guesses[values["leads_from"] - 1] != values["word"]


@pytest.mark.parametrize("model", [name for name in WALKED if name not in ("fill-in", "digits")])
def test_what_is_fed_back_is_as_probable_as_the_run_says(model: str):
    run, values = run_of(model), numbers(model, "fed_back")
    rows = softmax(run.trace["logits"][run.predicted].double().numpy())
    due = [token.id for token in run.next_tokens]
    chances = rows[range(len(due)), due]
    near(values["product"], chances.prod(), PRINTED, rel=1e-3, abs=1e-12)
    assert values["first_guesses"] == sum(rows.argmax(-1) == due)
    assert values["known"] == len(due)


@pytest.mark.parametrize("model", ["translator", "translator-pre", "pronouncer", "speller"])
def test_a_word_of_the_source_is_followed_to_where_it_is_read_most(model: str):
    answer, run = walked(model), run_of(model)
    last = f"decoder.{run.config.n_decoder_layers - 1}.cross_attention.pattern"
    mean = run.trace[last].mean(0)[:-1].numpy()
    words = [i for i, token in enumerate(run.tokens["source"]) if token.text[0] != "<"]
    at, position = answer.fields["read_at"], answer.fields["followed"]
    assert mean[at, position] == mean[:, words].max()
    values = numbers(model, "cross")
    same(values["mean_weight"], mean[at, position], SINGLE)
    assert values["weight"] == run.trace[last][:, at, position].max()


def test_a_chosen_token_is_followed_and_beyond_the_end_the_last():
    assert walked("translator", 1).fields["followed"] == 1
    assert walked("translator", 99).fields["followed"] == 4
    assert [candidate["text"] for candidate in walked("translator").fields["candidates"]] == [
        *("<s>", "i", "am", "cold", "</s>"),
    ]


def test_of_blanks_the_first_is_followed_and_of_a_text_without_one_its_first_word():
    blank = walked("fill-in")
    assert run_of("fill-in").tokens["text"][blank.fields["followed"]].text == "<mask>"
    plain = analyses.answer("journey", {"model": "fill-in", "text": "I drink tea."})
    assert plain.fields["followed"] == 1


def test_the_image_is_read_at_cls_and_its_patch_is_the_one_that_cls_reads_most():
    answer, run = walked("digits"), run_of("digits")
    row = run.trace["encoder.2.attention.pattern"].mean(0)[0]
    assert answer.fields["read_at"] == 0
    assert answer.fields["followed"] == 1 + int(row[1:].argmax())


def test_a_given_target_is_fed_back_and_not_the_models_own_word():
    question = {"model": "translator", "source": "i am cold", "target": "je suis froid"}
    fields = analyses.answer("journey", question).fields
    values = next(step["numbers"] for step in fields["steps"] if step["name"] == "fed_back")
    assert fields["expected"] == ["je", "suis", "froid", "</s>"]
    assert values["follows"] == fields["expected"][fields["read_at"]]
    assert values["known"] == 4


@pytest.mark.parametrize(
    ("model", "inputs"),
    [
        ("shapes", {"image": "ellipse red 0.25 0.3 0.3 0.3"}),
        ("penguins-ft", {"row": "adelie"}),
        ("penguins-tab", {"row": "adelie"}),
    ],
)
def test_a_model_without_a_walk_is_refused_with_what_to_do(model: str, inputs: dict[str, str]):
    with pytest.raises(InvalidInput, match="choose a model for text or for images in patches"):
        analyses.answer("journey", {"model": model, **inputs})
