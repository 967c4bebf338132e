"""What object queries say of a picture: every number of the answer against NumPy, and the matching
against every permutation.
"""

from itertools import permutations

import numpy as np
import pytest
import torch

from model.analyses.detection import detection
from model.detection.hungarian_matching import pad_truth, repeated
from model.errors import InvalidInput
from model.inputs.input import Input
from model.inputs.scenes import CLASSES, read_scene
from model.runs.run_model import run_model
from model.training.losses.set_prediction import set_loss
from model.training.recipes.shapes import decoded
from tests.model.support.image_runs import image_run
from tests.model.support.runs import small_run
from tests.model.support.scene_runs import SCENE, scene_model, scene_run
from tests.rounding import SINGLE, same

CHOICES = [{}, {"placement": "post", "positions": "sinusoidal"}]


def normed(x: np.ndarray, gain: np.ndarray, bias: np.ndarray) -> np.ndarray:
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5) * gain + bias


@pytest.mark.parametrize("choices", CHOICES)
def test_after_every_layer_the_final_norm_and_both_heads_are_applied(choices):
    of = scene_run(**choices)
    answer = detection(of)
    w = {name: value.double().numpy() for name, value in of.model.transformer.state_dict().items()}
    for layer in range(2):
        x = of.trace[f"decoder.{layer}.residual.out"].double().numpy()
        if of.config.placement == "pre":
            x = normed(x, w["decoder.norm.gain"], w["decoder.norm.bias"])
        scores = np.exp(x @ w["untied"].T + w["unembedding_bias"])
        same(
            answer.tensors["chances"].data[layer].numpy(),
            scores / scores.sum(-1, keepdims=True),
            SINGLE,
            scale=1,
        )
        for number in (1, 2):
            x = np.maximum(0, x @ w[f"box.hidden{number}.weight"] + w[f"box.hidden{number}.bias"])
        boxes = 1 / (1 + np.exp(-(x @ w["box.output.weight"] + w["box.output.bias"])))
        same(answer.tensors["boxes"].data[layer].numpy(), boxes, SINGLE, scale=1)


def test_after_the_last_layer_it_is_what_the_run_says():
    of, answer = scene_run(), detection(scene_run())
    same(answer.tensors["boxes"].data[-1], of.trace["box.out"], SINGLE, scale=1)
    same(answer.tensors["chances"].data[-1], of.trace["probabilities"], SINGLE, scale=1)
    for query, row in enumerate(answer.fields["found"]):
        assert row["query"] == query
        assert row["class"] == of.model.tokenizer.label(
            int(of.trace["probabilities"][query].argmax())
        )
        same(row["probability"], of.trace["probabilities"][query].max())


@pytest.mark.parametrize("query", [0, 3])
def test_where_a_query_looks_is_its_row_of_every_cross_attention(query):
    answer = detection(scene_run(), query=query)
    assert answer.fields["query"] == query
    assert answer.tensors["weights"].axes == ("layer", "head", "image")
    for layer in range(2):
        pattern = scene_run().trace[f"decoder.{layer}.cross_attention.pattern"]
        assert (answer.tensors["weights"].data[layer] == pattern[:, query]).all()


def test_a_query_that_is_not_there_is_refused():
    for query in (-1, 5):
        with pytest.raises(InvalidInput, match=f"query is {query}; it must be between 0 and 4"):
            detection(scene_run(), query=query)


def test_the_truth_is_the_scene_and_the_picture_what_was_drawn():
    answer, (first, second) = detection(scene_run()), read_scene(SCENE)
    assert answer.axes["object"].labels == ["red ellipse", "blue triangle"]
    same(answer.tensors["truth"].data, [first.box, second.box])
    picture = answer.tensors["picture"].data
    assert picture.shape == (3, 16, 16)
    assert picture[:, 0, 0].tolist() == [1, 1, 1]
    assert picture[:, 9, 11].argmax() == 2


def overlap(a: list[float], b: list[float]) -> float:
    sides = [
        max(
            0,
            min(a[i] + a[i + 2] / 2, b[i] + b[i + 2] / 2)
            - max(a[i] - a[i + 2] / 2, b[i] - b[i + 2] / 2),
        )
        for i in (0, 1)
    ]
    both = sides[0] * sides[1]
    return both / (a[2] * a[3] + b[2] * b[3] - both)


def test_every_object_has_the_query_that_makes_the_whole_cheapest_and_no_other():
    answer = detection(scene_run())
    cost, boxes = answer.tensors["cost"].data, answer.tensors["boxes"].data[-1].tolist()
    best = min(
        permutations(range(5), 2),
        key=lambda chosen: sum(cost[q, o].item() for o, q in enumerate(chosen)),
    )
    answers = {
        row["object"]: row["query"] for row in answer.fields["found"] if row["object"] is not None
    }
    assert answers == dict(enumerate(best))
    by_hand = {
        o: overlap(boxes[q], answer.tensors["truth"].data[o].tolist()) for o, q in enumerate(best)
    }
    for row in answer.fields["found"]:
        same(row["iou"], None if row["object"] is None else by_hand[row["object"]], SINGLE)
    same(answer.fields["mean_iou"], sum(by_hand.values()) / 2, SINGLE)
    p = answer.tensors["chances"].data[-1, best[0], CLASSES.index("red ellipse")].item()
    apart = np.abs(np.array(boxes[best[0]]) - answer.tensors["truth"].data[0].numpy()).sum()
    same(cost[best[0], 0].item(), -p + 5 * apart - 2 * generalised(boxes[best[0]], answer), SINGLE)


def generalised(box: list[float], answer) -> float:
    real = answer.tensors["truth"].data[0].tolist()
    low = [min(box[i] - box[i + 2] / 2, real[i] - real[i + 2] / 2) for i in (0, 1)]
    high = [max(box[i] + box[i + 2] / 2, real[i] + real[i + 2] / 2) for i in (0, 1)]
    around, part = (high[0] - low[0]) * (high[1] - low[1]), overlap(box, real)
    either = (box[2] * box[3] + real[2] * real[3]) / (1 + part)
    return part - (around - either) / around


def test_nothing_is_masked_and_the_order_of_the_queries_does_not_matter():
    facts = {fact.name: fact for fact in detection(scene_run()).fields["facts"]}
    assert (facts["hidden_pairs"].value, facts["hidden_pairs"].holds) == (0, True)
    assert facts["order_of_queries"].holds


def test_a_picture_fuller_than_any_learned_from_is_said_to_be_so():
    full = f"{SCENE}; rectangle green 0.2 0.8 0.2 0.2"
    assert detection(run_model(scene_model(), Input(image=full))).fields["notes"] == [
        "The image has 3 shapes; the model was trained on at most 2: this is extrapolation."
    ]
    assert "notes" not in detection(scene_run()).fields


def test_models_without_object_queries_are_refused():
    for of in (image_run(), small_run("encoder-decoder"), small_run("encoder-only")):
        with pytest.raises(InvalidInput, match="small does not predict boxes: choose shapes"):
            detection(of)


def test_the_terms_of_the_loss_are_those_of_the_paper_and_add_up_to_the_loss_of_training():
    """Carion et al. 2020, equation 2, by hand: every layer is matched on its own."""
    answer = detection(scene_run())
    chances = answer.tensors["chances"].data.double()
    boxes, truth = answer.tensors["boxes"].data.double(), answer.tensors["truth"].data.double()
    kinds = [CLASSES.index(name) for name in answer.axes["object"].labels]
    terms, loss = answer.tensors["loss_terms"].data, answer.fields["loss"]
    pairs = {(pair["layer"], pair["query"]): pair for pair in loss["pairs"]}
    assert len(pairs) == len(boxes) * len(truth)
    expected, weights = {}, {}
    for layer, row in enumerate(chances):
        for query, p in enumerate(row):
            pair = pairs.get((layer, query))
            weights[layer, query] = 0.4 if pair is None else 1.0
            kind = -1 if pair is None else kinds[pair["object"]]
            expected[layer, query] = -weights[layer, query] * p[kind].log().item()
    whole = 0.0
    for (layer, query), value in expected.items():
        value /= sum(weights.values())
        same(terms[0, layer, query].item(), value, SINGLE)
        whole += value
        pair = pairs.get((layer, query))
        if pair is None:
            assert terms[1:, layer, query].tolist() == [0, 0]
            continue
        box, real = boxes[layer, query], truth[pair["object"]]
        l1 = 5 * (box - real).abs().sum().item() / len(pairs)
        shared = overlap(box.tolist(), real.tolist())
        low = [min(box[i] - box[i + 2] / 2, real[i] - real[i + 2] / 2).item() for i in (0, 1)]
        high = [max(box[i] + box[i + 2] / 2, real[i] + real[i + 2] / 2).item() for i in (0, 1)]
        around = (high[0] - low[0]) * (high[1] - low[1])
        either = (box[2:].prod() + real[2:].prod()).item() / (1 + shared)
        giou = 2 * (1 - shared + (around - either) / around) / len(pairs)
        same(pair["l1"], l1, SINGLE)
        same(pair["giou"], giou, SINGLE)
        whole += l1 + giou
    same(loss["total"], whole, SINGLE)
    same(loss["classes"] + loss["l1"] + loss["giou"], whole, SINGLE)
    fact = next(f for f in answer.fields["facts"] if f.name == "terms_beside_loss")
    assert fact.holds
    assert fact.value < 1e-6


def test_the_loss_that_is_told_is_what_training_computes_for_the_picture():
    """The streams of training's own forward pass, through training's own loss, without noise."""
    run = scene_run()
    truth = pad_truth([read_scene(SCENE)])
    with torch.no_grad():
        streams = decoded(run.model.transformer, run.constants["picture"][None])
        layers = torch.cat([run.model.transformer.stack("decoder").norm(x) for x in streams])
        transformer = run.model.transformer
        trained = set_loss(
            transformer.unembed(layers),
            transformer.predict_boxes(layers),
            repeated(truth, len(streams)),
            0.4,
        )
    same(detection(run).fields["loss"]["total"], trained.item(), SINGLE)
