"""Pixels: Image Transformers that write digits pixel by pixel, with local attention and without."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from annotated_types import Le
from pydantic import Field

from app.captions import Question, axes, fields
from app.captions.exercises import Decision, Exercise, by_findings
from app.captions.fields import choice, counts, displayed, lengths, means, setting, sides, stated
from app.captions.text import decimals, number
from app.captions.words import Words
from app.experiment import Experiment, in_words
from app.figures import theme
from app.figures.axis_scales import AxisScale, Side
from app.figures.marks import EVEN, Bars, Cells, Look, Of, Scale, Tiles
from app.figures.mosaic import Tile
from app.figures.patched import GREYS, square
from app.figures.plot import Panel, Plot, figure
from app.figures.traces import framed, heat_map
from app.schema.answers import ClinicAnswer
from app.schema.bounds import Fixed, up_to
from app.schema.controls import Control
from app.schema.questions import Clinic
from model.labels import label

if TYPE_CHECKING:
    from model.answers.answer import Answer

SIDE, INK = 8, 16
STEP = SIDE + 1  # cells from one small image to the next
SEES = {"line": "line of 13", "block": "block of 13", "all": "all pixels"}
Digit = Annotated[int, Field(ge=0), Fixed(Le(9), "there are ten digits")]
Rows = Annotated[int, Field(ge=0), Fixed(Le(SIDE - 1), "an image has eight rows")]
Place = Annotated[int, Field(ge=0), Fixed(Le(SIDE**2 - 1), "an image has 64 pixels")]


class Pixels(Clinic):
    network: Annotated[Literal["line", "block", "all"], Control(SEES, "context", key="layer")] = (
        "block"
    )
    digit: Annotated[Digit, Control(range(10), key="head")] = 3
    given: Annotated[Rows, Control({n: f"{n} rows" for n in (0, 2, 4, 6)}, "given", key="step")] = 4
    temperature: Annotated[
        float, Field(ge=0), up_to("temperature"), Control((0, 0.5, 0.8, 1, 1.5), "T")
    ] = 1.0
    pixel: Place = 36

    def sizes(self) -> dict[str, float]:
        return {"answer": 1, "seeds": self.seeds}


class PixelsAnswer(ClinicAnswer):
    written: int
    uniform: float
    images: int


MODELS = {
    "independent": "independent",
    "markov": "Markov chain",
    "line": "line of 13",
    "block": "block of 13",
    "all": "all pixels",
}
BASELINES = ("independent", "markov")


def place_of(pixel: int) -> tuple[int, int]:
    return divmod(pixel, SIDE)


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
    labels = [
        "" if SIDE in (r, c) else f"{digit}, sample {seed + 1}, row {r + 1}, column {c + 1}"
        for (seed, r), (digit, c) in places
    ]
    trace = heat_map(
        grid,
        "%{customdata}<br>ink <b>%{z}</b> of 16",
        GREYS,
        (0, INK),
        "ink",
        customdata=np.reshape(labels, grid.shape).tolist(),
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
        images_along("sample number", range(1, seeds + 1), grid.shape[0], down=True),
        [trace],
        even=True,
    )
    return figure(panel)


def images_along(
    title: str, names: Iterable[int], size: int, down: bool = False, side: Side = None
) -> AxisScale:
    """An axis that names images, which lie `STEP` cells apart, each at its middle."""
    ends = (-0.5, size - 0.5)
    labels = [str(name) for name in names]
    ticks = [n * STEP + (SIDE - 1) / 2 for n in range(len(labels))]
    return AxisScale(title, ends[::-1] if down else ends, ticks, labels, side=side)


def completed(answer: "Answer", question: Question) -> list[Tile]:
    """The held-out image, and one completion of it for each seed."""
    n_rows = question["given"]
    images = [answer.tensors["held_out"].data.numpy(), *answer.tensors["completed"].data.numpy()]
    titles = ["held out", *(f"sample {n + 1}" for n in range(len(images) - 1))]
    return [
        Tile(
            title,
            image,
            lambda r, c, title=title: (
                f"{title}, row {r + 1}, column {c + 1}"
                + (", given" if r < n_rows and title != "held out" else "")
            ),
            note=f"{n_rows} row{'s' * (n_rows > 1)} given" if number else "",
            chosen=number == 1,
        )
        for number, (title, image) in enumerate(zip(titles, images, strict=True))
    ]


COMPLETED = Tiles(
    completed,
    across=lambda answer, _: min(3, 1 + answer.axes["seed"].size),
    rows="row",
    columns="column",
    what="of 16",
    scale=GREYS,
    ends=(0, INK),
    unit="ink",
    even=True,
)


def window(answer: "Answer", question: Question) -> list[dict[str, Any]]:
    """Frames around the pixels that the query may look at, and around the one that is explained."""
    sees = by_place(answer.tensors["sees"].data.numpy())
    path = "".join(
        square(column - 0.5, row - 0.5, 1, 1)
        for row, column in zip(*np.nonzero(np.nan_to_num(sees)), strict=True)
    )
    line = {"color": theme.colour("attention"), "width": 2}
    outline = {
        "type": "path",
        "path": path,
        "line": line,
        "layer": "above",
        "name": "line attention",
    }
    return [outline, *framed([place_of(question["pixel"])])]


def image(tensor: str, numbers: Of, **more: Any) -> Cells:
    """Numbers of an image; a click on a pixel explains it."""
    return Cells(
        tensor,
        numbers=numbers,
        x="column",
        y="row",
        first=1,
        columns="column",
        rows="row",
        pick={"pixel": lambda answer, _: np.arange(SIDE**2).reshape(SIDE, SIDE).tolist()},
        shapes=window,
        even=True,
        **more,
    )


IMAGE = image(
    "completed",
    lambda answer, _: answer.tensors["completed"].data.numpy()[0],
    scale=GREYS,
    ends=(0, INK),
    unit="ink",
    hover="row %{y}, column %{x}<br>ink <b>%{z}</b> of 16",
)
"""The first image that was completed."""


def moved_by(answer: "Answer", question: Question) -> np.ndarray:
    """How strongly each earlier pixel moves the one that is explained; others stay empty."""
    values = by_place(answer.tensors["influence"].data.numpy())
    return np.where(values > 0, values, np.nan)


INFLUENCE = image(
    "influence",
    moved_by,
    unit="influence",
    hover="row %{y}, column %{x}<br>influence <b>%{z:.3g}</b>",
)


def attention_tiles(answer: "Answer", question: Question) -> list[Tile]:
    """Where each head looks before it writes the pixel; what its mask hides stays empty."""
    weights = answer.tensors["looks"].data.numpy()
    sees = by_place(answer.tensors["sees"].data.numpy())
    return [
        Tile(
            f"L{layer}H{head}",
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


ATTENTION = Tiles(
    attention_tiles,
    across=4,
    rows="layer",
    columns="head",
    even=True,
)


def by_pixel(answer: "Answer", question: Question) -> list[Tile]:
    """What a held-out pixel costs at each place, for every model."""
    each = answer.tensors["by_pixel"].data.numpy()
    return [
        Tile(
            MODELS[name],
            values,
            lambda r, c, name=name: f"{MODELS[name]}, row {r + 1}, column {c + 1}",
            note=f"{decimals(float(values.mean()))} bits",
        )
        for name, values in zip(axes.labels(answer, "model"), each, strict=True)
    ]


BY_PIXEL = Tiles(
    by_pixel,
    across=3,
    rows="row",
    columns="column",
    what="bits",
    ends=lambda answer, _: (0, answer.tensors["by_pixel"].data.max().item()),
    unit="bits",
    even=True,
)


def rests_on(answer: "Answer", question: Question) -> tuple[str, ...]:
    """The findings on which the heading rests."""
    return tuple(f"{question['network']}.less_{baseline}" for baseline in BASELINES)


def costs(answer: "Answer", question: Question) -> str:
    """The bits of a held-out pixel, by model."""
    bits = zip(axes.labels(answer, "model"), answer.tensors["bits"].data.tolist(), strict=True)
    return ", ".join(f"{label(MODELS[name])} {decimals(cost)}" for name, cost in bits)


def moving(answer: "Answer", question: Question) -> int:
    """How many pixels have an influence on the one that is explained."""
    return int((answer.tensors["influence"].data[1:] > 0).sum())


WORDS = Words(
    "pixels",
    fields={
        **setting("whole", "digit"),
        **counts("given"),
        **lengths("seed"),
        **stated("whole", "written"),
        **means("decimals", "bits", model=("block", "independent")),
        "row": fields.Field(
            lambda _, question: place_of(question["pixel"])[0] + 1, "whole", measured=False
        ),
        "column": fields.Field(
            lambda _, question: place_of(question["pixel"])[1] + 1, "whole", measured=False
        ),
        "seen_count": fields.Field(
            lambda answer, _: int(answer.tensors["sees"].data[1:].sum()), "count", measured=False
        ),
        "moving_count": fields.Field(moving, "count"),
        "chance": fields.Field(
            lambda answer, _: answer.cut("next").data[answer.fields["written"]].item(), "fraction"
        ),
        "images": fields.Field(
            lambda answer, _: answer.cut("samples").data[..., 0, 0].numel(),
            "whole",
            measured=False,
        ),
        "costs": fields.Field(costs, "text"),
    },
    conditions={
        **displayed("influence", "looks", "next"),
        **sides(
            ("samples", "completed", "image"),
            ("bits", "by_pixel", "next", "looks", "influence"),
        ),
        **choice("network", "line", "block", "all"),
    },
)
COMPARED = {"line": "line.less_independent", "block": "block.less_line", "all": "block.less_all"}
"""The finding that compares the two ways to predict a pixel, for each choice of a network."""


def fewer_bits(answer: "Answer", question: Question) -> Decision:
    """The choices of the exercise that the interval of the difference leaves."""
    decide = by_findings({COMPARED[question["network"]]: (-0.05, 0.05)})
    return decide(answer, question)


EXPERIMENT = Experiment(
    question=Pixels,
    answer=PixelsAnswer,
    example="digit=3&seeds=1",
    figure="image",
    figures={
        "samples": in_words(samples, tensor="samples"),
        "image": in_words(IMAGE),
        "completed": in_words(COMPLETED, tensor="completed"),
        "bits": in_words(
            Bars(
                "bits",
                x="model",
                look=Look("bits per pixel", "attention"),
                hover="%{x}<br><b>%{y:.3g}</b> bits per pixel",
                x_scale=Scale("model", kind="named", names=MODELS, **EVEN),
                y=Scale("bits per pixel", low=0),
            )
        ),
        "by_pixel": in_words(BY_PIXEL, tensor="by_pixel"),
        "next": in_words(
            Bars(
                "next",
                x="level",
                look=Look("probability", "attention"),
                hover="gray value %{x}<br>probability <b>%{y:.3g}</b>",
                x_scale=Scale("gray value (16: full ink)", kind="named", **EVEN),
                y=Scale("probability", low=0),
            )
        ),
        "looks": in_words(ATTENTION, tensor="looks"),
        "influence": in_words(INFLUENCE),
    },
    words=WORDS,
    opening={"sides": "both", "left": "samples", "right": "bits"},
    rests_on=rests_on,
    exercise=Exercise(
        ("first", "neither", "second"),
        fewer_bits,
        {"network=all": "all", "network=line": "line"},
    ),
)
