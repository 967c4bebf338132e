"""/tables: a row of a table, what its columns and rows read, and what is said without each
value.
"""

from app.api.answers import Fact, Part, RunAnswer, Says
from app.api.endpoint import Endpoint
from app.api.questions import AboutModel


class Column(Part):
    """A column of the row: its value, and whether it is a token of its own."""

    name: str
    value: str | float | None
    unit: str | None
    token: bool


class TablesAnswer(RunAnswer):
    columns: list[Column]
    says: Says
    facts: list[Fact]


ENDPOINTS = (
    Endpoint(
        "tables",
        AboutModel,
        TablesAnswer,
        "A row of a table: what its columns read of one another and of other rows, and what the"
        " model says without each of its values",
        "model=penguins-ft&row=adelie",
    ),
)
