"""An image in patches: each patch shows its pixels in a frame with the color of its weight. [CLS],
which is not part of the image, is to the left. An image is gray values from 0 (paper) to 1 (ink),
or a picture: bytes of red, green, and blue.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from app.captions import Question
from app.captions.text import label
from app.figures import theme
from app.figures.axis_scales import AxisScale, Side
from app.figures.picture import STOPS, in_few_colours, sampled
from app.figures.plot import Trace
from app.figures.traces import heat_map, outline
from model.checks import check_between
from model.inputs.picture_files import read_picture

if TYPE_CHECKING:
    from model.answers.answer import Answer

Say = Callable[[int, int, int], str]
"""The text of a token, from the picture's row and column and the token."""
Pick = Callable[[int, int, int], dict[str, int]]

MANY = 64  # with more tokens, even the largest weight is often far from 1
GREYS = ("paper", "ink")
CLS = 1.3  # space to the left of the image, in patches: [CLS] and a gap
BETWEEN = 0.12  # gap between pictures, as a fraction of a picture's side
MARGIN = 0.1  # around all of them, for the frame of the selected one


@dataclass(frozen=True)
class Patched:
    """The same image `down` x `across` times, in patches of one unit, with different weights each
    time. `weights` is [down, across, token]; the first token is [CLS].
    """

    pixels: np.ndarray
    grid: tuple[int, int]
    weights: np.ndarray
    frame: float  # as a fraction of a patch's side, on each side

    @property
    def is_picture(self) -> bool:
        return self.pixels.ndim > 2

    @property
    def gap(self) -> float:
        return BETWEEN * self.grid[0]

    @property
    def step(self) -> tuple[float, float]:
        """The offset between pictures, vertical and horizontal."""
        return self.grid[0] + self.gap, CLS + self.grid[1] + self.gap

    @property
    def size(self) -> tuple[float, float]:
        """Height and width of all pictures."""
        down, across, _ = self.weights.shape
        return down * self.step[0] - self.gap, across * self.step[1] - self.gap

    def corner(self, token: int) -> tuple[float, float]:
        """The origin of a token's patch in the first picture, vertical and horizontal."""
        if token == 0:
            return 0.0, 0.0
        row, column = divmod(token - 1, self.grid[1])
        return float(row), CLS + column

    def cell(self, token: int) -> tuple[int, int]:
        """The cell of a token in the first picture; the second column is the gap next to [CLS]."""
        row, column = divmod(token - 1, self.grid[1])
        return (0, 0) if token == 0 else (row, column + 2)

    def attention_map(
        self,
        hover: str,
        say: Say,
        pick: Pick,
        scale: theme.Scale = "cividis",
        ends: tuple[float, float] = (0, 1),
        unit: str = "",
        **more: Any,
    ) -> Trace:
        """The weights as cells, with gaps between them. `pick` is what clicking a token sets."""
        rows, columns = self.grid
        down, across, tokens = self.weights.shape
        high, wide = rows + 1, columns + 3
        z = np.full((down * high - 1, across * wide - 1), np.nan, np.float32)
        texts = np.full(z.shape, "", dtype=object)
        picked: dict[str, list[list[int | None]]] = {}
        for d in range(down):
            for a in range(across):
                for token in range(tokens):
                    row, column = self.cell(token)
                    at = (d * high + row, a * wide + column)
                    z[at] = self.weights[d, a, token]
                    texts[at] = label(say(d, a, token))
                    for name, value in pick(d, a, token).items():
                        cells = picked.setdefault(name, [[None] * z.shape[1] for _ in z])
                        cells[at[0]][at[1]] = value
        x = [
            a * self.step[1] + at
            for a in range(across)
            for at in (0, 1, *CLS + np.arange(wide - 2))
        ]
        y = [d * self.step[0] + at for d in range(down) for at in range(high)]
        trace = heat_map(
            z,
            hover,
            scale,
            ends,
            unit,
            x=np.round(x, 4),
            y=np.round(y, 4),
            customdata=texts.tolist(),
            **more,
        )
        trace["meta"] |= {
            "pick": picked,
            "size": [rows, columns + 2],
            "tokens": [list(self.cell(token)) for token in range(tokens)],
        }
        return trace

    def ink(self, hover: str, say: Callable[[int], str] | None = None, **more: Any) -> Trace:
        """The pixels within the frames; nothing is drawn between them. `say` gives the hover text
        for the patch of a token. Without it, the pixels have none, and those below apply.
        """
        rows, columns = self.grid
        down, across, _ = self.weights.shape
        pixels, scale = self.pixels, None
        if self.is_picture:
            pixels, scale = in_few_colours(sampled(pixels, self.grid))
            say = None
        high, wide = pixels.shape[0] // rows, pixels.shape[1] // columns
        tops = [d * self.step[0] + row for d in range(down) for row in range(rows)]
        lefts = [a * self.step[1] + CLS + c for a in range(across) for c in range(columns)]
        cells = np.tile(gapped(gapped(pixels, high, 0), wide, 1), (down, across))
        trace = heat_map(
            cells[:-1, :-1],
            hover,
            GREYS,
            (0, 1),
            x=self.edges(lefts, wide),
            y=self.edges(tops, high),
            showscale=False,
            **more,
        )
        if say is None:
            trace["hoverinfo"] = "skip"
        trace["meta"] |= {"tabled": False}
        if scale:  # the same in every theme
            meta = {"tabled": False, "subtracted": False}
            trace |= {"colorscale": scale, "zmax": STOPS - 1, "meta": meta}
        if say:
            places = [(i // (high + 1), i % (high + 1)) for i in range(len(trace["z"]))]
            lines = [(i // (wide + 1), i % (wide + 1)) for i in range(len(trace["z"][0]))]
            inside = [
                [
                    None if r == high or c == wide else (row * high + r, column * wide + c)
                    for column, c in lines
                ]
                for row, r in places
            ]
            token = {
                at: 1 + at[0] // high * columns + at[1] // wide
                for line in inside
                for at in line
                if at
            }
            trace["customdata"] = [
                [
                    f"row {at[0] + 1}, column {at[1] + 1}<br>{label(say(token[at]))}" if at else ""
                    for at in line
                ]
                for line in inside
            ]
            picked = [[at and token[at] for at in line] for line in inside]
            trace["meta"] |= {"pick": {"query": picked}}
        return trace

    def edges(self, starts: list[float], pixels: int) -> np.ndarray:
        """The edges of the pixels of the patches that begin at `starts`."""
        inner = np.linspace(self.frame, 1 - self.frame, pixels + 1)
        return np.round((np.array(starts)[:, None] + inner).ravel(), 4)

    def outlines(self) -> dict[str, Any]:
        """A thin line around every patch and around [CLS]."""
        down, across, tokens = self.weights.shape
        path = ""
        for d in range(down):
            for a in range(across):
                for token in range(tokens):
                    top, left = self.corner(token)
                    x, y = round(a * self.step[1] + left, 3), round(d * self.step[0] + top, 3)
                    path += square(x, y, 1, 1)
        return {
            "type": "path",
            "path": path,
            "line": {"color": theme.colour("rule"), "width": 1},
            "name": "line rule",
        }


def image_of(answer: "Answer") -> np.ndarray:
    """The image of an answer: gray values [row, column], or bytes [row, column, colour] of a
    picture, which a model scales to a square.
    """
    text = (answer.input or {})["image"]
    if "," in text:
        grey = np.array(text.split(","), float)
        return grey.reshape(round(grey.size**0.5), -1)
    return np.asarray(read_picture(text))


def in_colour(pixels: np.ndarray) -> np.ndarray:
    """Bytes [row, column, colour] with three channels, equal if only one was given."""
    return np.broadcast_to(pixels, (*pixels.shape[:2], 3))


def gapped(values: np.ndarray, every: int, axis: int) -> np.ndarray:
    """The values with an empty line after every `every` along an axis."""
    places = range(every, values.shape[axis] + 1, every)
    return np.insert(values.astype(np.float32), list(places), np.nan, axis)


def square(x: float, y: float, width: float, height: float) -> str:
    """A rectangle as a closed path."""
    right, bottom = round(x + width, 4), round(y + height, 4)
    return f"M{x},{y}L{right},{y}L{right},{bottom}L{x},{bottom}Z"


def framed(
    role: str, x: float, y: float, width: float, height: float, line: float
) -> dict[str, Any]:
    """A frame over the colors."""
    return outline(role, x, x + width, y, y + height, line)


def each_head(
    weights: np.ndarray,
    step: tuple[float, float],
    gap: float,
    who: str,
    tokens: list[str],
    ends: tuple[float, float],
) -> Trace:
    """An invisible cell for each head with hover text about its largest weight, for keyboard
    navigation; clicking between the patches selects a head.
    """
    down, across, _ = weights.shape
    most = weights.argmax(2)
    trace = heat_map(
        weights.max(2),
        "%{customdata}<br><b>%{z:.3g}</b> of the weight",
        ends=ends,
        x=np.arange(across + 1) * step[1] - gap / 2,
        y=np.arange(down + 1) * step[0] - gap / 2,
        showscale=False,
        opacity=0,
        customdata=[
            [
                label(f"layer {d}, head {a}: {who} attends most to {tokens[most[d, a]]}")
                for a in range(across)
            ]
            for d in range(down)
        ],
    )
    trace["meta"] |= {
        "tabled": False,
        "pick": {"head": list(range(across))},
        "pick_row": {"layer": list(range(down))},
    }
    return trace


def chosen(answer: "Answer", question: Question) -> tuple[int, int]:
    """The requested layer and head: by default the last layer and the first head."""
    last, most = (size - 1 for size in answer.tensors["weights"].data.shape[:2])
    layer, head = question.get("layer"), question.get("head")
    layer, head = last if layer is None else layer, 0 if head is None else head
    check_between("layer", layer, 0, last)
    check_between("head", head, 0, most)
    return layer, head


def numbered(
    title: str, ticks: list[float], ends: tuple[float, float], first: int, side: Side = None
) -> AxisScale:
    """An axis that numbers patches, or pictures, from `first`."""
    names = [str(first + i) for i in range(len(ticks))]
    return AxisScale(title, ends, ticks, names, side=side, frameless=True)


def pictures(title: str, count: int, step: float, gap: float, side: Side = None) -> AxisScale:
    """An axis that numbers small pictures: horizontally at the "top", otherwise downward."""
    ends = (-gap / 2 - MARGIN, count * step - gap / 2 + MARGIN)
    ticks = [round(i * step + (step - gap) / 2, 4) for i in range(count)]
    return numbered(title, ticks, ends if side else ends[::-1], 0, side)
