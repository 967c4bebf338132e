"""The residual stream: its parts sum to it exactly, through every norm, and each measure is what
its formula says.
"""

import numpy as np
import pytest
import torch

from model.analyses.residual import residual
from model.answers.answer import Answer
from model.errors import InvalidInput, UnknownName
from model.interpretability.stream.residual import steps
from model.runs.run import Run
from tests.model.support.stream_runs import PLACEMENTS, small_run
from tests.rounding import same

STACKS = [(placement, stack) for placement in PLACEMENTS for stack in ("encoder", "decoder")]
TOLERANCE = {torch.float32: 1e-5, torch.float64: 1e-11}


def array(answer: Answer, name: str) -> np.ndarray:
    return answer.tensors[name].data.numpy()


def traced(run: Run, name: str) -> np.ndarray:
    return run.trace[name].numpy()


def weight(run: Run, name: str) -> np.ndarray:
    return run.model.transformer.state_dict()[name].numpy()


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize(("placement", "stack"), STACKS)
def test_the_parts_sum_to_the_stream_at_every_point(placement, stack, dtype):
    run = small_run(placement, dtype=dtype)
    for step in steps(run.config, stack):
        answer = residual(run, stack=stack, at=step.name)
        difference = array(answer, "contributions").sum(axis=0) - traced(run, step.name)
        assert np.abs(difference).max() < TOLERANCE[dtype], step.name
        assert answer.fields["largest_difference"]["value"] < TOLERANCE[dtype]


@pytest.mark.parametrize("family", ["encoder-only", "decoder-only"])
@pytest.mark.parametrize("placement", PLACEMENTS)
def test_the_parts_sum_to_the_stream_of_a_single_stack(placement, family):
    run = small_run(placement, family)
    last = steps(run.config, run.config.stacks[0])[-1].name
    same(array(residual(run), "contributions").sum(axis=0), traced(run, last), scale=1)


def test_attention_alone_writes_one_part_a_head_and_nothing_else():
    run = small_run("none", "decoder-only", d_ff=0, biases=False, positions="none", relative="rope")
    answer = residual(run)
    heads = [
        f"decoder.{layer}.attention.head_out[{head}]"
        for layer in range(2)
        for head in range(run.config.n_heads)
    ]
    assert [part["name"] for part in answer.fields["parts"]] == ["decoder.embedding.token", *heads]
    assert [step["wrote"] for step in answer.fields["steps"][1:]] == [
        "decoder.0.attention.out",
        "decoder.1.attention.out",
    ]
    same(array(answer, "contributions").sum(axis=0), traced(run, "decoder.1.residual.out"), scale=1)
    same(
        array(answer, "part_norm")[1],
        np.linalg.norm(traced(run, "decoder.0.attention.head_out")[0], axis=-1),
        scale=1,
    )


@pytest.mark.parametrize(("placement", "stack"), STACKS)
def test_lengths_along_the_stream_stack_up_to_its_norm_at_every_step(placement, stack):
    answer = residual(small_run(placement), stack=stack)
    same(array(answer, "projections").sum(axis=1), array(answer, "norm"), scale=1)


KINDS = [
    ("post", {"norm": "rms", "normed_embedding": True}),
    ("post", {"norm": "scale", "shortcut": 0.8, "scaled_embedding": False}),
    ("post", {"normed_embedding": True, "shortcut": 1.2}),
    ("pre", {"norm": "rms", "biases": False}),
    ("pre", {"norm": "scale", "shortcut": 0.9}),
    ("admin", {}),
    ("admin", {"norm": "rms"}),
    ("b2t", {}),
    ("b2t", {"norm": "scale", "d_ff": 0}),
    ("branch", {"shortcut": 1.1}),
    ("branch", {"norm": "rms"}),
    ("none", {"shortcut": 0.9}),
]
EVERY_KIND = pytest.mark.parametrize(("placement", "choices"), KINDS)


@EVERY_KIND
@pytest.mark.parametrize("dtype", TOLERANCE)
def test_the_parts_sum_to_the_stream_wherever_a_norm_stands_and_whichever_it_is(
    placement, choices, dtype
):
    run = small_run(placement, dtype=dtype, **choices)
    for stack in ("encoder", "decoder"):
        assert residual(run, stack=stack).fields["largest_difference"]["value"] < TOLERANCE[dtype]


@EVERY_KIND
def test_a_contribution_is_what_goes_with_its_part_when_every_norm_keeps_its_scale(
    placement, choices
):
    """The stream by its equations, the shortcuts and the scales those of the run, with one part of
    one write left out.
    """
    run = small_run(placement, **choices)
    answer = residual(run)
    contributions, whole = array(answer, "contributions"), frozen_end(run, "decoder", "", 0.0)
    same(whole, traced(run, answer.fields["steps"][-1]["name"]), scale=1)
    for part, contribution in zip(answer.fields["parts"], contributions, strict=True):
        if part["kind"] != "bias":
            write = (
                part["name"].split(".head_out")[0].removesuffix(".token").removesuffix(".position")
            )
            same(
                whole - frozen_end(run, "decoder", write, output(run, part)), contribution, scale=1
            )


def frozen_end(run: Run, stack: str, write: str, less: np.ndarray | float) -> np.ndarray:
    config = run.config

    def norm(weights: str, scale: np.ndarray, x: np.ndarray) -> np.ndarray:
        x = (
            (centred(x) if config.norm.name == "layer" else x)
            / scale[:, None]
            * weight(run, f"{weights}.gain")
        )
        return x + weight(run, f"{weights}.bias") if config.norm.name == "layer" else x

    def out(name: str) -> np.ndarray:
        return traced(run, name) - (less if name.rsplit(".", 1)[0] == write else 0.0)

    x = out(f"{stack}.embedding.sum")
    if config.embedding.normed:
        x = norm("embedding.norm", traced(run, f"{stack}.embedding.norm.scale"), x)
    for block in (f"{stack}.0", f"{stack}.1"):
        bottom, sublayers = x, config.sublayers(stack)
        for number, name in enumerate(sublayers, start=1):
            place, f = f"{block}.norm{number}", out(f"{block}.{name}.out")
            x = x * (
                weight(run, f"{block}.shortcut{number}")
                if config.placement == "admin"
                else config.shortcut
            )
            scale = traced(run, f"{place}.scale") if config.placement != "none" else None
            x = x + (norm(place, scale, f) if config.placement == "branch" else f)
            x = x + bottom if config.placement == "b2t" and name == sublayers[-1] else x
            x = norm(place, scale, x) if config.placement in ("post", "admin", "b2t") else x
    if config.placement != "pre":
        return x
    stream = traced(run, f"{stack}.1.residual.out")
    moments = {"layer": stream.var(axis=-1), "rms": (stream**2).mean(axis=-1)}
    scale = (
        np.linalg.norm(stream, axis=-1)
        if config.norm.name == "scale"
        else np.sqrt(moments[config.norm.name] + config.norm.epsilon)
    )
    return norm(f"{stack}.norm", scale, x)


def test_steps_say_what_the_stream_is_multiplied_by_and_what_is_added_once_more():
    admin, b2t, branch = (
        [
            step["formula"]
            for step in residual(small_run(placement, n_decoder_layers=1, **choices)).fields[
                "steps"
            ][1:]
        ]
        for placement, choices in (("admin", {}), ("b2t", {}), ("branch", {"shortcut": 0.5}))
    )
    assert admin[0] == "LN(omega x + attention(x))"
    assert b2t == [
        "LN(x + attention(x))",
        "LN(x + cross_attention(x))",
        "LN(x + feed_forward(x) + bottom)",
    ]
    assert branch[-1] == "lambda x + LN(feed_forward(x))"


def centred(x: np.ndarray) -> np.ndarray:
    return x - x.mean(axis=-1, keepdims=True)


def stream_without(run: Run, stack: str, part: dict, value: np.ndarray) -> np.ndarray:
    """The end of the stack when `value` is taken out of the one write that `part` belongs to, every
    norm keeping the scale it had.
    """
    x = 0
    for step in steps(run.config, stack):
        if step.wrote is not None:
            writer = step.wrote.removesuffix("out").removesuffix("sum")
            x = (
                x
                + traced(run, step.wrote)
                - (value if f"{part['name']}.".startswith(writer) else 0)
            )
        if step.norm is not None:
            x = centred(x) / traced(run, f"{step.norm}.scale")[:, None] * weight(
                run, f"{step.norm}.gain"
            ) + weight(run, f"{step.norm}.bias")
            x = x - value if part["name"] == f"{step.norm}.bias" else x
    return x


@pytest.mark.parametrize(("placement", "stack"), STACKS)
def test_a_contribution_is_what_goes_when_its_part_is_taken_out_and_the_norms_keep_their_scale(
    placement, stack
):
    run = small_run(placement)
    answer = residual(run, stack=stack)
    end = traced(run, answer.fields["steps"][-1]["name"])
    for part, contribution in zip(
        answer.fields["parts"], array(answer, "contributions"), strict=True
    ):
        value = output(run, part)
        same(
            end - stream_without(run, stack, part, value), contribution, scale=1, what=part["name"]
        )
        same(
            np.linalg.norm(np.broadcast_to(value, end.shape), axis=-1),
            array(answer, "part_norm")[answer.axes["part"].labels.index(part["name"])],
            scale=1,
        )


def output(run: Run, part: dict) -> np.ndarray:
    """What a part wrote, computed from the weights and from what the sub-layer gathered."""
    name = part["name"]
    if part["kind"] in ("token", "position"):
        return traced(run, name)
    if part["kind"] == "bias":
        return weight(run, name)
    if part["kind"] == "feed_forward":
        return traced(run, f"{name}.post") @ weight(run, f"{name}.output.weight")
    scope, size = name.split(".head_out")[0], run.config.d_head
    rows = slice(part["head"] * size, (part["head"] + 1) * size)
    return traced(run, f"{scope}.z")[part["head"]] @ weight(run, f"{scope}.output.weight")[rows]


@pytest.mark.parametrize(("placement", "stack"), STACKS)
def test_the_measures_are_their_formulas(placement, stack):
    run = small_run(placement)
    answer = residual(run, stack=stack)
    path = answer.fields["steps"]
    for i, step in enumerate(path):
        same(array(answer, "norm")[i], np.sqrt((traced(run, step["name"]) ** 2).sum(-1)), scale=1)
    for i, name in enumerate(answer.axes["sub_layer"].labels):
        x = traced(run, path[i]["name"])
        f = traced(run, name)
        dependency = (centred(f) ** 2).mean(-1) / (centred(x + f) ** 2).mean(-1)
        same(array(answer, "update_norm")[i], np.sqrt((f**2).sum(-1)), scale=1)
        same(array(answer, "sum_norm")[i], np.sqrt(((x + f) ** 2).sum(-1)), scale=1)
        same(
            array(answer, "cosine")[i],
            (f * x).sum(-1) / np.sqrt((f**2).sum(-1) * (x**2).sum(-1)),
            scale=1,
        )
        same(array(answer, "dependency")[i], dependency, scale=1)
        same(array(answer, "dependency_mean")[i], dependency.mean(), scale=1)


def test_the_steps_say_what_wrote_and_where_a_norm_stands():
    post, pre, none = (
        residual(small_run(placement, n_decoder_layers=1)).fields["steps"]
        for placement in PLACEMENTS
    )
    assert [(s["wrote"], s["norm"]) for s in post] == [
        ("decoder.embedding.sum", None),
        ("decoder.0.attention.out", "decoder.0.norm1"),
        ("decoder.0.cross_attention.out", "decoder.0.norm2"),
        ("decoder.0.feed_forward.out", "decoder.0.norm3"),
    ]
    assert [(s["wrote"], s["norm"]) for s in none] == [(s["wrote"], None) for s in post]
    assert [s["norm"] for s in pre] == [None, None, None, None, "decoder.norm"]
    assert pre[-1] == {
        "name": "decoder.norm.out",
        "wrote": None,
        "norm": "decoder.norm",
        "formula": "LN(x)",
    }


def test_a_decoder_has_a_part_for_every_head_every_matrix_and_every_bias():
    kinds = [part["kind"] for part in residual(small_run(n_decoder_layers=1)).fields["parts"]]
    bias = ["bias", "bias"]
    assert kinds == [
        "token",
        "position",
        *["attention"] * 4,
        *bias,
        *["cross_attention"] * 4,
        *bias,
        "feed_forward",
        *bias,
    ]


def test_with_plain_sums_a_part_is_carried_through_unchanged():
    answer = residual(small_run("pre"), at="decoder.1.residual.out")
    same(
        np.linalg.norm(array(answer, "contributions"), axis=-1)[:-1],
        array(answer, "part_norm")[:-1],
        scale=1,
    )


def test_one_position_and_some_tensors_are_cut_out_of_the_whole_and_said_so():
    run = small_run()
    whole, some = residual(run), residual(run, position=2, names="norm, projections")
    assert list(some.tensors) == ["norm", "projections"]
    assert some.axes["target"].labels == ["t8"]
    assert some.fields["position"] == 2
    np.testing.assert_array_equal(
        array(some, "projections"), array(whole, "projections")[:, :, 2:3]
    )


def test_what_does_not_exist_is_refused_in_a_sentence():
    run = small_run()
    with pytest.raises(InvalidInput, match="has no middle; it has encoder and decoder"):
        residual(run, stack="middle")
    with pytest.raises(InvalidInput, match="positions 0 to 4"):
        residual(run, position=5)
    with pytest.raises(UnknownName, match=r"decoder\.1\.residual\.out"):
        residual(run, at="decoder.9.residual.out")
    with pytest.raises(UnknownName, match="cosine"):
        residual(run, names="cosin")
