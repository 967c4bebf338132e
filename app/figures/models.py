"""The figure of /models: how large every model is."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from app.captions import Question
from app.captions.text import label
from app.figures.axis_scales import logarithmic, named
from app.figures.panels import Panel, figure
from app.figures.plot import Plot
from app.figures.traces import dots

if TYPE_CHECKING:
    from model.answers.answer import Answer

Card = dict[str, Any]

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
    chooses the model. Of models that were added nobody has said how long they were trained.
    """
    cards = answer.fields["models"]
    traces = [
        trace
        for family, role in FAMILIES.items()
        for trace in (shipped(cards, family, role), yours(cards, family, role))
        if trace is not None
    ]
    scale = logarithmic("parameters", [card["parameters"] for card in cards])
    low, high = scale.range
    panel = Panel(
        replace(scale, range=(low, high + BEYOND * (high - low))),
        named("model", [card["id"] for card in cards], down=True),
        traces,
    )
    return figure(panel, description=f"The parameters of {len(cards)} models.")


def shipped(cards: list[Card], family: str, role: str) -> Plot:
    mine = [i for i, card in enumerate(cards) if card["family"] == family and is_shipped(card)]
    said = "<br>trained for %{customdata[3]:.3g} minutes"
    more = [[cards[i]["training"]["minutes"]] for i in mine]
    return points(cards, mine, family, family, role, said, ["minutes of training"], more)


def yours(cards: list[Card], family: str, role: str) -> Plot | None:
    mine = [i for i, card in enumerate(cards) if card["family"] == family and not is_shipped(card)]
    if not mine:
        return None
    trace = points(cards, mine, family, f"{family}, yours", role, "", [], [[] for _ in mine])
    trace["marker"] |= {"symbol": "diamond"}
    return trace


def is_shipped(card: Card) -> bool:
    return "training" in card


def points(
    cards: list[Card],
    mine: list[int],
    family: str,
    name: str,
    role: str,
    said: str,
    columns: list[str],
    more: list[list[Any]],
) -> Plot:
    """A dot for each of the models `mine`; `said` and `columns` are about what `more` tells."""
    trace = dots(
        [cards[i]["parameters"] for i in mine],
        mine,
        name,
        role,
        "%{customdata[0]}<br><b>%{x:.3g}</b> parameters" + said,
        customdata=[
            [label(cards[i]["name"]), family, cards[i]["parameters"], *rest]
            for i, rest in zip(mine, more, strict=True)
        ],
    )
    trace["showlegend"] = True
    trace["marker"] |= {"size": 10, "opacity": 1}
    trace["meta"] |= {
        "pick": {"model": [cards[i]["id"] for i in mine]},
        "columns": ["model", "family", "parameters", *columns],
    }
    return trace
