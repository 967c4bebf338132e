"""Every effect equals a loop in plain PyTorch: a hook on the module changes the part, and the whole
network is computed again.
"""

import math
from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from model.answers.answer import Answer
from model.errors import InvalidInput
from model.inputs.input import Input
from model.runs.run import Run
from model.runs.run_model import run_model
from model.zoo.models import load_model
from tests.model.support.asked import answer
from tests.rounding import PRINTED, SHIPPED, SINGLE, near, same

FRENCH = {"model": "translator", "source": "I don't speak French."}
HEADS = [
    *((f"encoder.{i}.attention", h) for i in range(3) for h in range(4)),
    *(
        (f"decoder.{i}.{part}", h)
        for i in range(3)
        for part in ("attention", "cross_attention")
        for h in range(4)
    ),
]
SOME_HEADS = HEADS[::5]
"""Of every stack, every kind of attention and every place in a layer."""


def run_of(question: dict) -> Run:
    inputs = {name: value for name, value in question.items() if name != "model"}
    return run_model(load_model(question["model"]), Input(**inputs))


def module(run: Run, name: str) -> torch.nn.Module:
    """The module that a name of an activation belongs to: layers are numbers."""
    return run.model.transformer.get_submodule(name)


def logits(run: Run, **hooks: Callable[[Tensor], Tensor]) -> Tensor:
    """The logits of a plain forward pass of the network, with the input of some modules changed."""
    handles = [
        module(run, name.replace("__", ".")).register_forward_pre_hook(
            lambda _, args, change=change: (change(args[0]), *args[1:])
        )
        for name, change in hooks.items()
    ]
    ids = {name: torch.tensor([token.id for token in row]) for name, row in run.tokens.items()}
    try:
        return run.model.transformer(ids["source"], ids["target"], run.masks)
    finally:
        for handle in handles:
            handle.remove()


def log_probability(run: Run, found: Tensor) -> float:
    """ln p of the tokens of the target, summed in Python."""
    rows = found.double().log_softmax(-1).tolist()
    return math.fsum(row[token.id] for row, token in zip(rows, run.next_tokens, strict=True))


def without_head(head: int, d_head: int, value: Tensor | float = 0.0) -> Callable:
    def change(z: Tensor) -> Tensor:
        z = z.clone()
        z[..., head * d_head : (head + 1) * d_head] = value
        return z

    return change


def heads_off(
    run: Run,
    value: Callable[[str, int], Tensor | float] = lambda at, h: 0.0,
    heads: list[tuple[str, int]] = HEADS,
) -> list[float]:
    """ln p without each of `heads`: its slice of what the output projection reads is replaced."""
    d_head = run.config.d_head
    return [
        log_probability(
            run,
            logits(
                run, **{f"{at}.output".replace(".", "__"): without_head(h, d_head, value(at, h))}
            ),
        )
        for at, h in heads
    ]


def numbers(result: Answer, name: str) -> Tensor:
    return result.tensors[name].data


def test_every_head_changes_the_answer_as_a_hook_before_the_output_projection_does():
    run, result = run_of(FRENCH), answer("effects", FRENCH)
    whole = log_probability(run, logits(run))
    changes = torch.tensor([value - whole for value in heads_off(run)])
    same(numbers(result, "change"), changes, SINGLE, n=SHIPPED, scale=1)
    assert result.fields["units"][0]["name"] == "encoder.0.attention.z[head 0]"
    assert result.fields["order"][:8] == changes.argsort()[:8].tolist()
    same(result.fields["unedited"]["log_probability"], whole, SINGLE, scale=1)


def test_without_cross_attention_head_2_1_the_loss_goes_from_07_to_13():
    """The target is the model's own translation of “I don't speak French.”, an example of its card:
    the mean over its seven tokens.
    """
    result = answer("effects", FRENCH)
    names = [unit["name"] for unit in result.fields["units"]]
    at = names.index("decoder.2.cross_attention.z[head 1]")
    assert result.fields["reply"]["tokens"] == ["je", "ne", "parle", "pas", "français", ".", "</s>"]
    near(result.fields["unedited"]["loss"], 0.071, PRINTED, abs=0.0005)
    near(numbers(result, "loss")[at].item(), 0.134, PRINTED, abs=0.0005)


def test_the_loss_is_the_mean_over_the_expected_tokens_and_the_change_their_sum():
    result = answer("effects", FRENCH | {"unit": "sublayer"})
    before = result.fields["unedited"]
    n = len(result.fields["reply"]["tokens"])
    same(numbers(result, "loss"), -(before["log_probability"] + numbers(result, "change")) / n)
    same(numbers(result, "by_token").sum(-1), numbers(result, "change"))
    same(sum(before["by_token"]), before["log_probability"], SINGLE)


def example_runs(model: str) -> list[Run]:
    loaded = load_model(model)
    return [run_model(loaded, Input(**sample["input"])) for sample in loaded.card["examples"]]


def test_a_mean_is_that_over_all_positions_of_all_examples_of_the_card():
    question = FRENCH | {"ablation": "mean", "draws": 1}
    run, result = run_of(FRENCH), answer("effects", question)
    examples, read = example_runs("translator"), dict[str, list[Tensor]]()
    for at in {at for at, _ in HEADS}:
        handle = module(run, f"{at}.output").register_forward_pre_hook(
            lambda _, args, at=at: read.setdefault(at, []).append(args[0].reshape(-1, 192))
        )
        for other in examples:
            logits(other)
        handle.remove()
    mean = {at: torch.cat(rows).mean(0) for at, rows in read.items()}
    d = run.config.d_head
    whole = log_probability(run, logits(run))
    off = heads_off(run, lambda at, h: mean[at][h * d : (h + 1) * d], SOME_HEADS)
    changes = torch.tensor([value - whole for value in off])
    same(numbers(result, "change")[::5], changes, SINGLE, n=SHIPPED, scale=1)
    assert len(result.fields["examples"]) == 8


def test_a_resampled_part_is_that_of_the_other_example_position_by_position():
    question = FRENCH | {"unit": "position", "ablation": "resample", "draws": 2, "seed": 5}
    run, result = run_of(FRENCH), answer("effects", question)
    samples = [run_of({"model": "translator", **sample}) for sample in result.fields["examples"]]
    whole, changes = log_probability(run, logits(run)), []
    for other in samples:
        for stack in ("encoder", "decoder"):
            embedding = other.trace[f"{stack}.embedding.sum"]
            for i in range(len(run.tokens["source" if stack == "encoder" else "target"])):

                def change(x: Tensor, i: int = i, embedding: Tensor = embedding) -> Tensor:
                    x = x.clone()
                    x[..., i, :] = embedding[min(i, len(embedding) - 1)]
                    return x

                found = logits(run, **{f"{stack}__0": change})
                changes.append(log_probability(run, found) - whole)
    found = torch.tensor(changes).reshape(2, -1)
    same(numbers(result, "resampled"), found, SINGLE, n=SHIPPED, scale=1)
    same(numbers(result, "change"), found.mean(0), SINGLE, n=SHIPPED, scale=1)
    same(numbers(result, "spread"), found.std(0), SINGLE, n=SHIPPED, scale=1)
    same(result.fields["usual_change"], found.abs().mean().item(), SINGLE, scale=1)


def test_the_draws_are_other_examples_without_replacement_and_follow_the_seed():
    def examples(**more) -> list[str]:
        result = answer("effects", FRENCH | {"unit": "sublayer", "first_layer": 2} | more)
        return [sample["source"] for sample in result.fields["examples"]]

    every = examples(draws=16)
    assert len(every) == len(set(every)) == 7
    assert FRENCH["source"] not in every
    assert examples(draws=3) == every[:3]
    assert examples(draws=3, seed=1) != every[:3]


def test_groups_of_neurons_are_neighbours_and_together_all_of_them():
    result = answer("effects", FRENCH | {"unit": "neurons", "groups": 5, "draws": 1})
    run = run_of(FRENCH)
    groups = [unit["indices"] for unit in result.fields["units"][:5]]
    assert [i for group in groups for i in group] == list(range(run.config.d_ff))
    assert {len(group) for group in groups} <= {115, 116}
    last = result.fields["units"][-1]

    def off(post: Tensor) -> Tensor:
        post = post.clone()
        post[..., last["indices"]] = 0
        return post

    found = log_probability(run, logits(run, decoder__2__feed_forward__output=off))
    found -= log_probability(run, logits(run))
    same(numbers(result, "change")[-1].item(), found, SINGLE, scale=1)


@pytest.mark.parametrize("ablation", ["zero", "mean", "resample"])
def test_the_edits_of_a_unit_bring_about_what_is_said_of_it(ablation: str):
    question = FRENCH | {"ablation": ablation, "draws": 1}
    result = answer("effects", question)
    for i in (0, 29):
        edits = result.fields["units"][i]["edits"]
        edited = answer("logits", FRENCH | {"edits": edits, "full": True})
        found = edited.tensors["logits"].data
        labels = [load_model("translator").tokenizer.label(id) for id in found.argmax(-1).tolist()]
        by = log_probability(run_of(FRENCH), found) - result.fields["unedited"]["log_probability"]
        assert result.fields["units"][i]["says"] == labels
        same(numbers(result, "change")[i].item(), by, SINGLE, scale=1)


def example(model: str, number: int = 0) -> dict:
    return {"model": model, **load_model(model).card["examples"][number]["input"]}


def test_the_answer_of_a_language_model_is_the_likeliest_next_token():
    result = answer("effects", example("induction-2"))
    assert result.fields["reply"] == {"kind": "next token", "tokens": ["z"], "positions": [20]}
    assert result.fields["unedited"]["loss"] > 0


def test_the_answer_of_a_classifier_is_its_class_and_nothing_is_expected():
    result = answer("effects", {"model": "digits", "image": "three"})
    assert (result.fields["reply"]["kind"], result.fields["reply"]["tokens"]) == ("class", ["3"])
    assert result.fields["unedited"]["loss"] is None
    assert "loss" not in result.tensors


def test_the_answer_of_a_detector_is_the_classes_that_its_queries_find():
    result = answer("effects", example("shapes"))
    assert result.fields["reply"]["kind"] == "shapes"
    assert sorted(result.fields["reply"]["tokens"]) == [
        "blue triangle",
        "red ellipse",
        "yellow rectangle",
    ]


def test_the_answer_at_a_blank_is_its_likeliest_word():
    question = example("fill-in")
    result = answer("effects", question)
    (at,) = result.fields["reply"]["positions"]
    chances = answer("logits", question).tensors["top_probability"].data
    found = math.log(chances[at, 0].item())
    same(result.fields["unedited"]["log_probability"], found, SINGLE, scale=1)


def test_a_window_of_layers_has_their_parts_alone_and_the_same_numbers():
    whole = answer("effects", FRENCH | {"draws": 1})
    window = answer("effects", FRENCH | {"draws": 1, "first_layer": 1, "layers": 1, "loss": False})
    names = {unit["name"]: i for i, unit in enumerate(whole.fields["units"])}
    rows = [names[unit["name"]] for unit in window.fields["units"]]
    assert len(rows) == 12
    assert {unit["layer"] for unit in window.fields["units"]} == {1}
    assert window.fields["window"] == {
        "first_layer": 1,
        "layers": 1,
        "of_layers": 3,
        "of_units": len(HEADS),
    }
    assert "window" not in whole.fields
    assert "loss" not in window.tensors
    assert window.fields["unedited"]["loss"] is None
    for name in ("change", "by_token", "resampled"):
        ours, theirs = window.tensors[name].data, whole.tensors[name].data
        expected = theirs[:, rows] if name == "resampled" else theirs[rows]
        same(ours, expected, SINGLE, n=SHIPPED, scale=1)
    positions = answer("effects", FRENCH | {"unit": "position", "draws": 0, "first_layer": 2})
    assert "window" not in positions.fields


def test_with_one_other_example_there_is_no_spread():
    """Both models of repeated letters have two examples, of which one is the input itself."""
    result = answer("effects", example("induction-1") | {"ablation": "resample"})
    assert result.fields["draws"] == 1
    assert "spread" not in result.tensors


@pytest.mark.parametrize(
    ("question", "field"),
    [
        ({"ablation": "half"}, "ablation"),
        ({"unit": "brick"}, "unit"),
        ({"draws": -1}, "draws"),
        ({"first_layer": 3}, "first_layer"),
        ({"layers": 0}, "layers"),
        ({"unit": "neurons", "groups": 0}, "groups"),
        ({"model": "fill-in", "source": None, "text": "i am cold"}, "text"),
        ({"model": "induction-1", "source": None, "text": "abab", "unit": "neurons"}, "unit"),
        (
            {
                "model": "penguins-ft",
                "source": None,
                "row": "hardest",
                "unit": "neurons",
                "groups": 64,
            },
            "groups",
        ),
    ],
)
def test_what_cannot_be_asked_is_refused_in_a_sentence(question: dict, field: str):
    query = {name: value for name, value in (FRENCH | question).items() if value is not None}
    with pytest.raises(InvalidInput) as refused:
        answer("effects", query)
    assert refused.value.field == field
    assert str(refused.value).endswith(".")
