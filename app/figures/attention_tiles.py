"""Figures of the attention of a long text: the blocks in sight of one head's map, and the keys that
one query looks at most.
"""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from app.captions import Question
from app.captions.text import grouped, label, percent
from app.figures.attention import capital, is_whole, title_of_head
from app.figures.axis_scales import named
from app.figures.marks import Bar, Records, Scale
from app.figures.panels import Panel, Row, figure
from app.figures.patched import framed
from app.figures.plot import Plot
from app.figures.traces import heat_map
from model.display_limits import BLOCKS

if TYPE_CHECKING:
    from model.answers.answer import Answer


def is_by_tiles(answer: "Answer") -> bool:
    return not is_whole(answer)


def in_sight(answer: "Answer", question: Question) -> Plot:
    """The blocks in sight: rows are queries, columns are keys. A click on a block asks for what is
    around it one level down; a click on a row of single cells asks for its query.
    """
    tile = answer.fields["tile"]
    reduced = question.get("reduced", "maximum")
    values, seen = (answer.tensors[f"{tile['name']}.{of}"].data.numpy() for of in (reduced, "seen"))
    weights = np.where(seen, values, np.float32(np.nan))
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
    said = f"{capital(title)}: {where(tile)}. Each cell is the {what}"
    said += f" of {size} × {size} cells of the map." if level else " of one query and key."
    panels, rows_of_panels = [panel], list[Row]()
    if f"{tile['name']}.whole" in answer.tensors:
        panels.append(whole(answer, level))
        rows_of_panels += [Row(1, 0.74), Row(1, 0.26)]
    drawing = figure(*panels, description=said, rows=rows_of_panels)
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
    """The whole map from far away, and a frame around what is in sight. A click on a block shows
    what is around it in the same size.
    """
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
    across = replace(ends, title="the whole", ticks=[], names=[])
    down = replace(named("query", list(map(str, starts)), down=True), title="", ticks=[], names=[])
    return Panel(across, down, [trace], shapes=[frame], even=True)


def moved(middles: list[int], long: int, tokens: int, level: int) -> list[str]:
    """For each place the interval of this length around it, from a block on."""
    size = 2**level
    starts = (min(max(0, at - long // 2), tokens - long) // size * size for at in middles)
    return [f"{start}:{min(start + long, tokens)}" for start in starts]


def names(axis: Any, level: int) -> list[str]:
    """Single cells have their token and its position, a block the position at which it begins."""
    if level:
        return [str(start) for start in axis.values]
    return [f"{name} {at}" for name, at in zip(axis.labels, axis.values, strict=True)]


def where(tile: dict[str, Any]) -> str:
    """Where in the map one is."""
    if tile["rows"] == tile["columns"] == [0, tile["tokens"]]:
        return f"the whole map of {grouped(tile['tokens'])} tokens"
    (top, bottom), (left, right) = tile["rows"], tile["columns"]
    return (
        f"queries {grouped(top)} to {grouped(bottom - 1)}, keys {grouped(left)} to"
        f" {grouped(right - 1)} of {grouped(tile['tokens'])}"
    )


def around(ends: list[int], tokens: int, level: int) -> list[str]:
    """For each block the interval around its middle that is in sight one level down: half as long
    as what is in sight now, and at most as long as the finest level allows.
    """
    size, half = 2**level, 2 ** (level - 1)
    middles = [min(start + half, ends[1]) for start in range(*ends, size)]
    return moved(middles, min(BLOCKS * half, tokens), tokens, level - 1)


def largest(answer: "Answer", _: Question) -> list[Bar]:
    """The keys that one query looks at most, each with its share of the row."""
    names = answer.axes["key"].labels or []
    return [
        Bar(
            i, f"{key} {one.key}", one.weight, f"{label(key)} {one.key}<br>{share}", "key", "weight"
        )
        for i, one in enumerate(answer.fields["tile"]["looks"])
        for key, share in [(names[one.key], f"together {percent(one.together)}")]
    ]


ROW = Records(
    largest,
    places="key",
    lengths=Scale("weight: share of the row", low=0),
    legend=False,
    hover="key %{customdata} of the row<br>weight <b>%{y:.3g}</b>",
)


def of_row(answer: "Answer", question: Question) -> dict[str, str]:
    """What is said of the query whose keys these are."""
    tile, names_of = answer.fields["tile"], answer.axes["key"].labels or []
    position = tile["position"]  # its keys end with itself
    query = f"{label(names_of[position])} {position}"
    return {
        "description": f"The {len(tile['looks'])} largest weights of the query {query}.",
        "title": f"Query “{query}”: where it looks most",
        "said": " ".join(sentences(tile, names_of, question)),
    }


def sentences(tile: dict[str, Any], names_of: list[str], question: Question) -> list[str]:
    """What the keys that are shown have together, where the next peak is and where a token is."""
    shown = (
        f"These {len(tile['looks'])} keys have {percent(tile['looks'][-1].together)} of the row."
    )
    after, peak = question.get("after"), tile["peak"]
    which = "first peak" if after is None else f"next peak behind key {after}"
    at = "" if peak is None else f"The {which} is “{label(names_of[peak])}” at {peak}."
    said = [shown, at or f"There is no {which}."]
    if wanted := question.get("find"):
        places = tile["places"]
        at = f": {', '.join(map(str, places[:12]))}" if places else ""
        more = " and so on" if len(places) > 12 else ""
        said.append(f"“{label(wanted)}” stands at {len(places)} positions{at}{more}.")
    return said
