"""The figures of an answer, as the pages show them: alive in a notebook, and objects of Plotly.

A figure of a notebook carries its data alone. The script that draws it, which is the pages' own,
comes once: where the case is made.
"""

import base64
import gzip
import json
from collections.abc import Iterator, Mapping
from html import escape
from typing import TYPE_CHECKING, Any

from vitrine.errors import CaseError

if TYPE_CHECKING:
    import plotly.graph_objects


class Figure:
    """One figure: a notebook shows it as its page does."""

    def __init__(self, content: dict[str, Any], address: str):
        self.content, self.address = content, address

    @property
    def meta(self) -> dict[str, Any]:
        """Title, kind, formula, shape, source, model, weights, seed and call."""
        return self.content["layout"]["meta"]

    @property
    def figure(self) -> "plotly.graph_objects.Figure":
        """As an object of Plotly, which is in the colours of Plotly."""
        from plotly.graph_objects import Figure

        return Figure(self.content)

    def html(self) -> str:
        """What a notebook keeps: the data of the figure, and what is said where no script runs."""
        meta = self.meta
        packed = base64.b64encode(gzip.compress(json.dumps(self.content).encode(), 9, mtime=0))
        # A part of the document that sets no script loose: where scripts are not trusted, it is
        # taken out, and the words stay.
        return (
            f'<vitrine-figure><script type="text/plain">{packed.decode()}</script>'
            f"<p><b>{escape(meta['title'])}</b> ({escape(meta['kind'])}).</p>"
            f"<p>{escape(meta['description'])}</p>"
            f'<p><a href="{escape(self.address)}">{escape(self.address)}</a></p>'
            "</vitrine-figure>"
        )

    def __repr__(self) -> str:
        return f"<{self.meta['title']}; {self.meta['kind']}>"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self.html()}


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
            raise UnknownFigure(f"{self.word} has no figure named {name!r}. It has: {names}.")
        return self.found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.found)

    def __len__(self) -> int:
        return len(self.found)

    def __repr__(self) -> str:
        return "\n".join(f"{name}: {one!r}" for name, one in self.items()) or "no figures"

    def _ipython_key_completions_(self) -> list[str]:
        return list(self)


class UnknownFigure(CaseError, KeyError):
    """There is no figure of this name."""

    __str__ = Exception.__str__
