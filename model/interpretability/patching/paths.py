"""Path patching: what one site, the sender, tells another, the receiver, and nobody else.

The numbers of the sender are copied from the clean run into the corrupted one. What every other
sub-layer writes is frozen as it was in the corrupted run, so that the change reaches the receiver
through the residual stream alone. The numbers that the receiver then has are put into a second
corrupted run, in which everything after the receiver follows (Wang et al. 2023, section 3.1;
Goldowsky-Dill et al. 2023, section 2). Wang et al. let feed-forward networks between the two pass
the change on; here they are frozen too, so that a path is one edge.
"""

from collections.abc import Sequence

import torch
from torch import Tensor

from model import progress
from model.activations.catalogue import activations
from model.activations.site import Site
from model.config import Config
from model.edits.edit import Edit, Edits, frozen
from model.inputs.input import Input
from model.runs.run import Run
from model.runs.sweep import sweep

WRITES = ("attention.out", "feed_forward.out")
"""The ends of the names of what sub-layers write to the stream: cross-attention's and those between
rows end so too.
"""


def freezing(config: Config, sender: str, receiver: str) -> Edits:
    """The edits that hold every sub-layer's output at its unedited value, but for the outputs of
    the sub-layers that the sender and the receiver belong to.
    """
    ends = {f"{Site.parse(name).scope}.out" for name in (sender, receiver)}
    names = [name for name in activations(config) if name.endswith(WRITES) and name not in ends]
    return (Edit("patch", ",".join(names)),) if names else ()


def received(corrupted: Run, senders: Sequence[Edit], receiver: str) -> Tensor:
    """What the receiver reads where each of `senders`, a patch of one activation, tells it the
    clean value [sender, *receiver].
    """
    rows = [(sender, *freezing(corrupted.config, sender.at, receiver)) for sender in senders]
    return sweep(corrupted.model, Input(**corrupted.input), rows, (receiver,))[receiver]


def paths(
    corrupted: Run, senders: Sequence[Edit], receiver: str, head: int | None = None
) -> list[Edits]:
    """For each sender the edits of the second run, in which the receiver, or one head of it, has
    what the sender told it.
    """
    with progress.part(0, 0.5):
        values = received(corrupted, senders, receiver)
    where = () if head is None else (("head", (head,)),)
    part = values if head is None else values[:, head : head + 1]
    return [
        (Edit("set", receiver, where, value=frozen(row.tolist())),) for row in torch.unbind(part)
    ]
