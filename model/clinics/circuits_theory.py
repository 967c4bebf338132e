"""Circuits: a network of two attention layers as a sum of paths, and the composition of heads of
the second layer with heads of the first (Elhage et al. 2021).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from model.answers import progress
from model.answers.answer import Answer, Axis, Labelled
from model.answers.measurements import Finding, exact, statistical
from model.checks import check_one_of
from model.clinics._shared.initialised_stacks import HEADS, by_seed, generator, seed_axis
from model.config import Config
from model.interpretability.qk_ov_circuits import composition, expand, ov, qk
from model.interpretability.sinusoidal_shift import rotation
from model.layers import masks, positional_encodings
from model.layers.attention import MultiHeadAttention
from model.layers.embedding import Embedding
from model.trace import OFF, HookTrace, Recorder, Trace
from model.zoo.initialisation import initialise

WEIGHTS = ("constructed", "random")
COMPOSITIONS = ("q", "k", "v")
TOKENS = "·abcdefghijklmno"
"""The vocabulary. The first token stands at the beginning of a sequence and nowhere else."""
BLOCK = len(TOKENS)
TOKEN, POSITION, PREVIOUS, NEXT = (slice(i * BLOCK, (i + 1) * BLOCK) for i in range(4))
"""The blocks of channels of the stream: the token itself, its position, the token before it, and
the token that is predicted.
"""
D_MODEL, D_HEAD = 4 * BLOCK, 4 * BLOCK // HEADS
SHORTEST, REPEATED, SEQUENCES = 8, 8, 16
LONGEST = len(TOKENS) - 1
CHANCE = 1 / LONGEST
SHARPNESS, ZERO = 100.0, 1e-10
PAIR = (0, 0)
"""The two heads whose weights are written by hand: the first head of layer 1 and the first head of
layer 2.
"""
LAW = r"x + A_1 x W_1 + A_2 x W_2 + A_2 A_1 x W_1 W_2"
"""The stream after two layers. Each term stands for a sum over heads, or over pairs of heads; W =
W_V W_O.
"""
SOURCE = "Elhage et al. 2021, A Mathematical Framework for Transformer Circuits"
INITS = {
    "constructed": (
        "1.0 and 2.0 by hand, six heads Xavier-uniform; orthogonal embeddings, zero biases; drawn"
        " anew for each seed"
    ),
    "random": (
        "eight heads Xavier-uniform; orthogonal embeddings, zero biases; drawn anew for each seed"
    ),
}

Ids = Int[Tensor, "sequence position"]
Matrix = Float[Tensor, "from to"]
Pairs = Float[Tensor, "composition second first"]
Change = tuple[slice, Matrix]


@dataclass(frozen=True)
class Trial:
    """The measurement of one seed: the composition of all pairs of heads and of random matrices,
    the paths of the first sequence, and the accuracy of the model.
    """

    composition: Pairs
    random: Pairs
    letters: str
    period: int
    logit_paths: Float[Tensor, "position way_2 way_1"]
    score_paths: Float[Tensor, "position way_q way_k"]
    out_error: float
    score_error: float
    accuracy: float
    ablated: Float[Tensor, "layer head"]


class AttentionOnly(nn.Module):
    """A network of two layers x + attention(x), without norms and without feed-forward networks.
    The token that is read and the token that is predicted have separate channels.
    """

    def __init__(self, draws: torch.Generator):
        super().__init__()
        config = Config(
            family="decoder-only",
            vocabulary_size=len(TOKENS),
            d_model=D_MODEL,
            n_heads=HEADS,
            n_decoder_layers=2,
            positions="learned",
            max_length=1 + LONGEST + REPEATED,
        )
        self.embedding = Embedding(config, "decoder")
        # A ModuleList does not state the type of its modules, which is MultiHeadAttention.
        self.layers: Any = nn.ModuleList(
            initialise(MultiHeadAttention(config), draws) for _ in range(2)
        )
        self.unembedding = torch.eye(D_MODEL, dtype=torch.float64)[:, NEXT]
        self.double().requires_grad_(False)
        self.embedding.token[:, TOKEN] = torch.eye(BLOCK, dtype=torch.float64)
        assert self.embedding.learned is not None, "its positions are learned"
        self.embedding.learned[:, POSITION] = positional_encodings.sinusoidal(
            config.max_length, BLOCK, dtype=torch.float64
        )

    def forward(self, ids: Ids, trace: Trace = OFF) -> Float[Tensor, "sequence position channel"]:
        x = trace("in", self.embedding(ids))
        mask = masks.causal(ids.shape[-1])
        for layer, attention in enumerate(self.layers):
            x = x + attention(x, x, mask, trace / layer)
        return x


def constructed(draws: torch.Generator) -> AttentionOnly:
    """A network with an induction head that is written by hand. Head 1.0 copies to each position
    the token before it; head 2.0 looks for the key whose previous token is the current token.
    """
    model = AttentionOnly(draws)
    one = torch.eye(BLOCK, dtype=torch.float64)
    shift = torch.block_diag(*rotation(1, BLOCK)).mT  # a key at p - 1 turns into a position p
    by_hand(
        model.layers[0],
        PAIR[0],
        (POSITION, SHARPNESS * one),
        (POSITION, shift),
        (TOKEN, one),
        (PREVIOUS, one),
    )
    by_hand(model.layers[1], PAIR[1], (TOKEN, one), (PREVIOUS, one), (TOKEN, one), (NEXT, one))
    return model


def by_hand(
    attention: MultiHeadAttention,
    head: int,
    query: Change,
    key: Change,
    value: Change,
    output: Change,
) -> None:
    """Writes the weights of one head: its queries, keys and values each read one block of channels,
    and its output goes to one block.
    """
    own = slice(head * D_HEAD, (head + 1) * D_HEAD)
    for linear, (block, matrix) in (
        (attention.query, query),
        (attention.key, key),
        (attention.value, value),
    ):
        linear.weight[:, own] = 0
        linear.weight[block, own] = matrix
    block, matrix = output
    attention.output.weight[own] = 0
    attention.output.weight[own, block] = matrix


MAKE: dict[str, Callable[[torch.Generator], AttentionOnly]] = {
    "constructed": constructed,
    "random": AttentionOnly,
}


def circuits_theory(*, weights: str = "constructed", seed: int = 0, seeds: int = 4) -> Answer:
    """Answers with `logit_paths` [position, way_2, way_1], `score_paths` [position, query, key] and
    `composition` [composition, second, first] of the first seed; with `baseline` [composition,
    statistic], the composition of random matrices of the same shapes over all seeds; and with
    `expected` = 1 / sqrt(d_model), the composition that is expected of random matrices.

    The positions are those of the repetition, where the next token follows from the text. The logit
    of a path is the logit of the right next token minus the mean over all tokens. The score of a
    path is the score of head 2.0 for the right key minus the mean over the keys that the query
    sees.
    """
    check_one_of("weights", weights, WEIGHTS)
    trials = [trial(weights, generator(seed, number)) for number in progress.trials(seeds)]
    first = trials[0]
    random = torch.stack([one.random for one in trials], dim=1).flatten(1)
    ways_1, ways_2 = (["past", *(f"{layer}.{head}" for head in range(HEADS))] for layer in (1, 2))
    axes = {
        "position": Axis("position", REPEATED, list(first.letters[-REPEATED - 1 : -1])),
        "way_1": Axis("step", 1 + HEADS, ways_1),
        "way_2": Axis("step", 1 + HEADS, ways_2),
        "query": Axis("step", 1 + HEADS, ways_1),
        "key": Axis("step", 1 + HEADS, ways_1),
        "first": Axis("head", HEADS, ways_1[1:]),
        "second": Axis("head", HEADS, ways_2[1:]),
        "composition": Axis("step", len(COMPOSITIONS), list(COMPOSITIONS)),
        "statistic": Axis("step", 2, ["mean", "standard deviation"]),
        "seed": seed_axis(seeds),
    }
    tensors = {
        "logit_paths": Labelled(
            ("position", "way_2", "way_1"),
            first.logit_paths,
            "A_2 A_1 x W_1 W_2 (W_U[next] - mean W_U)",
        ),
        "score_paths": Labelled(
            ("position", "query", "key"),
            first.score_paths,
            "x_query W_QK (x_key - mean x)^T / sqrt(d_head)",
        ),
        "composition": Labelled(
            ("composition", "second", "first"),
            first.composition,
            "|W_OV R| / (|W_OV| |R|), R = W_QK, W_QK^T or W_OV of the second",
        ),
        "baseline": Labelled(
            ("composition", "statistic"),
            torch.stack([random.mean(1), random.std(1)], dim=1),
            "the same of fresh heads",
        ),
    }
    randoms = torch.stack([one.random for one in trials]).flatten(2)
    baselines = torch.stack([randoms.mean(2), randoms.std(2)], dim=2)
    tensors |= by_seed(tensors, {"baseline": baselines})
    fields = {
        "law": LAW,
        "source": SOURCE,
        "init": INITS[weights],
        "findings": found(weights, trials),
    }
    kind = "analytic" if weights == "constructed" else "random initialisation"
    return Answer(
        kind,
        axes,
        tensors,
        fields | {"letters": first.letters, "period": first.period, "expected": D_MODEL**-0.5},
    )


@torch.no_grad()
def trial(weights: str, draws: torch.Generator) -> Trial:
    """Measures one seed of the network with `weights`, constructed by hand or drawn at random."""
    model, other = MAKE[weights](draws), AttentionOnly(draws)
    period = int(torch.randint(SHORTEST, LONGEST + 1, (), generator=draws))
    sequences = torch.stack([repeated(period, draws) for _ in range(SEQUENCES)])
    ids, following = sequences[:, :-1], sequences[:, 1:]
    trace = Recorder()
    out = model(ids[:1], trace)[0]
    record = {name: value[0] for name, value in trace.values.items()}
    paths = paths_of(model, record)
    scores = scores_of(model, record)
    at = torch.arange(ids.shape[1])[-REPEATED:]
    towards = model.unembedding.mT[following[0, at]] - model.unembedding.mean(1)
    mean_seen = scores.tril().sum(-1) / torch.arange(1, ids.shape[1] + 1)
    return Trial(
        composition=compositions(*model.layers),
        random=compositions(*other.layers),
        letters="".join(TOKENS[i] for i in sequences[0].tolist()),
        period=period,
        logit_paths=torch.einsum("gfpm,pm->pgf", paths[:, :, at], towards),
        score_paths=(scores[:, :, at, at - period + 1] - mean_seen[:, :, at]).movedim(-1, 0),
        out_error=(paths.sum((0, 1)) - out).abs().max().item(),
        score_error=(scores.sum((0, 1)) - record["1.scores"][PAIR[1]]).abs().max().item(),
        accuracy=accuracy(model, ids, following),
        ablated=torch.tensor(
            [
                [accuracy(model, ids, following, without(layer, head)) for head in range(HEADS)]
                for layer in range(2)
            ]
        ),
    )


def repeated(period: int, draws: torch.Generator) -> Int[Tensor, " position"]:
    """The ids of a sequence: the opening token, `period` different letters, and the same letters
    again, up to the token that follows the last predicting position.
    """
    letters = 1 + torch.randperm(LONGEST, generator=draws)[:period]
    return torch.cat([torch.zeros(1, dtype=torch.long), letters, letters, letters[:1]])[
        : 1 + period + REPEATED + 1
    ]


def paths_of(
    model: AttentionOnly, record: dict[str, Tensor]
) -> Float[Tensor, "way_2 way_1 position channel"]:
    """The contribution of every path to the last stream, with the attention patterns of the
    recorded run.
    """
    first, second = model.layers
    once = expand(record["in"], record["0.pattern"], ov(first))
    return expand(once, record["1.pattern"], ov(second))


def scores_of(
    model: AttentionOnly, record: dict[str, Tensor]
) -> Float[Tensor, "way_q way_k query key"]:
    """The scores of head 2.0, split by the path of the query and by the path of the key through
    layer 1.
    """
    first, second = model.layers
    once = expand(record["in"], record["0.pattern"], ov(first))
    return torch.einsum("aqm,mn,bkn->abqk", once, qk(second)[PAIR[1]], once) / D_HEAD**0.5


def compositions(first: MultiHeadAttention, second: MultiHeadAttention) -> Pairs:
    """The composition of each head of the first layer with each head of the second, [composition,
    second, first], through queries, keys and values.
    """
    write, reads = ov(first), (qk(second), qk(second).mT, ov(second))
    return torch.stack([composition(write.unsqueeze(0), read.unsqueeze(1)) for read in reads])


def accuracy(model: AttentionOnly, ids: Ids, following: Ids, trace: Trace = OFF) -> float:
    """The share of positions of the repetition at which the right next token has the
    largest logit.
    """
    right = (model(ids, trace) @ model.unembedding).argmax(-1) == following
    return right[:, -REPEATED:].double().mean().item()


def without(layer: int, head: int) -> Trace:
    """A hook that sets the output of one head to zero before the output projection."""

    def silence(name: str, z: Tensor) -> Tensor:
        return z.index_fill(-3, torch.tensor([head]), 0) if name == f"{layer}.z" else z

    return HookTrace(silence)


def found(weights: str, trials: list[Trial]) -> list[Finding]:
    """The findings of `trials`."""
    first, second = PAIR
    pair = torch.stack([one.composition[:, second, first] for one in trials])
    q, k, v = pair.unbind(1)
    baseline = torch.stack([one.random.mean() for one in trials])
    accuracies = [one.accuracy for one in trials]
    always = [
        exact(
            "out_error",
            max(one.out_error for one in trials),
            "the 25 paths add up to the forward pass",
            (0, ZERO),
        ),
        exact(
            "score_error",
            max(one.score_error for one in trials),
            "the 25 terms add up to the score of 2.0",
            (0, ZERO),
        ),
        statistical("baseline", baseline.tolist(), "1 / sqrt(d_model) = 0.125", (0.12, 0.13)),
    ]
    if weights == "random":
        return [
            *always,
            statistical(
                "over_baseline",
                (k / baseline).tolist(),
                "1: the pair is a random pair",
                (0.85, 1.15),
            ),
            statistical("accuracy", accuracies, "chance, 1/15", (0, 3 * CHANCE)),
        ]
    logits, scores, ablated = (
        [getattr(one, name) for one in trials] for name in ("logit_paths", "score_paths", "ablated")
    )
    written = torch.tensor([[head == own for head in range(HEADS)] for own in PAIR])
    others = [one[~written].min().item() for one in ablated]
    return [
        *always,
        exact("composition.k", k.mean(), "1 / sqrt(d_head) = 0.25", (0.25 - ZERO, 0.25 + ZERO)),
        exact(
            "composition.q_and_v",
            torch.maximum(q, v).max(),
            "0: 2.0 reads what 1.0 writes by its keys alone",
            (0, ZERO),
        ),
        statistical(
            "over_baseline", (k / baseline).tolist(), "sqrt(d_model / d_head) = 2", (1.9, 2.1)
        ),
        statistical(
            "share.logit",
            [share(p[:, 1 + second, 0], p) for p in logits],
            "1: path 2.0 alone carries the right token",
            (0.9, 1.1),
        ),
        statistical(
            "share.score",
            [share(p[:, 0, 1 + first], p) for p in scores],
            "1: keys through 1.0 carry the score",
            (0.9, 1.1),
        ),
        statistical(
            "share.frozen",
            [share(p[:, :, 1 + first].sum(1), p) for p in logits],
            "0: patterns frozen, 1.0 adds nothing",
            (-0.1, 0.1),
        ),
        statistical("accuracy", accuracies, "1: the repetition is foretold", (0.98, 1)),
        statistical(
            "ablated.1.0",
            [one[0, first].item() for one in ablated],
            "no better than chance, 1/15",
            (0, 2 * CHANCE),
        ),
        statistical(
            "ablated.2.0",
            [one[1, second].item() for one in ablated],
            "no better than chance, 1/15",
            (0, 2 * CHANCE),
        ),
        statistical("ablated.other", others, "1: no other head is needed", (0.98, 1)),
    ]


def share(part: Float[Tensor, " position"], paths: Float[Tensor, "position way_2 way_1"]) -> float:
    """The sum of `part` over all positions, as a share of the sum of all paths."""
    return (part.sum() / paths.sum()).item()
