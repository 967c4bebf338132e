"""Runs of a text that is read in segments (model/generation/segment_recurrence.py). All segments
are read, one after another; the run shows the last one and the inputs that its layers remember.
"""

import torch

from model.answers.answer import Axis
from model.generation.segment_recurrence import SegmentReader
from model.inputs.input import Input
from model.layers import masks
from model.runs.framing import check_text, read
from model.runs.run import Run, id_tensor, text_axis
from model.runs.text import NO_PADS, Pads, Texts, Tokens, extrapolation, widen_for_slots
from model.trace import Record, TraceFactory, unchanged
from model.zoo.models import Model


def run_segments(model: Model, input: Input, through: TraceFactory = unchanged) -> Run:
    """A run of the last segment. Its axis `text` has the tokens of this segment; its axis
    `recalled` has the positions of the keys and values: first the remembered tokens, then those of
    the segment.

    The inputs that a layer remembers were computed in earlier segments. They are constants of the
    run, `decoder.{layer}.memory` [position, channel].
    """
    text = check_text(model, input)
    tokens = read(model, "text", text, end=False)
    return run_segments_tokens(model, {"text": text}, {"text": tokens}, through)


def run_segments_tokens(
    model: Model,
    texts: Texts,
    read: Tokens,
    through: TraceFactory = unchanged,
    pads: Pads = NO_PADS,
) -> Run:
    """The run of the last segment of the text of `read`. A model of segments takes no `pads`."""
    tokens, config = read["text"], model.config
    assert config.segments is not None, "the model reads its text in segments"
    length, memory = config.segments.length, config.segments.memory
    begins = (len(tokens) - 1) // length * length
    reader, shown = SegmentReader(model.transformer, memory), tokens[begins:]
    for start in range(0, begins, length):
        reader.read(id_tensor(tokens[start : start + length]))
    remembered, record = reader.n_remembered, Record()
    trace = through(record)
    nothing = torch.zeros(0, config.d_model, device=model.transformer.device)
    memories = [nothing if inputs is None else inputs for inputs in reader.memories]
    model.transformer.unembed(reader.read(id_tensor(shown), trace), trace)
    seen = text_axis(tokens[begins - remembered :])
    recalled = Axis(
        "position",
        seen.size,
        seen.labels,
        seen.ids,
        parts={"memory": remembered, "text": len(shown)},
    )
    axes, allowed = widen_for_slots(
        config.slots,
        {"recalled": recalled},
        {"decoder.attention": masks.causal(len(shown), remembered)},
    )
    return Run(
        model,
        dict(texts),
        {"text": text_axis(shown)} | axes,
        {"text": shown},
        record,
        allowed,
        shown[1:],
        notes=[
            *extrapolation(model, {"text": tokens}),
            *what_is_shown(length, begins, remembered),
        ],
        constants={f"decoder.{layer}.memory": memory for layer, memory in enumerate(memories)},
    )


def what_is_shown(segment: int, begins: int, remembered: int) -> list[str]:
    """A sentence that says which part of the text is shown, if it is not the whole text."""
    if not begins:
        return []
    return [
        f"The text is read in segments of {segment} tokens. Shown is the last, from token {begins}"
        f" on, counted from 0; its layers remember the {remembered} before it."
    ]
