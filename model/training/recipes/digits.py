"""`digits`: handwritten digits of 8 x 8 grey values in patches, classified by an encoder (ViT,
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

INK = 16  # the largest grey value of scikit-learn's digits
VALIDATION, TEST = 180, 360
BATCH = 128
GRIDS = (2, 3, 4, 5, 6, 8, 12)  # patches to a side
MOVED = 0.5  # the share of the images that are moved in a pass
TOKENIZER = PatchTokenizer(image_side=8, patch_side=2, classes=tuple("0123456789"))
NAMES = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
MISREAD = "misread"


@dataclass(frozen=True)
class Part:
    images: Images
    classes: Classes


class Digits:
    """The digits of scikit-learn in three parts. The digest of an image alone decides in which part
    it is.
    """

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
        """The images of one pass, in batches. Half of the images are moved by up to one pixel."""
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
    """`images`, each moved by -1, 0 or 1 pixels up or down and to a side. The pixels that come in
    at the border are paper.
    """
    n, _, side, _ = images.shape
    down, right = torch.randint(3, (2, n, 1, 1), generator=generator)
    rows, columns = torch.arange(side)[:, None] + down, torch.arange(side) + right
    return pad(images, (1, 1, 1, 1))[:, 0][torch.arange(n)[:, None, None], rows, columns][:, None]


def logits(
    model: Transformer, images: Images, trace: Trace = OFF, allowed: Allowed | None = None
) -> Float[Tensor, "image vocabulary"]:
    """The logits of the classes, which are read at [CLS]. Every token sees all, or what `allowed`
    lets it see.
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
    """The accuracy on the test with interpolated positions: with more and with fewer patches than
    in training.
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
            f"share of the same images read right at {2 * grid} x {2 * grid} patches: the images"
            " resampled, the learned positions interpolated. accuracy: the same at so many patches"
            f" to a side, trained on {grid}"
        ),
    }


def local(task: Digits, model: Transformer) -> dict:
    """The accuracy on the test under local attention, which the model was not trained with."""
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
            "share of the same images read right when a patch sees only those at most 1 row and 1"
            " column away, and [CLS], in every layer; the model was trained in full. accuracy: the"
            " same for so many rows and columns. accuracy_in_blocks: around query blocks of 2 x 2"
            " patches (Parmar et al. 2018)"
        ),
    }


def regression(task: Digits) -> float:
    """The accuracy on the test of a logistic regression on the same grey values, with
    scikit-learn's default settings.
    """
    train, test = (
        (part.images.flatten(1).numpy(), part.classes.numpy()) for part in (task.train, task.test)
    )
    return float(LogisticRegression(max_iter=1000).fit(*train).score(*test))


def examples(part: Part, chances: Float[Tensor, "image vocabulary"]) -> list[dict]:
    """Examples: the first image of each digit that is classified right, from one to nine and zero,
    and the image that is classified wrong with the highest probability.
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
                f"A handwritten {part.classes[i]}; the model says {predicted[i]} with probability"
                f" {sure[i]:.2f}."
            ),
        }
        for id, i in chosen
    ]


def measured(task: Digits, model: Transformer, read: Float[Tensor, "image vocabulary"]) -> dict:
    """Measures on the images of the test, for which the model gives the probabilities `read`."""
    return {
        "accuracy": {
            "value": accuracy(read, task.test),
            "baseline": regression(task),
            "validation": accuracy(chances(model, task.validation), task.validation),
            "how": (
                f"share of {TEST} held-out images whose most probable class at [CLS] is the digit."
                f" baseline: logistic regression on the {TOKENIZER.image_side**2} grey values,"
                f" learned from the same images. validation: of {VALIDATION} others, not learned"
                " from either"
            ),
        },
        "loss": {
            "value": cross_entropy(read.log(), task.test.classes).item(),
            "unit": "nats an image",
            "how": (
                f"-ln p of the digit; guessing gives ln {TOKENIZER.size} ="
                f" {np.log(TOKENIZER.size):.2f}"
            ),
        },
        "interpolated": interpolated(task, model),
        "local_attention": local(task, model),
    }


def describe(task: Digits, model: Transformer, steps: int) -> Card:
    """The card of the model, with measures on the images of the test."""
    read = chances(model, task.test)
    return Card(
        name="Handwritten digits",
        modality="image",
        task="which digit is it? 8 x 8 grey values in patches of 2 x 2",
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
                "by the images of validation; 95.6 % were read right when every image was moved,"
                " 94.4 % after 1,500 such steps"
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
