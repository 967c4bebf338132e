"""`shakespeare-xl`: the plays of `shakespeare` with the same decoder, which reads them in short
segments and remembers earlier ones.
"""

import math
from dataclasses import replace
from functools import cached_property

import torch
from jaxtyping import Float, Int
from torch import Tensor

from model.config import Config
from model.generation.segment_recurrence import negative_log_likelihood
from model.inputs.sizes import SegmentSizes
from model.trace import Trace
from model.training.model_card import Card
from model.training.recipes import shakespeare
from model.training.recipes.shakespeare import Windows
from model.transformer import Transformer

SEGMENT, MEMORY = 32, 96
MEMORIES = (0, 16, 32, 64, 96, 128, 192, 256)  # measured lengths; MEMORY is that of training


class Segments(shakespeare.Plays):
    """Windows of eight segments.

    The memory is empty at the start of a window and grows to MEMORY. So every memory length is
    trained, and a batch does not depend on the previous one: a training can resume anywhere.
    """

    window, batch = 8 * SEGMENT, 16

    @cached_property
    def config(self) -> Config:
        return replace(super().config, segments=SegmentSizes(SEGMENT, MEMORY), max_length=512)

    def loss(self, model: Transformer, batch: Windows, trace: Trace) -> Float[Tensor, ""]:
        return negative_log_likelihood(model, batch, MEMORY, shakespeare.FRAME.start, trace).mean()


@torch.inference_mode()
def bits(model: Transformer, ids: Int[Tensor, " token"], memory: int) -> float:
    """-log2 P(text), read from beginning to end in segments. Only the first `memory` tokens have
    less than the full memory.
    """
    nats = negative_log_likelihood(model, ids[None], memory, shakespeare.FRAME.start)
    return float(nats.double().sum()) / math.log(2)


LOOK_FOR = (
    "The map is wider than it is tall, because the segment’s tokens also attend to tokens"
    " remembered from earlier segments. "
)
EXAMPLES = [
    {
        "id": "dido",
        "input": {
            "text": (
                "ANTONIO:\nAnd, sowing the kernels of it in the sea, bring\nforth more"
                " islands.\n\nGONZALO:\nAy.\n\nANTONIO:\nWhy, in good time.\n\nGONZALO:\nSir, we"
                " were talking that our garments seem now\nas fresh as when we were at Tunis at the"
                " marriage\nof your daughter, who is now queen.\n\nANTONIO:\nAnd the rarest that"
                " e'er came there.\n\nSEBASTIAN:\nBate, I beseech you, widow Dido.\n\nANTONIO:\nO,"
                " widow"
            )
        },
        "look_for": (
            LOOK_FOR
            + (
                "In layer 0, head 0, the line break before “O” attends to the “And” that followed"
                " a line break in the memory."
            )
        ),
    },
    {
        "id": "prospero",
        "input": {
            "text": (
                "MIRANDA:\nSir, are not you my father?\n\nPROSPERO:\nThy mother was a piece of"
                " virtue, and\nShe said thou wast my daughter; and thy father\nWas Duke of Milan;"
                " and thou his only heir\nAnd princess no worse issued.\n\nMIRANDA:\nO the"
                " heavens!\nWhat foul play had we, that we came from thence?\nOr blessed was't we"
                " did?\n\nPROSPERO:\nBoth, both"
            )
        },
        "look_for": (
            LOOK_FOR
            + (
                "In layer 0, head 0, the line break before this speech attends to “PR”, the"
                " beginning of the name of the previous speaker but one."
            )
        ),
    },
]


def describe(task: Segments, model: Transformer, steps: int) -> Card:
    """The card of the model, with measures on the held-out text at several memory lengths."""
    ids, characters = shakespeare.ids_of(task.tokenizer, task.test), len(task.test)
    found = {memory: bits(model, ids, memory) / characters for memory in MEMORIES}
    layers = task.config.n_decoder_layers
    quality = {
        "bits_per_character": {
            "value": found[MEMORY],
            "kneser_ney_5": shakespeare.baseline(task),
            "how": (
                f"−log₂ P of the held-out text, divided by its {characters:,} characters; its"
                f" {len(ids):,} tokens are read in segments of {SEGMENT} with a memory of {MEMORY}."
                " kneser_ney_5: an interpolated character 5-gram estimated on the same training"
                " text"
            ),
        },
        "form": shakespeare.written_form(task, model),
        "memory": {
            "value": found[0] - found[MEMORY],
            "unit": "bits per character",
            "lengths": list(MEMORIES),
            "bits_per_character": list(found.values()),
            "how": (
                f"What a memory of {MEMORY} tokens saves compared with none, with segments of"
                f" {SEGMENT} tokens. The other lengths use the same text and weights; more than"
                f" {MEMORY} is longer than in training. Through {layers} layers, a memory of"
                f" {MEMORY} reaches {layers * MEMORY} tokens back from a segment"
            ),
        },
    }
    return shakespeare.card_of_plays(
        task,
        steps,
        name="Shakespeare XL",
        about="continues a play by Shakespeare, reading it in segments with a memory",
        quality=quality,
        examples=EXAMPLES,
    )


RECIPE = replace(
    shakespeare.RECIPE,
    id="shakespeare-xl",
    cycles=(replace(shakespeare.CYCLE, steps=1_800),),
    prepare=Segments,
    describe=describe,
)
