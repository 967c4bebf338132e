"""Figures of /attention: one head's map, and one query's attention over an image."""

import math
from typing import TYPE_CHECKING

import numpy as np

from app.captions import Question
from app.captions.text import label, number, weight
from app.figures.axis_scales import AxisScale, named
from app.figures.edits import OFF, Switch, is_off
from app.figures.meta import NoteLook
from app.figures.patched import MANY, Patched, image_of
from app.figures.plot import Panel, Plot, figure
from app.figures.traces import SUM, heat_map
from model.activations.site import Site
from model.labels import label as in_words

if TYPE_CHECKING:
    from model.answers.answer import Answer, Axis

TITLES = {
    "encoder.attention": "encoder self-attention",
    "decoder.attention": "decoder self-attention",
    "decoder.cross_attention": "cross-attention",
    "encoder.row_attention": "attention between rows",
}
UNITS = {"pattern": "weight", "masked_scores": "score", "scores": "score"}
LETTERED = 48  # maximum keys for numbers in the cells
SUMMED = 112  # maximum queries for row sums
FRAME = 0.1  # width of a frame, as a fraction of a patch's side


def map_of_head(answer: "Answer", off: bool = False) -> Panel:
    """The map of the first requested head: rows are queries, columns are keys. A pattern ranges
    from 0 to 1, scores are centered on 0; masked cells are hatched. The weights of a head that is
    off are gray.
    """
    stage = answer.fields["stage"]
    name, site = next(sites(answer, stage))
    values = masked_values(answer, name, stage)[0]
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
    """The map of a head as a figure, with the page's question for a selected row or cell."""
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
        "asking": [
            in_words(f"{q} (next: {n})") if n else q for q, n in zip(*following, strict=True)
        ],
        "keys": [label(token) for token in keys],
        "strongest": strongest(masked_values(answer, name, stage)[0]),
    }
    return drawing


def in_cells(values: np.ndarray, pattern: bool) -> list[list[str]]:
    return [["" if np.isnan(z) else printed(z, pattern) for z in row] for row in values]


def heavier(pattern: np.ndarray) -> np.ndarray:
    """For each cell, the total weight of the heavier keys in its row, [query, key], to four digits;
    of equal keys, the first counts as heavier. Adding keys in decreasing order shows how few hold a
    given fraction of a row. Cells without weight have 1.
    """
    weights = np.nan_to_num(pattern.astype(float))
    order = np.argsort(-weights, axis=1, kind="stable")
    sorted_ = np.take_along_axis(weights, order, 1)
    before = np.empty_like(weights)
    np.put_along_axis(before, order, np.cumsum(sorted_, 1) - sorted_, 1)
    return np.where(weights > 0, before.round(4), 1).astype(np.float32)


def strongest(values: np.ndarray) -> list[int]:
    """The key with the largest weight for each query."""
    return np.argmax(np.nan_to_num(values, nan=-np.inf), 1).tolist()


def title_of(site: Site, head: int) -> str:
    return f"{TITLES[group_of(site)]}, layer {site.layer}, head {head}"


def title_of_head(name: str, head: int) -> str:
    """The title of a head of the attention layer `name`."""
    return title_of(Site.parse(f"{name}.pattern"), head)


def capital(text: str) -> str:
    return text[0].upper() + text[1:]


def weights_over_image(answer: "Answer", question: Question) -> Panel:
    """The image in patches, each framed in the color of its weight for one query; [CLS], which is
    not part of the image, is next to it. `meta.rows` has the weights of every query, so that
    another can be shown without a new question.
    """
    stage = answer.fields["stage"]
    name, _ = next(sites(answer, stage))
    axis = answer.axes[answer.tensors[name].axes[2]]
    assert axis.grid, "an axis of patches has a grid"
    rows, columns = axis.grid
    every = masked_values(answer, name, stage)[0]
    names = labels(axis)
    at = min(int(question.get("query") or 0), len(names) - 1)
    pattern = stage == "pattern"
    most = float(np.nanmax(np.abs(every), initial=0)) or 1.0
    whole = 1.0 if len(names) <= MANY else most  # with many tokens, single weights are small
    image = Patched(image_of(answer), (rows, columns), np.array(every[at])[None, None], FRAME)
    weights = image.attention_map(
        f"%{{customdata}}<br><b>%{{z:.3g}}</b> {'of the weight' if pattern else 'score'}",
        lambda down, across, token: names[token],
        lambda down, across, token: {},
        "cividis" if pattern else "signed",
        (0, whole) if pattern else (-most, most),
        UNITS[stage],
    )
    places = np.full((rows, columns + 2), -1)
    for token in range(len(names)):
        places[image.cell(token)] = token
    weights["meta"] |= {"places": places.tolist(), "rows": every}
    ink = image.ink("ink %{z:.3g}")
    high, wide = image.size
    level = AxisScale("key: patch", (0, wide), [], [], side="top", frameless=True)
    upright = AxisScale("image", (high, 0), [], [], frameless=True)
    note = {
        "x": 0.5,
        "y": 1.05,
        "xanchor": "center",
        "textangle": -90,  # a horizontal word is wider than a small patch
        "yanchor": "top",
        "text": label(names[0]),
        "look": NoteLook(kind="title", role="ink"),
    }
    return Panel(level, upright, [weights, ink], [{**note, "showarrow": False}], even=True)


def over_image(answer: "Answer", question: Question) -> Plot:
    """The weights of one query for the patches, as a figure."""
    stage = answer.fields["stage"]
    name, _ = next(sites(answer, stage))
    names = labels(answer.axes[answer.tensors[name].axes[2]])
    at = min(int(question.get("query") or 0), len(names) - 1)
    panel = weights_over_image(answer, question)
    what = "weight" if stage == "pattern" else "score"
    description = f"The image in patches. Frames show each patch’s {what} for {label(names[at])}."
    return figure(panel, description=description)


def is_whole(answer: "Answer") -> bool:
    """Whether the answer has whole maps rather than a tile of one."""
    return "tile" not in answer.fields


def is_of_patches(answer: "Answer") -> bool:
    """Whether the keys are the patches of an image in the answer, after [CLS]."""
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
    return iter(sorted(found, key=lambda pair: (order.index(group_of(pair[1])), pair[1].layer)))


def group_of(site: Site) -> str:
    return site.of_stack.scope


def masked_values(answer: "Answer", name: str, stage: str) -> np.ndarray:
    """The numbers of a map [head, query, key]; NaN for masked cells. Raw scores have none."""
    values = answer.tensors[name].data.numpy()
    if stage == "scores":
        return values
    allowed = answer.tensors[f"{group_of(Site.parse(name))}.mask"].data.numpy().astype(bool)
    return np.where(allowed, values, np.float32(np.nan))


def labels(axis: "Axis") -> list[str]:
    return axis.labels or [str(i) for i in range(axis.size)]


def next_of(answer: "Answer", site: Site, query: str, queries: list[str]) -> list[str]:
    """The expected next token of each row; "" if there is none."""
    following: list[str] = []
    if query == "target" or (query == "text" and site.stack == "decoder"):
        following = [""] * answer.fields["expected_from"] + list(answer.fields["expected"])
    return following + [""] * (len(queries) - len(following))


def with_next(answer: "Answer", site: Site, query: str, queries: list[str]) -> list[str]:
    """The tokens of the rows, each with the expected next token."""
    following = next_of(answer, site, query, queries)
    return [f"{q} → {n}" if n else q for q, n in zip(queries, following, strict=True)]


def printed(value: float, pattern: bool) -> str:
    return weight(value) if pattern else number(value)


def row_sum(row: int, values: np.ndarray, columns: int) -> dict:
    """The sum of a row: 1, or 0 for a query without visible keys."""
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
    """The ends of the parts of an axis that has several."""
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
