"""Figures of /attention: one head's map, every head at a glance, and one query's look over an
image.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from app.captions import Question
from app.captions.text import label, number, weight
from app.figures.annotations import SUM
from app.figures.axis_scales import AxisScale, named
from app.figures.edit_marks import OFF, veil
from app.figures.head_switches import REACH, Switch, is_off, switches
from app.figures.meta import NoteLook
from app.figures.panels import Panel, figure
from app.figures.patched import Patched
from app.figures.plot import Plot
from app.figures.traces import heat_map
from model.activations.site import Site

if TYPE_CHECKING:
    from model.answers.answer import Answer, Axis

TITLES = {
    "encoder.attention": "encoder self-attention",
    "decoder.attention": "decoder self-attention",
    "decoder.cross_attention": "cross-attention",
    "encoder.row_attention": "attention between rows",
}
KINDS = {"attention": "self", "cross_attention": "cross", "row_attention": "rows"}
UNITS = {"pattern": "weight", "masked_scores": "score", "scores": "score"}
NO_DISTANCE = {
    "position": "two texts",
    "patch": "patches lie in a plane",
    "slot": "queries have no order",
    "column": "columns have no order",
    "row": "rows have no order",
}
LETTERED = 48  # the most keys whose numbers stand in the cells of a map
SUMMED = 112  # the most queries whose rows say their sums
FINEST = 128  # cells along a small map; longer texts are drawn in blocks
HEADING = 0.09  # of the height of the maps, over each kind of attention
BESIDE = 0.35  # between kinds of attention side by side, in small maps
EVEN = 12  # cells along a small map from which on all cells and gaps are of one size
INSET = 0.04  # of a small map's place is free on each of its sides
DEEP = 8  # layers; more of them stand side by side where there is room
SIDE = 2.2  # rem that a layer of many is high where its heads stand side by side
FRAME = 0.1  # of a patch's side is the frame on each of its sides


def map_of_head(answer: "Answer", off: bool = False) -> Panel:
    """The map of the first head of the first attention that was asked for: rows are queries,
    columns are keys. A pattern is drawn from 0 to 1, scores around 0; masked cells are hatched. Of
    a head that is off the weights are grey.
    """
    stage = answer.fields["stage"]
    name, site = next(sites(answer, stage))
    values = shown(answer, name, stage)[0]
    _, query, key = answer.tensors[name].axes
    queries, keys = labels(answer.axes[query]), labels(answer.axes[key])
    pattern = stage == "pattern"
    hover = (
        f"query %{{y}}<br>key %{{x}}<br><b>%{{z:.3g}}</b> {'of the weight' if pattern else 'score'}"
    )
    trace = heat_map(
        values,
        hover,
        (OFF if off else "cividis") if pattern else "signed",
        (0, 1) if pattern else None,
        UNITS[stage],
        hatched=True,
        says_gaps=True,
        **({"text": in_cells(values, pattern)} if len(keys) <= LETTERED else {}),
    )
    if pattern:
        trace["meta"] |= {"before": heavier(values)}
    summed = pattern and len(queries) <= SUMMED
    sums = [row_sum(i, row, len(keys)) for i, row in enumerate(values)] if summed else []
    return Panel(
        named(f"key: {key} token", keys, side="top"),
        named(f"query: {query} token", with_next(answer, site, query, queries), down=True),
        [trace],
        sums,
        [boundary(end) for end in ends_of_parts(answer.axes[key])],
    )


def one_head(answer: "Answer", question: Question) -> Plot:
    """The map of a head as a figure, with what the page asks when a row or a cell is chosen."""
    stage = answer.fields["stage"]
    name, site = next(sites(answer, stage))
    _, query, key = answer.tensors[name].axes
    queries, keys = labels(answer.axes[query]), labels(answer.axes[key])
    head = question.get("head") or 0
    off = is_off(
        question.get("edits") or [], Switch(name.rpartition(".")[0], head, head + 1, (0, 0))
    )
    panel = map_of_head(answer, off)
    following = (
        [label(q) for q in queries],
        [label(n) for n in next_of(answer, site, query, queries)],
    )
    title = f"{title_of(site, head)}{' is off' if off else ''}"
    drawing = figure(panel, description=f"{capital(title)}: {UNITS[stage]} of every query and key.")
    drawing["layout"]["meta"] |= {
        "title": title,
        "map": name.rpartition(".")[0],
        "off": off,
        "queries": [label(token) for token in queries],
        "asking": [f"{q} (next: {n})" if n else q for q, n in zip(*following, strict=True)],
        "keys": [label(token) for token in keys],
        "strongest": strongest(shown(answer, name, stage)[0]),
    }
    return drawing


def in_cells(values: np.ndarray, pattern: bool) -> list[list[str]]:
    return [["" if np.isnan(z) else printed(z, pattern) for z in row] for row in values]


def heavier(pattern: np.ndarray) -> np.ndarray:
    """For each cell how much of its row lies on keys that weigh more, [query, key], to four digits;
    of equal keys the first comes first. The fewest keys that hold a share of a row are those before
    which less than that share lies. Where there is no weight it is 1.
    """
    weights = np.nan_to_num(pattern.astype(float))
    order = np.argsort(-weights, axis=1, kind="stable")
    sorted_ = np.take_along_axis(weights, order, 1)
    before = np.empty_like(weights)
    np.put_along_axis(before, order, np.cumsum(sorted_, 1) - sorted_, 1)
    return np.where(weights > 0, before.round(4), 1).astype(np.float32)


def strongest(values: np.ndarray) -> list[int]:
    """The key that each query looks at most."""
    return np.argmax(np.nan_to_num(values, nan=-np.inf), 1).tolist()


def title_of(site: Site, head: int) -> str:
    return f"{TITLES[group_of(site)]}, layer {site.layer}, head {head}"


def title_of_head(name: str, head: int) -> str:
    """The title of a head of the attention `name`."""
    return title_of(Site.parse(f"{name}.pattern"), head)


def capital(said: str) -> str:
    return said[0].upper() + said[1:]


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
    panel = Panel(level, upright, traces, notes, veil(grey, INSET))
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
    if answer.fields.get("roles"):
        drawing["layout"]["meta"] |= {"caption": found(answer.fields["roles"])}
    if question.get("switches"):
        drawing["layout"]["hoverdistance"] = REACH
    return drawing


def found(roles: list[dict[str, Any]]) -> str:
    """The heads that have most of each role in this run, by layer and head."""
    stacks = {site.stack for site in (Site.parse(one["attention"]) for one in roles)}
    said = []
    for one in roles:
        site = Site.parse(one["attention"])
        where = f"{TITLES[group_of(site)]} " if len(stacks) > 1 else ""
        said.append(
            f"{one['name']} {where}{site.layer}.{one['head']} ({weight(one['score'])}, chance"
            f" {weight(one['chance'])})"
        )
    return (
        "The head with the highest score of each role in this text, by layer and head:"
        f" {'; '.join(said)}. The score is its mean weight on the keys of the role."
    )


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


def weights_over_image(answer: "Answer", question: Question) -> Panel:
    """The image in its patches, each framed in the weight that one query gives it; [CLS], which is
    no part of the image, stands beside it. `meta.rows` has the weights of every query, so that
    another can be shown without a new question.
    """
    stage = answer.fields["stage"]
    name, _ = next(sites(answer, stage))
    axis = answer.axes[answer.tensors[name].axes[2]]
    assert axis.grid, "an axis of patches has a grid"
    rows, columns = axis.grid
    every = shown(answer, name, stage)[0]
    names = labels(axis)
    at = min(int(question.get("query") or 0), len(names) - 1)
    pattern = stage == "pattern"
    most = float(np.nanmax(np.abs(every), initial=0)) or 1.0
    grey = np.array((answer.input or {})["image"].split(","), float)
    pixels = grey.reshape(math.isqrt(grey.size), -1)
    image = Patched(pixels, (rows, columns), np.array(every[at])[None, None], FRAME)
    weights = image.looks(
        f"%{{customdata}}<br><b>%{{z:.3g}}</b> {'of the weight' if pattern else 'score'}",
        lambda down, across, token: names[token],
        lambda down, across, token: {},
        "cividis" if pattern else "signed",
        (0, 1) if pattern else (-most, most),
        UNITS[stage],
    )
    places = np.full((rows, columns + 2), -1)
    for token in range(len(names)):
        places[image.cell(token)] = token
    weights["meta"] |= {"places": places.tolist(), "rows": every}
    ink = image.ink("%{z:.3g} ink")
    high, wide = image.size
    level = AxisScale("key: patch", (0, wide), [], [], side="top", frameless=True)
    upright = AxisScale("image", (high, 0), [], [], frameless=True)
    note = {
        "x": 0.5,
        "y": 1.05,
        "xanchor": "center",
        "textangle": -90,  # a level word is wider than a patch of a small figure
        "yanchor": "top",
        "text": label(names[0]),
        "look": NoteLook(kind="title", role="ink"),
    }
    return Panel(level, upright, [weights, ink], [{**note, "showarrow": False}], even=True)


def over_image(answer: "Answer", question: Question) -> Plot:
    """The weights that one query gives to the patches, as a figure."""
    stage = answer.fields["stage"]
    name, _ = next(sites(answer, stage))
    names = labels(answer.axes[answer.tensors[name].axes[2]])
    at = min(int(question.get("query") or 0), len(names) - 1)
    panel = weights_over_image(answer, question)
    what = "weight" if stage == "pattern" else "score"
    said = f"The image in its patches, each framed in the {what} that {label(names[at])} gives it."
    return figure(panel, description=said)


def is_whole(answer: "Answer") -> bool:
    """Whether the answer has whole maps, and no tile of one."""
    return "tile" not in answer.fields


def is_of_patches(answer: "Answer") -> bool:
    """Whether keys are the patches of an image that the answer has, after [CLS]."""
    axis = answer.axes.get("image")
    return bool(
        axis
        and axis.grid
        and "image" in (answer.input or {})
        and axis.size == 1 + math.prod(axis.grid)
    )


def sites(answer: "Answer", stage: str):
    """The maps of the answer with their sites, encoder first, layer by layer."""
    found = [
        (name, Site.parse(name)) for name in answer.tensors if name.rpartition(".")[2] == stage
    ]
    order = list(TITLES)
    return iter(sorted(found, key=lambda one: (order.index(group_of(one[1])), one[1].layer)))


def group_of(site: Site) -> str:
    return site.of_stack.scope


def shown(answer: "Answer", name: str, stage: str) -> np.ndarray:
    """The numbers of a map [head, query, key]; NaN where the mask hides a cell. Before the mask
    nothing is hidden.
    """
    values = answer.tensors[name].data.numpy()
    if stage == "scores":
        return values
    allowed = answer.tensors[f"{group_of(Site.parse(name))}.mask"].data.numpy().astype(bool)
    return np.where(allowed, values, np.float32(np.nan))


def labels(axis: "Axis") -> list[str]:
    return axis.labels or [str(i) for i in range(axis.size)]


def next_of(answer: "Answer", site: Site, query: str, queries: list[str]) -> list[str]:
    """The token that is expected after that of each row; "" where none is."""
    following: list[str] = []
    if query == "target" or (query == "text" and site.stack == "decoder"):
        following = [""] * answer.fields["expected_from"] + list(answer.fields["expected"])
    return following + [""] * (len(queries) - len(following))


def with_next(answer: "Answer", site: Site, query: str, queries: list[str]) -> list[str]:
    """The tokens of the rows, each with the token that is expected after it."""
    following = next_of(answer, site, query, queries)
    return [f"{q} → {n}" if n else q for q, n in zip(queries, following, strict=True)]


def printed(value: float, pattern: bool) -> str:
    return weight(value) if pattern else number(value)


def row_sum(row: int, values: np.ndarray, columns: int) -> dict:
    """What a row adds up to: 1, or 0 for a query that may look nowhere."""
    return {
        "x": columns - 0.5,
        "y": row,
        "xanchor": "left",
        "xshift": 6,
        "text": f"{SUM}{float(np.nansum(values)):.3f}",
        "look": NoteLook(kind="sum", role="ink-soft"),
        "showarrow": False,
    }


def ends_of_parts(axis: "Axis") -> list[int]:
    """Where the parts of an axis end that is put together from several."""
    ends = np.cumsum(list((axis.parts or {}).values())[:-1])
    return [int(end) for end in ends if end]


def boundary(end: int) -> dict:
    return {
        "type": "line",
        "x0": end - 0.5,
        "x1": end - 0.5,
        "y0": 0,
        "y1": 1,
        "yref": "domain",
        "line": {"width": 2},
        "name": "boundary",
    }
