"""The figure of /models: how large every shipped model is."""

from dataclasses import replace
from typing import TYPE_CHECKING

from app.captions import Question
from app.captions.text import label
from app.figures.axis_scales import logarithmic, named
from app.figures.panels import Panel, figure
from app.figures.plot import Plot
from app.figures.traces import dots

if TYPE_CHECKING:
    from model.answers.answer import Answer

FAMILIES = {
    "encoder-decoder": "cross",
    "prefix": "key",
    "decoder-only": "attention",
    "encoder-only": "feed-forward",
}
"""The kinds of models, and the colour that each has."""
BEYOND = 0.01  # of the axis, so that the last power of ten is named whole


def sizes(answer: "Answer", question: Question) -> Plot:
    """The parameters of every model on an axis of logarithms, a colour for each family; a click
    chooses the model.
    """
    cards = answer.fields["models"]
    traces = []
    for family, role in FAMILIES.items():
        mine = [i for i, card in enumerate(cards) if card["family"] == family]
        trace = dots(
            [cards[i]["parameters"] for i in mine],
            mine,
            family,
            role,
            "%{customdata[0]}<br><b>%{x:.3g}</b> parameters<br>trained for %{customdata[3]:.3g}"
            " minutes",
            customdata=[
                [
                    label(cards[i]["name"]),
                    family,
                    cards[i]["parameters"],
                    cards[i]["training"]["minutes"],
                ]
                for i in mine
            ],
        )
        trace["showlegend"] = True
        trace["marker"] |= {"size": 10, "opacity": 1}
        trace["meta"] |= {
            "pick": {"model": [cards[i]["id"] for i in mine]},
            "columns": ["model", "family", "parameters", "minutes of training"],
        }
        traces.append(trace)
    scale = logarithmic("parameters", [card["parameters"] for card in cards])
    low, high = scale.range
    panel = Panel(
        replace(scale, range=(low, high + BEYOND * (high - low))),
        named("model", [card["id"] for card in cards], down=True),
        traces,
    )
    return figure(panel, description=f"The parameters of {len(cards)} models.")
