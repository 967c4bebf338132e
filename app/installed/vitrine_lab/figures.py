"""The figures of an answer, as on the pages: interactive in a notebook, and as Plotly objects.

A figure in a notebook contains only its data. The pages' own script, which draws it, is embedded
once: where the case is created.
"""

import base64
import gzip
import json
from collections.abc import Iterator, Mapping
from html import escape, unescape
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import numpy as np

from vitrine_lab.errors import CaseError, Unknown, printed, reading

if TYPE_CHECKING:
    import plotly.graph_objects


HEIGHT = 26  # rem, including everything around it
AROUND = 6
PACKAGE = "anywidget"
TOP = 120  # pixels above a widget's plot, for its title and an axis
BESIDE = 1.12  # left edge of the color bar, in widths of the plot


class Figure:
    """One figure, which a notebook shows as on its page."""

    def __init__(self, content: dict[str, Any], address: str):
        self.content, self.address = content, address
        meta = self.meta
        self.height = max(HEIGHT, meta.get("tall", 0) + AROUND)
        self.texts = {"title": escape(meta["title"]), "provenance": escape(provenance(meta))}
        self.description = escape(meta["description"])
        self.chosen: dict[str, Any] = {}

    @property
    def meta(self) -> dict[str, Any]:
        """Title, kind, formula, shape, source, model, weights, seed, and call."""
        return self.content["layout"]["meta"]

    @property
    def figure(self) -> "plotly.graph_objects.Figure":
        """As a Plotly object, in Plotly's colors."""
        from plotly.graph_objects import Figure

        with reading(self.address):
            return Figure(self.content)

    def widget(self) -> "plotly.graph_objects.FigureWidget":
        """For notebooks that isolate each output (Colab, VS Code, marimo), where the pages' script
        is missing: Plotly's widget. `chosen` is the last clicked cell or point: its x and y, its
        value, and the name of its trace. Raises CaseError without the package anywidget.
        """
        from plotly.graph_objects import FigureWidget

        try:
            with reading(self.address):
                widget = FigureWidget(self.content)
        except ImportError as missing:
            raise CaseError(f"A widget needs one more package: pip install {PACKAGE}") from missing
        widget.update_layout(title=self.meta["title"], margin_t=TOP)
        # Row sums would overlap the color bar; the pages move them.
        widget.update_traces(colorbar_x=BESIDE, selector={"type": "heatmap"})
        for trace in widget.data:
            trace.on_click(self.choose)
        return widget

    def choose(self, trace: Any, points: Any, state: Any) -> None:
        """Stores the first of the clicked points; a cell is a row and a column."""
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
        """The HTML saved in a notebook: the figure's data, and text to show without a script."""
        fields = self.texts | {
            "address": escape(self.address),
            "page": escape(urlsplit(self.address).path),
            "figure": json.dumps(self.content).replace("<", "\\u003c"),
        }
        style = f"display:block;height:{self.height}rem"
        return (
            f'<vitrine-figure style="{style}" data-figure="{packed(fields)}">'
            f"<p><b>{fields['title']}</b> ({fields['provenance']}). {self.description}</p>"
            f"{without_script('figure', self.address)}</vitrine-figure>"
        )

    def __repr__(self) -> str:
        return printed(f"<{self.meta['title']}; {self.meta['kind']}>")

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self.html()}


def numbers(encoded: Any) -> np.ndarray:
    """An array of a figure, stored as a list or as bytes."""
    if not isinstance(encoded, dict):
        return np.asarray(encoded)
    flat = np.frombuffer(base64.b64decode(encoded["bdata"]), f"<{encoded['dtype']}")
    shape = str(encoded.get("shape", len(flat)))
    return flat.reshape([int(size) for size in shape.split(",")])


def label(layout: Any, axis: str, at: Any) -> Any:
    """The label at a position on an axis (`x2` of a trace is `xaxis2` of the layout): the text of
    its tick, or the position itself if there is none.
    """
    named = layout[f"{axis[0]}axis{axis[1:]}"]
    ticks = dict(zip(named.tickvals or (), named.ticktext or (), strict=False))
    return unescape(ticks[at]) if at in ticks else at


def drawing_html(drawings: Mapping[str, str], label: str, address: str) -> str:
    """The HTML of a drawing in a notebook: one SVG per theme, shown as an image so that nothing in
    it runs; and text to show without a script.
    """
    name = escape(label)
    return (
        f'<vitrine-drawing style="display:block" data-drawing="{packed(drawings)}"'
        f' data-label="{name}"><p><b>{name}</b></p>'
        f"{without_script('drawing', address)}</vitrine-drawing>"
    )


def packed(content: Mapping[str, Any]) -> str:
    """Encoded for an attribute, which the notebook's script decodes."""
    return base64.b64encode(gzip.compress(json.dumps(content).encode(), 9, mtime=0)).decode()


def without_script(what: str, address: str) -> str:
    link = escape(address)
    return (
        f"<p>The {what} is drawn by the script that came where the case was made: run that cell, or"
        f' trust this notebook. Its page: <a href="{link}">{link}</a></p>'
    )


def provenance(meta: dict[str, Any]) -> str:
    """Model, weights, kind of numbers, input and seed, as under the figures on the pages."""
    model, digest, seed = (meta.get(name) for name in ("model", "weights_sha256", "seed"))
    parts = [
        *([f"{model} (weights sha256 {digest[:12]})" if digest else model] if model else []),
        meta["kind"],
        *(f"{name} “{value}”" for name, value in (meta.get("input") or {}).items()),
        *([f"edited: {'; '.join(meta['edited'])}"] if "edited" in meta else []),
        *([] if seed is None else [f"seed {seed}"]),
    ]
    return " · ".join(parts)


class Figures(Mapping[str, Figure]):
    """The figures of an answer by name, in the order of the page."""

    def __init__(self, found: Mapping[str, Figure], word: str):
        self.found, self.word = found, word

    def first(self) -> Figure:
        """Raises CaseError if the word has no figures."""
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
        lines = (printed(f"{name}: {figure!r}") for name, figure in self.items())
        return "\n".join(lines) or "no figures"

    def _ipython_key_completions_(self) -> list[str]:
        return list(self)
