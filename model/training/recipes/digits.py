"""`digits`: handwritten digits of 8 x 8 gray values in patches, classified by an encoder (ViT,
Dosovitskiy et al. 2021).
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float, Int
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from torch import Tensor
from torch.nn.functional import cross_entropy, pad

from model.analytic.local_attention import local_attention
from model.config import Config, EmbeddingChoices, HeadChoices, PositionChoices
from model.inputs.images import PatchTokenizer, image_text
from model.inputs.sizes import ImageSizes
from model.layers import masks
from model.layers.masks import Allowed
from model.trace import OFF, Trace
from model.training.loop import Recipe
from model.training.model_card import Card
from model.training.schedule import Cycle, Dropout
from model.transformer import Transformer
from model.zoo.resize_position_embedding import for_grid, resample

Images = Float[Tensor, "image colour row column"]
Classes = Int[Tensor, " image"]

INK = 16  # the largest gray value in scikit-learn's digits
VALIDATION, TEST = 180, 360
BATCH = 128
GRIDS = (2, 3, 4, 5, 6, 8, 12)  # patches per side
MOVED = 0.5  # the fraction of images that are shifted in each pass
TOKENIZER = PatchTokenizer(image_side=8, patch_side=2, classes=tuple("0123456789"))
NAMES = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
MISREAD = "misread"


@dataclass(frozen=True)
class Part:
    images: Images
    classes: Classes


class Digits:
    """The digits of scikit-learn in three parts, assigned only by the digest of each image."""

    def __init__(self, data: Path | None = None):
        found = load_digits()
        images = torch.from_numpy(found.images).float()[:, None] / INK
        digests = [
            hashlib.sha256(image.astype(np.uint8).tobytes()).digest() for image in found.images
        ]
        order = torch.tensor(sorted(range(len(digests)), key=digests.__getitem__))
        test, validation, train = order.split([TEST, VALIDATION, len(order) - TEST - VALIDATION])
        self.test, self.validation, self.train = (
            Part(images[part], torch.from_numpy(found.target)[part])
            for part in (test, validation, train)
        )
        self.digest = hashlib.sha256(b"".join(sorted(digests))).hexdigest()
        self.tokenizer = TOKENIZER

    @property
    def config(self) -> Config:
        return Config(
            family="encoder-only",
            input_sizes=ImageSizes(TOKENIZER.image_side, TOKENIZER.patch_side),
            d_model=48,
            n_heads=4,
            d_ff=96,
            n_encoder_layers=3,
            max_length=len(TOKENIZER.encode()),
            placement="pre",
            positions=PositionChoices(absolute="learned"),
            activation="gelu",
            embedding=EmbeddingChoices(scaled=False),
            head=HeadChoices(tied=False, classes=TOKENIZER.size),
        )

    def epoch(self, generator: torch.Generator) -> Iterator[Part]:
        """The images of one pass, in batches. Half of the images are shifted by up to one pixel."""
        order = torch.randperm(len(self.train.images), generator=generator)
        for chosen in order.split(BATCH):
            images = self.train.images[chosen]
            stays = torch.rand(len(chosen), 1, 1, 1, generator=generator) >= MOVED
            yield Part(
                torch.where(stays, images, moved(images, generator)), self.train.classes[chosen]
            )

    def loss(self, model: Transformer, batch: Part, trace: Trace) -> Float[Tensor, ""]:
        return cross_entropy(logits(model, batch.images, trace), batch.classes)


def moved(images: Images, generator: torch.Generator) -> Images:
    """`images`, each shifted by -1, 0, or 1 pixels vertically and horizontally. Pixels that enter
    at the border are blank.
    """
    n, _, side, _ = images.shape
    down, right = torch.randint(3, (2, n, 1, 1), generator=generator)
    rows, columns = torch.arange(side)[:, None] + down, torch.arange(side) + right
    return pad(images, (1, 1, 1, 1))[:, 0][torch.arange(n)[:, None, None], rows, columns][:, None]


def logits(
    model: Transformer, images: Images, trace: Trace = OFF, allowed: Allowed | None = None
) -> Float[Tensor, "image vocabulary"]:
    """The class logits, predicted at [CLS]. Every token attends to all others, or to those in
    `allowed`.
    """
    allowed = masks.full(model.config.max_length) if allowed is None else allowed
    return model.unembed(model.encode(images, allowed, trace)[:, 0], trace)


@torch.no_grad()
def chances(
    model: Transformer, part: Part, allowed: Allowed | None = None
) -> Float[Tensor, "image vocabulary"]:
    return logits(model, part.images, allowed=allowed).softmax(-1)


def accuracy(chances: Float[Tensor, "image vocabulary"], part: Part) -> float:
    return (chances.argmax(-1) == part.classes).double().mean().item()


def interpolated(task: Digits, model: Transformer) -> dict:
    """The test accuracy with interpolated positions: with more and with fewer patches than in
    training.
    """
    grid, shares = TOKENIZER.image_side // TOKENIZER.patch_side, []
    for side in GRIDS:
        images = resample(task.test.images, side * TOKENIZER.patch_side)
        shares.append(
            accuracy(chances(for_grid(model, side), Part(images, task.test.classes)), task.test)
        )
    return {
        "value": shares[GRIDS.index(2 * grid)],
        "sides": list(GRIDS),
        "accuracy": shares,
        "how": (
            f"Fraction of the same images classified correctly when cut into {2 * grid} ×"
            f" {2 * grid} patches: the images are resampled, the learned positions interpolated."
            " accuracy: the same for other numbers of patches per side; the model was trained with"
            f" {grid}"
        ),
    }


def local(task: Digits, model: Transformer) -> dict:
    """The test accuracy with local attention, which was not used in training."""
    side = TOKENIZER.image_side // TOKENIZER.patch_side
    shares = {
        block: [
            accuracy(chances(model, task.test, local_attention(side, window, block)), task.test)
            for window in range(side)
        ]
        for block in (1, 2)
    }
    return {
        "value": shares[1][1],
        "windows": list(range(side)),
        "accuracy": shares[1],
        "accuracy_in_blocks": shares[2],
        "how": (
            "Fraction of the same images classified correctly when, in every layer, a patch attends"
            " only to [CLS] and to patches at most 1 row and 1 column away; in training it attended"
            " to all. accuracy: the same for other distances. accuracy_in_blocks: the same around"
            " query blocks of 2 × 2 patches (Parmar et al. 2018)"
        ),
    }


def regression(task: Digits) -> float:
    """The test accuracy of a logistic regression on the same gray values, with scikit-learn's
    default settings.
    """
    train, test = (
        (part.images.flatten(1).numpy(), part.classes.numpy()) for part in (task.train, task.test)
    )
    return float(LogisticRegression(max_iter=1000).fit(*train).score(*test))


def examples(part: Part, chances: Float[Tensor, "image vocabulary"]) -> list[dict]:
    """Examples: the first correctly classified image of each digit, from one to nine and zero, and
    the misclassified image with the highest probability.
    """
    predicted, sure = chances.argmax(-1), chances.amax(-1)
    right = predicted == part.classes
    digits = [*range(1, TOKENIZER.size), 0]
    chosen = [
        (NAMES[digit], int((right & (part.classes == digit)).nonzero()[0])) for digit in digits
    ]
    if not right.all():
        chosen.append((MISREAD, int(sure.masked_fill(right, 0).argmax())))
    return [
        {
            "id": id,
            "input": {"image": image_text(part.images[i, 0].tolist())},
            "look_for": (
                f"A handwritten {part.classes[i]}. The model predicts {predicted[i]} with"
                " probability"
                f" {sure[i]:.2f}."
            ),
        }
        for id, i in chosen
    ]


def measured(task: Digits, model: Transformer, read: Float[Tensor, "image vocabulary"]) -> dict:
    """Measures on the test images, for which the model predicts the probabilities `read`."""
    return {
        "accuracy": {
            "value": accuracy(read, task.test),
            "baseline": regression(task),
            "validation": accuracy(chances(model, task.validation), task.validation),
            "how": (
                f"Fraction of {TEST} held-out images whose digit gets the highest probability, read"
                f" at [CLS]. baseline: logistic regression on the {TOKENIZER.image_side**2} gray"
                f" values, trained on the same images. validation: the same for {VALIDATION} other"
                " images, also unused in training"
            ),
        },
        "loss": {
            "value": cross_entropy(read.log(), task.test.classes).item(),
            "unit": "nats per image",
            "how": (
                f"Mean of −ln p of the correct digit; guessing gives ln {TOKENIZER.size} ="
                f" {np.log(TOKENIZER.size):.2f}"
            ),
        },
        "interpolated": interpolated(task, model),
        "local_attention": local(task, model),
    }


def describe(task: Digits, model: Transformer, steps: int) -> Card:
    """The card of the model, with measures on the test images."""
    read = chances(model, task.test)
    return Card(
        name="Handwritten digits",
        modality="image",
        task="classifies handwritten digits: 8 × 8 gray values, cut into patches of 2 × 2",
        limits={
            "tokens": task.config.max_length,
            "trained_tokens": task.config.max_length,
            "image_side": TOKENIZER.image_side,
        },
        quality=measured(task, model, read),
        training={
            "images": len(task.train.images),
            "passes": round(steps * BATCH / len(task.train.images), 1),
            "batch": BATCH,
            "moved": (
                "half of the images by up to one pixel up or down and to a side, drawn anew in"
                " every pass"
            ),
            "chosen": (
                "by the images of validation; 95.6% were read right when every image was moved,"
                " 94.4% after 1,500 such steps"
            ),
        },
        split=(
            f"by the digest of the image: {TEST} for the figures, {VALIDATION} for validation,"
            f" {len(task.train.images):,} to learn from. Who wrote which digit is not in the data,"
            " so that one hand may be on both sides"
        ),
        data_notice=(
            "Trained on the digits of scikit-learn: the test part of Optical Recognition of"
            " Handwritten Digits (Alpaydin and Kaynak 1998, UCI Machine Learning Repository, CC BY"
            " 4.0). The images in the examples are from it."
        ),
        examples=examples(task.test, read),
    )


RECIPE = Recipe(
    id="digits",
    cycles=(Cycle(peak=2e-3, warmup=100, steps=3000, dropout=Dropout(numbers=0.1)),),
    prepare=Digits,
    describe=describe,
)
