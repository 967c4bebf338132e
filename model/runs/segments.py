"""Runs of a text read in segments (model/generation/segment_recurrence.py). All segments are read
in order; the run shows the last one and the inputs that its layers remember.
"""

import torch

from model.answers.answer import Axis
from model.generation.segment_recurrence import SegmentReader
from model.layers import masks
from model.layers.embedding import ModelInput
from model.runs.run import Masks, Prepared, Run, id_tensor, text_axis
from model.runs.text import NO_PADS, Pads, Texts, Tokens, extrapolation, widen_for_slots
from model.trace import Trace
from model.transformer import Target, Transformer
from model.zoo.models import Model


def prepare_segments(model: Model, texts: Texts, read: Tokens, pads: Pads = NO_PADS) -> Prepared:
    """The last segment of the text in `read`. Its axis `text` has the tokens of this segment; its
    axis `recalled` has the positions of the keys and values: the remembered tokens, then those of
    the segment. A model with segments takes no `pads`.

    The inputs that a layer remembers were computed in earlier segments, which are read here. They
    are constants of the run, `decoder.{layer}.memory` [position, channel].
    """
    tokens, config = read["text"], model.config
    assert config.segments is not None, "the model reads its text in segments"
    length, memory = config.segments.length, config.segments.memory
    begins = (len(tokens) - 1) // length * length
    reader, segment = SegmentReader(model.transformer, memory), tokens[begins:]
    for start in range(0, begins, length):
        reader.read(id_tensor(tokens[start : start + length]))
    remembered = reader.n_remembered
    nothing = torch.zeros(0, config.d_model, device=model.transformer.device)
    memories = [nothing if inputs is None else inputs for inputs in reader.memories]
    window = text_axis(tokens[begins - remembered :])
    recalled = Axis(
        "position",
        window.size,
        window.labels,
        window.ids,
        parts={"memory": remembered, "text": len(segment)},
    )
    axes, allowed = widen_for_slots(
        config.attention.slots,
        {"recalled": recalled},
        {"decoder.attention": masks.causal(len(segment), remembered)},
    )
    run = Run(
        model,
        dict(texts),
        {"text": text_axis(segment)} | axes,
        {"text": segment},
        {},
        allowed,
        segment[1:],
        notes=[
            *extrapolation(model, {"text": tokens}),
            *what_is_shown(length, begins, remembered),
        ],
        constants={f"decoder.{layer}.memory": memory for layer, memory in enumerate(memories)},
    )

    def pass_last(
        transformer: Transformer,
        source: ModelInput | None,
        target: Target | None,
        masks: Masks,
        trace: Trace,
    ) -> None:
        """The pass of the last segment, after which the reader remembers it."""
        assert target is not None, "a segment is a text"
        transformer.unembed(reader.read(target, trace), trace)

    return Prepared(run, None, id_tensor(segment), allowed, pass_last, separate=True)


def what_is_shown(segment: int, begins: int, remembered: int) -> list[str]:
    """A sentence saying which part of the text is shown, unless it is the whole text."""
    if not begins:
        return []
    return [
        f"The text is read in segments of {segment} tokens. Shown is the last, from token {begins}"
        f" on, counted from 0; its layers remember the {remembered} before it."
    ]
