"""Circuits: a network of two attention layers as a sum of paths, and its virtual weights: how much
heads of the second layer read of what heads of the first write (Elhage et al. 2021).
"""

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from model.answers import progress
from model.answers.answer import Answer, Axis, Kind, Labelled
from model.answers.intervals import Band
from model.answers.measurements import Finding, exact, pooled, statistical
from model.checks import check_one_of
from model.clinics._shared.initialised_stacks import HEADS, by_seed, generator, seed_axis
from model.config import Config
from model.errors import InvalidInput
from model.inputs.text import SPECIAL, START
from model.interpretability.qk_ov_circuits import composition, expand, ov, qk
from model.interpretability.sinusoidal_shift import rotation
from model.layers import masks, positional_encodings
from model.layers.attention import MultiHeadAttention
from model.layers.context import Context
from model.layers.embedding import Embedding
from model.trace import OFF, HookTrace, Recorder, Trace
from model.transformer import Transformer
from model.zoo.initialisation import initialise
from model.zoo.training_checkpoints import load_checkpoints

WEIGHTS = ("constructed", "random", "trained")
TRAINED = "induction-2"
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
MOST: Band = (0.5, None)
"""More than half of a logit or of a score."""
PAIR = (0, 0)
"""The two heads whose weights are written by hand: the first head of layer 1 and the first head of
layer 2.
"""
MORE_THAN_RANDOM = 1.15
"""Times the composition of random pairs: their pairs lie within 15 % of their mean."""
LAW = r"x + A_1 x W_1 + A_2 x W_2 + A_2 A_1 x W_1 W_2"
"""The stream after two layers. Each term stands for a sum over heads, or over pairs of heads; W =
W_V W_O.
"""
SOURCE = "Elhage et al. 2021, A Mathematical Framework for Transformer Circuits"
INITS = {
    "constructed": (
        "Heads 1.0 and 2.0 are written by hand and six heads are drawn Xavier-uniform, anew for"
        " each seed; the embeddings are orthogonal and the biases 0"
    ),
    "random": (
        "Eight heads are drawn Xavier-uniform, anew for each seed; the embeddings are orthogonal"
        " and the biases 0"
    ),
    "trained": (
        f"The weights are those of {TRAINED} at a kept step of its training; the texts and the"
        " random pairs beside it are drawn anew for each seed"
    ),
}
KINDS: dict[str, Kind] = {
    "constructed": "random initialisation",  # of six of its eight heads
    "random": "random initialisation",
    "trained": "trained",
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

    def of(self, tokens: Ids) -> Ids:
        """The ids that stand for `tokens` in this network."""
        return tokens

    @property
    def letters(self) -> slice:
        """The tokens over which the mean logit is taken: all that can be predicted."""
        return slice(0, len(TOKENS))

    def forward(self, ids: Ids, trace: Trace = OFF) -> Float[Tensor, "sequence position channel"]:
        x = trace("in", self.embedding(ids))
        context = Context(masks.causal(ids.shape[-1]))
        for layer, attention in enumerate(self.layers):
            x = x + attention(x, context, trace / layer)
        return x


class Trained(AttentionOnly):
    """The weights of a trained network of two layers of attention, in float64."""

    def __init__(self, transformer: Transformer):
        nn.Module.__init__(self)
        whole = deepcopy(transformer).double()
        self.embedding = whole.embedding
        stack = whole.stack("decoder")
        self.layers = nn.ModuleList(stack[layer].attention for layer in range(stack.n_layers))
        self.unembedding = whole.unembedding
        self.requires_grad_(False)

    def of(self, tokens: Ids) -> Ids:
        return torch.where(tokens == 0, START, tokens + len(SPECIAL) - 1)

    @property
    def letters(self) -> slice:
        return slice(len(SPECIAL), self.unembedding.shape[1])


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
Pair = tuple[int, int]


@cache
def trained_pair() -> Pair:
    """The head of layer 1 that looks most at the letter before, and the head of layer 2 that looks
    most at what followed the same letter, both by their scores on held-out texts after the last
    step.
    """
    held_out = load_checkpoints(TRAINED).held_out
    roles = ("previous", "induction")
    first, second = (int(held_out[role][-1, layer].argmax()) for layer, role in enumerate(roles))
    return first, second


def check_step(step: int | None) -> int:
    """The kept step that is asked for, the last where none is. Raises InvalidInput."""
    kept = list(load_checkpoints(TRAINED).models)
    if step is None:
        return kept[-1]
    if step not in kept:
        raise InvalidInput(
            f"The weights of step {step} were not kept; those of"
            f" {', '.join(map(str, kept[:-1]))} and {kept[-1]} were.",
            field="step",
            limit=kept[-1],
            given=step,
        )
    return step


def circuits_theory(
    *, weights: str = "constructed", step: int | None = None, seed: int = 0, seeds: int = 4
) -> Answer:
    """Answers with `logit_paths` [position, way_2, way_1], `score_paths` [position, query, key] and
    `composition` [composition, second, first] of the first seed; with `baseline` [composition,
    statistic], the composition of random matrices of the same shapes over all seeds; and with
    `expected` = 1 / sqrt(d_model), the composition that is expected of random matrices.

    The positions are those of the repetition, where the next token follows from the text. The logit
    of a path is the logit of the right next token minus the mean over all tokens. The score of a
    path is the score of the pair's second head for the right key minus the mean over the keys that
    the query sees.

    With `weights` "trained" the network is `induction-2` after `step` steps of its training, the
    last if none is given. Its `pair` of heads is the one that the finished model has the largest
    head scores for; in the other networks it is the pair that is written by hand, or stands there.
    Rotary positions turn queries and keys by their offset; `composition` is that at offset 0.
    """
    check_one_of("weights", weights, WEIGHTS)
    at = check_step(step)
    pair = trained_pair() if weights == "trained" else PAIR
    trials = [
        trial(weights, generator(seed, number), at, pair) for number in progress.trials(seeds)
    ]
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
        "findings": found(weights, trials, pair),
        "letters": first.letters,
        "period": first.period,
        "expected": D_MODEL**-0.5,
        "pair": [f"{layer}.{head}" for layer, head in enumerate(pair, start=1)],
    }
    if weights == "trained":
        fields["step"] = at
    return Answer(KINDS[weights], axes, tensors, fields)


@torch.no_grad()
def trial(weights: str, draws: torch.Generator, step: int = 0, pair: Pair = PAIR) -> Trial:
    """Measures one seed of the network with `weights`: constructed by hand, drawn at random, or
    trained for `step` steps.
    """
    if weights == "trained":
        model = Trained(load_checkpoints(TRAINED).models[step].transformer)
    else:
        model = MAKE[weights](draws)
    other = AttentionOnly(draws)
    period = int(torch.randint(SHORTEST, LONGEST + 1, (), generator=draws))
    sequences = torch.stack([repeated(period, draws) for _ in range(SEQUENCES)])
    of = model.of(sequences)
    ids, following = of[:, :-1], of[:, 1:]
    trace = Recorder()
    out = model(ids[:1], trace)[0]
    record = {name: value[0] for name, value in trace.values.items()}
    paths = paths_of(model, record)
    scores = scores_of(model, record, pair[1])
    at = torch.arange(ids.shape[1])[-REPEATED:]
    towards = model.unembedding.mT[following[0, at]] - model.unembedding[:, model.letters].mean(1)
    mean_seen = scores.tril().sum(-1) / torch.arange(1, ids.shape[1] + 1)
    return Trial(
        composition=compositions(*model.layers),
        random=compositions(*other.layers),
        letters="".join(TOKENS[i] for i in sequences[0].tolist()),
        period=period,
        logit_paths=torch.einsum("gfpm,pm->pgf", paths[:, :, at], towards),
        score_paths=(scores[:, :, at, at - period + 1] - mean_seen[:, :, at]).movedim(-1, 0),
        out_error=(paths.sum((0, 1)) - out).abs().max().item(),
        score_error=(scores.sum((0, 1)) - record["1.scores"][pair[1]]).abs().max().item(),
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
    model: AttentionOnly, record: dict[str, Tensor], head: int
) -> Float[Tensor, "way_q way_k query key"]:
    """The scores of `head` of layer 2, split by the path of the query and by the path of the key
    through layer 1. Queries and keys are linear in the stream, also where positions turn them.
    """
    first, second = model.layers
    once = expand(record["in"], record["0.pattern"], ov(first))
    q, k = (
        second.relation.rotate(second.split_heads(once @ linear.weight))[:, head]
        for linear in (second.query, second.key)
    )
    return torch.einsum("aqd,bkd->abqk", q, k) / D_HEAD**0.5


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


def found(weights: str, trials: list[Trial], pair: Pair) -> list[Finding]:
    """The findings of `trials` about a `pair` of heads. What the constructed network has by design
    is exact; of the others the same is asked as far as it can be asked.
    """
    first, second = pair
    by_hand, random = weights == "constructed", weights == "random"
    one, two = (f"{layer}.{head}" for layer, head in enumerate(pair, start=1))
    pairs = torch.stack([each.composition[:, second, first] for each in trials])
    q, k, v = pairs.unbind(1)
    baseline = torch.stack([each.random.mean() for each in trials])
    ablated = [each.ablated for each in trials]
    kept = torch.tensor([[head == own for head in range(HEADS)] for own in pair])
    designed = [
        exact("composition.k", k.mean(), "1/√d_head = 0.25", (0.25 - ZERO, 0.25 + ZERO)),
        exact(
            "composition.q_and_v",
            torch.maximum(q, v).max(),
            f"0: {two} reads {one} through its keys alone",
            (0, ZERO),
        ),
    ]
    over = {
        "constructed": ("√(d_model/d_head) = 2", (1.9, 2.1)),
        "random": ("1: as large as for a random pair", (0.85, MORE_THAN_RANDOM)),
        "trained": ("clearly above 1: larger than for random pairs", (MORE_THAN_RANDOM, None)),
    }[weights]
    right = (0.98, None) if by_hand or random else (0.9, None)
    lost = (None, 2 * CHANCE) if by_hand else (None, 0.5)
    no_skill = (
        "The network predicts too few letters to ask which of its heads it needs."
        if mean_of(trials) < 0.5
        else None
    )
    return [
        exact(
            "out_error",
            max(each.out_error for each in trials),
            "the 25 paths add up to the forward pass",
            (0, ZERO),
        ),
        exact(
            "score_error",
            max(each.score_error for each in trials),
            f"the 25 terms add up to the score of {two}",
            (0, ZERO),
        ),
        statistical("baseline", baseline.tolist(), "1/√d_model = 0.125", (0.12, 0.13)),
        *(designed if by_hand else []),
        statistical("over_baseline", (k / baseline).tolist(), *over),
        shares(
            "share.logit",
            f"more than half comes through {two} alone",
            MOST,
            trials,
            second,
            one_head=True,
        ),
        shares(
            "share.layer_2",
            "more than half comes through one head of layer 2 alone",
            MOST,
            trials,
            second,
        ),
        pooled(
            "share.score",
            lambda paths: share(paths[..., 0, 1 + first], paths),
            torch.stack([each.score_paths for each in trials]),
            f"more than half comes from keys through {one}",
            MOST,
        ),
        pooled(
            "share.frozen",
            lambda paths: share(paths[..., 1 + first].sum(-1), paths),
            torch.stack([each.logit_paths for each in trials]),
            f"0: with the patterns held fixed, {one} adds nothing",
            (-0.1, 0.1),
        ),
        statistical(
            "accuracy",
            [each.accuracy for each in trials],
            "1: every letter of the repetition is predicted",
            right,
        ),
        statistical(
            "ablated.1.0",
            [each[0, first].item() for each in ablated],
            f"without {one} the network predicts little",
            lost,
            premise=no_skill,
        ),
        statistical(
            "ablated.2.0",
            [each[1, second].item() for each in ablated],
            f"without {two} the network predicts little",
            lost,
            premise=no_skill,
        ),
        statistical(
            "ablated.other",
            [each[~kept].min().item() for each in ablated],
            "no other head is needed",
            right,
            premise=no_skill,
        ),
    ]


def mean_of(trials: list[Trial]) -> float:
    return sum(each.accuracy for each in trials) / len(trials)


def shares(
    name: str, law: str, band: Band, trials: list[Trial], head: int, one_head: bool = False
) -> Finding:
    """The share of the logit that comes past layer 1 and through `head` of layer 2, or through any
    head of layer 2.
    """
    ways = [1 + head] if one_head else list(range(1, 1 + HEADS))
    return pooled(
        name,
        lambda paths: share(paths[..., ways, 0].sum(-1), paths),
        torch.stack([each.logit_paths for each in trials]),
        law,
        band,
    )


def share(part: Float[Tensor, "..."], paths: Float[Tensor, "... way_2 way_1"]) -> float:
    """The sum of `part` over all positions, as a share of the sum of all paths."""
    return (part.sum() / paths.sum()).item()
