"""What figures about a run say in words, their descriptions and read-outs, is what a second
rendering reads off the answer.
"""

from functools import cache
from typing import Any

import numpy as np
import pytest

from app.figures.drawing import draw
from model import analyses
from model.answers.answer import Answer
from tests.app.said.claims import check, of, says, seen

TRANSLATOR = {"model": "translator", "source": "i am cold", "target": "j' ai froid"}
DIGITS = {"model": "digits", "image": "three"}


@cache
def asked(word: str, *question: tuple[str, Any]) -> Answer:
    return analyses.answer(word, dict(question))


def said_of(word: str, name: str, question: dict[str, Any], **view: Any) -> tuple[Answer, Any]:
    """The answer, and what one of its figures says of itself."""
    answer = asked(word, *question.items())
    return answer, draw(word, name, answer, question | view)["layout"]["meta"]


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ({"kind": "self", "stack": "encoder", "layer": 1, "head": 2}, "Encoder self-attention"),
        ({"kind": "self", "stack": "decoder", "layer": 0, "head": 3}, "Decoder self-attention"),
        ({"kind": "cross", "stack": "decoder", "layer": 2, "head": 1}, "Cross-attention"),
    ],
)
@pytest.mark.parametrize(("stage", "what"), [("pattern", "weight"), ("masked_scores", "score")])
def test_a_map_says_which_head_of_which_attention_it_is(
    question: dict[str, Any], title: str, stage: str, what: str
):
    _, meta = said_of("attention", "map", TRANSLATOR | question | {"stage": stage})
    head = says(
        "{title}, layer {layer}, head {head}: {what} of every query and key.",
        title=title,
        what=what,
        layer=question["layer"],
        head=question["head"],
    )
    check(meta["description"], [head], "attention, map")


@pytest.mark.parametrize(("stage", "what"), [("pattern", "weight"), ("masked_scores", "score")])
@pytest.mark.parametrize("query", [0, 5])
def test_an_image_says_whose_weights_or_scores_it_has(stage: str, what: str, query: int):
    answer, meta = said_of("attention", "over", DIGITS | {"stage": stage}, query=query)
    tokens = next(axis.labels for axis in answer.axes.values() if axis.kind == "patch")
    claim = "each framed in the {what} that {token} gives it."
    check(meta["description"], [says(claim, what=what, token=tokens[query])], "attention, over")


def test_every_guess_of_the_lens_stands_with_its_probability_and_the_rank_of_what_comes():
    answer, meta = said_of("logits", "lens", TRANSLATOR | {"lens": True})
    chances, ranks = of(answer, "lens.top_probability"), of(answer, "lens.expected_rank")
    titles = {
        "attention": "self-attention",
        "cross_attention": "cross-attention",
        "feed_forward": "feed-forward",
    }
    n = len(answer.axes["target"].labels)
    for p, token in enumerate(answer.axes["target"].labels):
        for s, point in enumerate(answer.fields["points"]):
            _, layer, part, *_ = f"{point['wrote']}..".split(".")
            after = "the embedding" if layer == "embedding" else f"layer {layer} {titles[part]}"
            guesses = zip(answer.fields["lens_tokens"][s][p][:4], chances[s, p], strict=False)
            claims = [
                says("At “{token}”, the guesses after {after} are", token=seen(token), after=after),
                *(
                    says("{guess} {chance:weight}", guess=seen(guess), chance=float(chance))
                    for guess, chance in guesses
                ),
                says(
                    "the real next token, {next}, has rank {rank}.",
                    next=seen(answer.fields["expected"][p]),
                    rank=int(ranks[s, p]),
                ),
            ]
            check(meta["sentences"][p][s], claims, "logits, lens")
    counted = says("What {n} tokens would be followed by at {steps} steps.", n=n, steps=s + 1)
    check(meta["description"], [counted], "logits, lens")


@pytest.mark.parametrize("model", ["translator", "translator-pre"])
@pytest.mark.parametrize("position", [1, 2])
def test_the_stream_is_told_step_by_step_with_its_lengths(model: str, position: int):
    question = TRANSLATOR | {"model": model}
    answer, meta = said_of("residual", "norm", question, position=position)
    token, lengths = answer.axes["target"].labels[position], of(answer, "norm")[:, position]
    for sentence, length, title in zip(meta["sentences"], lengths, meta["titles"], strict=True):
        begin = f"After {title[0].lower() + title[1:]}," if "Layer" in title else ""
        said = sentence.replace(begin, "After it,")
        assert title.lower() in sentence.lower(), f"“{sentence}” is not about {title}"
        made = "“{token}” has length" in said.replace(seen(token), "{token}")
        form = "the norm makes it {length:number}." if made else "{length:number}."
        found = says(form, length=float(length))
        assert found.pattern().search(sentence), f"residual, norm: {found.fault(sentence)}"
        assert f"“{seen(token)}”" in sentence, f"“{sentence}” is not about {token}"


@pytest.mark.parametrize("query", [0, 6])
def test_an_image_in_patches_says_where_a_patch_looks_most(query: int):
    question = DIGITS | {"query": query}
    place = {"layer": 1, "head": 2}
    answer, meta = said_of("images", "painted", question, **place)
    assert meta["description"].endswith(meta["said"]), "the read-out ends the description"
    begin = "The image in {n} patches. In layer {layer}, head {head},"
    n = int(np.square(answer.fields["grid"]))
    rest = meta["description"].removesuffix(meta["said"])
    check(rest, [says(begin, n=n, **place)], "images, painted")


@pytest.mark.parametrize("image", ["one", "three"])
def test_the_loss_of_a_picture_is_told_part_by_part(image: str):
    answer, meta = said_of("detection", "loss", {"model": "shapes", "image": image}, layer=2)
    loss = answer.fields["loss"]
    claim = says(
        "The loss of this picture is {total:weight}: class {classes:weight}, L1 {l1:weight}, GIoU"
        " {giou:weight}.",
        **{name: loss[name] for name in ("total", "classes", "l1", "giou")},
    )
    found = claim.pattern().match(meta["reading"])
    assert found, f"detection, loss: {claim.fault(meta['reading'])} “{meta['reading']}”"


@pytest.mark.parametrize("step", [0, 2])
def test_one_step_of_writing_says_what_was_read_what_is_written_and_its_probability(step: int):
    question = {"model": "shakespeare", "text": "to be", "max_new_tokens": 3}
    answer, meta = said_of("generate", "step", question, at=step + 1)
    here, *_ = [one for one in answer.fields["steps"] if one["index"] == step]
    written = [one["token"]["text"] for one in answer.fields["steps"]]
    claim = says(
        "Step {step}: after {read} the model writes {token}, probability {probability:number}.",
        step=step + 1,
        read=" ".join(written[:step]) or "nothing",
        token=written[step],
        probability=here["probability"],
    )
    check(meta["description"], [claim], "generate, step")


@pytest.mark.parametrize("mode", ["encoder-only", "decoder-only", "encoder-decoder", "prefix"])
def test_a_mode_says_how_many_of_its_cells_are_open(mode: str):
    answer, meta = said_of("modes", f"mask.{mode}", {"text": "i am cold"})
    mask = of(answer, f"{mode}.mask")
    claim = says("{n} of {cells} cells are open", n=int(mask.sum()), cells=mask.size)
    assert claim.pattern().search(meta["said"]), f"modes: {claim.fault(meta['said'])}"
    counted = says("the mask over {n} tokens.", n=len(mask))
    assert counted.pattern().search(meta["description"]), counted.fault(meta["description"])
