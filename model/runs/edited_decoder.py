"""`EditedDecoder`: a text is written by a model whose activations are edited at every step.

There is no cache. At each step the edited model reads the whole text so far again, and writes what
a run of that text with the same edits predicts next. An edit may make the keys and values of
earlier tokens depend on later ones (a mean over positions does), and then kept keys and values
would be those of another text.

`where` and `positions` of an edit count the tokens that have been read, from 0. A position that is
not there yet is not changed yet; it is changed from the step on at which it is read.
"""

from collections.abc import Callable, Mapping

import torch
from jaxtyping import Float, Int
from torch import Tensor

from model import progress
from model.config import Config
from model.inputs.input import Input
from model.inputs.text import Token
from model.runs.editing import Editing
from model.runs.readings import token_preparer
from model.runs.run import Run
from model.runs.text import NO_PADS
from model.trace import OFF, Trace

OWN = Input()
"""Stands for the unedited run of the text so far, from which a patch without an input copies."""


class EditedDecoder:
    """Reads a batch of texts token by token, without a cache and with the changes of `editing`.
    `tokens` makes the tokens of an input, by name, from the ids that have been read.
    """

    def __init__(
        self,
        editing: Editing,
        tokens: Callable[[list[int]], dict[str, list[Token]]],
        texts: Mapping[str, str],
    ):
        self.editing, self.tokens, self.texts = editing, tokens, dict(texts)
        self.rows: list[list[int]] = [[]]
        self.pads = editing.layout.pads if editing.layout else NO_PADS
        self.prepare = token_preparer(editing.model)

    @property
    def n_read(self) -> int:
        padded = not self.editing.model.config.cross
        return len(self.rows[0]) + (self.pads.left if padded else 0)

    @torch.inference_mode()
    def read(
        self, ids: Int[Tensor, "row new"], trace: Trace = OFF
    ) -> Float[Tensor, "row vocabulary"]:
        """The logits of the token after `ids`, which continue the tokens read before. `trace`
        receives the activations of the first row.
        """
        self.rows = [[*row, *new] for row, new in zip(self.rows, ids.tolist(), strict=True)]
        runs = [self.run(row) for row in self.rows]
        first = runs[0].trace
        for name in first:
            trace.lazy(name, lambda name=name: first[name][None])
        return torch.stack([run.trace["logits"][-1] for run in runs])

    @torch.inference_mode()
    def run(self, ids: list[int]) -> Run:
        """The edited run of the text that `ids` are the tokens of. Before it the computation may be
        cancelled.
        """
        progress.checkpoint()
        model, layout, editing = self.editing.model, self.editing.layout, self.editing
        tokens = self.tokens(ids)
        if any(OWN in edit.inputs for edit in editing.edits):
            editing = editing.with_other(OWN, self.prepare(model, self.texts, tokens)())
        if layout:
            tokens = {**tokens, layout.axis: layout.padded(tokens[layout.axis])}
        return editing.edited_pass(self.prepare(model, self.texts, tokens, self.pads))()

    def select(self, rows: Int[Tensor, " kept"]) -> None:
        """Keeps the rows `rows` of the batch, in this order; a row may be named twice."""
        self.rows = [self.rows[row] for row in rows.tolist()]


def growing(config: Config) -> dict[str, int]:
    """The largest size of each axis that becomes longer while a text is written."""
    axis = "target" if config.cross else "text"
    return {
        axis: config.max_length,
        f"{axis}_and_slots": config.max_length + config.slots,
        "recalled": config.max_length,
    }
