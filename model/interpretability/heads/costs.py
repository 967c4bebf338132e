"""The importance of a head: the increase of the loss when its output z is set to 0 before the
output projection (Michel, Levy and Neubig 2019; Voita et al. 2019).
"""

from collections.abc import Sequence

import torch
from jaxtyping import Float, Int
from torch import Tensor

from model.edits.edit import Edit, Edits
from model.inputs.input import Input
from model.runs.run import Run, id_tensor
from model.runs.sweep import sweep_steps

Ids = tuple[int, ...]


Head = tuple[str, int]
"""A head: the name of its attention layer, encoder.0.attention, and its index."""


def without(heads: Sequence[Head]) -> Edits:
    """The edits that turn off `heads`."""
    return tuple(Edit("zero", f"{name}.z", (("head", (head,)),)) for name, head in heads)


def costs(
    run: Run, input: Input, groups: Sequence[Sequence[Head]], right: Ids | None = None
) -> Float[Tensor, " group"]:
    """The increase of the loss, in nats, of the run of `input` without the heads of each group. The
    loss is the mean of -ln p over the correct ids; see `answer_of`.
    """
    places, ids = answer_of(run, right)
    rows = [without(heads) for heads in groups]
    pieces = sweep_steps(run.model, input, rows, at=places.tolist())
    without_each = torch.cat([loss(piece["logits"], ids) for piece in pieces])
    return without_each - loss(run.logits[places], ids)


def answer_of(run: Run, right: Ids | None = None) -> tuple[Tensor, Tensor]:
    """The logit positions that the loss is about, and the correct ids there: the next tokens of the
    text, the word at each blank, or the class. If the input does not determine them and `right` is
    None, the model's own predictions without edits.
    """
    logits = run.logits
    if run.next_tokens:
        start = run.predicted.start
        return torch.arange(start, start + len(run.next_tokens)), id_tensor(run.next_tokens)
    if run.fills_blanks:
        places = torch.tensor(run.blanks, dtype=torch.long)
    else:
        # Every object query predicts a class; all other classifiers predict at the first position.
        places = torch.arange(len(logits) if "queries" in run.tokens else 1)
    return places, logits[places].argmax(-1) if right is None else torch.tensor(right)


def loss(
    logits: Float[Tensor, "*row place vocabulary"], ids: Int[Tensor, " place"]
) -> Float[Tensor, "*row"]:
    """The mean of -ln p of `ids`, in nats."""
    log_p = logits.double().log_softmax(-1)
    return -log_p[..., torch.arange(len(ids)), ids].mean(-1)
