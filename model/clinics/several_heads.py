"""Several heads: attention with one head and with four, of the same total width, learns the same
task, to show what multiple heads are good for.

The task requires attending to several tokens at once. Each token puts a value into a box: B1 puts 1
into box B. At each position, the model predicts the contents of all boxes, set by the last token
for each box.
"""

import math
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from model import progress
from model.answers.answer import Answer, Axis, Labelled, numbered
from model.answers.laws import DIFFERENCE, Law, by_name, each
from model.answers.measurements import Finding, exact, statistical
from model.checks import check_between
from model.config import Config, HeadChoices, PositionChoices
from model.layers import masks
from model.measure.batched_training import EnsembleTrainer
from model.measure.initialised_stacks import MAX_SEEDS, by_seed, generator, seed_axis
from model.trace import OFF, Recorder, Trace
from model.transformer import Transformer
from model.zoo.initialisation import initialise

LAWS = by_name(
    Law(
        "parameters",
        "Difference in the number of parameters, one head versus four",
        "0: the number of parameters does not depend on the number of heads",
        (0, 0),
    ),
    Law(
        "ratio",
        "Final loss: one head / four heads",
        "above 1: one head ends with a higher loss",
        (1, None),
    ),
    Law(
        "gain",
        "Final accuracy: four heads − one head",
        "above 0: four heads are right more often than one",
        (0, None),
        f"of the positions{DIFFERENCE}",
    ),
    *each(
        {"1": "1 head", "4": "4 heads"},
        Law(
            "right.{}",
            "Final accuracy: {}",
            "fraction of positions with all four boxes right",
            unit="of the positions",
        ),
    ),
)
HEADS = (1, 4)
SINGLE, FOUR = HEADS.index(1), HEADS.index(4)
BOXES, VALUES = "ABCD", 2
CLASSES = VALUES ** len(BOXES)
GUESSING = math.log(CLASSES)
D_MODEL, D_FF, POSITIONS, SHORT = 32, 64, 64, 16
RATE, WARMUP, LAST = 0.01, 20, 25
MIN_STEPS, MAX_STEPS = 50, 400
LAW = r"\operatorname{head}_i = \operatorname{softmax}(q_i k_i^\top / \sqrt{d / h})\, v_i"
SOURCE = "Vaswani et al. 2017, section 3.2.2"
INIT = (
    f"Each model is one Pre-LN decoder layer of width {D_MODEL} with rotary positions. For each"
    " seed, both start from the same new Xavier-uniform matrices. They are trained with Adam"
    f" (learning rate {RATE} after {WARMUP} warm-up steps) on a new sequence of {POSITIONS} tokens"
    " at each step"
)

Text = Int[Tensor, "*member position"]


class BoxReader(nn.Module):
    """A one-layer decoder that predicts the contents of the boxes at each position."""

    def __init__(self, heads: int, draws: torch.Generator):
        super().__init__()
        sizes: dict[str, Any] = {
            "d_model": D_MODEL,
            "n_heads": heads,
            "d_ff": D_FF,
            "n_decoder_layers": 1,
            "max_length": POSITIONS,
            "placement": "pre",
        }
        config = Config(
            family="decoder-only",
            vocabulary_size=CLASSES,
            head=HeadChoices(tied=False),
            positions=PositionChoices(absolute="none", relative="rope"),
            **sizes,
        )
        self.model = initialise(Transformer(config), draws)

    def forward(self, ids: Text, expected: Text) -> Float[Tensor, "*member"]:
        """The mean of -ln p of the boxes, in nats."""
        logits = self.logits(ids)
        loss = cross_entropy(logits.flatten(0, -2), expected.flatten(), reduction="none")
        return loss.view_as(expected).mean(-1)

    def logits(self, ids: Text, trace: Trace = OFF) -> Float[Tensor, "*member position boxes"]:
        return self.model(None, ids, {"decoder.attention": masks.causal(ids.shape[-1])}, trace)


def text(draws: torch.Generator, length: int = POSITIONS) -> tuple[Text, Text]:
    """A text of tokens box VALUES + value, and the contents of the boxes after each, as one number
    with a digit per box. An empty box holds 0.
    """
    box = torch.randint(len(BOXES), (length,), generator=draws)
    value = torch.randint(VALUES, (length,), generator=draws)
    return box * VALUES + value, contents(box, value)


def contents(box: Text, value: Text) -> Text:
    """The sum over boxes b of VALUES^b times the last value put into b."""
    at, held = torch.arange(len(box)), torch.zeros_like(box)
    for number in range(len(BOXES)):
        last = torch.where(box == number, at, -1).cummax(0).values
        held += VALUES**number * torch.where(last >= 0, value[last], 0)
    return held


@torch.no_grad()
def examined(trainer: EnsembleTrainer, heads: int, seed: int, seeds: int) -> tuple[Tensor, Tensor]:
    """After training: the fraction of positions in new texts at which each seed predicts all boxes
    correctly [seed], and the attention of the first seed on a short text [head, query, key].
    """
    shape = BoxReader(heads, generator(seed, 0))
    right = []
    for number in range(seeds):
        loaded(shape, trainer, number)
        draws = generator(seed, 2 * MAX_SEEDS + number)
        texts = [text(draws) for _ in range(LAST)]
        ids, expected = (torch.stack(parts) for parts in zip(*texts, strict=True))
        right.append((shape.logits(ids).argmax(-1) == expected).float().mean())
    loaded(shape, trainer, 0)
    trace = Recorder()
    shape.logits(short_text(seed), trace)
    return torch.stack(right), trace.values["decoder.0.attention.pattern"]


def short_text(seed: int) -> Text:
    """The short text whose attention is plotted."""
    return text(generator(seed, 3 * MAX_SEEDS), SHORT)[0]


def loaded(shape: nn.Module, trainer: EnsembleTrainer, number: int) -> None:
    """Loads the weights of member `number` into `shape`."""
    flat, at = trainer.weights[number], 0
    for parameter in shape.parameters():
        parameter.copy_(flat[at : at + parameter.numel()].view_as(parameter))
        at += parameter.numel()


def several_heads(*, steps: int = 300, seed: int = 0, seeds: int = 8) -> Answer:
    """`loss` [heads, step] in nats, averaged over the seeds, each measured on a new text before the
    step that trains on it; `right` [heads], the fraction of positions at which a trained model
    predicts all boxes correctly; and `pattern.N` [head, query, key], the attention of the first
    seed with N heads on one text.
    """
    check_between("steps", steps, MIN_STEPS, MAX_STEPS)
    losses, rights, patterns, sizes = [], [], {}, []
    for heads in progress.steps(HEADS):
        trainer, loss = trained(heads, steps, seed, seeds)
        right, patterns[heads] = examined(trainer, heads, seed, seeds)
        losses.append(loss)
        rights.append(right)
        sizes.append(trainer.weights.shape[1])
    every, right = torch.stack(losses, 1), torch.stack(rights, 1)
    tokens = [f"{BOXES[id // VALUES]}{id % VALUES}" for id in short_text(seed).tolist()]
    axes = {
        "heads": numbered("step", HEADS, "heads"),
        "step": numbered("step", range(1, steps + 1), "step"),
        "seed": seed_axis(seeds),
        "query": Axis("position", SHORT, tokens),
        "key": Axis("position", SHORT, tokens),
        **{f"head_of_{heads}": Axis("head", heads) for heads in HEADS},
    }
    tensors = {
        "loss": Labelled(("heads", "step"), every.mean(0), "mean of -ln p of all boxes together"),
        "right": Labelled(
            ("heads",), right.mean(0), "fraction of positions with all four boxes right"
        ),
        **{
            f"pattern.{heads}": Labelled(
                (f"head_of_{heads}", "query", "key"),
                pattern,
                "softmax(q k^T / sqrt(d_head) + mask)",
            )
            for heads, pattern in patterns.items()
        },
    }
    tensors |= by_seed(tensors, {"loss": every, "right": right})
    fields = {
        "law": LAW,
        "source": SOURCE,
        "init": INIT,
        "guessing": GUESSING,
        "parameters": dict(zip(map(str, HEADS), sizes, strict=True)),
        "findings": findings(every, right, sizes),
    }
    return Answer("trained", axes, tensors, fields)


def trained(
    heads: int, steps: int, seed: int, seeds: int
) -> tuple[EnsembleTrainer, Float[Tensor, "seed step"]]:
    """Trains one model per seed. Models with different numbers of heads start from the same weights
    and read the same texts.
    """
    members = [BoxReader(heads, generator(seed, number)) for number in range(seeds)]
    trainer = EnsembleTrainer(members[0], members, table="model.embedding.token")
    draws = [generator(seed, MAX_SEEDS + number) for number in range(seeds)]
    losses = []
    for step in progress.steps(range(1, steps + 1)):
        texts = [text(of_seed) for of_seed in draws]
        ids, expected = (torch.stack(parts) for parts in zip(*texts, strict=True))
        rate = torch.full((seeds,), RATE * min(1, step / WARMUP))
        losses.append(trainer.step(rate, ids, expected))
    return trainer, torch.stack(losses, 1)


def findings(
    loss: Float[Tensor, "seed heads step"], right: Float[Tensor, "seed heads"], sizes: list[int]
) -> list[Finding]:
    """The findings over all seeds. The final loss is the mean over the last steps."""
    end = loss[..., -LAST:].mean(-1)
    return [
        exact(LAWS["parameters"], max(sizes) - min(sizes)),
        statistical(LAWS["ratio"], (end[:, SINGLE] / end[:, FOUR]).tolist(), geometric=True),
        statistical(LAWS["gain"], (right[:, FOUR] - right[:, SINGLE]).tolist()),
        *(
            statistical(LAWS[f"right.{heads}"], some.tolist())
            for heads, some in zip(HEADS, right.unbind(1), strict=True)
        ),
    ]
