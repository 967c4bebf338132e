"""/tables: a row of a table, what its columns and rows read, and what is said without each
value.
"""

from typing import Annotated, ClassVar

from pydantic import Field

from app.experiments import Experiment, Figure
from app.figures import tables
from app.schema.answers import Fact, RunAnswer, Says, StrictModel
from app.schema.bounds import below
from app.schema.edits import AboutRun
from app.schema.questions import Head, Layer


class TablesFigures(AboutRun):
    display_fields: ClassVar = ("layer", "head", "query")

    layer: Layer | None = Field(
        None,
        description=("The layer that is shown, counted from 0. If it is left out, it is the last."),
    )
    head: Head | None = Field(
        None,
        description=("The head that is shown, counted from 0. If it is left out, it is the first."),
    )
    query: Annotated[int, Field(ge=0), below("text_length")] | None = Field(
        None,
        description=(
            "The token whose weights are shown, counted from 0. If it is left out, it is the first."
        ),
    )


class Column(StrictModel):
    """A column of the row: its value, and whether it is a token of its own."""

    name: str
    value: str | float | None
    unit: str | None
    token: bool


class TablesAnswer(RunAnswer):
    columns: list[Column]
    says: Says
    facts: list[Fact]


EXPERIMENT = Experiment(
    question=AboutRun,
    answer=TablesAnswer,
    figure_query=TablesFigures,
    sentence="A row of a table: what its columns read from each other and from other rows, and what"
    " the model says without each of its values",
    example="model=penguins-ft&row=adelie",
    figures={
        "reads": Figure("What one token reads, in every head", tables.reads, tensor="weights"),
        "rows": Figure("Which rows the row reads, in every head", tables.rows, tensor="rows"),
        "map": Figure("One head", tables.one_head, tensor="weights"),
        "chances": Figure("What the model says", tables.chances, tensor="chances"),
    },
)
