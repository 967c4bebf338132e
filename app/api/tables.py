"""/tables: a row of a table, what its columns and rows read, and what is said without each value."""

from app.api import Word
from app.questions import AboutModel

WORDS = (
    Word(
        "tables",
        AboutModel,
        "A row of a table: what its columns read of one another and of other rows, and what the model says without each of its values",
        "model=penguins-ft&row=adelie",
    ),
)
