"""Attention, activations and tokens hand out what the run computed: nothing cut, renormalised or
made up on the way.
"""

import subprocess
import sys

import numpy as np
import pytest
import torch

from model.analyses.activations import activations
from model.analyses.attention import attention
from model.analyses.models import models
from model.analyses.tokens import tokens
from model.clinics import CLINICS
from model.errors import InvalidInput, UnknownName
from tests.model.support.runs import small_run
from tests.rounding import PRINTED, SINGLE, near, same


def test_all_maps_of_an_encoder_decoder_are_served_with_the_mask_of_each_kind():
    answer = attention(small_run())
    maps = [name for name in answer.tensors if name.endswith(".pattern")]
    assert maps == [
        *(f"encoder.{layer}.attention.pattern" for layer in range(2)),
        *(
            f"decoder.{layer}.{kind}.pattern"
            for layer in range(2)
            for kind in ("attention", "cross_attention")
        ),
    ]
    assert {name for name in answer.tensors if name.endswith(".mask")} == {
        "encoder.attention.mask",
        "decoder.attention.mask",
        "decoder.cross_attention.mask",
    }
    assert answer.tensors["decoder.1.cross_attention.pattern"].axes == ("head", "target", "source")


def test_layer_and_head_narrow_what_is_sent_and_change_no_number():
    answer = attention(small_run(), kind="cross", layer=1, head=2)
    (name,) = [name for name in answer.tensors if name.endswith(".pattern")]
    assert torch.equal(answer.tensors[name].data, small_run().trace[name][2:3])
    assert (answer.axes["head"].size, answer.axes["head"].ids) == (1, [2])


@pytest.mark.parametrize("decimals", [0, 2, 6])
def test_decimals_round_the_maps_say_so_and_leave_what_is_measured(decimals):
    whole, rounded = (
        attention(small_run(), kind="self"),
        attention(small_run(), kind="self", decimals=decimals),
    )
    for name, tensor in whole.tensors.items():
        places = decimals if name.endswith(".pattern") else 0
        values = rounded.tensors[name].data.numpy().astype(np.float64)
        assert np.abs(values - tensor.data.numpy()).max() <= 0.5 * 10.0**-places + 1e-7
        near(values, np.round(values, places), PRINTED, abs=1e-7)
    assert (whole.fields["decimals"], rounded.fields["decimals"]) == (None, decimals)
    assert whole.fields["entropy"] == rounded.fields["entropy"]


def test_rounding_leaves_a_masked_score_masked():
    (name, tensor), *_ = attention(
        small_run(), stack="decoder", kind="self", stage="masked_scores", decimals=2
    ).tensors.items()
    assert torch.equal(tensor.data.isneginf(), small_run().trace[name].isneginf())


def test_a_model_is_told_in_the_fields_that_are_asked_for():
    answer = models(id="induction-1", fields="config, parameters")
    assert answer.fields == {
        name: models(id="induction-1").fields[name] for name in ("config", "parameters")
    }
    with pytest.raises(UnknownName, match="parameters"):
        models(id="induction-1", fields="config,parameter")


def test_entropy_and_distance_are_their_formulas_over_the_pattern():
    answer = attention(small_run(), kind="self", stack="decoder")
    for name in ("decoder.0.attention", "decoder.1.attention"):
        p = small_run().trace[f"{name}.pattern"].numpy().astype(np.float64)
        logs = np.log(np.where(p > 0, p, 1))
        place = np.arange(p.shape[-1])
        same(answer.fields["entropy"][name], -(p * logs).sum(-1).mean(-1), SINGLE)
        far = np.abs(place[:, None] - place[None, :])
        same(answer.fields["distance"][name], (p * far).sum(-1).mean(-1), SINGLE)
        assert max(answer.fields["entropy"][name]) <= answer.fields["entropy_limit"][name] + 1e-6
    n = len(answer.axes["target"].labels)
    same(
        answer.fields["entropy_limit"]["decoder.0.attention"],
        np.mean(np.log(np.arange(1, n + 1))),
        SINGLE,
    )


def test_distance_is_not_defined_between_two_texts():
    assert (
        attention(small_run(), kind="cross").fields["distance"]["decoder.0.cross_attention"] is None
    )


@pytest.mark.parametrize(
    "question",
    [
        {"layer": 2},
        {"layer": -1},
        {"head": 4},
        {"kind": "cross", "stack": "encoder"},
        {"stack": "middle"},
    ],
)
def test_a_map_that_does_not_exist_is_refused_in_a_sentence(question):
    with pytest.raises(InvalidInput):
        attention(small_run(), **question)


def test_a_model_of_one_stack_has_no_cross_attention():
    with pytest.raises(InvalidInput, match="no cross-attention"):
        attention(small_run("decoder-only"), kind="cross")


def test_the_row_of_the_decoder_at_a_token_is_labelled_with_what_comes_next():
    answer = attention(small_run())
    assert answer.fields["expected"] == [*answer.axes["target"].labels[1:], "</s>"]


def test_the_manifest_names_every_activation_with_the_shape_it_has():
    rows = activations(small_run()).fields["activations"]
    assert {row["name"]: tuple(row["shape"]) for row in rows} == {
        name: tuple(value.shape) for name, value in small_run().trace.items()
    }
    assert all(row["bytes"] == 4 * np.prod(row["shape"]) for row in rows)


def test_globs_pick_activations_in_the_order_of_computation():
    answer = activations(small_run(), names="decoder.*.norm3.scale, logits")
    assert list(answer.tensors) == ["decoder.0.norm3.scale", "decoder.1.norm3.scale", "logits"]
    assert torch.equal(answer.tensors["logits"].data, small_run().trace["logits"])


def test_a_layer_and_a_head_narrow_activations():
    answer = activations(small_run(), names="*.z,logits", layer=1, head=3)
    assert list(answer.tensors) == [
        "encoder.1.attention.z",
        "decoder.1.attention.z",
        "decoder.1.cross_attention.z",
        "logits",
    ]
    assert answer.tensors["decoder.1.attention.z"].data.shape[0] == 1


def test_a_name_that_fits_nothing_is_told_its_nearest():
    with pytest.raises(UnknownName, match="logits"):
        activations(small_run(), names="logit")
    with pytest.raises(InvalidInput, match="layer 7"):
        activations(small_run(), names="logits", layer=7)


def test_tokens_say_where_in_the_input_they_stand():
    rows = tokens(small_run()).fields["tokens"]["source"]
    text = small_run().input["source"]
    typed = [row for row in rows if not row["special"]]
    assert "".join(text[row["start"] : row["end"]] for row in typed) == text.replace(" ", "")
    assert all(row["text"].removeprefix("##") == text[row["start"] : row["end"]] for row in typed)
    assert [row["word"] for row in typed][-1] == len(text.split()) - 1
    assert [row["text"] for row in rows if row["special"]] == ["<s>", "</s>"]


@pytest.mark.thorough  # three seconds of imports for one sentence
def test_what_first_questions_need_is_imported_ahead_of_them():
    code = "import sys, model.analyses; model.analyses.load_ahead(); print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    ).stdout.split()
    assert {f"model.clinics.{name}" for name in CLINICS} | {"torch._dynamo"} <= set(loaded)
