"""The figure of /attention that has every head at a glance, each as a small map."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from app.captions import Question
from app.captions.text import label, weight
from app.figures.annotations import framed
from app.figures.attention import TITLES, UNITS, group_of, labels, shown, sites, title_of
from app.figures.axis_scales import AxisScale
from app.figures.edit_marks import veil
from app.figures.head_switches import REACH, Switch, is_off, switches
from app.figures.meta import NoteLook
from app.figures.panels import Panel, figure
from app.figures.plot import Plot
from app.figures.traces import heat_map
from model.activations.site import Site
from model.display_limits import DEEP

if TYPE_CHECKING:
    from model.answers.answer import Answer, Axis

KINDS = {"attention": "self", "cross_attention": "cross", "row_attention": "rows"}
NO_DISTANCE = {
    "position": "two texts",
    "patch": "patches lie in a plane",
    "slot": "queries have no order",
    "column": "columns have no order",
    "row": "rows have no order",
}
FINEST = 128  # cells along a small map; longer texts are drawn in blocks
HEADING = 0.09  # of the height of the maps, over each kind of attention
BESIDE = 0.35  # between kinds of attention side by side, in small maps
EVEN = 12  # cells along a small map from which on all cells and gaps are of one size
INSET = 0.04  # of a small map's place is free on each of its sides
LISTED = 12  # heads of a role are named
SIDE = 2.2  # rem that a layer of many is high where its heads stand side by side


@dataclass(frozen=True)
class Kind:
    """The maps of one kind of attention, and where the first of them stands: column and row. Rows
    are layers and columns are heads; if `turned`, columns are layers.
    """

    name: str
    maps: list[tuple[str, Site]]
    left: float
    top: float
    turned: bool = False

    def place(self, layer: int, head: int) -> tuple[int, int]:
        """Row and column of the map of a head, counted from 0 as its layer is."""
        return (head, layer) if self.turned else (layer, head)

    def sides(self, heads: int) -> tuple[int, int]:
        """How many maps stand under one another, and how many side by side."""
        return self.place(len(self.maps), heads)


def every_head(answer: "Answer", question: Question) -> Plot:
    """A small map for each head: rows are layers, columns are heads, or the other way round where
    there is room for many layers side by side. The kinds of attention stand one under the other, or
    side by side. Long texts are drawn in blocks, each with its largest number.
    """
    stage, arranged = answer.fields["stage"], question.get("arranged", "stacked")
    abreast = arranged == "abreast"
    by_kind: dict[str, list[tuple[str, Site]]] = {}
    for name, site in sites(answer, stage):
        by_kind.setdefault(group_of(site), []).append((name, site))
    heads = answer.tensors[next(iter(by_kind.values()))[0][0]].data.shape[0]
    layers = [len(maps) for maps in by_kind.values()]
    heading = HEADING * (max(layers) if abreast else sum(layers)) * (len(by_kind) > 1)
    turned = abreast and len(by_kind) == 1 and layers[0] > max(DEEP, heads)
    kinds, left, top = [], 0.0, heading
    for name, maps in by_kind.items():
        kinds.append(Kind(name, maps, left, top, turned))
        left, top = (left + heads + BESIDE, top) if abreast else (left, top + len(maps) + heading)
    width = left - BESIDE if abreast else heads
    height = heading + max(layers) if abreast else top - heading
    if turned:
        width, height = layers[0], heads
    numbers = [int(name) for name in labels(answer.axes["head"])]
    bars = [i == 0 and arranged != "column" for i in range(len(kinds))]
    traces = [
        kind_of_heads(answer, stage, kind, numbers, bar)
        for kind, bar in zip(kinds, bars, strict=True)
    ]
    edits, tiles = question.get("edits") or [], list(switches_of(kinds, numbers))
    if question.get("switches"):
        traces.append(switches(tiles, edits))
    grey = [tile.corner for tile in tiles if is_off(edits, tile)]
    columns = kinds if abreast else kinds[:1]
    rows = kinds[:1] if abreast else kinds
    of_heads = [str(number) for _ in columns for number in numbers]
    of_layers = [str(site.layer) for kind in rows for _, site in kind.maps]
    across, down = ("layer", "head") if turned else ("head", "layer")
    level = AxisScale(
        across if len(kinds) > 1 else f"{across}: {TITLES[kinds[0].name]}",
        (0, width),
        [kind.left + i + 0.5 for kind in columns for i in range(kind.sides(heads)[1])],
        of_layers if turned else of_heads,
        side="top",
        frameless=True,
    )
    upright = AxisScale(
        down,
        (height, 0),
        [kind.top + i + 0.5 for kind in rows for i in range(kind.sides(heads)[0])],
        of_heads if turned else of_layers,
        frameless=True,
    )
    notes = [
        {
            "x": kind.left + INSET,
            "y": kind.top - 0.3 * heading,  # the switches stand below
            "xanchor": "left",
            "yanchor": "bottom",
            "text": TITLES[kind.name],
            "look": NoteLook(kind="title", role="ink"),
            "showarrow": False,
        }
        for kind in kinds[: len(kinds) if heading else 0]
    ]
    roles, role = answer.fields.get("roles", []), question.get("role")
    two = len(by_kind) > 1
    own = {
        (one["attention"], one["head"]) for of in roles if of["role"] == role for one in of["heads"]
    }
    corners = [tile.corner for tile in tiles if (tile.attention, tile.head) in own]
    frames = framed((top + 0.5, left + 0.5) for left, top in corners)
    panel = Panel(level, upright, traces, notes, [*veil(grey, INSET), *frames])
    said = ", ".join(TITLES[kind.name] for kind in kinds)
    colours = (
        "A brighter cell is a larger weight."
        if stage == "pattern"
        else "The colour of a cell says whether its score is above or below 0."
    )
    drawing = figure(panel, description=f"Every head of {said}. {colours}")
    drawing["layout"]["meta"] |= {"table": measures(answer, stage)}
    if max(layers) > DEEP and arranged == "stacked":
        drawing["layout"]["meta"] |= {"tall": SIDE * sum(layers)}
    if roles:
        words = found(roles) if role is None else having(roles, role, two)
        drawing["layout"]["meta"] |= {"caption": words}
    if question.get("switches"):
        drawing["layout"]["hoverdistance"] = REACH
    return drawing


def found(roles: list[dict[str, Any]]) -> str:
    """The heads that have most of each role in this run, by layer and head."""
    two = len({Site.parse(role["attention"]).stack for role in roles}) > 1
    said = [
        f"{one['name']} {named(one, two)} ({weight(one['score'])}, chance {weight(one['chance'])})"
        for one in roles
    ]
    return (
        "The head with the highest score of each role in this text, by layer and head:"
        f" {'; '.join(said)}. The score is its mean weight on the keys of the role."
    )


def named(head: dict[str, Any], two: bool) -> str:
    """A head by layer and number, and by its attention where there are several kinds of it."""
    site = Site.parse(head["attention"])
    where = f"{TITLES[group_of(site)]} " if two else ""
    return f"{where}{site.layer}.{head['head']}"


def having(roles: list[dict[str, Any]], role: str, two: bool) -> str:
    """The heads that have a role in this run, and what that means."""
    of = next((one for one in roles if one["role"] == role), None)
    if of is None:
        return "No query of this text has a key of this role, so that no head is in a frame."
    means = (
        f"the mean weight on {of['looks_at']} lies more than a quarter of the way from that of"
        f" equal weights, {weight(of['chance'])}, to 1"
    )
    if not of["heads"]:
        return (
            f"No head has the role “{of['name']}” in this text: in none {means}. The largest is"
            f" that of {named(of, two)}, {weight(of['score'])}."
        )
    said = [f"{named(one, two)} ({weight(one['score'])})" for one in of["heads"]]
    more = len(said) - LISTED
    some = ", ".join(said[:LISTED]) + (f" and {more} more" if more > 0 else "")
    n = f"{len(said)} heads have" if len(said) > 1 else "One head has"
    return f"{n} the role “{of['name']}” in this text, in frames: {some}. In each {means}."


def switches_of(kinds: list[Kind], numbers: list[int]) -> Iterator[Switch]:
    """The switch of each head, in the order of the tiles."""
    for kind in kinds:
        for layer, (name, _) in enumerate(kind.maps):
            for i, head in enumerate(numbers):
                row, column = kind.place(layer, i)
                corner = (kind.left + column, kind.top + row)
                yield Switch(name.rpartition(".")[0], head, len(numbers), corner)


def kind_of_heads(answer: "Answer", stage: str, kind: Kind, numbers: list[int], bar: bool):
    """The heads of one kind of attention as one heat map with gaps. `meta.tiles` says where each
    head begins, what it is called, and what a click on it asks for; `meta.names` what its rows and
    columns are.
    """
    name, _ = kind.maps[0]
    _, query, key = answer.tensors[name].axes
    maps = [shown(answer, each, stage) for each, _ in kind.maps]
    _, rows, columns = maps[0].shape
    block = max(1, math.ceil(max(rows, columns) / FINEST))
    blocks = [in_blocks(heads, block) for heads in maps]
    heads, height, width = blocks[0].shape
    down, across = height + gap_of(height), width + gap_of(width)
    under, beside = kind.sides(heads)
    shape = under * down - gap_of(height), beside * across - gap_of(width)
    grid = np.full(shape, np.nan, np.float32)
    tiles = []
    for layer, ((each, where), values) in enumerate(zip(kind.maps, blocks, strict=True)):
        of = each.rpartition(".")[0]
        for head, number_ in enumerate(numbers):
            row, column = kind.place(layer, head)
            top, left = row * down, column * across
            grid[top : top + height, left : left + width] = values[head]
            pick = {
                "kind": KINDS[where.part],
                "stack": where.stack,
                "layer": where.layer,
                "head": number_,
            }
            entropy, limit = answer.fields["entropy"][of][head], answer.fields["entropy_limit"][of]
            words = (
                "no entropy: a weight is below 0"
                if entropy is None
                else f"entropy {entropy:.2f} nats, at most {limit:.2f}"
            )
            tiles.append([title_of(where, number_), top, left, words, pick])
    pattern = stage == "pattern"
    most, digits = "" if block == 1 else "at most ", answer.fields["decimals"]
    shown_as = ".3g" if digits is None else f".{digits}f"  # rounded numbers have no more digits
    trace = heat_map(
        grid,
        f"{most}<b>%{{z:{shown_as}}}</b> {'of the weight' if pattern else 'score'}",
        "cividis" if pattern else "signed",
        (0, 1) if pattern else None,
        UNITS[stage],
        hatched=True,
        says_gaps=True,
        x=edges(kind.left, beside, width),
        y=edges(kind.top, under, height),
        showscale=bar,
    )
    trace["meta"] |= {
        "tiles": tiles,
        "size": [height, width],
        "names": [
            names_of_blocks(labels(answer.axes[query]), block),
            names_of_blocks(labels(answer.axes[key]), block),
        ],
    }
    return trace


def gap_of(cells: int) -> int:
    """How many empty cells stand between small maps. Many cells are all of one size, which is drawn
    fast; few are as large as they can be.
    """
    return 1 if cells < EVEN else math.ceil(cells / EVEN)


def edges(start: float, count: int, cells: int) -> np.ndarray:
    """Where the cells of small maps begin and end, which stand one step apart with gaps between."""
    gap = gap_of(cells)
    if gap > 1:
        steps = np.arange(count * (cells + gap) - gap + 1) + gap / 2
        return (start + steps / (cells + gap)).round(6)
    ends = [start + i + np.linspace(INSET, 1 - INSET, cells + 1) for i in range(count)]
    return np.concatenate(ends).round(6)


def in_blocks(heads: np.ndarray, block: int) -> np.ndarray:
    """Maps [head, query, key] in square blocks, each the number in it that is largest in size; NaN
    where all of it is masked.
    """
    if block == 1:
        return heads
    _, rows, columns = heads.shape
    padding = ((0, 0), (0, -rows % block), (0, -columns % block))
    padded = np.pad(heads, padding, constant_values=np.nan)
    count, high, wide = padded.shape
    split = padded.reshape(count, high // block, block, wide // block, block)
    flat = split.transpose(0, 1, 3, 2, 4).reshape(
        count, high // block, wide // block, block * block
    )
    at = np.argmax(np.nan_to_num(np.abs(flat), nan=-1), -1)
    return np.take_along_axis(flat, at[..., None], -1)[..., 0]


def names_of_blocks(names: list[str], block: int) -> list[str]:
    """What stands in each block, from its first to its last."""
    if block == 1:
        return [label(name) for name in names]
    ends = [(start, min(start + block, len(names)) - 1) for start in range(0, len(names), block)]
    return [f"{label(names[a])} {a} … {label(names[b])} {b}" for a, b in ends]


def measures(answer: "Answer", stage: str) -> dict[str, Any]:
    """Entropy and distance of every head, for the table beside the picture; or in a word why it
    has no distance.
    """
    fields, rows = answer.fields, []
    for name, _ in sites(answer, stage):
        of, key = name.rpartition(".")[0], answer.axes[answer.tensors[name].axes[2]]
        far = fields["distance"][of]
        rows += [
            [
                f"{of} {head}",
                "none" if entropy is None else entropy,
                fields["entropy_limit"][of],
                far[head] if far else why(key),
            ]
            for head, entropy in enumerate(fields["entropy"][of])
        ]
    return {
        "caption": "Every head: mean over its queries",
        "head": ["head", "entropy in nats", "at most", "distance in positions"],
        "rows": rows,
    }


def why(keys: "Axis") -> str:
    """Why keys are not so many positions away. Where they are positions, they are another text's;
    text and slots together are an axis of slots.
    """
    return "slots have no place" if "slot" in (keys.parts or {}) else NO_DISTANCE[keys.kind]
