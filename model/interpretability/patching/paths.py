"""Path patching: the effect of one site, the sender, on another, the receiver, and through nothing
else.

The sender's activation is copied from the clean run into the corrupted one. The outputs of all
other sub-layers are frozen at their values in the corrupted run, so the change reaches the receiver
only through the residual stream. The receiver's resulting activation is patched into a second
corrupted run, in which everything after the receiver is recomputed (Wang et al. 2023, section 3.1;
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
"""The suffixes of the names of sub-layer outputs, including those of cross-attention and of
attention between rows.
"""


def freezing(config: Config, sender: str, receiver: str) -> Edits:
    """The edits that freeze every sub-layer's output at its unedited value, except those of the
    sender's and receiver's sub-layers.
    """
    ends = {f"{Site.parse(name).scope}.out" for name in (sender, receiver)}
    names = [name for name in activations(config) if name.endswith(WRITES) and name not in ends]
    return (Edit("patch", ",".join(names)),) if names else ()


def received(corrupted: Run, senders: Sequence[Edit], receiver: str) -> Tensor:
    """The receiver's activation when each of `senders`, a patch of one activation, has its clean
    value, [sender, *receiver].
    """
    rows = [(sender, *freezing(corrupted.config, sender.at, receiver)) for sender in senders]
    return sweep(corrupted.model, Input(**corrupted.input), rows, (receiver,))[receiver]


def paths(
    corrupted: Run, senders: Sequence[Edit], receiver: str, head: int | None = None
) -> list[Edits]:
    """For each sender, the edits of the second run, in which the receiver, or one head of it, has
    the resulting activation.
    """
    with progress.part(0, 0.5):
        values = received(corrupted, senders, receiver)
    where = () if head is None else (("head", (head,)),)
    part = values if head is None else values[:, head : head + 1]
    return [
        (Edit("set", receiver, where, value=frozen(row.tolist())),) for row in torch.unbind(part)
    ]
