"""What a head is worth: how much the loss rises when its output z is set to 0 before the output
projection (Michel, Levy and Neubig 2019; Voita et al. 2019).
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
"""A head: the name of its attention, encoder.0.attention, and its number."""


def without(heads: Sequence[Head]) -> Edits:
    """The edits that turn off `heads`."""
    return tuple(Edit("zero", f"{name}.z", (("head", (head,)),)) for name, head in heads)


def costs(
    run: Run, input: Input, groups: Sequence[Sequence[Head]], right: Ids | None = None
) -> Float[Tensor, " group"]:
    """By how many nats the loss of the run of `input` rises without the heads of each group. The
    loss is the mean of -ln p over what is `right`; see `answer_of`.
    """
    places, ids = answer_of(run, right)
    rows = [without(heads) for heads in groups]
    pieces = sweep_steps(run.model, input, rows, at=places.tolist())
    without_each = torch.cat([loss(piece["logits"], ids) for piece in pieces])
    return without_each - loss(run.logits[places], ids)


def answer_of(run: Run, right: Ids | None = None) -> tuple[Tensor, Tensor]:
    """The positions of the logits that the loss is about, and the ids of what is right there: the
    tokens that come next in the text; the word at each blank; the class. Where the input does not
    say what is right and `right` is None, it is what the model itself says without edits.
    """
    logits = run.logits
    if run.next_tokens:
        start = run.predicted.start
        return torch.arange(start, start + len(run.next_tokens)), id_tensor(run.next_tokens)
    if run.fills_blanks:
        places = torch.tensor(run.blanks, dtype=torch.long)
    else:
        # Every object query says a class. All other classifiers read theirs at the first place.
        places = torch.arange(len(logits) if "queries" in run.tokens else 1)
    return places, logits[places].argmax(-1) if right is None else torch.tensor(right)


def loss(
    logits: Float[Tensor, "*row place vocabulary"], ids: Int[Tensor, " place"]
) -> Float[Tensor, "*row"]:
    """The mean over the places of -ln p of `ids`, in nats."""
    log_p = logits.double().log_softmax(-1)
    return -log_p[..., torch.arange(len(ids)), ids].mean(-1)
