"""Builds a figure from a mark and an answer: the panels of its marks, in rows."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from app.captions import Question
from app.figures.cells import of_cells
from app.figures.lines import of_bars, of_lines, of_points, of_records
from app.figures.marks import Bars, Cells, Lines, Mark, Marks, Of, Points, Records, Tiles, resolved
from app.figures.mosaic import of_tiles
from app.figures.plot import Panel, Plot, figure

if TYPE_CHECKING:
    from model.answers.answer import Answer

PANELS: Mapping[type, Callable[[Any, "Answer", Question], list[Panel]]] = {
    Lines: of_lines,
    Bars: of_bars,
    Records: of_records,
    Points: of_points,
    Cells: of_cells,
    Tiles: of_tiles,
}


def build(mark: Mark, description: str | Of, answer: "Answer", question: Question) -> Plot:
    """The figure of a mark; `description` describes it in a sentence."""
    sentence = resolved(description, answer, question)
    if not isinstance(mark, Marks):
        return figure(*panels(mark, answer, question), description=sentence)
    each = [panel for part in mark.marks for panel in panels(part, answer, question)]
    rows = resolved(mark.rows, answer, question)
    return figure(*each, description=sentence, across=mark.across, rows=rows)


def panels(mark: Any, answer: "Answer", question: Question) -> list[Panel]:
    """The panels of a mark, or of its fallback if the answer does not have the tensor."""
    if isinstance(mark, Cells) and mark.tensor and mark.tensor not in answer.tensors:
        return panels(mark.otherwise, answer, question) if mark.otherwise else []
    return PANELS[type(mark)](mark, answer, question)
