"""What `layout.meta` says of a figure: its title, its description and all other texts."""

from collections.abc import Iterator
from typing import Any

from app.figures.plot import Plot

SKIPPED = {
    *("call", "weights_sha256", "source", "formula", "input", "model", "seed", "kind", "rows"),
    *("switches", "notes", "shape", "axes", "explained"),
}


def texts_of_meta(figure: Plot) -> Iterator[tuple[str, str]]:
    """The title, the description and all other texts of `layout.meta`."""
    for name, value in (figure["layout"]["meta"] or {}).items():
        if name not in SKIPPED:
            yield from texts_in(value, name)


def texts_in(value: Any, path: str) -> Iterator[tuple[str, str]]:
    """A line for each text, for each record of a list, and for each list of words."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from texts_in(inner, f"{path}.{key}")
    elif not isinstance(value, list | tuple):
        yield path, plainly(value)
    elif any(isinstance(item, dict) for item in value):
        for item in value:
            yield path, " · ".join(f"{key} {plainly(inner)}" for key, inner in item.items())
    elif any(isinstance(item, list | tuple) for item in value):
        for inner in value:
            yield from texts_in(inner, path)
    elif any(str(item).endswith(".") for item in value):
        for i, sentence in enumerate(value):
            yield f"{path} {i}", sentence
    else:
        yield path, " · ".join(map(plainly, value))


def plainly(value: Any) -> str:
    """A part of `layout.meta` as a text; its real numbers are printed in full."""
    return f"⟦{value!r}⟧" if isinstance(value, float) and not value.is_integer() else str(value)
