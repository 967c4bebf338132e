"""Object detection: the class and box predicted by each object query, its matched object, and the
attention of the queries, layer by layer.
"""

from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from model.answers.answer import Answer, Axis, Labelled
from model.answers.measurements import Measurement, fact
from model.checks import check_between
from model.detection.box_iou import iou
from model.detection.hungarian_matching import (
    NO_OBJECT,
    Matching,
    Truth,
    costs,
    match,
    pad_truth,
    repeated,
)
from model.errors import InvalidInput
from model.inputs.scenes import Scene, read_scene
from model.runs.run import Run
from model.training.losses.set_prediction import loss_terms, set_loss

TERMS = ("class", "L1", "GIoU")


def detection(run: Run, *, query: int = 0) -> Answer:
    """`picture` [colour, row, column]; `chances` [layer, queries, vocabulary], the class
    probabilities; `boxes` [layer, queries, side]; and `weights` [layer, head, image], the row of
    one `query` in every cross-attention (Carion et al. 2020).

    The final norm and the heads are applied after each decoder layer, as in training; the last
    layer is the model's prediction, with all interventions of the run. `truth` [object, side] has
    the boxes of the shapes in the scene, and `cost` and `iou` [queries, object] compare them with
    the predictions. `found` lists for each query its class, its probability, the object in the
    minimum-cost assignment, and the IoU of their boxes. `loss_terms` [term, layer, queries] is what
    each query adds to the training loss for this picture, without training noise; `loss` has the
    sums, and a line for each matched pair in each layer. Raises InvalidInput for a model without
    object queries, a query that does not exist, and reordered patches.
    """
    config = run.config
    if not config.n_queries:
        raise InvalidInput("finds-no-boxes", field="model", given=run.model.id)
    run.check_places()
    check_between("query", query, 0, config.n_queries - 1)
    scene, predicted = read_scene(run.input["image"]), predictions(run)
    truth = pad_truth([scene])
    beside = compared(predicted, truth)
    terms, trained = losses(predicted.logits, predicted.boxes, truth)
    fields = {
        "query": query,
        "found": matched_queries(run, predicted, beside),
        "loss": trained,
        "mean_iou": beside.mean_iou,
        "facts": facts(run, beside.cost, truth, float(terms.sum()), trained["total"]),
    }
    tensors = query_tensors(run, query, predicted) | measured(truth, beside, terms)
    return run.answer(tensors, fields, axes_of(run, scene))


@dataclass(frozen=True)
class Predictions:
    """The predictions of the queries after each decoder layer. The sides of a box are as in
    `Truth`.
    """

    logits: Float[Tensor, "layer query class"]
    boxes: Float[Tensor, "layer query 4"]

    @property
    def chances(self) -> Float[Tensor, "layer query class"]:
        """The class probabilities."""
        return self.logits.softmax(-1)


def predictions(run: Run) -> Predictions:
    """The final norm and the heads, applied after each decoder layer; the last layer includes all
    interventions of the run.
    """
    transformer, layers = run.model.transformer, range(run.config.n_decoder_layers)
    final_norm = transformer.stack("decoder").norm
    streams = torch.stack(
        [final_norm(run.trace[f"decoder.{layer}.residual.out"]) for layer in layers]
    )
    logits, boxes = transformer.unembed(streams), transformer.predict_boxes(streams)
    if run.stages:  # interventions after the last layer affect only its prediction
        logits = torch.cat([logits[:-1], run.logits[None]])
        boxes = torch.cat([boxes[:-1], run.trace["box.out"][None]])
    return Predictions(logits, boxes)


@dataclass(frozen=True)
class Compared:
    """Predictions compared with the objects of the scene: the cost of each match, the IoU of the
    boxes, and the minimum-cost assignment.
    """

    cost: Float[Tensor, "1 query object"]
    overlap: Float[Tensor, "query object"]
    pairs: Matching

    @property
    def mean_iou(self) -> float:
        """The mean over matched pairs."""
        return float(self.overlap[self.pairs.query, self.pairs.object].mean())


def compared(predicted: Predictions, truth: Truth) -> Compared:
    """The predictions of the last layer compared with the objects."""
    cost = costs(predicted.chances[-1:], predicted.boxes[-1:], truth)
    overlap = iou(predicted.boxes[-1][:, None], truth.boxes[0])
    return Compared(cost, overlap, match(cost, truth.counts))


def matched_queries(run: Run, predicted: Predictions, beside: Compared) -> list[dict[str, Any]]:
    """For each query, its class and probability, and the matched object, if any, with the IoU of
    their boxes.
    """
    best = predicted.chances[-1].max(-1)
    pairs, overlap = beside.pairs, beside.overlap
    answers = dict(zip(pairs.query.tolist(), pairs.object.tolist(), strict=True))
    return [
        {
            "query": query,
            "class": run.model.tokenizer.label(int(kind)),
            "probability": float(best.values[query]),
            "object": answers.get(query),
            "iou": float(overlap[query, answers[query]]) if query in answers else None,
        }
        for query, kind in enumerate(best.indices)
    ]


def axes_of(run: Run, scene: Scene) -> dict[str, Axis]:
    config = run.config
    layers = [f"decoder.{layer}" for layer in range(config.n_decoder_layers)]
    return {
        "colour": Axis("channel", config.image.colours, ["red", "green", "blue"]),
        "row": Axis("position", config.image.side),
        "column": Axis("position", config.image.side),
        "layer": Axis("step", len(layers), layers),
        "object": Axis("slot", len(scene), [shape.name for shape in scene]),
        "term": Axis("step", len(TERMS), list(TERMS)),
        "vocabulary": Axis("vocabulary", config.head.classes, list(run.model.classes)),
    }


def query_tensors(run: Run, query: int, predicted: Predictions) -> dict[str, Labelled]:
    """The picture, the predictions of all queries, and the attention of one of them."""
    formula = run.activation("decoder.0.cross_attention.pattern").formula
    patterns = torch.stack(
        [
            run.trace[f"decoder.{layer}.cross_attention.pattern"][:, query]
            for layer in range(run.config.n_decoder_layers)
        ]
    )
    return {
        "picture": Labelled(
            ("colour", "row", "column"),
            run.constants["picture"],
            "light, 0 to 1: the share of a pixel that a shape covers",
        ),
        "chances": Labelled(
            ("layer", "queries", "vocabulary"), predicted.chances, "softmax(LN(x) W_U + b_U)"
        ),
        "boxes": Labelled(("layer", "queries", "side"), predicted.boxes, "sigmoid(MLP(LN(x)))"),
        "weights": Labelled(
            ("layer", "head", "image"), patterns, f"{formula}, the row of one query"
        ),
    }


def measured(
    truth: Truth, beside: Compared, terms: Float[Tensor, "term layer query"]
) -> dict[str, Labelled]:
    """The objects of the scene, their comparison with the predictions, and the terms of the
    loss.
    """
    return {
        "truth": Labelled(
            ("object", "side"), truth.boxes[0], "the boxes of the shapes, as they were said"
        ),
        "cost": Labelled(
            ("queries", "object"), beside.cost[0], "-p(class) + 5 |box - box| - 2 GIoU"
        ),
        "iou": Labelled(("queries", "object"), beside.overlap, "area of both / area of either"),
        "loss_terms": Labelled(
            ("term", "layer", "queries"),
            terms,
            "weight x -ln p(class) / sum of weights, 5 |box - box| / pairs, 2 (1 - GIoU) / pairs",
        ),
    }


def losses(
    logits: Float[Tensor, "layer query class"], boxes: Float[Tensor, "layer query 4"], truth: Truth
) -> tuple[Float[Tensor, "term layer query"], dict[str, Any]]:
    """The terms of the training loss, and their sums in words. As in training, each layer is
    matched separately, and the loss is the sum over all layers.
    """
    over_all = repeated(truth, len(logits))
    terms, pairs = loss_terms(logits, boxes, over_all, NO_OBJECT)
    lines = [
        {
            "layer": layer,
            "query": query,
            "object": object,
            **dict(zip(("classes", "l1", "giou"), terms[:, layer, query].tolist(), strict=True)),
        }
        for layer, query, object in zip(
            pairs.picture.tolist(), pairs.query.tolist(), pairs.object.tolist(), strict=True
        )
    ]
    unmatched = torch.ones(logits.shape[:2], dtype=torch.bool)
    unmatched[pairs.picture, pairs.query] = False
    sums = dict(zip(("classes", "l1", "giou"), terms.sum((1, 2)).tolist(), strict=True))
    return terms, {
        "total": float(set_loss(logits, boxes, over_all, NO_OBJECT)),
        **sums,
        "without_object": float(terms[0][unmatched].sum()),
        "no_object_weight": NO_OBJECT,
        "pairs": lines,
    }


def facts(
    run: Run, cost: Float[Tensor, "1 query object"], truth: Truth, added: float, trained: float
) -> list[Measurement]:
    """Three facts: no query is masked from another, the minimum cost does not depend on the order
    of the queries, and the terms of the queries add up to the loss.
    """
    hidden = sum(int((~mask).sum()) for mask in run.masks.values())
    least, flipped = (total(some, truth) for some in (cost, cost.flip(1)))
    return [
        fact(
            "hidden_pairs",
            hidden,
            "0: nothing is masked, all queries are read at once",
            hidden == 0,
            "pairs",
        ),
        fact(
            "order_of_queries",
            abs(least - flipped),
            "0: the last query first, the least cost is the same",
            abs(least - flipped) < 1e-5,
        ),
        fact(
            "terms_beside_loss",
            abs(added - trained),
            "0: what all queries add is the loss of training",
            abs(added - trained) < 1e-5,
        ),
    ]


def total(cost: Float[Tensor, "1 query object"], truth: Truth) -> float:
    """The total cost of the minimum-cost assignment."""
    pairs = match(cost, truth.counts)
    return float(cost[pairs.picture, pairs.query, pairs.object].sum())
