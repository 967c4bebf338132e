"""A window of a long text: a run of some of its positions, whose layers attend to everything
before.

Causal attention needs the keys and values of the positions before the window, which a LongText
stores. Everything at the positions of the window is then recorded as in any run, except queries,
keys, values, and maps, which /attention shows by tiles.
"""

from collections.abc import Callable
from typing import cast

import torch
from torch import Tensor

from model import progress
from model.activations.site import Site
from model.checks import check_interval
from model.display_limits import POSITIONS
from model.generation.decoding import IncrementalDecoder
from model.layers import masks
from model.layers.kv_cache import BlockCache, Compute, KeysValues, KVCache
from model.runs.long_text import LongRun, LongText
from model.runs.run import Run, id_tensor, text_axis
from model.trace import Record, Trace
from model.transformer import Transformer

OF_MAPS = ("q", "k", "v", "scores", "masked_scores", "pattern")


class AttentionCapture(Record):
    """Only the columns of a window from each attention map."""

    def __init__(self, window: tuple[int, int]):
        super().__init__()
        self.window = window

    def write(self, name: str, value: Tensor | Callable[[], Tensor]) -> None:
        if name.endswith(".attention.pattern") and isinstance(value, Tensor):
            super().write(name, value[..., slice(*self.window)].clone())


class WithoutMaps(Record):
    """A record of everything whose size does not depend on the length of the text."""

    def write(self, name: str, value: Tensor | Callable[[], Tensor]) -> None:
        site = Site.parse(name)
        if not (site.part == "attention" and site.value in OF_MAPS):
            super().write(name, value)


@torch.inference_mode()
def run_window(run: LongRun, window: tuple[int, int]) -> Run:
    """The run of the positions in [window[0], window[1]) of a long text. Raises InvalidInput for a
    window outside the text.
    """
    start, stop = window
    check_interval("window", window, run.inputs["text"].size, POSITIONS)
    tokens, text = run.tokens["text"][start:stop], cast(LongText, run.trace)
    network, record = run.model.transformer, WithoutMaps()
    layers, trace = range(run.config.layers("decoder")), Trace(record=record)
    text.stream(len(layers))
    caches = [BlockCache(earlier(text, layer, start)) for layer in layers]
    mask = masks.causal(len(tokens), start)
    x = network.decode(id_tensor(tokens), mask, trace=trace, start=start, cache=caches)
    network.answer(x, trace)
    return Run(
        run.model,
        run.input,
        {"text": text_axis(tokens)},
        {"text": tokens},
        record,
        {"decoder.attention": mask},
        run.next_tokens[start:stop],
        notes=[*run.notes, f"Shown are the positions {start} to {stop - 1} of the text."],
    )


def continuing(network: Transformer, text: LongText) -> IncrementalDecoder:
    """A decoder that has read a long text except its last token."""
    decoder, n = IncrementalDecoder(network), text.streams.shape[1] - 1
    text.stream(len(decoder.cache))
    for layer, block in enumerate(decoder.cache):
        keys, values = text.keys_and_values[layer, :, None, :, :n]
        cast(KVCache, block.attention).past = keys, values
    decoder.n_read = decoder.n_cached = n
    return decoder


def earlier(text: LongText, layer: int, start: int) -> Callable[[Compute], KeysValues]:
    """A cache of one layer with the keys and values of the positions before `start`."""

    def cache(compute: Compute) -> KeysValues:
        progress.checkpoint()
        both = zip(text.keys_and_values[layer, ..., :start, :], compute(start), strict=True)
        keys, values = (torch.cat(pair, dim=-2) for pair in both)
        return keys, values

    return cache
