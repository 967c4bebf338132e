"""`induction-1` and `induction-2`: attention-only models on random letters that repeat after a
random period (Olsson et al. 2022).

From the repetition on, the next letter is the one that followed the same letter before. This takes
two layers: one that gives each letter its predecessor, and one that searches for it. The period is
random for each text, because one layer can learn a fixed period from distance alone.
"""

import hashlib
import math
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn.functional import cross_entropy

from model.config import NO_BIASES, Config, HeadChoices, PositionChoices
from model.inputs.letters import LetterTokenizer, letters
from model.interpretability.heads.roles import TEXT, AttentionContext, chance, score
from model.layers import masks
from model.trace import OFF, Recorder, Trace
from model.training.loop import Recipe
from model.training.model_card import Card
from model.training.schedule import Cycle, Dropout
from model.transformer import Transformer
from model.zoo.training_checkpoints import FILE, pack_checkpoints, read_rounded

LENGTH = 48
PERIODS = (8, 24)  # shortest and longest
LETTERS = 26
BATCH, BATCHES = 64, 100  # per epoch
HELD_OUT = 512
HELD_OUT_SEED = 2**40  # no training epoch uses it
STEPS = 3000
SAVED_STEPS = (*range(0, 401, 50), 500, 600, 700, 800, 1000, 1200, 1400, 1700, 2000, 2500, 3000)
FRAME = LetterTokenizer.frame
ROLES = ("induction", "previous")
"""The head roles whose scores are measured."""

STORED = torch.float16  # the weights of the stored steps are the largest files
Texts = Int[Tensor, "text position"]


def repeats(count: int, draws: torch.Generator) -> tuple[Texts, Int[Tensor, " text"]]:
    """`count` texts <s> a b c … a b c …, and the period of each."""
    period = torch.randint(PERIODS[0], PERIODS[1] + 1, (count,), generator=draws)
    block = torch.randint(LETTERS, (count, PERIODS[1]), generator=draws) + len(FRAME.special)
    within = torch.arange(LENGTH) % period[:, None]
    start = torch.full((count, 1), FRAME.start)
    return torch.cat([start, block.gather(1, within)], dim=1), period


class Repeats:
    """An endless stream of texts, all different."""

    def __init__(self, layers: int, data: Path | None = None):
        self.layers, self.tokenizer = layers, letters()
        self.digest = hashlib.sha256(f"{LENGTH} {PERIODS} {LETTERS}".encode()).hexdigest()

    @property
    def config(self) -> Config:
        return Config(
            family="decoder-only",
            vocabulary_size=self.tokenizer.size,
            d_model=64,
            n_heads=4,
            d_ff=0,
            n_decoder_layers=self.layers,
            max_length=2 * LENGTH,
            placement="none",
            positions=PositionChoices(absolute="none", relative="rope"),
            unbiased=NO_BIASES,
            head=HeadChoices(tied=False),
        )

    def epoch(self, generator: torch.Generator) -> Iterator[Texts]:
        for _ in range(BATCHES):
            yield repeats(BATCH, generator)[0]

    def loss(self, model: Transformer, batch: Texts, trace: Trace) -> Float[Tensor, ""]:
        return cross_entropy(logits(model, batch, trace).flatten(0, 1), batch[:, 1:].flatten())


def logits(
    model: Transformer, texts: Texts, trace: Trace = OFF
) -> Float[Tensor, "text read vocabulary"]:
    """The logits of the next letter after every letter except the last."""
    read = texts[:, :-1]
    return model.unembed(model.decode(read, masks.causal(read.shape[1])[None], trace=trace), trace)


@torch.no_grad()
def measured(model: Transformer) -> dict:
    """Measures on held-out texts: the loss before and during the repetition, and the scores of
    every head by role and layer, with the score of uniform attention.
    """
    texts, period = repeats(HELD_OUT, torch.Generator().manual_seed(HELD_OUT_SEED))
    trace = Recorder()
    predicted, expected = logits(model, texts, trace), texts[:, 1:]
    loss = cross_entropy(predicted.flatten(0, 1), expected.flatten(), reduction="none").view_as(
        expected
    )
    repeated = torch.arange(expected.shape[1]) >= period[:, None]
    right = predicted.argmax(-1) == expected
    read, allowed = texts[:, :-1], masks.causal(expected.shape[1])
    keys = {role: TEXT[role].keys(AttentionContext(allowed, read, read)) for role in ROLES}
    return {
        "repeat_loss": loss[repeated].mean().item(),
        "repeat_accuracy": right[repeated].float().mean().item(),
        "first_loss": loss[~repeated].mean().item(),
        **{
            role: [score(pattern, keys[role], allowed).tolist() for pattern in patterns(trace)]
            for role in ROLES
        },
        "by_chance": {role: chance(keys[role], allowed).item() for role in ROLES},
    }


def patterns(trace: Recorder) -> list[Float[Tensor, "text head query key"]]:
    """The attention patterns of all layers, the bottom layer first."""
    return [value for name, value in trace.values.items() if name.endswith("attention.pattern")]


def along(layers: int, steps: dict[int, dict[str, Tensor]]) -> dict[str, Tensor]:
    """The measures of `measured` at each of `steps`, by name, [step, …]."""
    model, found = Transformer(Repeats(layers).config), []
    for weights in steps.values():
        model.load_state_dict(weights)
        found.append(measured(model))
    return {
        name: torch.tensor([at[name] for at in found])
        for name in ("repeat_loss", "repeat_accuracy", "first_loss", *ROLES)
    }


TEXTS = {"repeat": "qvmtzkdbqvmtzkdbqvmt", "short": "hearthearthear"}
LOOK_FOR = {
    1: {
        "repeat": (
            "The letters repeat, but no head of a single layer can find the letter that followed"
            " the previous occurrence of the current letter. Compare induction-2."
        ),
        "short": (
            "The period is shorter than any in training, and here too the model mostly guesses."
        ),
    },
    2: {
        "repeat": (
            "The letters repeat. From the second q on, a head attends to the letter that followed"
            " the previous occurrence of the current letter."
        ),
        "short": (
            "The period is shorter than any in training, and the same heads still find the"
            " repetition."
        ),
    },
}
"""What the examples' texts show, by the number of layers."""


def quality_of(found: dict) -> dict:
    """The quality in a card, from the results of `measured`."""
    by_layer = {
        role: {str(layer): scores for layer, scores in enumerate(found[role])} for role in ROLES
    }
    best, layer, head = max(
        (value, layer, head)
        for layer, scores in by_layer["induction"].items()
        for head, value in enumerate(scores)
    )
    return {
        "repeat_accuracy": {
            "value": found["repeat_accuracy"],
            "how": (
                "Fraction of the letters in the repetition that the model predicts correctly, in"
                f" {HELD_OUT} held-out texts of {LENGTH} letters with periods of {PERIODS[0]} to"
                f" {PERIODS[1]}"
            ),
        },
        "repeat_loss": {
            "value": found["repeat_loss"],
            "unit": "nats per letter",
            "how": ("Mean of −ln p over the letters in the repetition"),
        },
        "first_loss": {
            "value": found["first_loss"],
            "unit": "nats per letter",
            "how": (
                "Mean of −ln p over the letters before the repetition, which are random: at best ln"
                f" {LETTERS} = {math.log(LETTERS):.2f}"
            ),
        },
        "induction": {
            "value": best,
            "where": f"layer {layer}, head {head}",
            "by_chance": found["by_chance"]["induction"],
            "by_layer": by_layer["induction"],
            "how": (
                "Mean attention weight on the letter that followed the previous occurrence of the"
                " current letter, over the queries whose letter has occurred before. by_chance:"
                " equal weights"
            ),
        },
        "previous": {
            "by_chance": found["by_chance"]["previous"],
            "by_layer": by_layer["previous"],
            "how": (
                "Mean attention weight on the previous letter, over the queries that have one."
                " by_chance: equal weights"
            ),
        },
    }


def describe(
    layers: int, task: Repeats, model: Transformer, n_steps: int, checkpoints: Path
) -> Card:
    """The card of the model with `layers` layers, with measures on held-out texts at the end of
    training and at the steps whose weights are in the folder `checkpoints`.
    """
    found = measured(model)
    steps = read_rounded(checkpoints, STORED)
    along_the_way = pack_checkpoints(steps, along(layers, steps))
    return Card(
        name=f"Attention only, {layers} layer{'s' if layers > 1 else ''}",
        modality="text",
        task="continues random letters that repeat after a random period",
        limits={"tokens": task.config.max_length, "trained_tokens": LENGTH + 1},
        quality=quality_of(found),
        training={"batch": BATCH},
        kept={
            "steps": list(steps),
            "how": (
                f"held_out: as in quality, on the same {HELD_OUT} texts, at each of these steps; of"
                " induction and previous every head"
            ),
            "by_chance": found["by_chance"],
            "sha256": hashlib.sha256(along_the_way).hexdigest(),
        },
        split="texts are drawn; those for the figures with a seed that no training uses",
        data_notice="Trained on random letters.",
        examples=[
            {"id": id, "input": {"text": TEXTS[id]}, "look_for": look_for}
            for id, look_for in LOOK_FOR[layers].items()
        ],
        files={FILE: along_the_way},
    )


def cycles() -> tuple[Cycle, ...]:
    return (Cycle(peak=3e-3, warmup=100, steps=STEPS, dropout=Dropout(numbers=0.0)),)


RECIPES = tuple(
    Recipe(
        id=f"induction-{n}",
        cycles=cycles(),
        prepare=partial(Repeats, n),
        describe=partial(describe, n),
        saved_steps=SAVED_STEPS,
        stored=STORED,
    )
    for n in (1, 2)
)
