"""Figures about the attention of a long text: the visible blocks of one head's map, and the keys
with the largest weights for one query.
"""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from app.captions import Question
from app.captions.text import grouped, label, percent
from app.figures.attention import capital, title_of_head
from app.figures.axis_scales import named
from app.figures.marks import Bar, Records, Scale
from app.figures.patched import framed
from app.figures.plot import Panel, Plot, Row, figure
from app.figures.traces import heat_map
from model.display_limits import BLOCKS
from model.labels import label as in_words

if TYPE_CHECKING:
    from model.answers.answer import Answer


def in_sight(answer: "Answer", question: Question) -> Plot:
    """The visible blocks: rows are queries, columns are keys. Clicking a block zooms in by one
    level; clicking a row of single cells selects its query.
    """
    tile = answer.fields["tile"]
    reduced = question.get("reduced", "maximum")
    values, visible = (
        answer.tensors[f"{tile['name']}.{of}"].data.numpy() for of in (reduced, "seen")
    )
    weights = np.where(visible, values, np.float32(np.nan))
    rows, columns = answer.axes["row"], answer.axes["column"]
    level, size = tile["level"], 2 ** tile["level"]
    what = f"{reduced} weight" if level else "weight"
    query, key = (f"{size} queries from", f"{size} keys from") if level else ("query", "key")
    trace = heat_map(
        weights,
        f"{query} %{{y}}<br>{key} %{{x}}<br>{what} <b>%{{z:.3g}}</b>",
        ends=(0, float(np.nanmax(weights, initial=0)) or 1.0),
        unit=what,
        hatched=True,
        says_gaps=True,
    )
    if level:
        trace["meta"] |= {
            "pick": {"columns": around(tile["columns"], tile["tokens"], level)},
            "pick_row": {"rows": around(tile["rows"], tile["tokens"], level)},
        }
    else:
        trace["meta"] |= {"pick_row": {"position": rows.values}}
    panel = Panel(
        named("key", names(columns, level), side="top"),
        named("query", names(rows, level), down=True),
        [trace],
        even=True,
    )
    title = title_of_head(tile["name"], tile["head"])
    description = f"{capital(title)}: {where(tile)}. Each cell is the {what}"
    description += f" of {size} × {size} cells of the map." if level else " of one query and key."
    panels, rows_of_panels = [panel], list[Row]()
    if f"{tile['name']}.whole" in answer.tensors:
        panels.append(whole(answer, level))
        rows_of_panels += [Row(1, 0.74), Row(1, 0.26)]
    drawing = figure(*panels, description=description, rows=rows_of_panels)
    tensor = answer.tensors[f"{tile['name']}.{reduced}"]
    drawing["layout"]["meta"] |= {
        "title": title,
        "said": f"{capital(where(tile))}.",
        "formula": tensor.formula,
        "axes": list(tensor.axes),
        "shape": list(tensor.data.shape),
    }
    return drawing


def whole(answer: "Answer", level: int) -> Panel:
    """An overview of the map with a frame around what is visible. A click moves the frame."""
    tile = answer.fields["tile"]
    values = answer.tensors[f"{tile['name']}.whole"].data.numpy()
    starts, tokens = [int(at) for at in answer.axes["whole_row"].values or []], tile["tokens"]
    size = starts[1] - starts[0] if len(starts) > 1 else tokens
    weights = np.where(np.tri(len(starts), dtype=bool), values, np.float32(np.nan))
    trace = heat_map(
        weights,
        f"{size} queries from %{{y}}<br>{size} keys from %{{x}}<br>maximum <b>%{{z:.3g}}</b>",
        ends=(0, float(np.nanmax(weights, initial=0)) or 1.0),
        unit="maximum weight",
        hatched=True,
        says_gaps=True,
        showscale=False,
    )
    middles = [start + size // 2 for start in starts]
    (top, bottom), (left, right) = tile["rows"], tile["columns"]
    trace["meta"] |= {
        "tabled": False,
        "pick": {"columns": moved(middles, right - left, tokens, level)},
        "pick_row": {"rows": moved(middles, bottom - top, tokens, level)},
    }
    wide, high = (right - left) / size, (bottom - top) / size
    frame = framed("focus", left / size - 0.5, top / size - 0.5, wide, high, 2)
    ends = named("key", list(map(str, starts)), side="top")
    across = replace(ends, title="whole map", ticks=[], names=[])
    down = replace(named("query", list(map(str, starts)), down=True), title="", ticks=[], names=[])
    return Panel(across, down, [trace], shapes=[frame], even=True)


def moved(middles: list[int], long: int, tokens: int, level: int) -> list[str]:
    """For each block, the interval of this length around it, starting at a block."""
    size = 2**level
    starts = (min(max(0, at - long // 2), tokens - long) // size * size for at in middles)
    return [f"{start}:{min(start + long, tokens)}" for start in starts]


def names(axis: Any, level: int) -> list[str]:
    """The token and position of single cells, or the first position of a block."""
    if level:
        return [str(start) for start in axis.values]
    return [f"{name} {at}" for name, at in zip(axis.labels, axis.values, strict=True)]


def where(tile: dict[str, Any]) -> str:
    """The location within the map."""
    if tile["rows"] == tile["columns"] == [0, tile["tokens"]]:
        return f"the whole map of {grouped(tile['tokens'])} tokens"
    (top, bottom), (left, right) = tile["rows"], tile["columns"]
    return (
        f"queries {grouped(top)} to {grouped(bottom - 1)}, keys {grouped(left)} to"
        f" {grouped(right - 1)} of {grouped(tile['tokens'])}"
    )


def around(ends: list[int], tokens: int, level: int) -> list[str]:
    """For each block, the interval around its middle that is visible one level down: half as long
    as now, and at most as long as the finest level allows.
    """
    size, half = 2**level, 2 ** (level - 1)
    middles = [min(start + half, ends[1]) for start in range(*ends, size)]
    return moved(middles, min(BLOCKS * half, tokens), tokens, level - 1)


def largest(answer: "Answer", _: Question) -> list[Bar]:
    """The keys with the largest weights for one query, each with its fraction of the row."""
    names = answer.axes["key"].labels or []
    return [
        Bar(
            i,
            f"{key} {cell.key}",
            cell.weight,
            f"{label(key)} {cell.key}<br>{share}",
            "key",
            "weight",
        )
        for i, cell in enumerate(answer.fields["tile"]["looks"])
        for key, share in [(names[cell.key], f"up to here {percent(cell.together)} of the row")]
    ]


ROW = Records(
    largest,
    places="key",
    lengths=Scale("weight", "fraction of row", low=0),
    legend=False,
    hover="key %{customdata}<br>weight <b>%{y:.3g}</b>",
)


def of_row(answer: "Answer", question: Question) -> dict[str, str]:
    """The text about the query of these keys."""
    tile, names_of = answer.fields["tile"], answer.axes["key"].labels or []
    position = tile["position"]  # its keys end at the query itself
    query = f"{label(names_of[position])} {position}"
    return {
        "description": f"The {len(tile['looks'])} largest weights of the query {query}.",
        "title": f"Query “{query}”: its largest weights",
        "said": " ".join(sentences(tile, names_of, question)),
    }


def sentences(tile: dict[str, Any], names_of: list[str], question: Question) -> list[str]:
    """The total weight of the listed keys, the next peak, and the positions of a token."""
    coverage = (
        f"These {len(tile['looks'])} keys have {percent(tile['looks'][-1].together)} of the weight."
    )
    after, peak = question.get("after"), tile["peak"]
    which = "first peak" if after is None else f"next peak after key {after}"
    at = "" if peak is None else f"The {which} is “{label(names_of[peak])}” at {peak}."
    texts = [coverage, at or f"There is no {which}."]
    if wanted := question.get("find"):
        places = tile["places"]
        at = f": {', '.join(map(str, places[:12]))}" if places else ""
        more = " and so on" if len(places) > 12 else ""
        texts.append(f"“{label(wanted)}” occurs at {len(places)} positions{at}{more}.")
    return list(map(in_words, texts))
