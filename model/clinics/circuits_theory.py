"""Circuits: a two-layer attention-only network as a sum of paths, and its virtual weights, which
measure how much heads of the second layer read from heads of the first (Elhage et al. 2021).
"""

from collections.abc import Callable
from functools import cache

import torch
from jaxtyping import Float, Int
from torch import Tensor

from model import progress
from model.analytic.sinusoidal_shift import rotation
from model.answers.answer import Answer, Axis, Kind, Labelled
from model.checks import check_one_of
from model.errors import InvalidInput
from model.interpretability.circuits.qk_ov import composition, expand, ov, qk
from model.layers.attention import MultiHeadAttention
from model.measure.attention_only import (
    BLOCK,
    D_HEAD,
    D_MODEL,
    LONGEST,
    NEXT,
    POSITION,
    PREVIOUS,
    REPEATED,
    TOKEN,
    TOKENS,
    AttentionOnly,
    Ids,
    Trained,
    by_hand,
)
from model.measure.circuit_findings import Pair, Pairs, Trial, findings
from model.measure.initialised_stacks import HEADS, by_seed, generator, seed_axis
from model.trace import OFF, Recorder, Trace
from model.zoo.training_checkpoints import load_checkpoints

WEIGHTS = ("constructed", "random", "trained")
TRAINED = "induction-2"
COMPOSITIONS = ("q", "k", "v")
SHORTEST, SEQUENCES = 8, 16
SHARPNESS = 100.0
PAIR = (0, 0)
"""The two heads with hand-written weights: the first head of layer 0 and the first head of layer
1.
"""
LAW = r"x + A_0 x W_0 + A_1 x W_1 + A_1 A_0 x W_0 W_1"
"""The stream after layers 0 and 1. Each term stands for a sum over heads or pairs of heads; W = W_V
W_O.
"""
SOURCE = "Elhage et al. 2021, A Mathematical Framework for Transformer Circuits"
INITS = {
    "constructed": (
        "The weights of heads L0H0 and L1H0 are set by hand; those of the other six heads are"
        " Xavier-uniform, new for each seed; the embeddings are orthogonal and the biases 0"
    ),
    "random": (
        "Eight Xavier-uniform heads, new for each seed; the embeddings are orthogonal"
        " and the biases 0"
    ),
    "trained": (
        f"The weights of {TRAINED} at a saved training step; texts and random pairs are new for"
        " each seed"
    ),
}
KINDS: dict[str, Kind] = {
    "constructed": "constructed",
    "random": "random initialization",
    "trained": "trained",
}


def constructed(draws: torch.Generator) -> AttentionOnly:
    """A network with a hand-written induction head. Head L0H0 copies to each position the token
    before it; head L1H0 attends to the key whose previous token is the current token.
    """
    model = AttentionOnly(draws)
    eye = torch.eye(BLOCK, dtype=torch.float64)
    shift = torch.block_diag(*rotation(1, BLOCK)).mT  # maps a key at p - 1 to position p
    by_hand(
        model.layers[0],
        PAIR[0],
        (POSITION, SHARPNESS * eye),
        (POSITION, shift),
        (TOKEN, eye),
        (PREVIOUS, eye),
    )
    by_hand(model.layers[1], PAIR[1], (TOKEN, eye), (PREVIOUS, eye), (TOKEN, eye), (NEXT, eye))
    return model


MAKE: dict[str, Callable[[torch.Generator], AttentionOnly]] = {
    "constructed": constructed,
    "random": AttentionOnly,
}


@cache
def trained_pair() -> Pair:
    """The head of layer 0 that attends most to the previous letter, and the head of layer 1 that
    attends most to what followed the same letter, by their scores on held-out texts after the last
    step.
    """
    held_out = load_checkpoints(TRAINED).held_out
    roles = ("previous", "induction")
    first, second = (int(held_out[role][-1, layer].argmax()) for layer, role in enumerate(roles))
    return first, second


def check_step(step: int | None) -> int:
    """The requested stored step, by default the last. Raises InvalidInput."""
    steps = list(load_checkpoints(TRAINED).models)
    if step is None:
        return steps[-1]
    if step not in steps:
        raise InvalidInput("step-not-kept", field="step", limit=steps[-1], given=step, kept=steps)
    return step


def circuits_theory(
    *, weights: str = "constructed", step: int | None = None, seed: int = 0, seeds: int = 4
) -> Answer:
    """`logit_paths` [position, way_2, way_1], `score_paths` [position, query, key], and
    `composition` [composition, second, first] of the first seed; `baseline` [composition,
    statistic], the composition of random matrices of the same shapes over all seeds; and `expected`
    = 1 / sqrt(d_model), the expected composition of random matrices.

    The positions are those of the repetition, where the next token is determined. A path's logit is
    the logit of the correct next token minus the mean over all tokens. A path's score is the score
    of the pair's second head for the correct key minus the mean over the visible keys.

    With `weights` "trained", the network is `induction-2` after `step` steps of its training, by
    default the last. Its `pair` of heads has the highest head scores in the finished model; in
    other networks, it is the hand-written pair or has the same indices. Rotary positions rotate
    queries and keys by their offset; `composition` is at offset 0.
    """
    check_one_of("weights", weights, WEIGHTS)
    at = check_step(step)
    pair = trained_pair() if weights == "trained" else PAIR
    trials = [
        trial(weights, generator(seed, number), at, pair) for number in progress.trials(seeds)
    ]
    first = trials[0]
    fields = {
        "law": LAW,
        "source": SOURCE,
        "init": INITS[weights],
        "findings": findings(weights, trials, pair),
        "letters": first.letters,
        "period": first.period,
        "expected": D_MODEL**-0.5,
        "pair": [f"L{layer}H{head}" for layer, head in enumerate(pair)],
    }
    if weights == "trained":
        fields["step"] = at
    return Answer(KINDS[weights], axes_of(first.letters, seeds), tensors_of(trials), fields)


def axes_of(letters: str, seeds: int) -> dict[str, Axis]:
    """The positions of the repetition in `letters`, and the paths through both layers: past all
    heads, or through one.
    """
    ways_1, ways_2 = (["past", *(f"L{layer}H{head}" for head in range(HEADS))] for layer in (0, 1))
    return {
        "position": Axis("position", REPEATED, list(letters[-REPEATED - 1 : -1])),
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


def tensors_of(trials: list[Trial]) -> dict[str, Labelled]:
    """The paths and the composition of the first seed, and the baseline of all seeds and of
    each.
    """
    first = trials[0]
    random = torch.stack([trial.random for trial in trials], dim=1).flatten(1)
    randoms = torch.stack([trial.random for trial in trials]).flatten(2)
    pooled = {
        "logit_paths": Labelled(
            ("position", "way_2", "way_1"),
            first.logit_paths,
            "A_1 A_0 x W_0 W_1 (W_U[next] - mean W_U)",
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
    baselines = torch.stack([randoms.mean(2), randoms.std(2)], dim=2)
    return pooled | by_seed(pooled, {"baseline": baselines})


@torch.no_grad()
def trial(weights: str, draws: torch.Generator, step: int = 0, pair: Pair = PAIR) -> Trial:
    """Measures one seed of the network with `weights`: hand-written, random, or trained for `step`
    steps.
    """
    if weights == "trained":
        model = Trained(load_checkpoints(TRAINED).models[step].transformer)
    else:
        model = MAKE[weights](draws)
    other = AttentionOnly(draws)
    period = int(torch.randint(SHORTEST, LONGEST + 1, (), generator=draws))
    sequences = torch.stack([repeated(period, draws) for _ in range(SEQUENCES)])
    tokens = model.ids_of(sequences)
    ids, following = tokens[:, :-1], tokens[:, 1:]
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
    """The ids of a sequence: the start token, `period` different letters, and the same letters
    again, up to the token after the last predicting position.
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
    """The scores of `head` of layer 1, split by the paths of the query and of the key through layer
    0. Queries and keys are linear in the stream, even if positions rotate them.
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
    second, first], through queries, keys, and values.
    """
    write, reads = ov(first), (qk(second), qk(second).mT, ov(second))
    return torch.stack([composition(write.unsqueeze(0), read.unsqueeze(1)) for read in reads])


def accuracy(model: AttentionOnly, ids: Ids, following: Ids, trace: Trace = OFF) -> float:
    """The accuracy of next-token prediction in the repetition."""
    right = (model(ids, trace) @ model.unembedding).argmax(-1) == following
    return right[:, -REPEATED:].double().mean().item()


def without(layer: int, head: int) -> Trace:
    """A hook that zeroes the output of one head before the output projection."""

    def silence(name: str, z: Tensor) -> Tensor:
        return z.index_fill(-3, torch.tensor([head]), 0) if name == f"{layer}.z" else z

    return Trace(silence)
