"""`EditedDecoder`: generation with a model whose activations are edited at every step.

There is no cache. At each step, the edited model reads the whole text so far again, and predicts
the same next token as a run of that text with the same edits. An edit can make the keys and values
of earlier tokens depend on later ones (a mean over positions does), which would invalidate a cache.

`where` and `positions` of an edit count the tokens that have been read, from 0. A position is
edited from the step on at which it is read.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import cast

import torch
from jaxtyping import Float, Int
from torch import Tensor

from model import progress
from model.config import Config
from model.generation.decoding import Read
from model.inputs.input import Input
from model.inputs.text import Token
from model.runs.editing import Editing
from model.runs.run import Prepared, Run
from model.runs.run_model import token_preparer
from model.runs.text import NO_PADS
from model.runs.together import passed, unless_refused
from model.trace import OFF, Trace

ITSELF = Input()
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
        """Includes the padding on the left of a text, which is read with its first tokens."""
        n, padded = len(self.rows[0]), not self.editing.model.config.cross
        return n + self.pads.left if n and padded else n

    @torch.inference_mode()
    def read(
        self, ids: Int[Tensor, "row new"], trace: Trace = OFF
    ) -> Float[Tensor, "row vocabulary"]:
        """The logits of the token after `ids`, which continue the tokens read before. `trace`
        receives the activations of the first row.
        """
        rows = self.continued(ids)
        return self.having_read(rows, [self.run(row) for row in rows], trace)

    def continued(self, ids: Int[Tensor, "row new"]) -> list[list[int]]:
        """The tokens read before, followed by `ids`."""
        return [[*row, *new] for row, new in zip(self.rows, ids.tolist(), strict=True)]

    def having_read(
        self, rows: list[list[int]], runs: list[Run], trace: Trace
    ) -> Float[Tensor, "row vocabulary"]:
        """Continues with `rows`, whose edited runs are `runs`; returns the logits of `read`."""
        self.rows, first = rows, runs[0].trace
        for name in first:
            trace.lazy(name, lambda name=name: first[name][None])
        return torch.stack([run.logits[-1] for run in runs])

    @torch.inference_mode()
    def run(self, ids: list[int]) -> Run:
        """The edited run of the text with the tokens `ids`. The computation can be canceled before
        it.
        """
        progress.checkpoint()
        return self.edited_pass(ids)()

    def edited_pass(self, ids: list[int]) -> Prepared:
        """The forward pass of that run."""
        model, layout, editing = self.editing.model, self.editing.layout, self.editing
        tokens = self.tokens(ids)
        if any(ITSELF in edit.inputs for edit in editing.edits):
            editing = editing.with_other(ITSELF, self.prepare(model, self.texts, tokens)())
        if layout:
            tokens = {**tokens, layout.axis: layout.padded(tokens[layout.axis])}
        return editing.edited_pass(self.prepare(model, self.texts, tokens, self.pads))

    def select(self, rows: Int[Tensor, " kept"]) -> None:
        """Keeps the rows `rows` of the batch, in this order; rows may be repeated."""
        self.rows = [self.rows[row] for row in rows.tolist()]


@torch.inference_mode()
def read_edited(reads: Iterable[Read]) -> None:
    """Makes the next reads of several edited texts of one model, with texts of equal length in one
    pass. A read that raises an error is left to the text that waits for it.
    """
    passes: dict[tuple[Read, int], Prepared] = {}
    for read in reads:
        text = cast(EditedDecoder, read.decoder)
        for number, row in enumerate(text.continued(read.ids)):
            if (ready := unless_refused(text.edited_pass, row)) is not None:
                passes[read, number] = ready
    runs = passed(passes)
    for read in {read for read, _ in passes}:
        text = cast(EditedDecoder, read.decoder)
        rows = text.continued(read.ids)
        ran = [run for number in range(len(rows)) if (run := runs.get((read, number))) is not None]
        if len(ran) == len(rows):
            read.logits = text.having_read(rows, ran, read.trace)


def growing(config: Config) -> dict[str, int]:
    """The maximum size of each axis that grows during generation."""
    axis = "target" if config.cross else "text"
    return {
        axis: config.max_length,
        f"{axis}_and_slots": config.max_length + config.attention.slots,
        "recalled": config.max_length,
    }
