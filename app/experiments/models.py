"""/models: the cards of the models, those that are shipped and those that were added."""

from app.experiment import Experiment, Figure
from app.figures import models
from app.schema.answers import Answer, Card
from app.schema.questions import Question


class ModelsAnswer(Answer):
    models: list[Card]


EXPERIMENT = Experiment(
    question=Question,
    answer=ModelsAnswer,
    figures={"sizes": Figure("How large", models.SIZES, models.described)},
)
