"""Colours, fonts and sizes of figures, read from `static/css/tokens.css`: the light theme, which a
notebook draws as it stands. In a page the runtime puts in those of the reader's theme.
"""

from functools import cache
from typing import Any

from app.figures.colours import stops as stops_of
from app.figures.colours import tokens

ROOT_PIXELS = 16
Scale = str | tuple[str, ...]
"""A scale by its name, or the roles whose colours it goes through."""


def colour(role: str) -> str:
    """The colour of a quantity, for instance "query", or of head number i, "head:i"; "clear query"
    is the same without any ink.
    """
    if role.startswith("clear "):
        red, green, blue = (int(colour(role[6:])[i : i + 2], 16) for i in (1, 3, 5))
        return f"rgba({red}, {green}, {blue}, 0)"
    name, _, number = role.partition(":")
    if name == "head":
        heads = stops("heads")
        return heads[int(number) % len(heads)]
    return tokens()[name]


def stops(scale: Scale) -> list[str]:
    """The colours of a scale at equal distances: "cividis", "signed", or from role to role."""
    return stops_of(scale) if isinstance(scale, str) else [colour(role) for role in scale]


def colorscale(scale: Scale) -> list[list]:
    """The scale as Plotly takes it."""
    colours = stops(scale)
    return [[i / (len(colours) - 1), colour] for i, colour in enumerate(colours)]


def pixels(size: str) -> float:
    """A size of type, in pixels."""
    return float(tokens()[size].removesuffix("rem")) * ROOT_PIXELS


@cache
def template() -> dict[str, Any]:
    """Ink on paper, in a sans serif font."""
    ink, soft, rule = colour("ink"), colour("ink-soft"), colour("rule")
    size = pixels("size-tick")
    axis = {
        "automargin": True,
        "gridcolor": rule,
        "linecolor": colour("rule-strong"),
        "showline": True,
        "tickcolor": colour("rule-strong"),
        "tickfont": {"size": size, "color": soft},
        "title": {"font": {"size": size, "color": soft}},
        "zeroline": False,
    }
    return {
        "layout": {
            "annotationdefaults": {
                "font": {"size": size},
                "showarrow": False,
            },
            "barmode": "overlay",
            "font": {"family": tokens()["sans"], "size": size, "color": ink},
            "hoverlabel": {
                "align": "left",
                "bgcolor": colour("paper"),
                "bordercolor": colour("rule-strong"),
                "font": {"size": size, "color": ink},
            },
            "paper_bgcolor": colour("paper"),
            "plot_bgcolor": colour("paper"),
            "xaxis": axis,
            "yaxis": axis,
        }
    }
