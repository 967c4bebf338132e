"""Every number that is served about a run is the number that NumPy reads out of the weights, after
the journey through JSON or base64.
"""

import numpy as np
import pytest

from tests.app.every_number import differences, read_answer, read_tensor
from tests.app.expected_run import ExpectedRun
from tests.model.support.numpy_reading import softmax
from tests.rounding import SHIPPED, SINGLE, same

ENCODINGS = pytest.mark.parametrize("encoding", ["json", "base64"])
INPUTS = {
    "its own translation": {"source": "i am cold"},
    "a translation of ours": {
        "source": "The white house is very big.",
        "target": "la maison est naïve ☃ !",
    },
}


@pytest.fixture(scope="module", params=INPUTS)
def input(request):
    return INPUTS[request.param]


@pytest.fixture(scope="module")
def expected_run(reading, input):
    source = reading.source_ids(input["source"])
    return ExpectedRun(
        reading,
        source,
        reading.target_ids(input["target"]) if "target" in input else None,
    )


@pytest.fixture
def about(ask, input):
    return lambda word, **question: ask(word, model="translator", **input, **question)


@ENCODINGS
@pytest.mark.parametrize("stage", ["scores", "masked_scores", "pattern"])
def test_attention(about, expected_run, stage, encoding):
    assert (
        differences(
            about("attention", stage=stage, encoding=encoding), expected_run.attention(stage)
        )
        == {}
    )


@ENCODINGS
def test_activations(about, expected_run, encoding):
    answer = about(
        "activations", names="encoder.*,decoder.*,logits,probabilities", encoding=encoding
    )
    assert (
        differences(
            answer,
            {
                "axes": expected_run.axes,
                "tensors": expected_run.values,
                **expected_run.confidence_fields,
            },
        )
        == {}
    )


def test_the_list_of_activations(about, expected_run):
    assert differences(about("activations"), expected_run.manifest()) == {}


@ENCODINGS
@pytest.mark.parametrize(
    ("stack", "at"),
    [("encoder", "encoder.1.residual.after_attention"), ("decoder", "decoder.2.residual.out")],
)
def test_residual(about, expected_run, stack, at, encoding):
    answer = about("residual", stack=stack, at=at, encoding=encoding)
    assert differences(answer, expected_run.residual(stack, at)) == {}
    assert answer["axes"]["part"]["labels"] == [
        part["name"] for part in expected_run.parts(stack)[0]
    ]


def test_logits(about, expected_run):
    answer = about("logits", lens="true", full="true", attribution="true", top=10)
    assert differences(answer, expected_run.logits(answer)) == {}


@ENCODINGS
def test_the_two_stacks_as_one_square(ask, expected_run, input, encoding):
    """Of /modes: what the translator may see, does see and says."""
    text_fields = {
        "text": input["source"],
        **({"target": input["target"]} if "target" in input else {}),
    }
    names = ",".join(f"encoder-decoder.{name}" for name in ("mask", "pattern", "top_probability"))
    answer = ask("modes", **text_fields, layer=1, head=2, top=4, names=names, encoding=encoding)
    tensors, (mask, pattern) = read_answer(answer)["tensors"], expected_run.square(1, 2)
    assert np.array_equal(tensors["encoder-decoder.mask"], mask)
    assert np.array_equal(np.isneginf(tensors["encoder-decoder.pattern"]), mask == 0)
    visible = mask == 1
    same(tensors["encoder-decoder.pattern"][visible], pattern[visible], SINGLE, scale=1)
    largest = -np.sort(-softmax(expected_run.values["logits"]), axis=-1)[:, :4]
    same(tensors["encoder-decoder.top_probability"], largest, SINGLE, scale=1)
    mode = next(entry for entry in answer["modes"] if entry["mode"] == "encoder-decoder")
    assert (mode["target_from"], mode["visible"]["value"], mode["layer"], mode["head"]) == (
        len(expected_run.source),
        mask.sum(),
        1,
        2,
    )


def test_both_encodings_carry_the_same_bits(about):
    """A decimal fraction in JSON is the shortest that gives the same float32 again."""
    whole = (
        about("activations", names="decoder.*,logits")["tensors"],
        about("activations", names="decoder.*,logits", encoding="base64")["tensors"],
    )
    for name, tensor in whole[0].items():
        decimal, binary = read_tensor(tensor), read_tensor(whole[1][name])
        assert binary.dtype == np.float32
        assert np.array_equal(decimal.astype(np.float32), binary)


@ENCODINGS
def test_after_the_journey_the_softmax_of_the_masked_scores_is_the_pattern(about, encoding):
    masked = read_answer(about("attention", stage="masked_scores", encoding=encoding))["tensors"]
    patterns = read_answer(about("attention", stage="pattern", encoding=encoding))["tensors"]
    names = [name for name in patterns if name.endswith("pattern")]
    assert len(names) == 9
    for name in names:
        same(
            softmax(masked[name.replace("pattern", "masked_scores")]),
            patterns[name],
            SINGLE,
            scale=1,
        )
        same(patterns[name].sum(axis=-1), 1, SINGLE, scale=1)


@ENCODINGS
def test_after_the_journey_each_block_reads_what_the_one_before_it_left(about, encoding):
    tensors = read_answer(about("activations", names="*.residual.*", encoding=encoding))["tensors"]
    for stack in ("encoder", "decoder"):
        for layer in (0, 1):
            assert np.array_equal(
                tensors[f"{stack}.{layer}.residual.out"],
                tensors[f"{stack}.{layer + 1}.residual.in"],
            )


@ENCODINGS
@pytest.mark.parametrize("stack", ["encoder", "decoder"])
def test_after_the_journey_the_parts_sum_to_the_stream_and_their_projections_to_its_length(
    about, stack, encoding
):
    stream = read_answer(about("activations", names=f"{stack}.2.residual.out", encoding=encoding))[
        "tensors"
    ][f"{stack}.2.residual.out"]
    tensors = read_answer(about("residual", stack=stack, encoding=encoding))["tensors"]
    same(tensors["contributions"].sum(axis=0), stream, SINGLE, scale=1)
    same(tensors["projections"].sum(axis=1), tensors["norm"], SINGLE, n=SHIPPED, scale=1)


def test_after_the_journey_the_lens_ends_at_the_output_and_the_attribution_sums_to_the_logit(
    about,
):
    tensors = read_answer(about("logits", lens="true", full="true", attribution="true"))["tensors"]
    output = read_answer(about("activations", names="logits,probabilities"))["tensors"]
    for name in ("logits", "probabilities"):
        assert np.array_equal(tensors[f"lens.{name}"][-1], output[name])
        assert np.array_equal(tensors[name], output[name])
    same(tensors["attribution"].sum(axis=0), tensors["expected_logit"], SINGLE, n=SHIPPED, scale=1)
