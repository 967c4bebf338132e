"""The figures of an answer, as the pages show them: alive in a notebook, and objects of Plotly.

A figure of a notebook carries its data alone. The script that draws it, which is the pages' own,
comes once: where the case is made.
"""

import base64
import gzip
import json
from collections.abc import Iterator, Mapping
from html import escape, unescape
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import numpy as np

from vitrine.errors import CaseError, Unknown, printed, reading

if TYPE_CHECKING:
    import plotly.graph_objects


HEIGHT = 26  # rem of a figure, with what stands around it
AROUND = 6
PACKAGE = "anywidget"
TOP = 120  # pixels above a widget's plot, for its title and an axis
BESIDE = 1.12  # where its scale of colours begins, in widths of the plot


class Figure:
    """One figure: a notebook shows it as its page does."""

    def __init__(self, content: dict[str, Any], address: str):
        self.content, self.address = content, address
        meta = self.meta
        self.height = max(HEIGHT, meta.get("tall", 0) + AROUND)
        self.told = {"title": escape(meta["title"]), "provenance": escape(provenance(meta))}
        self.description = escape(meta["description"])
        self.chosen: dict[str, Any] = {}

    @property
    def meta(self) -> dict[str, Any]:
        """Title, kind, formula, shape, source, model, weights, seed and call."""
        return self.content["layout"]["meta"]

    @property
    def figure(self) -> "plotly.graph_objects.Figure":
        """As an object of Plotly, which is in the colours of Plotly."""
        from plotly.graph_objects import Figure

        with reading(self.address):
            return Figure(self.content)

    def widget(self) -> "plotly.graph_objects.FigureWidget":
        """For notebooks whose outputs have pages of their own (Colab, VS Code, marimo), where the
        script of the pages is missing: Plotly's widget. The cell or point that was clicked last is
        `chosen`: where it lies in x and y, its value, and the name of its trace. Raises CaseError
        without the package anywidget.
        """
        from plotly.graph_objects import FigureWidget

        try:
            with reading(self.address):
                widget = FigureWidget(self.content)
        except ImportError as missing:
            raise CaseError(f"A widget needs one more package: pip install {PACKAGE}") from missing
        widget.update_layout(title=self.meta["title"], margin_t=TOP)
        # Sums of rows stand where the scale of colours is drawn, which the pages move themselves.
        widget.update_traces(colorbar_x=BESIDE, selector={"type": "heatmap"})
        for trace in widget.data:
            trace.on_click(self.choose)
        return widget

    def choose(self, trace: Any, points: Any, state: Any) -> None:
        """Keeps the first of the points that were clicked; a cell is a row and a column."""
        if not points.point_inds:
            return
        place, x, y = points.point_inds[0], points.xs[0], points.ys[0]
        if isinstance(place, list):
            value, layout = numbers(trace.z)[tuple(place)], trace.figure.layout
            x, y = label(layout, trace.xaxis or "x", x), label(layout, trace.yaxis or "y", y)
        else:
            value = y
        self.chosen = {"x": x, "y": y, "value": float(value), "trace": trace.name}

    def html(self) -> str:
        """What a notebook keeps: the data of the figure, and what is said where no script runs."""
        told = self.told | {
            "address": escape(self.address),
            "page": escape(urlsplit(self.address).path),
            "figure": json.dumps(self.content).replace("<", "\\u003c"),
        }
        look = f"display:block;height:{self.height}rem"
        return (
            f'<vitrine-figure style="{look}" data-figure="{packed(told)}">'
            f"<p><b>{told['title']}</b> ({told['provenance']}). {self.description}</p>"
            f"{without_script('figure', self.address)}</vitrine-figure>"
        )

    def __repr__(self) -> str:
        return printed(f"<{self.meta['title']}; {self.meta['kind']}>")

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self.html()}


def numbers(written: Any) -> np.ndarray:
    """An array of a figure, which is written as a list or as its bytes."""
    if not isinstance(written, dict):
        return np.asarray(written)
    flat = np.frombuffer(base64.b64decode(written["bdata"]), f"<{written['dtype']}")
    shape = str(written.get("shape", len(flat)))
    return flat.reshape([int(size) for size in shape.split(",")])


def label(layout: Any, axis: str, at: Any) -> Any:
    """What stands at a place of an axis, `x2` of traces is `xaxis2` of the layout: the text of its
    tick, or the place itself where none is.
    """
    named = layout[f"{axis[0]}axis{axis[1:]}"]
    ticks = dict(zip(named.tickvals or (), named.ticktext or (), strict=False))
    return unescape(ticks[at]) if at in ticks else at


def drawing_html(drawings: Mapping[str, str], label: str, address: str) -> str:
    """What a notebook keeps of a drawing: an SVG by theme, which is shown as a picture, so that
    nothing in it runs; and what is said without a script.
    """
    name = escape(label)
    return (
        f'<vitrine-drawing style="display:block" data-drawing="{packed(drawings)}"'
        f' data-label="{name}"><p><b>{name}</b></p>'
        f"{without_script('drawing', address)}</vitrine-drawing>"
    )


def packed(content: Mapping[str, Any]) -> str:
    """For an attribute, as the script of the notebook reads it."""
    return base64.b64encode(gzip.compress(json.dumps(content).encode(), 9, mtime=0)).decode()


def without_script(what: str, address: str) -> str:
    shown = escape(address)
    return (
        f"<p>The {what} is drawn by the script that came where the case was made: run that cell, or"
        f' trust this notebook. Its page: <a href="{shown}">{shown}</a></p>'
    )


def provenance(meta: dict[str, Any]) -> str:
    """The model with its weights, the kind of the numbers, the input and the seed, as under the
    figures of the pages.
    """
    model, digest, seed = (meta.get(name) for name in ("model", "weights_sha256", "seed"))
    said = [
        *([f"{model} (weights sha256 {digest[:12]})" if digest else model] if model else []),
        meta["kind"],
        *(f"{name} “{value}”" for name, value in (meta.get("input") or {}).items()),
        *([f"edited: {'; '.join(meta['edited'])}"] if "edited" in meta else []),
        *([] if seed is None else [f"seed {seed}"]),
    ]
    return " · ".join(said)


class Figures(Mapping[str, Figure]):
    """The figures of an answer by name, in the order of the page."""

    def __init__(self, found: Mapping[str, Figure], word: str):
        self.found, self.word = found, word

    def first(self) -> Figure:
        """Raises CaseError where the word is drawn by none."""
        if not self.found:
            raise CaseError(f"{self.word} has no figure; its numbers are in .tensors and .fields.")
        return next(iter(self.found.values()))

    def __getitem__(self, name: str) -> Figure:
        if name not in self.found:
            names = ", ".join(self.found) or "none"
            raise Unknown(f"{self.word} has no figure named {name!r}. It has: {names}.")
        return self.found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.found)

    def __len__(self) -> int:
        return len(self.found)

    def __repr__(self) -> str:
        lines = (printed(f"{name}: {one!r}") for name, one in self.items())
        return "\n".join(lines) or "no figures"

    def _ipython_key_completions_(self) -> list[str]:
        return list(self)
