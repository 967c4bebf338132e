"""Segment recurrence: a text read segment by segment, each layer remembering its last inputs (Dai
et al. 2019, section 3.2).

Keys and values come from what a layer remembers and from its segment, queries from the segment
alone: the map has more columns than rows. What is remembered was computed in its own segment and is
not computed again, so that a layer sees one memory further back than the layer below it. Positions
are told by offsets, which are the same wherever a text is cut.
"""

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn.functional import cross_entropy

from model.inputs.text import START
from model.layers import masks
from model.layers.block import BlockCache
from model.layers.embedding import Ids
from model.layers.kv_cache import SegmentMemory
from model.layers.norms import Stream
from model.trace import OFF, Trace
from model.transformer import Transformer


class Remembering:
    """A decoder alone that reads one segment after another, of one text or of a row of texts; each
    layer remembers `most` inputs.
    """

    def __init__(self, transformer: Transformer, most: int):
        self.transformer, self.most, self.remembered = transformer, most, 0
        self.recalls = [SegmentMemory(most) for _ in range(transformer.config.n_decoder_layers)]

    def read(self, ids: Ids, trace: Trace = OFF) -> Stream:
        """What the stack hands on for the segment `ids`, which follows those read before."""
        mask = masks.causal(ids.shape[-1], self.remembered)
        cache = [BlockCache(recall=recall) for recall in self.recalls]
        x = self.transformer.decode(ids, mask[(None,) * (ids.ndim - 1)], trace=trace, cache=cache)
        self.remembered = min(self.most, self.remembered + ids.shape[-1])
        return x

    @property
    def memories(self) -> list[Tensor | None]:
        """What each layer remembers of its inputs [..., position, channel], the bottom layer first;
        None before anything was read.
        """
        return [recall.memory for recall in self.recalls]


Windows = Int[Tensor, "window position"]
Nats = Float[Tensor, "window position"]


def surprise(model: Transformer, windows: Windows, memory: int, trace: Trace = OFF) -> Nats:
    """-ln p of every token of the windows, in segments, the layers remembering `memory` inputs; <s>
    stands for all that came before.
    """
    read = torch.cat([torch.full_like(windows[:, :1], START), windows[:, :-1]], dim=1)
    reader, size = Remembering(model, memory), model.config.segment
    segments = zip(read.split(size, dim=1), windows.split(size, dim=1), strict=True)
    return torch.cat(
        [nats(model.unembed(reader.read(part, trace)), expected) for part, expected in segments],
        dim=1,
    )


def nats(logits: Float[Tensor, "window position vocabulary"], expected: Windows) -> Nats:
    return cross_entropy(logits.flatten(0, 1), expected.flatten(), reduction="none").view_as(
        expected
    )
