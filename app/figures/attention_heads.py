"""The figure of /attention with a small map of every head."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from app.captions import Question
from app.captions.text import label, weight
from app.figures.attention import TITLES, UNITS, group_of, labels, masked_values, sites, title_of
from app.figures.axis_scales import AxisScale
from app.figures.edits import REACH, Switch, is_off, switches, veil
from app.figures.meta import NoteLook
from app.figures.plot import Panel, Plot, figure
from app.figures.traces import framed, heat_map
from model.activations.site import Site
from model.display_limits import DEEP
from model.labels import label as in_words

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
FINEST = 128  # maximum cells along a small map; longer sequences are shown in blocks
HEADING = 0.09  # height of the heading of each kind of attention, as a fraction of the maps
BESIDE = 0.35  # gap between kinds of attention side by side, in small maps
EVEN = 12  # cells along a small map from which all cells and gaps have the same size
INSET = 0.04  # margin on each side, as a fraction of a small map
LISTED = 12  # maximum heads named per role
SIDE = 2.2  # height of a layer with heads side by side, in rem


@dataclass(frozen=True)
class Kind:
    """The maps of one kind of attention, and the column and row of the first. Rows are layers and
    columns are heads; if `turned`, columns are layers.
    """

    name: str
    maps: list[tuple[str, Site]]
    left: float
    top: float
    turned: bool = False

    def place(self, layer: int, head: int) -> tuple[int, int]:
        """Row and column of a head's map, counted from 0."""
        return (head, layer) if self.turned else (layer, head)

    def sides(self, heads: int) -> tuple[int, int]:
        """The number of maps vertically, and horizontally."""
        return self.place(len(self.maps), heads)


def every_head(answer: "Answer", question: Question) -> Plot:
    """A small map for each head: rows are layers and columns are heads, or vice versa if there is
    room for many layers side by side. The kinds of attention are shown one below the other, or side
    by side. Long sequences are shown in blocks with their largest value.
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
            "y": kind.top - 0.3 * heading,  # below the switches
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
    heads_of_role = {
        (head["attention"], head["head"])
        for of in roles
        if of["role"] == role
        for head in of["heads"]
    }
    corners = [tile.corner for tile in tiles if (tile.attention, tile.head) in heads_of_role]
    frames = framed((top + 0.5, left + 0.5) for left, top in corners)
    panel = Panel(level, upright, traces, notes, [*veil(grey, INSET), *frames])
    titles = ", ".join(TITLES[kind.name] for kind in kinds)
    colours = (
        "Brighter cells have larger weights."
        if stage == "pattern"
        else "Colors show whether a score is above or below 0."
    )
    drawing = figure(panel, description=f"Every head of {titles}. {colours}")
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
    """The best heads for each role in this run, by layer and head."""
    two = len({Site.parse(role["attention"]).stack for role in roles}) > 1
    texts = [
        f"{in_words(role_entry['name'])} {named(role_entry, two)}"
        f" ({weight(role_entry['score'])}, {in_words('chance')} {weight(role_entry['chance'])})"
        for role_entry in roles
    ]
    return (
        f"The best head for each role in this text: {'; '.join(texts)}. The score is the mean"
        " weight on the role’s keys."
    )


def named(head: dict[str, Any], two: bool) -> str:
    """A head by layer and number, and by its attention layer if there are several kinds."""
    site = Site.parse(head["attention"])
    where = f"{in_words(TITLES[group_of(site)])} " if two else ""
    return f"{where}L{site.layer}H{head['head']}"


def having(roles: list[dict[str, Any]], role: str, two: bool) -> str:
    """The heads with a role in this run, and what that means."""
    of = next((role_entry for role_entry in roles if role_entry["role"] == role), None)
    if of is None:
        return "No query in this text has a key for this role, so no head is framed."
    means = (
        f"the mean weight on {of['looks_at']} is more than a quarter of the way from chance"
        f" ({weight(of['chance'])}) to 1"
    )
    if not of["heads"]:
        return (
            f"No head has the role “{of['name']}” in this text: in none {means}. The largest mean"
            f" weight is {weight(of['score'])}, in {named(of, two)}."
        )
    texts = [f"{named(head, two)} ({weight(head['score'])})" for head in of["heads"]]
    more = len(texts) - LISTED
    some = ", ".join(texts[:LISTED]) + (f" and {more} more" if more > 0 else "")
    n = f"{len(texts)} heads have" if len(texts) > 1 else "One head has"
    return f"{n} the role “{of['name']}” in this text (framed): {some}. In each, {means}."


def switches_of(kinds: list[Kind], numbers: list[int]) -> Iterator[Switch]:
    """The switch of each head, in the order of the tiles."""
    for kind in kinds:
        for layer, (name, _) in enumerate(kind.maps):
            for i, head in enumerate(numbers):
                row, column = kind.place(layer, i)
                corner = (kind.left + column, kind.top + row)
                yield Switch(name.rpartition(".")[0], head, len(numbers), corner)


def kind_of_heads(answer: "Answer", stage: str, kind: Kind, numbers: list[int], bar: bool):
    """The heads of one kind of attention as one heat map with gaps. `meta.tiles` has the origin of
    each head, its name, and the question for clicking it; `meta.names` describes its rows and
    columns.
    """
    name, _ = kind.maps[0]
    _, query, key = answer.tensors[name].axes
    maps = [masked_values(answer, each, stage) for each, _ in kind.maps]
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
                else in_words(
                    f"mean entropy of this head’s rows: {entropy:.2f} nats (maximum {limit:.2f})"
                )
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
    """The number of empty cells between small maps. Large maps have uniform cells, which render
    fast; small ones have the largest possible cells.
    """
    return 1 if cells < EVEN else math.ceil(cells / EVEN)


def edges(start: float, count: int, cells: int) -> np.ndarray:
    """The edges of the cells of small maps, spaced one step apart with gaps between."""
    gap = gap_of(cells)
    if gap > 1:
        steps = np.arange(count * (cells + gap) - gap + 1) + gap / 2
        return (start + steps / (cells + gap)).round(6)
    ends = [start + i + np.linspace(INSET, 1 - INSET, cells + 1) for i in range(count)]
    return np.concatenate(ends).round(6)


def in_blocks(heads: np.ndarray, block: int) -> np.ndarray:
    """Maps [head, query, key] in square blocks, each with its largest value by magnitude; NaN if
    all of it is masked.
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
    """The names of each block, from its first to its last."""
    if block == 1:
        return [label(name) for name in names]
    ends = [(start, min(start + block, len(names)) - 1) for start in range(0, len(names), block)]
    return [f"{label(names[a])} {a} … {label(names[b])} {b}" for a, b in ends]


def measures(answer: "Answer", stage: str) -> dict[str, Any]:
    """Entropy and distance of every head for the table, or why there is no distance."""
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
        "caption": "Every head: mean over queries",
        "head": ["head", "entropy (nats)", "maximum (nats)", "distance (positions)"],
        "rows": rows,
    }


def why(keys: "Axis") -> str:
    """Why keys have no distance in positions: they are another sequence's, or include slots."""
    return "slots have no place" if "slot" in (keys.parts or {}) else NO_DISTANCE[keys.kind]
