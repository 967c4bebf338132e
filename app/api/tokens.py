"""/tokens: the pieces a text is cut into."""

from app.api import Word
from app.questions import AboutModel

WORDS = (
    Word(
        "tokens",
        AboutModel,
        "The tokens of the input: text, id, where in the input they stand, special or not",
        "model=translator&source=i+am+cold",
    ),
)
