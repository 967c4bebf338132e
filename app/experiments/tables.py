"""/tables: a row of a table, what its columns and rows read, and a run without each value."""

from typing import Annotated, Any, ClassVar

from pydantic import Field

from app.experiment import Experiment, Figure
from app.figures import held_out_rows, tables
from app.schema.answers import Fact, RunAnswer, Says, StrictModel, optional
from app.schema.bounds import below
from app.schema.edits import AboutRun
from app.schema.questions import Head, Layer, Model, Name


class Tables(AboutRun):
    model: Model = "penguins-ft"


class TablesFigures(Tables):
    display_fields: ClassVar = ("layer", "head", "query", "column")

    layer: Layer | None = None
    head: Head | None = None
    query: Annotated[int, Field(ge=0), below("text_length")] | None = None
    column: Name | None = None


class Column(StrictModel):
    """A column of the row: its value, and whether it is a token of its own."""

    name: str
    value: str | float | None
    unit: str | None
    token: bool


class Embedded(StrictModel):
    """A column of categories whose vectors lie in a plane."""

    column: str
    options: list[str]
    shares: list[float]
    nearest: list[str]


class TablesAnswer(RunAnswer):
    columns: list[Column]
    says: Says
    facts: list[Fact]
    embedded: list[Embedded] = optional()
    held_out: dict[str, Any] = optional()


EXPERIMENT = Experiment(
    question=Tables,
    answer=TablesAnswer,
    figure_query=TablesFigures,
    example="model=penguins-ft&row=adelie",
    figures={
        "reads": Figure(
            "Attention of one token, in every head", tables.READS, meta=tables.of_reads
        ),
        "rows": Figure("Attention to other rows, in every head", tables.ROWS, meta=tables.of_rows),
        "map": Figure("One head", tables.MAP, meta=tables.of_map),
        "chances": Figure("Prediction", tables.CHANCES, tensor="chances", meta=tables.of_chances),
        "reliability": Figure(
            "Is the model well calibrated?", held_out_rows.reliability, has="held_out"
        ),
        "worth": Figure(
            "How much each column matters",
            held_out_rows.WORTH,
            has="held_out",
            meta=held_out_rows.of_worth,
        ),
        "categories": Figure(
            "Which categories are similar",
            held_out_rows.CATEGORIES,
            meta=held_out_rows.of_categories,
            tensor="places",
            has="places",
        ),
    },
)
