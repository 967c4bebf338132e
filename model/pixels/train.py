"""The networks of /pixels: Image Transformers that differ in which pixels they attend to, trained
on scikit-learn's digits.

    python -m model.pixels.train --out checkpoints/pixels

trains each network with three seeds, measures them and two baselines on the held-out images, and
writes the weights of the first training and the record to OUT/weights/pixels. Finished trainings
are not repeated, and an interrupted one resumes from its last checkpoint.
"""

import argparse
import hashlib
import math
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn.functional import cross_entropy

from model.config import Config
from model.pixels.baselines import Baseline, count_independent, count_markov
from model.pixels.writers import (
    CONFIG,
    FOLDER,
    LEVELS,
    NETWORKS,
    RECORD,
    TRAININGS,
    DigitIds,
    Levels,
    bits,
    file_name,
    grey_logits,
)
from model.trace import OFF, Trace
from model.training.checkpoint import save_weights
from model.training.loop import Recipe, train
from model.training.recipes.digits import Digits, Part
from model.training.schedule import Cycle, Dropout
from model.transformer import Transformer
from model.zoo.files import write_atomically, write_json

BATCH = 32
CYCLE = Cycle(peak=3e-3, warmup=100, steps=1500, dropout=Dropout(numbers=0.1))

Images = tuple[Levels, DigitIds]


class PixelTask:
    """The digits that the digits model is trained on too, as sequences of gray values, for the
    network `name`.
    """

    def __init__(self, name: str, data: Digits):
        self.name, self.images = name, as_levels(data.train)
        self.digest, self.tokenizer = data.digest, data.tokenizer

    @property
    def config(self) -> Config:
        return CONFIG

    def epoch(self, generator: torch.Generator) -> Iterator[Images]:
        """The images of one pass, in batches."""
        levels, digits = self.images
        for chosen in torch.randperm(len(digits), generator=generator).split(BATCH):
            yield levels[chosen], digits[chosen]

    def loss(self, model: Transformer, batch: Images, trace: Trace = OFF) -> Float[Tensor, ""]:
        """The mean of -ln p over all pixels, given the previous ones."""
        logits = grey_logits(model, self.name, *batch, trace)
        return cross_entropy(logits.flatten(0, 1), batch[0].flatten())


def as_levels(part: Part) -> Images:
    """The gray values of images as integers, row by row, and their digits."""
    return (part.images.flatten(1) * (LEVELS - 1)).round().long(), part.classes


def recipe(name: str) -> Recipe:
    return Recipe(f"pixels-{name}", (CYCLE,), lambda data: PixelTask(name, Digits(data)))


def trained(name: str, seed: int, out: Path, data: Digits) -> Transformer:
    """The network `name`, rounded to float16 like its included weights, so that the measures apply
    to these.
    """
    network, _ = train(recipe(name), PixelTask(name, data), out / f"{name}-{seed}", seed)
    return network.half().float().requires_grad_(False)


def mean_bits(found: Float[Tensor, "image pixel"]) -> float:
    return found.double().mean().item()


def baselines(data: Digits) -> dict[str, Baseline]:
    """The baselines, fitted to the training images."""
    images = as_levels(data.train)
    return {"independent": count_independent(*images), "markov": count_markov(*images)}


def describe(out: Path) -> None:
    """Measures all networks and baselines, and writes weights and record to
    `out`/weights/pixels.
    """
    data, digests = Digits(), {}
    parts = {"test": as_levels(data.test), "validation": as_levels(data.validation)}
    measured = {part: [[] for _ in range(TRAININGS)] for part in parts}
    by_pixel = []
    for seed in range(TRAININGS):
        for name in NETWORKS:
            network = trained(name, seed, out, data)
            found = {part: bits(network, name, *images) for part, images in parts.items()}
            for part, each in found.items():
                measured[part][seed].append(mean_bits(each))
            if seed == 0:
                by_pixel.append(found["test"].double().mean(0).tolist())
                content = save_weights(network)
                write_atomically(out / "weights" / FOLDER / file_name(name), content)
                digests[file_name(name)] = hashlib.sha256(content).hexdigest()
    counted = {name: baseline.bits(*parts["test"]) for name, baseline in baselines(data).items()}
    record = {
        "kind": "trained",
        "task": f"digits of scikit-learn, pixel by pixel, {LEVELS} grey values, the digit given",
        "training": {
            "images": len(data.train.images),
            "steps": CYCLE.steps,
            "batch": BATCH,
            "cycle": asdict(CYCLE),
            "seeds": list(range(TRAININGS)),
        },
        "parameters": sum(p.numel() for p in Transformer(CONFIG).parameters()),
        "images": {part: len(images[1]) for part, images in parts.items()},
        "measured": {
            "bits": measured["test"],
            "validation": measured["validation"],
            "by_pixel": by_pixel,
            "baselines": {name: mean_bits(found) for name, found in counted.items()},
            "baselines_by_pixel": [found.double().mean(0).tolist() for found in counted.values()],
            "uniform": math.log2(LEVELS),
        },
        "how": (
            "bits: mean of -log2 p(pixel | pixels before it, digit) over all pixels of the images"
            " of the test, for each training and network. by_pixel: the same at each place, first"
            " training. validation: of the images by which the number of steps was chosen."
            " baselines: independent is p(pixel | place, digit), markov is p(pixel | pixel before"
            f" it), both (count + 1) / (total + {LEVELS}) over the images of the training."
            f" uniform: log2 {LEVELS}"
        ),
        "data_notice": (
            "Trained on the digits of scikit-learn: the test part of Optical Recognition of"
            " Handwritten Digits (Alpaydin and Kaynak 1998, UCI Machine Learning Repository, CC BY"
            " 4.0)."
        ),
        "sha256": digests,
    }
    write_json(out / "weights" / FOLDER / RECORD, record)


def main() -> None:
    parser = argparse.ArgumentParser(description="Train the networks of /pixels.")
    parser.add_argument("--out", type=Path, default=Path("checkpoints/pixels"), metavar="DIR")
    torch.set_num_threads(1)
    describe(parser.parse_args().out)


if __name__ == "__main__":
    main()
