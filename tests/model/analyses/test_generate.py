"""/generate: what it tells must be what a run of the same text computes in one parallel pass."""

import math

import pytest
import torch

from model.analyses.generate import generate, generate_steps
from model.errors import InvalidInput, UnknownName
from model.inputs.input import Input
from model.layers import masks
from model.runs.run import Run, text_axis
from model.runs.run_model import run_model
from model.trace import Recorder
from tests.model.support.runs import small_model
from tests.rounding import SINGLE, same

SOURCE = Input(source="the cat sees the dog .")
STRATEGIES = [
    {"strategy": "greedy"},
    {"strategy": "sample", "seed": 3},
    {"strategy": "sample", "seed": 1, "temperature": 0.5, "top_k": 20, "top_p": 0.9, "min_p": 0.01},
    {"strategy": "beam", "beams": 3},
]
SHORT = {"max_new_tokens": 6}


def answered(family: str = "encoder-decoder", input: Input = SOURCE, **question):
    return generate(small_model(family), input, **SHORT, **question)


def parallel_pass(answer) -> Run:
    """A run whose decoder reads what was written; ids that a typed text could not have are put in
    place of its tokens.
    """
    model = small_model()
    target = [
        model.tokenizer.token(1),
        *(model.tokenizer.token(step["token"]["id"]) for step in answer.fields["steps"][:-1]),
    ]
    source = model.tokenizer.encode(SOURCE.source, start=True, end=True)
    trace = Recorder()
    read = [torch.tensor([token.id for token in tokens]) for tokens in (source, target)]
    everything = torch.ones(1, len(source), dtype=torch.bool)
    memory = model.transformer.encode(read[0], everything)
    x = model.transformer.decode(read[1], masks.causal(len(target)), memory, everything, trace)
    model.transformer.unembed(x, trace)
    tokens = {"source": source, "target": target}
    return Run(
        model, {}, {name: text_axis(row) for name, row in tokens.items()}, tokens, trace.values, {}
    )


@pytest.mark.parametrize("question", STRATEGIES)
def test_probabilities_and_attention_of_every_step_are_those_of_one_parallel_pass(question):
    answer = answered(**question)
    trace = parallel_pass(answer).trace
    p = trace["probabilities"]
    for row, step in enumerate(answer.fields["steps"]):
        for candidate in step["candidates"]:
            same(candidate["probability"], p[row, candidate["id"]].item(), SINGLE, scale=1)
        same(step["probability"], p[row, step["token"]["id"]].item(), SINGLE, scale=1)
    for layer in (0, 1):
        name = f"decoder.{layer}.cross_attention.pattern"
        assert answer.tensors[name].axes == ("head", "step", "source")
        same(answer.tensors[name].data, trace[name], scale=1)
        same(answer.tensors[f"{name}.mean"].data, trace[name].mean(0), scale=1)


@pytest.mark.parametrize("question", STRATEGIES)
def test_candidates_and_the_rest_are_the_whole_vocabulary(question):
    for step in answered(**question).fields["steps"]:
        candidates, rest = step["candidates"], step["rest"]
        assert len(candidates) + rest["tokens"] == small_model().config.vocabulary_size
        same(sum(token["probability"] for token in candidates) + rest["probability"], 1, SINGLE)
        assert [token["id"] for token in candidates if token["chosen"]] == [step["token"]["id"]]
        ranked = [token["probability"] for token in candidates[:10]]
        assert ranked == sorted(ranked, reverse=True)
        if question["strategy"] != "beam":
            same(sum(token["after"] for token in candidates) + rest["after"], 1, SINGLE)


@pytest.mark.parametrize("question", STRATEGIES)
def test_the_sum_adds_up_ln_p_of_what_was_written(question):
    fields = answered(**question).fields
    total = 0.0
    for step in fields["steps"]:
        total += math.log(step["probability"])
        same(step["sum"], total)
    assert fields["log_probability"] == fields["steps"][-1]["sum"]


@pytest.mark.parametrize("question", STRATEGIES)
def test_the_stream_tells_the_same_steps_one_at_a_time_and_last_why_it_stopped(question):
    answer = answered(**question)
    events = list(generate_steps(small_model(), SOURCE, **SHORT, **question))
    plain = [
        {name: value for name, value in event.items() if name not in ("attention", "stopped")}
        for event in events
    ]
    assert plain == answer.fields["steps"]
    assert [event["stopped"] for event in events] == [None] * (len(events) - 1) + [
        answer.fields["stopped"]
    ]
    for row, event in enumerate(events):
        for layer, heads in enumerate(event["attention"]):
            assert (
                heads
                == answer.tensors[f"decoder.{layer}.cross_attention.pattern"].data[:, row].tolist()
            )


def test_the_best_hypothesis_of_the_tree_is_the_text():
    fields = answered(strategy="beam", beams=3).fields
    best = fields["tree"]["hypotheses"][0]
    assert best["text"] == fields["text"]
    same(best["score"], fields["log_probability"], SINGLE)
    assert best["number"] == fields["tree"]["kept"][-1][0]


def test_it_says_whether_the_text_ended_or_reached_the_limit():
    soon_ends = small_model(seed=178, tied_unembedding=False)
    for limit, stopped, labels in [(6, "end", ["</s>"]), (1, "limit", [])]:
        fields = generate(soon_ends, SOURCE, max_new_tokens=limit).fields
        assert fields["stopped"] == stopped
        assert [step["token"]["text"] for step in fields["steps"]][1:] == labels


def test_a_strategy_names_only_the_settings_it_used():
    assert answered(strategy="greedy", seed=3, beams=2).fields["settings"] == SHORT
    assert answered(strategy="beam", beams=2, top_k=3).fields["settings"] == {"beams": 2, **SHORT}
    assert answered(strategy="sample", seed=3, top_p=0.5).fields["settings"] == {
        "temperature": 1.0,
        "top_p": 0.5,
        "seed": 3,
        **SHORT,
    }


def test_teacher_forcing_predicts_what_a_run_over_the_reference_predicts():
    with_reference = Input(source=SOURCE.source, target="le chat voit")
    forcing = answered(input=with_reference).fields["teacher_forcing"]
    reference = run_model(small_model(), with_reference)
    p = reference.trace["probabilities"]
    assert [row["read"] for row in forcing["rows"]] == [
        token.text for token in reference.tokens["target"]
    ]
    assert forcing["reference"] == reference.expected
    for row, (step, expected) in enumerate(
        zip(
            forcing["rows"],
            [*reference.tokens["target"][1:], small_model().tokenizer.token(2)],
            strict=True,
        )
    ):
        assert step["predicted"]["id"] == p[row].argmax()
        assert step["expected"]["id"] == expected.id
        same(step["expected"]["probability"], p[row, expected.id])
    same(
        forcing["log_probability"],
        sum(math.log(row["expected"]["probability"]) for row in forcing["rows"]),
    )


def test_rows_that_have_read_the_same_are_the_same_and_the_first_that_differs_is_named():
    with_reference = Input(source=SOURCE.source, target="le chat voit")
    fields = answered(input=with_reference).fields
    forcing, ids = fields["teacher_forcing"], [step["token"]["id"] for step in fields["steps"]]
    assert forcing["rows"][0]["same_input"], "the first row of both has read <s>"
    assert forcing["largest_difference"] < 1e-5
    apart = [
        row["index"]
        for row in forcing["rows"]
        if row["index"] >= len(ids) or row["predicted"]["id"] != ids[row["index"]]
    ]
    assert forcing["first_difference"] == (apart[0] if apart else None)


def test_a_model_of_one_stack_continues_its_prompt_and_looks_at_what_is_written():
    prompt = Input(text="the cat sees")
    answer = answered("decoder-only", prompt)
    model = small_model("decoder-only")
    ids = [token.id for token in model.tokenizer.encode(prompt.text, start=True)]
    steps = answer.fields["steps"]
    for step in steps:
        p = run_ids(model, ids).softmax(-1)
        assert step["token"]["id"] == p.argmax()
        same(step["probability"], p.max().item(), SINGLE, scale=1)
        ids.append(step["token"]["id"])
    pattern = answer.tensors["decoder.0.attention.pattern"]
    assert pattern.axes == ("head", "step", "text")
    assert pattern.data.shape == (4, len(steps), answer.axes["text"].size)
    same(pattern.data.sum(-1), torch.ones(4, len(steps)), SINGLE, scale=1)
    later = (
        torch.ones(len(steps), answer.axes["text"].size)
        .triu(answer.axes["text"].size - len(steps) + 1)
        .bool()
    )
    assert (pattern.data[:, later] == 0).all()


def run_ids(model, ids: list[int]) -> torch.Tensor:
    """The logits after a text, by one pass over all of it."""
    with torch.inference_mode():
        return model.transformer.unembed(
            model.transformer.decode(torch.tensor(ids), masks.causal(len(ids)))
        )[-1]


BAD = {
    "temperature": [-0.1, 11.0, math.nan, math.inf],
    "top_k": [0, -3, 10**400],
    "top_p": [0.0, 1.5, math.nan, -1.0],
    "min_p": [-0.1, 1.1, math.nan],
    "beams": [0, 10**9],
    "seed": [-1, 2**32, 10**400],
    "max_new_tokens": [0, -1, 32, 10**400],
}


@pytest.mark.parametrize(
    ("field", "value"), [(field, value) for field, values in BAD.items() for value in values]
)
def test_a_setting_out_of_its_range_is_refused_with_the_range(field, value):
    with pytest.raises(InvalidInput, match=f"{field} must be from") as refusal:
        generate(small_model(), SOURCE, **{"strategy": "sample", field: value})
    assert refusal.value.field == field
    low, high = refusal.value.limit
    assert not low <= value <= high


@pytest.mark.parametrize(
    ("family", "input", "field"),
    [
        ("encoder-decoder", Input(text="the cat"), "source"),
        ("encoder-decoder", Input(source="  "), "source"),
        ("encoder-decoder", Input(source="cat " * 40), "source"),
        ("encoder-decoder", Input(source="the cat", target=" "), "target"),
        ("decoder-only", Input(source="the cat"), "text"),
        ("decoder-only", Input(text="cat " * 40), "text"),
        ("encoder-only", Input(text="the cat"), "model"),
    ],
)
def test_an_input_that_does_not_fit_the_model_is_refused(family, input, field):
    with pytest.raises(InvalidInput) as refusal:
        generate(small_model(family), input)
    assert refusal.value.field == field
    assert str(refusal.value).endswith(".")


def test_prompt_and_continuation_together_fit_the_model():
    model, prompt = small_model("decoder-only"), Input(text="the cat sees the dog")
    room = model.config.max_length - len(model.tokenizer.encode(prompt.text, start=True))
    assert len(generate(model, prompt, max_new_tokens=room).fields["steps"]) <= room
    with pytest.raises(InvalidInput, match=f"from 1 to {room}") as refusal:
        generate(model, prompt, max_new_tokens=room + 1)
    assert refusal.value.field == "max_new_tokens"


def test_an_unknown_strategy_is_refused_with_the_nearest():
    with pytest.raises(UnknownName, match="greedy"):
        generate(small_model(), SOURCE, strategy="greedi")
