"""`shapes`: colored shapes on white, detected by object queries in parallel (DETR, Carion et al.
2020).
"""

import hashlib
from collections.abc import Iterator
from pathlib import Path

import torch
from jaxtyping import Float
from sklearn.cluster import KMeans
from torch import Tensor

from model.config import Config, EmbeddingChoices, HeadChoices, PositionChoices
from model.detection.hungarian_matching import NO_OBJECT, pad_truth, repeated
from model.inputs.scene_rendering import render
from model.inputs.scenes import CLASSES, read_scene
from model.inputs.sizes import ImageSizes
from model.layers import masks
from model.layers.norms import Stream
from model.trace import OFF, Trace
from model.training.data.random_scenes import MAX_SHAPES, TOKENIZER, Part, Pictures, part
from model.training.loop import Recipe
from model.training.losses.set_prediction import set_loss
from model.training.metrics.average_precision import Boxes, Chances, agreement, average_precision
from model.training.model_card import Card
from model.training.schedule import Cycle, Dropout
from model.transformer import Transformer

BATCH, BATCHES = 32, 500  # pictures; batches per epoch, all different
NOISE = 0.03
TEST = 1000


class Shapes:
    """An endless stream of random pictures. A batch is a number, the seed of its pictures."""

    def __init__(self, data: Path | None = None):
        self.digest = hashlib.sha256(part("digest", BATCH).pictures.numpy().tobytes()).hexdigest()
        self.tokenizer = TOKENIZER

    @property
    def config(self) -> Config:
        return Config(
            family="encoder-decoder",
            input_sizes=ImageSizes(
                side=TOKENIZER.image_side,
                patch_side=TOKENIZER.patch_side,
                colours=3,
                n_queries=TOKENIZER.n_queries,
            ),
            d_model=64,
            n_heads=4,
            d_ff=128,
            n_encoder_layers=2,
            n_decoder_layers=3,
            max_length=len(TOKENIZER.encode()),
            placement="pre",
            positions=PositionChoices(absolute="learned"),
            embedding=EmbeddingChoices(scaled=False),
            head=HeadChoices(tied=False, classes=TOKENIZER.size, bias=True),
        )

    def epoch(self, generator: torch.Generator) -> Iterator[int]:
        yield from torch.randint(2**62, (BATCHES,), generator=generator).tolist()

    def loss(self, model: Transformer, batch: int, trace: Trace) -> Float[Tensor, ""]:
        """The set-prediction loss, averaged over all decoder layers, which share the final norm and
        the heads (Carion et al. 2020, section 3.2).
        """
        some = part(f"batch {batch}", BATCH)
        noise = torch.randn(some.pictures.shape, generator=torch.Generator().manual_seed(batch))
        final_norm = model.stack("decoder").norm
        streams = decoded(model, some.pictures + NOISE * noise, trace)
        layers = torch.cat([final_norm(x) for x in streams])
        truth = repeated(some.truth, model.config.n_decoder_layers)
        return set_loss(model.unembed(layers), model.predict_boxes(layers), truth, NO_OBJECT)


def decoded(model: Transformer, pictures: Pictures, trace: Trace = OFF) -> list[Stream]:
    """The decoder's stream after every layer. Every query attends to all queries and all
    patches.
    """
    streams = {}

    def keep(name: str, value: Tensor) -> Tensor:
        streams[name] = trace(name, value)
        return streams[name]

    config = model.config
    queries = torch.arange(config.n_queries).expand(len(pictures), -1)
    memory = model.encode(pictures, masks.full(config.image.n_patches), trace)
    among, over = (
        torch.ones(config.n_queries, n, dtype=torch.bool)
        for n in (config.n_queries, config.image.n_patches)
    )
    model.decode(queries, among, memory, over, Trace(keep))
    return [streams[f"decoder.{layer}.residual.out"] for layer in range(config.n_decoder_layers)]


@torch.no_grad()
def read(model: Transformer, pictures: Pictures) -> tuple[Chances, Boxes]:
    """The class probabilities and the boxes of all queries after the last layer."""
    x = model.stack("decoder").norm(decoded(model, pictures)[-1])
    return model.unembed(x).softmax(-1), model.predict_boxes(x)


def prior(learned: Part, n: int) -> tuple[Chances, Boxes]:
    """The baseline, the same for each of `n` pictures: the boxes are the centers of k-means over
    the boxes of `learned`, and the probabilities are the class frequencies.
    """
    truth = learned.truth
    real = torch.arange(truth.classes.shape[1]) < torch.tensor(truth.counts)[:, None]
    centres = torch.from_numpy(
        KMeans(TOKENIZER.n_queries, n_init=1, random_state=0)
        .fit(truth.boxes[real].numpy())
        .cluster_centers_
    ).float()
    often = torch.bincount(truth.classes[real], minlength=TOKENIZER.size) / (
        len(truth.counts) * TOKENIZER.n_queries
    )
    often[-1] = 1 - often.sum()
    return often.expand(n, TOKENIZER.n_queries, -1), centres.expand(n, -1, -1)


EXAMPLES = {
    "three": (
        (
            "ellipse red 0.25 0.3 0.3 0.3; triangle blue 0.68 0.35 0.36 0.34; rectangle yellow 0.45"
            " 0.76 0.44 0.26"
        ),
        "There are three shapes. The queries without a shape predict “nothing here”.",
    ),
    "one": (
        "triangle green 0.55 0.5 0.34 0.4",
        "There is one shape. All queries can see it, but only one predicts it.",
    ),
    "alike": (
        "ellipse blue 0.27 0.3 0.3 0.3; ellipse blue 0.73 0.7 0.3 0.3",
        (
            "There are two identical shapes. Only their positions decide which query predicts"
            " which shape."
        ),
    ),
    "overlap": (
        "rectangle red 0.42 0.45 0.4 0.4; triangle yellow 0.62 0.62 0.36 0.36",
        ("One shape covers part of another. The box of the lower shape includes the hidden part."),
    ),
    "four": (
        (
            "ellipse yellow 0.22 0.24 0.24 0.3; rectangle blue 0.74 0.25 0.3 0.22; "
            "triangle red 0.27 0.72 0.3 0.34; rectangle green 0.74 0.72 0.2 0.38"
        ),
        "There are four shapes, the most that any training image had.",
    ),
    "six": (
        (
            "ellipse red 0.2 0.25 0.22 0.22; rectangle red 0.5 0.25 0.22 0.22; triangle red 0.8"
            " 0.25 0.22 0.22; ellipse blue 0.2 0.7 0.22 0.22; rectangle blue 0.5 0.7 0.22 0.22;"
            " triangle blue 0.8 0.7 0.22 0.22"
        ),
        "There are six shapes, more than in any training image.",
    ),
}
"""The scenes of the examples, each with the reason for its choice."""


def examples(model: Transformer) -> list[dict]:
    return [
        {"id": id, "input": {"image": scene}, "look_for": f"{why} {shapes_found(model, scene)}"}
        for id, (scene, why) in EXAMPLES.items()
    ]


def shapes_found(model: Transformer, text: str) -> str:
    """A sentence that says how many shapes of a scene the model finds."""
    scene = read_scene(text)
    measures = agreement(
        *read(model, render(scene, TOKENIZER.image_side)[None]), pad_truth([scene])
    )
    n, extra = round(measures["found"] * len(scene)), round(measures["extra"])
    more = f", plus {extra} extra {'box' if extra == 1 else 'boxes'}" if extra else ""
    return f"Found: {n} of {len(scene)}{more}; mean IoU {measures['iou']:.2f}."


def measured(model: Transformer) -> dict:
    """The measures of the card, on pictures with a separate seed."""
    test = part("test", TEST)
    predicted, fixed = read(model, test.pictures), prior(part("prior", TEST), TEST)
    measures, without = agreement(*predicted, test.truth), agreement(*fixed, test.truth)
    return {
        "iou": {
            "value": measures["iou"],
            "baseline": without["iou"],
            "how": (
                f"Mean IoU of the boxes of {sum(test.truth.counts):,} objects in {TEST:,} held-out"
                " images, each object matched with one query at the lowest total cost. baseline:"
                f" the same {TOKENIZER.n_queries} boxes for every image, the k-means centers of"
                " training boxes, matched in the same way"
            ),
        },
        "accuracy": {
            "value": measures["class"],
            "baseline": 1 / len(CLASSES),
            "how": (
                "Fraction of the same objects whose query gives their class the highest"
                f" probability. baseline: chance, 1 of {len(CLASSES)}"
            ),
        },
        "found": {
            "value": measures["found"],
            "baseline": without["found"],
            "how": (
                "Fraction of the same objects whose query has the right class and an IoU of at"
                " least 0.5. baseline: as for IoU"
            ),
        },
        "extra": {
            "value": measures["extra"],
            "unit": "boxes per image",
            "how": ("Queries that predict an object but match none"),
        },
        "average_precision": {
            "value": average_precision(*predicted, test.truth),
            "baseline": average_precision(*fixed, test.truth),
            "how": (
                "Area under the precision–recall curve at an IoU of 0.5, averaged over classes"
                " (Everingham et al. 2010). baseline: as for IoU"
            ),
        },
    }


def describe(task: Shapes, model: Transformer, steps: int) -> Card:
    """The card of the model, with measures on pictures sampled for the test."""
    side, n = TOKENIZER.image_side, task.config.max_length
    return Card(
        name="Colored shapes",
        modality="image",
        task=(f"finds colored shapes in {side} × {side} images and draws a box around each"),
        limits={"tokens": n, "trained_tokens": n, "image_side": side, "shapes": MAX_SHAPES},
        quality=measured(model),
        training={
            "pictures": steps * BATCH,
            "batch": BATCH,
            "noise": (
                f"normal with a spread of {NOISE} on every number of a picture, in training alone"
            ),
        },
        split="every batch is drawn anew, the pictures of the figures from a seed of their own",
        data_notice="Trained on generated images; no external data.",
        examples=examples(model),
    )


RECIPE = Recipe(
    id="shapes",
    cycles=(Cycle(peak=1e-3, warmup=300, steps=7500, dropout=Dropout(numbers=0.0)),),
    prepare=Shapes,
    describe=describe,
)
