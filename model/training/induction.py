"""`induction-1` and `induction-2`: attention alone, on random letters that repeat after a random period (Olsson et al. 2022).

What comes next can be known from the second time on, by looking at what followed the same letter before: that takes two layers, one that
tells each letter what stands before it and one that looks for it. The period is drawn anew for each text: a fixed one would be learned
by distance alone, by one layer.
"""

import hashlib
import math
from collections.abc import Iterator
from dataclasses import asdict
from functools import partial
from pathlib import Path

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.nn.functional import cross_entropy

from model import masks
from model.config import Config
from model.inputs.letters import letters
from model.inputs.text import SPECIAL, START
from model.trace import OFF, Recorder, Trace
from model.training.card import write_model
from model.training.checkpoint import State
from model.training.loop import Recipe
from model.training.optimisation import Cycle, Dropout
from model.transformer import Transformer

LENGTH = 48
PERIODS = (8, 24)  # the shortest and the longest
LETTERS = 26
BATCH, BATCHES = 64, 100  # of an epoch
HELD_OUT = 512
HELD_OUT_SEED = 2**40  # no epoch of any training is drawn with it
STEPS = 3000
KEPT = (0, 50, 100, 150, 200, 250, 300, 350, 400, 500, 600, 700, 800, 1000, 1200, 1400, 1700, 2000, 2500, 3000)

Texts = Int[Tensor, "text position"]


def repeats(count: int, draws: torch.Generator) -> tuple[Texts, Int[Tensor, " text"]]:
    """`count` texts <s> a b c … a b c …, and the period of each."""
    period = torch.randint(PERIODS[0], PERIODS[1] + 1, (count,), generator=draws)
    block = torch.randint(LETTERS, (count, PERIODS[1]), generator=draws) + len(SPECIAL)
    within = torch.arange(LENGTH) % period[:, None]
    start = torch.full((count, 1), START)
    return torch.cat([start, block.gather(1, within)], dim=1), period


class Repeats:
    """Texts without end, none of them twice."""

    def __init__(self, layers: int, data: Path | None = None):
        self.layers, self.codec = layers, letters()
        self.digest = hashlib.sha256(f"{LENGTH} {PERIODS} {LETTERS}".encode()).hexdigest()

    @property
    def config(self) -> Config:
        return Config(
            family="decoder-only",
            vocabulary_size=self.codec.size,
            d_model=64,
            n_heads=4,
            d_ff=0,
            n_decoder_layers=self.layers,
            max_length=2 * LENGTH,
            placement="none",
            positions="none",
            relative="rope",
            biases=False,
            tied_unembedding=False,
        )

    def epoch(self, generator: torch.Generator) -> Iterator[Texts]:
        for _ in range(BATCHES):
            yield repeats(BATCH, generator)[0]

    def loss(self, model: Transformer, batch: Texts, trace: Trace) -> Float[Tensor, ""]:
        return cross_entropy(logits(model, batch, trace).flatten(0, 1), batch[:, 1:].flatten())


def logits(model: Transformer, texts: Texts, trace: Trace = OFF) -> Float[Tensor, "text read vocabulary"]:
    """Of what comes after every letter but the last."""
    read = texts[:, :-1]
    return model.unembed(model.decode(read, masks.additive(masks.causal(read.shape[1]))[None], trace=trace), trace)


def heard_before(texts: Texts) -> Bool[Tensor, "text query key"]:
    """The keys that an induction head looks at: what came after an earlier letter like the one that is read now."""
    read = texts[:, :-1]
    same = read[:, :, None] == read[:, None, :]
    after_the_same = torch.zeros_like(same)
    after_the_same[:, :, 1:] = same[:, :, :-1]
    return after_the_same & masks.causal(read.shape[1])


@torch.no_grad()
def measured(model: Transformer) -> dict:
    """On texts held out: loss before and in the repetition, and what each head looks at, with what an even look would give."""
    texts, period = repeats(HELD_OUT, torch.Generator().manual_seed(HELD_OUT_SEED))
    trace = Recorder()
    predicted, expected = logits(model, texts, trace), texts[:, 1:]
    loss = cross_entropy(predicted.flatten(0, 1), expected.flatten(), reduction="none").view_as(expected)
    repeated = torch.arange(expected.shape[1]) >= period[:, None]
    right = predicted.argmax(-1) == expected
    heard, previous = heard_before(texts), torch.eye(expected.shape[1], dtype=torch.bool).roll(1, 0).tril()
    even = masks.causal(expected.shape[1]).float()
    even = even / even.sum(-1, keepdim=True)
    return {
        "repeat_loss": loss[repeated].mean().item(),
        "repeat_accuracy": right[repeated].float().mean().item(),
        "first_loss": loss[~repeated].mean().item(),
        "induction": {name: looked_at(pattern, heard) for name, pattern in patterns(trace)},
        "induction_by_chance": looked_at(even.expand(len(texts), 1, -1, -1), heard)[0],
        "previous": {name: looked_at(pattern, previous.expand_as(heard)) for name, pattern in patterns(trace)},
    }


def patterns(trace: Recorder) -> Iterator[tuple[str, Tensor]]:
    """Layer by layer."""
    for name, value in trace.values.items():
        if name.endswith("attention.pattern"):
            yield name.split(".")[1], value


def looked_at(pattern: Float[Tensor, "text head query key"], keys: Bool[Tensor, "text query key"]) -> list[float]:
    """How much weight each head has on `keys`, on the mean over the queries that have any."""
    asked = keys.any(-1)
    weight = (pattern * keys[:, None]).sum(-1)
    return [weight[:, head][asked].mean().item() for head in range(pattern.shape[1])]


EXAMPLES = [
    {
        "id": "repeat",
        "input": {"text": "qvmtzkdbqvmtzkdbqvmt"},
        "look_for": "From the second q on, a head looks at what followed the letter the last time.",
    },
    {"id": "short", "input": {"text": "hearthearthear"}, "look_for": "A period shorter than any in training: the same heads find it."},
]


def finish(layers: int, task: Repeats, model: Transformer, state: State, weights: Path, seed: int) -> dict:
    """Measures the model on texts held out and writes it; returns the card."""
    found = measured(model)
    best, head = max(((max(scores), layer, scores.index(max(scores))) for layer, scores in found["induction"].items()))[1:]
    how = f"{HELD_OUT} texts of {LENGTH} letters, periods of {PERIODS[0]} to {PERIODS[1]}, held out"
    quality = {
        "repeat_accuracy": {"value": found["repeat_accuracy"], "how": f"share of the letters of the repetition that are predicted; {how}"},
        "repeat_loss": {"value": found["repeat_loss"], "unit": "nats a letter", "how": "-ln p of the letters of the repetition"},
        "first_loss": {
            "value": found["first_loss"],
            "unit": "nats a letter",
            "how": f"-ln p of the letters before, which nothing can know: ln {LETTERS} = {math.log(LETTERS):.2f} at best",
        },
        "induction": {
            "value": found["induction"][best][head],
            "where": f"layer {best}, head {head}",
            "by_chance": found["induction_by_chance"],
            "by_layer": found["induction"],
            "how": "mean weight on what followed the same letter before, over the queries that have met theirs; by chance: an even look",
        },
        "previous": {"by_layer": found["previous"], "how": "weight on the letter before"},
    }
    card = {
        "id": f"induction-{layers}",
        "name": f"Attention alone, {layers} layer{'s' if layers > 1 else ''}",
        "modality": "text",
        "task": "random letters that repeat after a random period: what comes next?",
        "kind": "trained",
        "limits": {"tokens": task.config.max_length, "trained_tokens": LENGTH + 1},
        "quality": quality,
        "training": {
            "minutes": round(state.seconds / 60, 1),
            "steps": state.done,
            "seed": seed,
            "batch": BATCH,
            "cycles": [asdict(cycle) for cycle in cycles()],
            "machine": f"{torch.get_num_threads()} threads of a shared two-core CPU",
        },
        "split": "texts are drawn; those for the figures with a seed that no training uses",
        "data_notice": "Trained on random letters.",
        "data_sha256": task.digest,
        "examples": EXAMPLES,
    }
    return write_model(weights / card["id"], model, task.codec, card)


def cycles() -> tuple[Cycle, ...]:
    return (Cycle(peak=3e-3, warmup=100, steps=STEPS, dropout=Dropout(numbers=0.0)),)


RECIPES = tuple(
    Recipe(id=f"induction-{n}", cycles=cycles(), prepare=partial(Repeats, n), finish=partial(finish, n), kept=KEPT) for n in (1, 2)
)
