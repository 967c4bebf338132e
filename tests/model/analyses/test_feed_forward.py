"""The feed-forward of a run: what each neuron writes sums to the output, in every kind of model,
and nothing of it depends on other tokens.
"""

import math

import numpy as np
import pytest
import torch

from model.analyses import answer
from model.analyses.feed_forward import feed_forward
from model.answers.answer import Answer
from model.errors import InvalidInput
from model.runs.run import Run
from model.zoo.models import load_model
from tests.model.support.runs import small_run
from tests.rounding import SINGLE, same

TRANSLATOR = {"model": "translator", "source": "i am cold", "target": "j' ai froid"}
PLACEMENTS = ["post", "pre", "admin", "b2t", "branch", "none"]
CHOICES = [
    {},
    {"activation": "gelu"},
    {"activation": "silu", "gated": True},
    {"activation": "gelu_tanh", "gated": True, "biases": False},
    {"biases": False, "norm": "rms"},
]


def numbers(result: Answer, name: str) -> np.ndarray:
    return result.tensors[name].data.double().numpy()


def parameter(run: Run, name: str) -> np.ndarray:
    return run.model.transformer.get_parameter(name).detach().double().numpy()


FUNCTIONS = {
    "relu": lambda x: np.maximum(x, 0),
    "gelu": lambda x: x * np.vectorize(lambda z: (1 + math.erf(z / math.sqrt(2))) / 2)(x),
    "gelu_tanh": lambda x: x / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
    "silu": lambda x: x / (1 + np.exp(-x)),
}


def by_hand(run: Run, scope: str, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The activations and the output of a feed-forward network, from its weights."""

    def linear(name: str, x: np.ndarray) -> np.ndarray:
        bias = parameter(run, f"{scope}.{name}.bias") if run.config.has_biases() else 0
        return x @ parameter(run, f"{scope}.{name}.weight") + bias

    function = FUNCTIONS[run.config.activation]
    post = (
        function(linear("gate", x)) * linear("hidden", x)
        if run.config.gated
        else function(linear("hidden", x))
    )
    return post, linear("output", post)


@pytest.mark.parametrize("family", ["encoder-only", "decoder-only", "encoder-decoder", "prefix"])
@pytest.mark.parametrize("choices", CHOICES, ids=str)
def test_what_the_neurons_write_the_others_and_the_bias_sum_to_the_output(family, choices):
    run = small_run(family, "pre", **choices)
    for stack in run.config.stacks:
        result = feed_forward(run, stack=stack, layer=1, position=2, top=3)
        post, out = by_hand(run, f"{stack}.1.feed_forward", numbers(result, "x"))
        same(numbers(result, "post"), post, SINGLE, scale=1)
        same(numbers(result, "out"), out, SINGLE, scale=1)
        rest, bias = (numbers(result, name) for name in ("rest", "bias"))
        same(numbers(result, "written").sum(0) + rest + bias, out, SINGLE, scale=1)
        assert result.fields["largest_difference"]["value"] < 1e-6


@pytest.mark.parametrize("placement", PLACEMENTS)
def test_the_output_is_added_to_the_stream_as_the_placement_says(placement: str):
    run = small_run("encoder-decoder", placement)
    result = feed_forward(run, stack="decoder", layer=0, position=1)
    terms = dict(zip(result.fields["terms"], numbers(result, "stream"), strict=True))
    whole = terms["before"] + terms["added"] + terms.get("bottom", 0)
    same(whole, terms["sum"], SINGLE, scale=1)
    after = run.trace["decoder.0.residual.out"][1].double().numpy()
    same(terms.get("normed", terms["sum"]), after, SINGLE, scale=1)
    wrote = terms.get("output", terms["added"])
    same(wrote, numbers(result, "out"), scale=1)
    assert ("normed" in terms) == (placement in ("post", "admin", "b2t"))
    assert ("output" in terms) == (placement == "branch")


@pytest.mark.parametrize("placement", PLACEMENTS)
def test_what_it_reads_is_the_stream_or_the_normed_stream(placement: str):
    run = small_run("decoder-only", placement)
    result = feed_forward(run, layer=1, position=0)
    name = "decoder.1.norm2.out" if placement == "pre" else "decoder.1.residual.after_attention"
    assert result.fields["reads"] == name
    assert torch.equal(result.tensors["x"].data, run.trace[name][0])


def test_the_neurons_are_those_that_write_the_longest_vectors_the_longest_first():
    result = answer("feed-forward", {**TRANSLATOR, "layer": 1, "position": 2, "top": 4})
    rows = load_model("translator").transformer.get_parameter(
        "decoder.1.feed_forward.output.weight"
    )
    lengths = np.abs(numbers(result, "post")) * np.linalg.norm(rows.detach().numpy(), axis=1)
    best = np.argsort(-lengths)[:4].tolist()
    assert [neuron["neuron"] for neuron in result.fields["top_neurons"]] == best
    same(np.linalg.norm(numbers(result, "written"), axis=1), lengths[best], SINGLE)
    same(numbers(result, "length"), lengths, SINGLE)


def test_a_neuron_of_a_relu_fires_where_its_activation_is_above_0():
    result = answer("feed-forward", TRANSLATOR)
    assert result.fields["firing"] == np.count_nonzero(numbers(result, "post") > 0)
    assert 0 < result.fields["firing"] < result.fields["neurons"]


def test_the_words_of_a_neuron_have_the_largest_logits_of_what_it_writes():
    result = answer("feed-forward", {**TRANSLATOR, "layer": 2, "position": 1, "top": 3})
    model = load_model("translator")
    unembedding = model.transformer.unembedding.detach().double().numpy()
    for row, raised, words in zip(
        numbers(result, "written"),
        numbers(result, "raised"),
        result.fields["raised_words"],
        strict=True,
    ):
        logits = row @ unembedding
        best = np.argsort(-logits)[: len(words)]
        same(raised, logits[best], scale=1)
        assert words == [model.tokenizer.label(int(id)) for id in best]


@pytest.mark.parametrize(
    "question",
    [
        {**TRANSLATOR, "stack": "encoder"},
        {"model": "digits", "image": "three"},
        {"model": "penguins-ft", "row": "adelie"},
    ],
    ids=lambda question: question["model"],
)
def test_no_words_are_read_where_the_stack_predicts_none(question: dict):
    result = answer("feed-forward", question)
    assert result.fields["raised_words"] is None
    assert "raised" not in result.tensors


def test_a_token_that_is_read_alone_in_a_decoder_fires_as_it_does_before_others():
    """A causal model's first tokens are the same whatever follows, in the feed-forward too."""
    short, long = (
        answer("feed-forward", {"model": "shakespeare", "text": text, "position": 1})
        for text in ("To", "To be or not")
    )
    same(numbers(short, "post"), numbers(long, "post"), SINGLE, scale=1)


def test_the_share_that_fires_elsewhere_too_is_counted_by_token():
    run = small_run()
    result = feed_forward(run, stack="encoder", layer=0, position=2)
    argument = run.trace["encoder.0.feed_forward.pre"].numpy()
    fires = set(np.flatnonzero(argument[2] > 0))
    for position, share in enumerate(numbers(result, "also_fires")):
        others = set(np.flatnonzero(argument[position] > 0))
        same(share, len(fires & others) / len(fires), SINGLE)
    assert numbers(result, "also_fires")[2] == 1


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"layer": 3}, "Layer 3 does not exist; the decoder has layers 0 to 2."),
        ({"layer": -1}, "Layer -1 does not exist; the decoder has layers 0 to 2."),
        ({"position": 4}, "Position 4 does not exist; the target has positions 0 to 3."),
        ({"top": 0}, "top is 0; it must be between 1 and 576."),
        ({"top": 577}, "top is 577; it must be between 1 and 576."),
        ({"stack": "tower"}, "translator has no tower; it has encoder and decoder."),
    ],
    ids=str,
)
def test_what_does_not_exist_is_refused_in_a_sentence(changed: dict, sentence: str):
    with pytest.raises(InvalidInput) as refused:
        answer("feed-forward", {**TRANSLATOR, **changed})
    assert str(refused.value) == sentence
    assert refused.value.field == next(iter(changed))


def test_a_model_without_feed_forward_networks_says_so_and_what_to_do():
    with pytest.raises(InvalidInput, match="no feed-forward network: choose another model"):
        answer("feed-forward", {"model": "induction-2", "text": "abcab"})
