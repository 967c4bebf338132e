"""`Editing`: the changes of a run, prepared once and then applied in one pass, or in each pass of
generation.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from torch import Tensor

from model import progress
from model.arrangement.layout import Layout, Moved
from model.edits.changes import BrokenInvariant, EditReport, report
from model.edits.edit import Edits
from model.edits.editor import Editor
from model.edits.invariants import broken
from model.inputs.input import Input
from model.runs.run import Prepared, Run
from model.trace import Record, Trace
from model.zoo.models import Model

Activations = Mapping[str, Tensor]


@dataclass(frozen=True)
class Editing:
    """`edits` of activations, and a `layout` of the input if it is rearranged. `others` has the
    activations of the edits' other inputs. `grows` has the maximum size of each axis that grows
    during generation.
    """

    model: Model
    edits: Edits
    others: Mapping[Input, Activations]
    layout: Layout | None = None
    grows: Mapping[str, int] | None = None

    def edited_pass(self, plain: Prepared) -> Prepared:
        """The pass with the changes applied once. Its run reports the effect of each."""
        editor = Editor(self.model.config, self.edits, self.others, self.grows or {})
        moved: Moved = {}

        def through(record: Record) -> Trace:
            moves = [self.layout.moving(moved, record.select)] if self.layout else []
            return editor.through(record, *moves)

        def finish(run: Run) -> Run:
            run = plain.finish(run)
            if self.layout:
                run = self.layout.labelled(run)
            arranged = self.layout.reports(run, moved) if self.layout else ()
            stages = self.layout.stages(moved, editor.stages) if self.layout else editor.stages
            return replace(run, edits=[*arranged, *reports(editor, run)], stages=stages)

        return replace(plain, through=through, finish=finish)

    def with_other(self, input: Input, run: Run) -> "Editing":
        """The editing with the activations of one more run of another input."""
        return replace(self, others={**self.others, input: run.trace})


def reports(editor: Editor, run: Run) -> Iterator[EditReport]:
    """The effect of each edit of activations. Violated invariants are measured once per activation,
    however many edits name it; the computation can be canceled before each.
    """
    laws: dict[str, list[BrokenInvariant]] = {}
    for name, left in editor.left.items():
        progress.checkpoint()
        laws[name] = [*broken(run.vocabulary[name], editor.arrived[name], left, run.masks)]
    for edit, names in editor.edits.items():
        found = [law for name in names for law in laws.get(name, ())]
        yield report(edit, names, editor.changes[edit], found)
