"""Architecture: the parts that the modules have, the shapes of the run, and sums that add up."""

import pytest
import torch

from model.analyses.architecture import architecture
from model.inputs.input import Input
from model.runs.run_model import run_model
from model.zoo.models import ids, load_model
from tests.model.support.runs import small_run


def shipped(id: str):
    model = load_model(id)
    return run_model(model, Input(**model.card["examples"][0]["input"]))


@pytest.fixture(params=ids())
def run(request: pytest.FixtureRequest):
    return shipped(request.param)


def test_both_sums_add_up_to_the_parameters_that_torch_counts(run):
    fields = architecture(run).fields
    counted = sum(parameter.numel() for parameter in run.model.transformer.parameters())
    assert fields["parameters"] == counted
    assert sum(term.times * term.each for term in fields["census"]) == counted
    assert sum(holder.count for holder in fields["holders"]) == counted
    weights = run.model.transformer.state_dict()
    for holder in fields["holders"]:
        for name, shape in holder.shapes.items():
            full = name if holder.name == "model" else f"{holder.name}.{name}"
            assert list(weights[full].shape) == shape


def test_every_shape_is_that_of_the_trace(run):
    answer = architecture(run)
    for stack in answer.fields["stacks"]:
        assert stack.embedded == list(run.trace[f"{stack.name}.embedding.sum"].shape)
        assert stack.axis in run.tokens
        assert len(stack.blocks) == run.config.layers(stack.name)
        for block in stack.blocks:
            assert block.enters == list(run.trace[f"{block.name}.residual.in"].shape)
            assert block.parts[-1].after == list(run.trace[f"{block.name}.residual.out"].shape)
            for part in block.parts:
                if part.widths:
                    assert part.inner == list(run.trace[f"{part.name}.post"].shape)
                    assert part.widths[1] == part.inner[-1]
                else:
                    assert part.inner == list(run.trace[f"{part.name}.pattern"].shape)
                    assert torch.equal(
                        answer.tensors[f"{part.name}.pattern"].data,
                        run.trace[f"{part.name}.pattern"],
                    )
    assert answer.fields["output"] == list(run.trace["probabilities"].shape)


def test_an_encoders_block_has_two_sub_layers_and_a_decoders_three():
    encoder, decoder = architecture(small_run()).fields["stacks"]
    assert [len(block.parts) for block in encoder.blocks] == [2, 2]
    kinds = [part.kind for part in decoder.blocks[1].parts]
    assert kinds == ["attention", "cross_attention", "feed_forward"]
    assert (encoder.axis, decoder.axis) == ("source", "target")


def test_a_stack_of_object_queries_is_told_no_positions():
    stacks = architecture(shipped("shapes")).fields["stacks"]
    assert [stack.told for stack in stacks] == [True, False]


@pytest.mark.parametrize(("id", "kinds"), [("shapes", ["box"]), ("penguins-tab", ["bypass"])])
def test_what_stands_beside_the_stream_is_said_with_its_shapes(id: str, kinds: list[str]):
    run = shipped(id)
    beside = architecture(run).fields["beside"]
    assert [part.kind for part in beside] == kinds
    for part in beside:
        assert part.inner == [list(run.trace[f"{part.kind}.post{layer}"].shape) for layer in (1, 2)]
    if kinds == ["bypass"]:
        assert beside[0].reads == run.constants["numbers"].shape[-1]
    else:
        assert beside[0].says == list(run.trace["box.out"].shape)


@pytest.mark.parametrize("family", ["encoder-decoder", "decoder-only", "prefix"])
def test_where_something_comes_next_it_is_said_with_its_own_probability(family: str):
    run = small_run(family)
    says = architecture(run).fields["says"]
    assert [prediction.token for prediction in says] == run.expected
    probabilities = run.trace["logits"].softmax(-1)[run.predicted]
    for prediction, token, row in zip(says, run.next_tokens, probabilities, strict=True):
        assert prediction.chance == float(row[token.id])


def test_of_a_text_with_blanks_the_blanks_are_asked_and_of_one_without_nothing_is():
    model = load_model("fill-in")
    blank, none = (
        architecture(run_model(model, Input(text=text))).fields
        for text in ("I drink a cup of ___ every morning.", "I drink a cup of tea.")
    )
    assert [prediction.token for prediction in blank["says"]] == ["tea"]
    assert blank["writes"] == "tea"
    assert (none["says"], none["writes"]) == ([], "")


def test_of_an_image_and_of_a_row_cls_is_asked_and_of_object_queries_each():
    for id, places in (("digits", 1), ("penguins-ft", 1), ("shapes", 8)):
        run = shipped(id)
        fields = architecture(run).fields
        best = run.trace["logits"].softmax(-1).max(-1)
        assert [prediction.chance for prediction in fields["says"]] == best.values[:places].tolist()
        labels = [run.model.tokenizer.label(int(best)) for best in best.indices[:places]]
        assert [prediction.token for prediction in fields["says"]] == labels
        assert fields["writes"] == ", ".join(name for name in labels if name != "nothing")


def test_input_and_output_are_said_in_words():
    facts = {id: architecture(shipped(id)).fields for id in ("digits", "translator", "shakespeare")}
    assert facts["digits"]["reads"] == "8 × 8 gray values"
    assert facts["translator"]["reads"] == "i am cold"
    assert facts["translator"]["writes"] == shipped("translator").input["target"]
    assert facts["shakespeare"]["writes"] == "JULIET"
