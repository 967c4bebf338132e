"""Reading all at once, token by token, or with a cache gives the same numbers (row 7 of the
science).
"""

import pytest
import torch

from model.layers import masks
from model.trace import Recorder
from tests.model.support.small import SOURCE, TARGET, small, traced, translate
from tests.rounding import same

PLACEMENTS = pytest.mark.parametrize("placement", ["post", "pre"])
PRECISIONS = pytest.mark.parametrize(
    ("dtype", "tolerance"), [(torch.float32, 1e-5), (torch.float64, 1e-12)]
)


@PLACEMENTS
@PRECISIONS
def test_cached_is_parallel_is_sequential_for_a_translator(placement, dtype, tolerance):
    model, open_ = small(placement=placement, dtype=dtype), torch.ones(1, 7, dtype=torch.bool)
    memory, parallel = model.encode(SOURCE, open_), translate(model)
    cache = model.new_cache()
    for t in range(len(TARGET)):
        row = masks.causal(t + 1)
        sequential = model.unembed(model.decode(TARGET[: t + 1], row, memory, open_))[-1]
        cached = model.unembed(
            model.decode(TARGET[t : t + 1], row[-1:], memory, open_, start=t, cache=cache)
        )[-1]
        same(sequential, parallel[t], scale=1)
        same(cached, parallel[t], scale=1)


@PLACEMENTS
@PRECISIONS
@pytest.mark.parametrize("chunks", [[1, 1, 1, 1, 1, 1, 1], [3, 1, 3], [6, 1]])
@pytest.mark.parametrize("scheme", ["sinusoidal", "learned"])
def test_a_text_may_be_read_in_any_chunks(placement, dtype, tolerance, chunks, scheme):
    """Every activation of a chunk, not the logits alone, is that of the text read at once."""
    model = small("decoder-only", placement=placement, dtype=dtype, positions=scheme)
    whole, cache, start = traced(model), model.new_cache(), 0
    for size in chunks:
        end, trace = start + size, Recorder()
        mask = masks.causal(end)[start:]
        model.unembed(
            model.decode(SOURCE[start:end], mask, trace=trace, start=start, cache=cache), trace
        )
        for name in ("logits", "decoder.1.residual.out", "decoder.0.norm1.mean"):
            same(trace.values[name], whole[name][start:end], scale=1)
        same(
            trace.values["decoder.1.attention.k"], whole["decoder.1.attention.k"][:, :end], scale=1
        )
        same(
            trace.values["decoder.1.attention.pattern"],
            whole["decoder.1.attention.pattern"][:, start:end, :end],
            scale=1,
        )
        start = end


def test_a_batch_is_its_rows_each_alone():
    model, sources = small(), torch.stack([SOURCE, SOURCE.flip(0)])
    together = translate(
        model, sources, TARGET.expand(2, -1), source_allowed=torch.ones(2, 1, 7, dtype=torch.bool)
    )
    for row, source in zip(together, sources, strict=True):
        same(row, translate(model, source), scale=1)
