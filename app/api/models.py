"""/models: the cards of the shipped models; /models/{id}: one of them with its modules and the names its runs record."""

from app.api import Word
from app.questions import Name, Question


class OneModel(Question):
    id: Name


WORDS = (
    Word("models", Question, "The cards of the shipped models"),
    Word("models", OneModel, "One model's card, its modules with parameter shapes, and the names of its activations", path="/models/{id}"),
)
