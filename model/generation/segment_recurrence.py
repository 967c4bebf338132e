"""Segment recurrence: a text is read segment by segment, and each layer remembers its last inputs
(Dai et al. 2019, section 3.2).

Keys and values come from a layer's remembered inputs and from its segment, queries only from the
segment: the attention matrix has more columns than rows. A remembered input was computed in its own
segment and is not recomputed, so each layer reaches one memory length further back than the layer
below it. Positions are relative offsets, which do not depend on where a text is cut.
"""

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn.functional import cross_entropy

from model.layers import masks
from model.layers.embedding import Ids
from model.layers.kv_cache import BlockCache, SegmentMemory
from model.layers.norms import Stream
from model.trace import OFF, Trace
from model.transformer import Transformer


class SegmentReader:
    """A decoder without an encoder that reads one segment after another, of one text or a batch of
    texts; each layer remembers at most `memory` of its inputs.
    """

    def __init__(self, transformer: Transformer, memory: int):
        self.transformer, self.memory, self.n_remembered = transformer, memory, 0
        self.recalls = [SegmentMemory(memory) for _ in range(transformer.config.n_decoder_layers)]

    def read(self, ids: Ids, trace: Trace = OFF) -> Stream:
        """The decoder's last stream for the segment `ids`, which follows the segments read
        before.
        """
        mask = masks.causal(ids.shape[-1], self.n_remembered)
        cache = [BlockCache(recall=recall) for recall in self.recalls]
        x = self.transformer.decode(ids, mask[(None,) * (ids.ndim - 1)], trace=trace, cache=cache)
        self.n_remembered = min(self.memory, self.n_remembered + ids.shape[-1])
        return x

    @property
    def memories(self) -> list[Tensor | None]:
        """The inputs that each layer remembers [..., position, channel], the bottom layer first;
        None before anything is read.
        """
        return [recall.memory for recall in self.recalls]


Windows = Int[Tensor, "window position"]
Nats = Float[Tensor, "window position"]


def negative_log_likelihood(
    model: Transformer, windows: Windows, memory: int, start: int, trace: Trace = OFF
) -> Nats:
    """-ln p of every token of the windows, which are read in segments with each layer remembering
    `memory` inputs. The id `start` stands for the text before a window.
    """
    read = torch.cat([torch.full_like(windows[:, :1], start), windows[:, :-1]], dim=1)
    assert model.config.segments is not None, "the model reads its text in segments"
    reader, size = SegmentReader(model, memory), model.config.segments.length
    segments = zip(read.split(size, dim=1), windows.split(size, dim=1), strict=True)
    return torch.cat(
        [nats(model.unembed(reader.read(part, trace)), expected) for part, expected in segments],
        dim=1,
    )


def nats(logits: Float[Tensor, "window position vocabulary"], expected: Windows) -> Nats:
    return cross_entropy(logits.flatten(0, 1), expected.flatten(), reduction="none").view_as(
        expected
    )
