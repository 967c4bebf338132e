"""Pixels: Image Transformers write handwritten digits pixel by pixel, with local attention and
without, and what a held-out pixel costs them (Parmar et al. 2018).
"""

import math
from dataclasses import replace
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor

from model import progress
from model.analytic.mask_reach import reach
from model.answers.answer import Answer, Axis, Labelled, counted, numbered
from model.answers.laws import Law, by_name, each
from model.answers.measurements import Finding, exact, statistical
from model.checks import check_between
from model.errors import UnknownName
from model.generation.sampling_filters import at_temperature
from model.layers import masks
from model.measure.initialised_stacks import generator, seed_axis
from model.pixels.writers import (
    CLASSES,
    CONFIG,
    LEVELS,
    NETWORKS,
    PIXELS,
    SIDE,
    TRAININGS,
    allowed,
    grey_logits,
    load_writer,
    read_record,
)
from model.pixels.writing import influences, write_images
from model.trace import Recorder
from model.transformer import Transformer
from model.zoo.models import load_model

SEES = {"line": "13 pixels in a line", "block": "13 pixels in a block", "all": "all pixels"}
BASELINES = {"independent": "independent pixels", "markov": "a Markov chain"}

LAWS = by_name(
    *(
        law
        for baseline, title in BASELINES.items()
        for law in each(
            SEES,
            Law(
                f"{{}}.less_{baseline}",
                f"Bits with {{}}, less those of {title}",
                "below 0: pixels tell of each other, and the network has learned what",
                (None, 0),
                "bits a pixel",
            ),
        )
    ),
    *each(
        {"line": "a line of 13", "all": "all"},
        Law(
            "block.less_{}",
            "Bits with a block of 13 pixels, less those with {}",
            "as measured",
            unit="bits a pixel",
        ),
    ),
    Law(
        "later",
        "Largest influence of later pixels",
        "0: a pixel is written before those that follow it",
        (0, 0),
    ),
    Law(
        "outside",
        "Largest influence of pixels beyond the reach of the windows",
        "0: {layers} layers reach no farther",
        (0, 0),
    ),
    Law(
        "reach",
        "Positions that the last pixel depends on, besides its digit",
        "{reached}: those that {layers} layers of its mask reach",
    ),
    Law(
        "cached",
        "Largest change of a probability, written one by one or read at once",
        "0 up to rounding",
        (0, 1e-5),
    ),
)

NAMES = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
"""The examples of the digits model, which are held-out images."""
MODELS = (*BASELINES, *NETWORKS)
LAW = r"-\frac{1}{64} \sum_{i=1}^{64} \log_2 p(x_i \mid x_1, \dots, x_{i-1}, c)"
SOURCE = (
    "Parmar et al. 2018, sections 3.1 to 3.3: raster order, categorical pixels, local attention"
)


def pixels(
    *,
    network: str = "block",
    digit: int = 3,
    given: int = 4,
    temperature: float = 1.0,
    pixel: int = 36,
    seed: int = 0,
    seeds: int = 4,
) -> Answer:
    """Answers with `samples` [seed, digit, row, column], images that `network` writes, grey values
    from 0 (paper) to 16 (ink); `held_out` [row, column], a held-out image of `digit`; and
    `completed` [seed, row, column], the same with all but its first `given` rows written anew.

    Of the first of these images and its pixel number `pixel`, counted row by row from 0: `next`
    [level], the distribution that it was drawn from; `looks` [layer, head, position], the weights
    of its query; `sees` [position], 1 where the mask lets it look; `influence` [position], |d ln p
    / d e_j|. Position 0 reads the digit, and position j pixel number j - 1.

    `bits` [model] is what a pixel of the held-out images costs, the mean of the trainings in
    `bits.by_training`, and `by_pixel` [model, row, column] the same at each place in the first
    training. Raises UnknownName for a network that does not exist, and InvalidInput for a number
    out of its range.
    """
    if network not in NETWORKS:
        raise UnknownName("unknown-network", network, NETWORKS)
    check_between("digit", digit, 0, CLASSES - 1)
    check_between("given", given, 0, SIDE - 1)
    check_between("temperature", temperature, 0, math.inf)
    check_between("pixel", pixel, 0, PIXELS - 1)
    writer, whole = load_writer(network), held_out(digit)
    draws = torch.stack(
        [torch.rand(CLASSES, PIXELS, generator=generator(seed, n)) for n in range(seeds)]
    )
    with progress.part(0, 0.6):
        samples = ten_digits(writer, network, draws, temperature)
    same, beginning = torch.full((seeds,), digit), whole[: given * SIDE].expand(seeds, -1)
    with progress.part(0.6, 1):
        completed, logits = write_images(
            writer, network, same, beginning, draws[:, digit], temperature
        )
    influence = influences(writer, network, completed[0], digit)
    next_level = at_temperature(logits[0, pixel], temperature)
    tensors = {
        **images(samples, completed, whole),
        "next": Labelled(("level",), next_level, "softmax(logits / T)"),
        **one_query(writer, network, completed[0], digit, pixel),
        "influence": Labelled(("position",), influence[pixel], "|d ln p(x_i) / d e_j|"),
        **measured_bits(),
    }
    at_once = grey_logits(writer, network, completed, same)
    change = (at_once.softmax(-1) - logits.softmax(-1)).abs().max()
    findings = [*compared(), *reached(network, influence), exact(LAWS["cached"], change)]
    fields = origin() | {"findings": findings, "written": int(completed[0, pixel])}
    return Answer("trained", axes_of(seeds), tensors, fields)


def ten_digits(
    writer: Transformer, network: str, draws: Float[Tensor, "seed digit pixel"], temperature: float
) -> Int[Tensor, "seed digit pixel"]:
    """An image of every digit for each seed, from the first pixel on."""
    digits = torch.arange(CLASSES).repeat(len(draws))
    nothing = digits[:, None][:, :0]
    samples, _ = write_images(writer, network, digits, nothing, draws.flatten(0, 1), temperature)
    return samples.view_as(draws)


def images(
    samples: Int[Tensor, "seed digit pixel"],
    completed: Int[Tensor, "seed pixel"],
    whole: Int[Tensor, " pixel"],
) -> dict[str, Labelled]:
    """What was written, and the held-out image, in rows and columns."""
    square = SIDE, SIDE
    formula = "x_i ~ softmax(logits / T)"
    return {
        "samples": Labelled(
            ("seed", "digit", "row", "column"), samples.unflatten(-1, square), formula
        ),
        "held_out": Labelled(("row", "column"), whole.view(square), "16 times the ink"),
        "completed": Labelled(
            ("seed", "row", "column"),
            completed.unflatten(-1, square),
            f"{formula} after the rows that are given",
        ),
    }


def origin() -> dict[str, Any]:
    """What the numbers are of: the law, its source, and the networks and images."""
    record = read_record().entries
    return {
        "law": LAW,
        "source": SOURCE,
        "init": (
            f"Three networks with {record['parameters']:,} parameters, each trained {TRAININGS}"
            f" times on {record['training']['images']:,} digits of scikit-learn, the digit being"
            " given. They differ in what they see: the last 13 pixels in raster order; the 13 that"
            " lie at most 2 rows above and 2 columns beside; all. The bits are those of"
            f" {record['images']['test']} held-out images"
        ),
        "uniform": record["measured"]["uniform"],
        "images": record["images"]["test"],
    }


def axes_of(seeds: int) -> dict[str, Axis]:
    places = [f"{row},{column}" for row in range(1, SIDE + 1) for column in range(1, SIDE + 1)]
    return {
        "seed": seed_axis(seeds),
        "digit": numbered("step", list(range(CLASSES)), "digit"),
        "row": Axis("position", SIDE),
        "column": Axis("position", SIDE),
        "level": numbered("vocabulary", list(range(LEVELS)), "grey value"),
        "layer": Axis("step", CONFIG.n_decoder_layers),
        "head": Axis("head", CONFIG.n_heads),
        "position": Axis("position", PIXELS, ["digit", *places[:-1]]),
        "model": Axis("step", len(MODELS), list(MODELS)),
        "training": counted("step", TRAININGS, "training"),
    }


def held_out(digit: int) -> Int[Tensor, " pixel"]:
    """The grey values of a held-out image: the example of this digit in the digits model."""
    model = load_model("digits")
    image = next(row for row in model.card["examples"] if row["id"] == NAMES[digit])["input"]
    values = torch.tensor(model.patch_tokenizer.read(image["image"]))
    return (values.flatten() * (LEVELS - 1)).round().long()


@torch.no_grad()
def one_query(
    writer: Transformer, network: str, levels: Int[Tensor, " pixel"], digit: int, pixel: int
) -> dict[str, Labelled]:
    """Where the query of one pixel looks, and where it may look."""
    trace = Recorder()
    grey_logits(writer, network, levels[None], torch.tensor([digit]), trace)
    patterns = [
        trace.values[f"decoder.{layer}.attention.pattern"][0, :, pixel]
        for layer in range(CONFIG.n_decoder_layers)
    ]
    return {
        "looks": Labelled(
            ("layer", "head", "position"),
            torch.stack(patterns),
            "softmax(q k^T / sqrt(d_head)), the row of one query",
        ),
        "sees": Labelled(("position",), allowed(network)[pixel].float(), "1 where the mask allows"),
    }


def measured_bits() -> dict[str, Labelled]:
    """The bits of a held-out pixel, of baselines and networks; a baseline is counted once."""
    record = read_record()
    each = bits_by_training()
    by_pixel = torch.cat([record.measured("baselines_by_pixel"), record.measured("by_pixel")])
    formula = "-log2 p(x_i | x_1 … x_(i-1), c)"
    return {
        "bits": Labelled(("model",), each.mean(0), f"mean of {formula}"),
        "bits.by_training": Labelled(("training", "model"), each, f"mean of {formula}"),
        "by_pixel": Labelled(
            ("model", "row", "column"),
            by_pixel.view(-1, SIDE, SIDE),
            f"mean of {formula} at each place",
        ),
    }


def bits_by_training() -> Float[Tensor, "training model"]:
    record = read_record()
    known = record.entries["measured"]["baselines"]
    baselines = torch.tensor([known[name] for name in BASELINES]).expand(TRAININGS, -1)
    return torch.cat([baselines, record.measured("bits")], dim=1)


def compared() -> list[Finding]:
    """What the networks save beside the baselines, and a block beside other windows."""
    each = dict(zip(MODELS, bits_by_training().T, strict=True))
    pairs = [(network, other) for other in BASELINES for network in NETWORKS]
    pairs += [("block", "line"), ("block", "all")]
    return [
        statistical(LAWS[f"{pair}.less_{other}"], (each[pair] - each[other]).tolist())
        for pair, other in pairs
    ]


def reached(network: str, influence: Float[Tensor, "pixel position"]) -> list[Finding]:
    """That nothing depends on what comes later or lies beyond all windows, and on how much the last
    pixel depends.
    """
    layers = CONFIG.n_decoder_layers
    within = reach(allowed(network), layers)
    beyond = influence[~within & masks.causal(PIXELS)]
    last = int(within[-1, 1:].sum())
    law = LAWS["reach"].with_numbers(reached=last, layers=layers)
    return [
        exact(LAWS["later"], influence[~masks.causal(PIXELS)].max()),
        exact(
            LAWS["outside"].with_numbers(layers=layers).where(len(beyond) > 0),
            beyond.max() if len(beyond) else 0,
        ),
        exact(replace(law, band=(last, last)), (influence[-1, 1:] > 0).sum()),
    ]
