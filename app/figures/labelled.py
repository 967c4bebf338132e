"""The text of a figure in the reader's language: titles, trace names, hover texts, and notes. Data
such as tokens and numbers are unchanged.
"""

from typing import TYPE_CHECKING, Any

from app.captions.text import label
from app.figures.plot import Plot
from model.labels import label as in_words
from model.labels import lines
from model.words import LANGUAGE
from model.zoo.cards import ids

if TYPE_CHECKING:
    from model.answers.answer import Answer

OF_TRACES = frozenset({"name", "hovertemplate", "title", "text"})
OF_LAYOUT = frozenset({"text", "ticktext", "title"})
UNSAID = frozenset({"template", "x", "y", "z", "customdata", "meta", "shapes", "sliders"})
TOKENS = frozenset({"position", "vocabulary", "patch", "slot"})
"""The kinds of axes whose labels are model inputs and outputs."""
OF_META = frozenset(
    {
        *("title", "description", "caption", "summary", "said", "told"),
        *("sentences", "reading", "without_bar", "looking", "label", "titles"),
    }
)
OF_TABLES = frozenset({"caption", "head", "rows", "column", "columns"})
NO_NAME = "<extra></extra>"
"""The end of a hover text without a trace name."""


def labelled(plot: Plot, answer: "Answer") -> Plot:
    """The figure with labels in the reader's language. Tokens and model names are not translated,
    even if they are spelled like a label.
    """
    if LANGUAGE.get() == "en":
        return plot
    axes = [axis for axis in answer.axes.values() if axis.kind in TOKENS]
    tokens = frozenset(label(token) for axis in axes for token in axis.labels or ()) | {*ids()}
    layout = translated(plot["layout"], OF_LAYOUT, tokens)
    meta = layout["meta"] = plot["layout"]["meta"]
    for name in meta.keys() & {*OF_META, "look", "heads", "layers"}:
        meta[name] = entry(name, meta[name], OF_META | {"name"}, frozenset())
    if "beside" in meta:
        meta["beside"] = translated(meta["beside"], frozenset(meta["beside"]), tokens)
    if "table" in meta:
        meta["table"] = translated(meta["table"], OF_TABLES, tokens)
    if "axes" in meta:
        meta["axes"] = [in_words(axis) for axis in meta["axes"]]
    return {"data": [of_trace(trace, tokens) for trace in plot["data"]], "layout": layout}


def of_trace(trace: dict[str, Any], tokens: frozenset[str]) -> dict[str, Any]:
    """A translated trace, including the names of its table columns and small maps."""
    meta = translated(trace.get("meta", {}), OF_TABLES, tokens)
    if "tiles" in meta:
        meta["tiles"] = [[lines(name), *place] for name, *place in meta["tiles"]]
    translation = translated(trace, OF_TRACES, tokens)
    if "customdata" in trace:
        translation["customdata"] = of_points(trace["customdata"], tokens)
    return translation | ({"meta": meta} if meta else {})


def of_points(data: Any, tokens: frozenset[str]) -> Any:
    """The hover text of each point. A single word is a token, or is already translated."""
    if isinstance(data, list | tuple):
        return [of_points(part, tokens) for part in data]
    return lines(data) if isinstance(data, str) and " " in data and data not in tokens else data


def translated(part: Any, wanted: frozenset[str], tokens: frozenset[str]) -> Any:
    """A part of a plot with the values of the keys `wanted` translated."""
    if isinstance(part, dict):
        return {key: entry(key, value, wanted, tokens) for key, value in part.items()}
    if isinstance(part, list | tuple) and part and isinstance(part[0], dict):
        return [translated(item, wanted, tokens) for item in part]
    return part


def entry(key: str, value: Any, wanted: frozenset[str], tokens: frozenset[str]) -> Any:
    """The value of a key of a plot."""
    if key in wanted and isinstance(value, str):
        text = value.removesuffix(NO_NAME)
        return value if value in tokens else lines(text) + value[len(text) :]
    if key in wanted and isinstance(value, list | tuple):
        return [entry(key, item, wanted, tokens) for item in value]
    return value if key in UNSAID else translated(value, wanted, tokens)
