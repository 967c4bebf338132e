"""Pixels: Image Transformers that write digits pixel by pixel, with local attention and without."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from annotated_types import Le
from pydantic import Field

from app.captions import Question, axes
from app.captions.exercises import Decision, Exercise, by_findings
from app.captions.text import counted, decimals, number, percent
from app.captions.verdicts import Claim
from app.experiment import Experiment, Figure
from app.figures import theme
from app.figures.annotations import framed
from app.figures.axis_scales import AxisScale, Side, named
from app.figures.marks import Bars, Look, Scale
from app.figures.mosaic import Tile, mosaic
from app.figures.panels import Panel, figure
from app.figures.patched import GREYS, square
from app.figures.plot import Plot
from app.figures.traces import heat_map
from app.schema.answers import ClinicAnswer
from app.schema.bounds import Fixed, up_to
from app.schema.controls import Control
from app.schema.questions import Clinic

if TYPE_CHECKING:
    from model.answers.answer import Answer

SIDE, INK = 8, 16
STEP = SIDE + 1  # cells from one small image to the next
SEES = {"line": "a line of 13", "block": "a block of 13", "all": "all pixels"}
Digit = Annotated[int, Field(ge=0), Fixed(Le(9), "there are ten digits")]
Rows = Annotated[int, Field(ge=0), Fixed(Le(SIDE - 1), "an image has eight rows")]
Place = Annotated[int, Field(ge=0), Fixed(Le(SIDE**2 - 1), "an image has 64 pixels")]


class Pixels(Clinic):
    network: Annotated[Literal["line", "block", "all"], Control(SEES, "sees", key="layer")] = Field(
        "block",
        description="What the network sees before it writes a pixel: the last 13 pixels in the"
        " order of writing (`line`), the 13 that lie at most 2 rows above and 2 columns beside"
        " (`block`), or `all` that it has written.",
    )
    digit: Annotated[Digit, Control(range(10), key="head")] = Field(
        3, description="The digit that is written, of which a held-out image is known."
    )
    given: Annotated[Rows, Control({n: f"{n} rows" for n in (0, 2, 4, 6)}, "given", key="step")] = (
        Field(4, description="How many rows of the held-out image are given.")
    )
    temperature: Annotated[
        float, Field(ge=0), up_to("temperature"), Control((0, 0.5, 0.8, 1, 1.5), "T")
    ] = Field(
        1.0,
        description="The number that the logits are divided by. At 0 the most probable grey value"
        " is taken.",
    )
    pixel: Place = Field(36, description="The pixel that is explained, counted row by row from 0.")

    def estimated_seconds(self) -> float:
        """Fitted to measurements on one core of a two-core server; wrong by a factor of at most
        1.5.
        """
        return 0.17 + 0.036 * self.seeds


class PixelsAnswer(ClinicAnswer):
    written: int = Field(description="The grey value of the pixel that is explained.")
    uniform: float = Field(description="log2 of the number of grey values: bits without a model.")
    images: int = Field(description="How many held-out images the bits are those of.")


MODELS = {
    "independent": "pixels alone",
    "markov": "Markov chain",
    "line": "line of 13",
    "block": "block of 13",
    "all": "all pixels",
}
BASELINES = ("independent", "markov")


def place_of(pixel: int) -> tuple[int, int]:
    return divmod(pixel, SIDE)


def place_name(pixel: int) -> str:
    row, column = place_of(pixel)
    return f"row {row + 1}, column {column + 1}"


def by_place(values: np.ndarray) -> np.ndarray:
    """Numbers of positions where the pixels lie that they read: position 0 reads the digit, and
    the last pixel is never read.
    """
    return np.append(values[1:], np.nan).reshape(SIDE, SIDE)


def samples(answer: "Answer", question: Question) -> Plot:
    """A row of ten digits for each seed, with a line of no pixels between two images."""
    images = answer.tensors["samples"].data.numpy().astype(np.float32)
    seeds, digits = images.shape[:2]
    padded = np.pad(images, ((0, 0), (0, 0), (0, 1), (0, 1)), constant_values=np.nan)
    grid = padded.transpose(0, 2, 1, 3).reshape(seeds * STEP, digits * STEP)[:-1, :-1]
    places = [(divmod(r, STEP), divmod(c, STEP)) for r, c in np.ndindex(grid.shape)]
    said = [
        "" if SIDE in (r, c) else f"{digit}, sample {seed + 1}, row {r + 1}, column {c + 1}"
        for (seed, r), (digit, c) in places
    ]
    trace = heat_map(
        grid,
        "%{customdata}<br>ink <b>%{z}</b> of 16",
        GREYS,
        (0, INK),
        "ink",
        customdata=np.reshape(said, grid.shape).tolist(),
    )
    trace["meta"] |= {
        "size": [SIDE, SIDE],
        "tiles": [
            [f"{digit}, sample {seed + 1}", seed * STEP, digit * STEP]
            for seed, digit in np.ndindex(seeds, digits)
        ],
    }
    panel = Panel(
        images_along("digit", range(digits), grid.shape[1], side="top"),
        images_along("sample", range(1, seeds + 1), grid.shape[0], down=True),
        [trace],
        even=True,
    )
    return figure(
        panel,
        description=f"{seeds * digits} digits, written pixel by pixel: {seeds} of each.",
    )


def images_along(
    title: str, names: Iterable[int], size: int, down: bool = False, side: Side = None
) -> AxisScale:
    """An axis that names images, which lie `STEP` cells apart, each at its middle."""
    ends = (-0.5, size - 0.5)
    labels = [str(name) for name in names]
    ticks = [n * STEP + (SIDE - 1) / 2 for n in range(len(labels))]
    return AxisScale(title, ends[::-1] if down else ends, ticks, labels, side=side)


def completed(answer: "Answer", question: Question) -> Plot:
    """The held-out image, and one completion of it for each seed."""
    digit, given = question["digit"], question["given"]
    images = [answer.tensors["held_out"].data.numpy(), *answer.tensors["completed"].data.numpy()]
    titles = ["held out", *(f"written, {n + 1}" for n in range(len(images) - 1))]
    tiles = [
        Tile(
            title,
            image,
            lambda r, c, title=title: (
                f"{title}, row {r + 1}, column {c + 1}"
                + (", given" if r < given and title != "held out" else "")
            ),
            note=f"{counted(given, 'row')} given" if number else "",
            chosen=number == 1,
        )
        for number, (title, image) in enumerate(zip(titles, images, strict=True))
    ]
    panel = mosaic(
        tiles,
        across=min(3, len(tiles)),
        rows="row",
        columns="column",
        what="of 16",
        scale=GREYS,
        ends=(0, INK),
        unit="ink",
        even=True,
    )
    rows = counted(given, "row")
    said = f"A held-out {digit}, and {len(images) - 1} that begin with its first {rows}."
    return figure(panel, description=said)


def window(answer: "Answer") -> dict[str, Any]:
    """Frames around the pixels that the query may look at."""
    sees = by_place(answer.tensors["sees"].data.numpy())
    path = "".join(
        square(column - 0.5, row - 0.5, 1, 1)
        for row, column in zip(*np.nonzero(np.nan_to_num(sees)), strict=True)
    )
    line = {"color": theme.colour("attention"), "width": 2}
    return {"type": "path", "path": path, "line": line, "layer": "above", "name": "line attention"}


def image_panel(values: np.ndarray, answer: "Answer", question: Question, **how: Any) -> Panel:
    """Numbers of an image with the window around them and a frame around the pixel that is
    explained; a click explains another.
    """
    places = [str(n + 1) for n in range(SIDE)]
    trace = heat_map(values, **how)
    pixels = np.arange(SIDE**2).reshape(SIDE, SIDE)
    trace["meta"] |= {"pick": {"pixel": pixels.tolist()}}
    return Panel(
        named("column", places, side="top"),
        named("row", places, down=True),
        [trace],
        shapes=[window(answer), *framed([place_of(question["pixel"])])],
        even=True,
    )


def image(answer: "Answer", question: Question) -> Plot:
    """The first image that was completed, with the window of one of its pixels."""
    panel = image_panel(
        answer.tensors["completed"].data.numpy()[0],
        answer,
        question,
        hover="row %{y}, column %{x}<br>ink <b>%{z}</b> of 16",
        scale=GREYS,
        ends=(0, INK),
        unit="ink",
    )
    at = place_name(question["pixel"])
    seen = counted(int(answer.tensors["sees"].data[1:].sum()), "pixel")
    said = f"A {question['digit']}; the pixel in {at} was written from {seen} and the digit."
    return figure(panel, description=said)


def influence(answer: "Answer", question: Question) -> Plot:
    """How strongly each earlier pixel moves the one that is explained; what does not stays
    empty.
    """
    values = by_place(answer.tensors["influence"].data.numpy())
    panel = image_panel(
        np.where(values > 0, values, np.nan),
        answer,
        question,
        hover="row %{y}, column %{x}<br>influence <b>%{z:.3g}</b>",
        unit="influence",
    )
    moved = counted(int((values > 0).sum()), "pixel has", "pixels have")
    said = f"{moved} an influence on the one in {place_name(question['pixel'])}."
    return figure(panel, description=said)


def looks(answer: "Answer", question: Question) -> Plot:
    """Where each head looks before it writes the pixel; what its mask hides stays empty."""
    weights = answer.tensors["looks"].data.numpy()
    sees = by_place(answer.tensors["sees"].data.numpy())
    tiles = [
        Tile(
            f"head {layer}.{head}",
            np.where(sees == 1, by_place(row), np.nan),
            lambda r, c, layer=layer, head=head: (
                f"layer {layer}, head {head}, row {r + 1}, column {c + 1}"
            ),
            f"head:{head}",
            f"digit {number(float(row[0]))}",
        )
        for layer, heads in enumerate(weights)
        for head, row in enumerate(heads)
    ]
    panel = mosaic(
        tiles,
        across=4,
        rows="layer",
        columns="head",
        what="of the weight",
        ends=(0, 1),
        unit="weight",
        even=True,
    )
    said = f"Weights of every head before the pixel in {place_name(question['pixel'])} is written."
    return figure(panel, description=said)


def by_pixel(answer: "Answer", question: Question) -> Plot:
    """What a held-out pixel costs at each place, for every model."""
    each = answer.tensors["by_pixel"].data.numpy()
    tiles = [
        Tile(
            MODELS[name],
            values,
            lambda r, c, name=name: f"{MODELS[name]}, row {r + 1}, column {c + 1}",
            note=f"{decimals(float(values.mean()))} bits",
        )
        for name, values in zip(axes.labels(answer, "model"), each, strict=True)
    ]
    panel = mosaic(
        tiles,
        across=3,
        rows="row",
        columns="column",
        what="bits",
        ends=(0, float(each.max())),
        unit="bits",
        even=True,
    )
    said = "Bits that a held-out pixel costs at each place, by model."
    return figure(panel, description=said)


def costs(answer: "Answer") -> dict[str, float]:
    """The bits of a held-out pixel, by model."""
    return dict(
        zip(axes.labels(answer, "model"), answer.tensors["bits"].data.tolist(), strict=True)
    )


def bits_sentence(answer: "Answer", question: Question) -> str:
    told = ", ".join(f"{MODELS[one]} {decimals(cost)}" for one, cost in costs(answer).items())
    return f"Bits a pixel: {told}."


def next_sentence(answer: "Answer", question: Question) -> str:
    level = answer.fields["written"]
    chance = float(answer.tensors["next"].data[level])
    return f"Grey value {level} was written, with probability {percent(chance)}."


LEFT = {
    "samples": (
        "Each row has ten digits, and every pixel of them follows what the network says after"
        " the pixels before it."
    ),
    "completed": (
        "The first image is held out. The others begin with the same rows, and the network wrote"
        " the rest of them."
    ),
    "image": (
        "The frame without colour marks one pixel. Before it was written, the network could look at"
        " the digit and at the pixels in the coloured frames. Click another pixel."
    ),
}
RIGHT = {
    "bits": (
        "A bar is what a pixel of a held-out image costs. A lower bar is a better model of images."
    ),
    "by_pixel": "A map shows which pixels cost most: those where strokes may be or not.",
    "next": "The bars are the probabilities of the grey values of this pixel.",
    "looks": "The maps show which pixels each head looked at; the empty ones are hidden.",
    "influence": (
        "The map shows how strongly each earlier pixel changes the probability of this one. Two"
        " layers reach beyond the window of one, and no farther."
    ),
}
CLAIM = "A network that writes an image pixel by pixel learns what pixels tell of each other"


def look_for(answer: "Answer", question: Question) -> str:
    """What to look for in the figure on the left, then in that on the right."""
    said = {**LEFT, **RIGHT}
    shown = [said[name] for name in said if name in question["figures"]]
    return " ".join(shown) or f"{LEFT['samples']} {RIGHT['bits']}"


def claim(answer: "Answer", question: Question) -> Claim:
    return Claim(CLAIM, tuple(f"{question['network']}.less_{baseline}" for baseline in BASELINES))


def reading(answer: "Answer", question: Question) -> str:
    """The number to read off: of one pixel, or of the bits."""
    shown = question["figures"]
    if "influence" in shown or "looks" in shown:
        return (
            f"The pixel in {place_name(question['pixel'])} may look at"
            f" {counted(int(answer.tensors['sees'].data[1:].sum()), 'pixel')}, and"
            f" {counted(int((answer.tensors['influence'].data[1:] > 0).sum()), 'has', 'have')} an"
            " influence on it."
        )
    if "next" in shown:
        return next_sentence(answer, question)
    bits = costs(answer)
    return (
        f"A held-out pixel costs {decimals(bits['block'])} bits with a block of 13 pixels, and"
        f" {decimals(bits['independent'])} where pixels are alone."
    )


PAIRS = {
    "line": (
        "a network that may look at the last 13 pixels",
        "counts of the grey values at each place",
        "line.less_independent",
    ),
    "block": (
        "a network that may look at the 13 pixels around it, above and to the left",
        "one that may look at the last 13 pixels",
        "block.less_line",
    ),
    "all": (
        "a network that may look at a block of 13 pixels around it",
        "one that may look at all pixels before it",
        "block.less_all",
    ),
}
"""For each choice of a network two ways to predict a pixel, and the finding that compares them."""


def asks(question: Question) -> str:
    """The exercise: which of two ways to predict a pixel is better."""
    first, second, _ = PAIRS[question["network"]]
    return (
        "Digits of 8 × 8 pixels are predicted one pixel after the other, from the top left to the"
        f" bottom right: first by {first}, then by {second}. Which needs fewer bits for a pixel of"
        " a held-out image?"
    )


def fewer_bits(answer: "Answer", question: Question) -> Decision:
    """The choices of the exercise that the interval of the difference leaves."""
    decide = by_findings({PAIRS[question["network"]][2]: (-0.05, 0.05)})
    return decide(answer, question)


EXPERIMENT = Experiment(
    question=Pixels,
    answer=PixelsAnswer,
    sentence="Digits that Image Transformers write pixel by pixel: what a pixel sees and depends"
    " on, and its bits with local attention, with full attention and in two baselines",
    example="digit=3&seeds=1",
    figure="image",
    figures={
        "samples": Figure("Ten digits, written", samples, tensor="samples"),
        "image": Figure("One image, pixel by pixel", image, tensor="completed"),
        "completed": Figure("A held-out digit, completed", completed, tensor="completed"),
        "bits": Figure(
            "What a held-out pixel costs",
            Bars(
                "bits",
                x="model",
                looks={"": Look("bits a pixel", "attention")},
                hover="%{x}<br><b>%{y:.3g}</b> bits a pixel",
                x_scale=Scale(
                    "model", kind="named", names=MODELS, margin=0, before=0.5, beyond=0.5
                ),
                y=Scale("bits a pixel", low=0),
            ),
            bits_sentence,
        ),
        "by_pixel": Figure("Where the bits are", by_pixel, tensor="by_pixel"),
        "next": Figure(
            "The next pixel",
            Bars(
                "next",
                x="level",
                looks={"": Look("probability", "attention")},
                hover="grey value %{x}<br>probability <b>%{y:.3g}</b>",
                x_scale=Scale(
                    "grey value, from 0 (paper) to 16 (ink)",
                    kind="named",
                    margin=0,
                    before=0.5,
                    beyond=0.5,
                ),
                y=Scale("probability", low=0),
            ),
            next_sentence,
        ),
        "looks": Figure("Where each head looks", looks, tensor="looks"),
        "influence": Figure("What the pixel depends on", influence, tensor="influence"),
    },
    claim=CLAIM,
    claim_of=claim,
    look_for=f"{LEFT['samples']} {RIGHT['bits']}",
    look_for_of=look_for,
    reading=reading,
    exercise=Exercise(
        asks,
        (
            "The first, by 0.05 bits or more",
            "Neither by 0.05 bits",
            "The second, by 0.05 bits or more",
        ),
        fewer_bits,
        {"network=all": "a block or all pixels", "network=line": "a line or counts"},
    ),
)
