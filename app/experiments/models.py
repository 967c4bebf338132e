"""/models: the cards of the models, those that are shipped and those that were added."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from app import captions
from app.captions.text import label, number
from app.experiment import Experiment, Figure
from app.figures.axis_scales import AxisScale, logarithmic, named
from app.figures.marks import Point, Points
from app.schema import answers
from app.schema.questions import Question

if TYPE_CHECKING:
    from model.answers.answer import Answer


class ModelsAnswer(answers.Answer):
    models: list[answers.Card]


FAMILIES = {
    "encoder-decoder": "cross",
    "prefix": "key",
    "decoder-only": "attention",
    "encoder-only": "feed-forward",
}
"""The kinds of models, and the colour that each has."""
BEYOND = 0.01  # of the axis, so that the last power of ten is named whole


def sizes(answer: "Answer", question: captions.Question) -> list[Point]:
    """The parameters of every model, a colour for each family; a click chooses the model. Of models
    that were added nobody has said how long they were trained.
    """
    cards: list[dict[str, Any]] = answer.fields["models"]
    return [
        Point(
            card["parameters"],
            i,
            f"{label(card['name'])}, {family}{trained(card)}",
            role,
            family if shipped else f"{family}, yours",
            "circle" if shipped else "diamond",
            card["id"],
        )
        for family, role in FAMILIES.items()
        for shipped in (True, False)
        for i, card in enumerate(cards)
        if card["family"] == family and ("training" in card) == shipped
    ]


def trained(card: dict[str, Any]) -> str:
    return (
        f", trained for {number(card['training']['minutes'])} minutes" if "training" in card else ""
    )


def parameters(answer: "Answer", question: captions.Question) -> AxisScale:
    scale = logarithmic("parameters", [card["parameters"] for card in answer.fields["models"]])
    low, high = scale.range
    return replace(scale, range=(low, high + BEYOND * (high - low)))


SIZES = Points(
    sizes,
    x=parameters,
    y=lambda answer, _: named("model", [card["id"] for card in answer.fields["models"]], down=True),
    size=10,
    pick="model",
    hover="%{customdata}<br><b>%{x:.3g}</b> parameters",
)


def described(answer: "Answer", question: captions.Question) -> str:
    return f"The parameters of {len(answer.fields['models'])} models."


EXPERIMENT = Experiment(
    question=Question,
    answer=ModelsAnswer,
    figures={"sizes": Figure("Model sizes", SIZES, described)},
)
