"""`induction-1` and `induction-2`: attention alone, on random letters that repeat after a random
period (Olsson et al. 2022).

From the second time on, the next letter follows from what came after the same letter before. That
takes two layers: one that tells each letter what stands before it, and one that searches for this.
The period is random for each text, because one layer can learn a fixed period by distance alone.
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
PERIODS = (8, 24)  # the shortest and the longest
LETTERS = 26
BATCH, BATCHES = 64, 100  # of an epoch
HELD_OUT = 512
HELD_OUT_SEED = 2**40  # no epoch of any training is drawn with it
STEPS = 3000
SAVED_STEPS = (*range(0, 401, 50), 500, 600, 700, 800, 1000, 1200, 1400, 1700, 2000, 2500, 3000)
FRAME = LetterTokenizer.frame
ROLES = ("induction", "previous")
"""The roles of heads whose scores are measured."""

STORED = torch.float16  # the weights of the kept steps are the largest files
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
    """The logits of the next letter after every letter but the last."""
    read = texts[:, :-1]
    return model.unembed(model.decode(read, masks.causal(read.shape[1])[None], trace=trace), trace)


@torch.no_grad()
def measured(model: Transformer) -> dict:
    """Measures on held-out texts: the loss before and in the repetition, and the scores of every
    head by role and layer, with the score of uniform attention.
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


EXAMPLES = [
    {
        "id": "repeat",
        "input": {"text": "qvmtzkdbqvmtzkdbqvmt"},
        "look_for": (
            "The letters repeat themselves. From the second q on, a head looks at the"
            " letter that followed when the same letter stood there before."
        ),
    },
    {
        "id": "short",
        "input": {"text": "hearthearthear"},
        "look_for": (
            "The text repeats itself after fewer letters than any text in training did, and"
            " the same heads find the repetition."
        ),
    },
]


def quality_of(found: dict) -> dict:
    """The quality of a card, from what `measured` has found."""
    by_layer = {
        role: {str(layer): scores for layer, scores in enumerate(found[role])} for role in ROLES
    }
    best, layer, head = max(
        (value, layer, head)
        for layer, scores in by_layer["induction"].items()
        for head, value in enumerate(scores)
    )
    how = f"{HELD_OUT} texts of {LENGTH} letters, periods of {PERIODS[0]} to {PERIODS[1]}, held out"
    return {
        "repeat_accuracy": {
            "value": found["repeat_accuracy"],
            "how": f"share of the letters of the repetition that are predicted; {how}",
        },
        "repeat_loss": {
            "value": found["repeat_loss"],
            "unit": "nats a letter",
            "how": "-ln p of the letters of the repetition",
        },
        "first_loss": {
            "value": found["first_loss"],
            "unit": "nats a letter",
            "how": (
                f"-ln p of the letters before, which nothing can know: ln {LETTERS} ="
                f" {math.log(LETTERS):.2f} at best"
            ),
        },
        "induction": {
            "value": best,
            "where": f"layer {layer}, head {head}",
            "by_chance": found["by_chance"]["induction"],
            "by_layer": by_layer["induction"],
            "how": (
                "mean weight on what followed the same letter before, over the queries that have"
                " met theirs; by chance: an even look"
            ),
        },
        "previous": {
            "by_chance": found["by_chance"]["previous"],
            "by_layer": by_layer["previous"],
            "how": (
                "mean weight on the letter before, over the queries that have one; by chance: an"
                " even look"
            ),
        },
    }


def describe(
    layers: int, task: Repeats, model: Transformer, n_steps: int, checkpoints: Path
) -> Card:
    """The card of the model of `layers` layers, with measures on held-out texts at the end of the
    training and at the steps whose weights are in the folder `checkpoints`.
    """
    found = measured(model)
    steps = read_rounded(checkpoints, STORED)
    along_the_way = pack_checkpoints(steps, along(layers, steps))
    return Card(
        name=f"Attention alone, {layers} layer{'s' if layers > 1 else ''}",
        modality="text",
        task="random letters that repeat after a random period: what comes next?",
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
        examples=EXAMPLES,
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
