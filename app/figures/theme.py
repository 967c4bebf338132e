"""Colours, fonts and sizes of figures, read from `static/css/tokens.css`: the light theme, which a
notebook draws as it stands. In a page the runtime puts in those of the reader's theme.
"""

from functools import cache

import plotly.graph_objects as go

from app.figures.colours import stops, tokens

ROOT_PIXELS = 16


def colour(role: str) -> str:
    """The colour of a quantity, for instance "query", or of head number i, "head:i"."""
    name, _, number = role.partition(":")
    if name == "head":
        heads = stops("heads")
        return heads[int(number) % len(heads)]
    return tokens()[name]


def colorscale(scale: str) -> list[list]:
    """The scale as Plotly takes it."""
    colours = stops(scale)
    return [[i / (len(colours) - 1), colour] for i, colour in enumerate(colours)]


def pixels(size: str) -> float:
    """A size of type, in pixels."""
    return float(tokens()[size].removesuffix("rem")) * ROOT_PIXELS


@cache
def template() -> go.layout.Template:
    """Ink on paper, tokens and numbers in a monospaced font, titles in serifs."""
    ink, soft, rule = colour("ink"), colour("ink-soft"), colour("rule")
    size = pixels("size-tick")
    axis = {
        "automargin": True,
        "gridcolor": rule,
        "linecolor": colour("rule-strong"),
        "showline": True,
        "tickcolor": colour("rule-strong"),
        "tickfont": {"family": tokens()["mono"], "size": size, "color": soft},
        "title": {"font": {"family": tokens()["serif"], "size": size, "color": soft}},
        "zeroline": False,
    }
    return go.layout.Template(
        layout={
            "annotationdefaults": {
                "font": {"family": tokens()["mono"], "size": size},
                "showarrow": False,
            },
            "font": {"family": tokens()["sans"], "size": size, "color": ink},
            "hoverlabel": {
                "align": "left",
                "bgcolor": colour("paper"),
                "bordercolor": colour("rule-strong"),
                "font": {"family": tokens()["mono"], "size": size, "color": ink},
            },
            "paper_bgcolor": colour("paper"),
            "plot_bgcolor": colour("paper"),
            "xaxis": axis,
            "yaxis": axis,
        }
    )
