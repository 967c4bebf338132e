"""Claims: sentences of the notes that are wrong, ambiguous or disputed, each with a correction and
a measured number that supports the correction.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.autograd.functional import jacobian

from model.answers import progress
from model.answers.answer import Answer
from model.answers.measurements import Finding, analytic, exact, pooled, statistical
from model.clinics._shared.initialised_stacks import (
    HEADS,
    INIT,
    dependency,
    distance,
    fresh_encoder,
    generator,
    perturb,
    run_recorded,
)
from model.config import Config
from model.interpretability.position_properties import wavelengths
from model.interpretability.sinusoidal_shift import longest_wavelength
from model.layers.attention import MultiHeadAttention
from model.layers.attention_scores import scaled_dot, softmax
from model.layers.block import Block, Context
from model.layers.masks import causal, full, window
from model.layers.norms import LayerNorm
from model.layers.positional_encodings import sinusoidal
from model.zoo.initialisation import initialise

D, POSITIONS, SEEDS = 64, 8, 4
EXACT = 1e-12  # tolerance of an identity in float64


@dataclass(frozen=True)
class Claim:
    """One claim: `notes` is the sentence of the notes, `instead` the correction, `page` the page
    that shows it, and `measure` a function from a seed to findings.
    """

    id: str
    verdict: str  # wrong, ambiguous or disputed
    notes: str
    instead: str
    source: str
    page: str
    measure: Callable[[int], list[Finding]]


def claims(*, seed: int = 0) -> Answer:
    """Answers with `claims`: each with its verdict, its correction, its source, the page that shows
    it, and the findings that were measured for this answer.
    """
    ledger = [
        {
            "id": claim.id,
            "verdict": claim.verdict,
            "notes": claim.notes,
            "instead": claim.instead,
            "source": claim.source,
            "page": claim.page,
            "findings": claim.measure(seed),
        }
        for claim in progress.steps(CLAIMS)
    ]
    return Answer("random initialisation", fields={"init": INIT, "claims": ledger})


def tokens(seed: int, *shape: int) -> Tensor:
    return torch.randn(shape, generator=generator(seed, 0), dtype=torch.float64)


def config(**choices: Any) -> Config:
    choices.setdefault("n_heads", HEADS)
    return Config(
        family="encoder-only",
        vocabulary_size=1,
        d_model=D,
        d_ff=4 * D,
        n_encoder_layers=1,
        **choices,
    )


@torch.no_grad()
def length_after_norm(seed: int) -> list[Finding]:
    y = LayerNorm(D, 0.0).double()(tokens(seed, POSITIONS, D))
    return [
        exact(
            "squared_length",
            y.square().sum(-1).mean() / D,
            "y . y = d, in units of d",
            (1 - EXACT, 1 + EXACT),
            "d",
        ),
        exact("sum", y.sum(-1).abs().max(), "y . 1 = 0", (0, 1e-10)),
    ]


@torch.no_grad()
def branch_is_neither(seed: int) -> list[Finding]:
    x = tokens(seed, 1, POSITIONS, D)
    post, pre, branch = (
        fresh_encoder(p, 2, D, generator(seed, 1)).double() for p in ("post", "pre", "branch")
    )
    out = [run_recorded(stack, x).after[-1] for stack in (post, pre, branch)]
    apart = min((out[2] - other).abs().max() for other in out[:2])
    return [
        exact(
            "apart",
            apart,
            "the same weights give another stream than Post-LN and Pre-LN do",
            (0.1, None),
        )
    ]


def last_gradient(seed: int) -> list[Finding]:
    def norm_of_gradient(placement: str, trial: int) -> float:
        draws = generator(seed, trial)
        x, asked = (torch.randn(4, POSITIONS, D, generator=draws) for _ in range(2))
        stack = fresh_encoder(placement, 12, D, draws)
        matrix = stack[11].feed_forward.output.weight.requires_grad_()
        loss = (stack(x, Context(full(POSITIONS)[None])) - asked).square().mean()
        return torch.autograd.grad(loss, matrix)[0].norm().item()

    ratios = [
        norm_of_gradient("post", trial) / norm_of_gradient("pre", trial) for trial in range(SEEDS)
    ]
    law = "gradient of the last feed-forward matrix, 12 layers, Post-LN over Pre-LN: above 2"
    return [statistical("post_over_pre", ratios, law, (2, None))]


@torch.no_grad()
def third_sublayer(seed: int) -> list[Finding]:
    decoder = Config(
        family="encoder-decoder",
        vocabulary_size=1,
        d_model=D,
        n_heads=HEADS,
        n_encoder_layers=1,
        n_decoder_layers=1,
    )
    attention = initialise(MultiHeadAttention(decoder), generator(seed, 1)).double()
    x, memory, other = (tokens(seed + i, POSITIONS, D) for i in range(3))
    (q, k), (q2, k2) = ((attention.query(x), attention.key(m)) for m in (memory, other))
    return [
        exact(
            "query_moves", (q2 - q).abs().max(), "another encoder output changes no query", (0, 0)
        ),
        exact("key_moves", (k2 - k).abs().max(), "it changes the keys", (0.1, None)),
    ]


@torch.no_grad()
def order(seed: int) -> list[Finding]:
    x, shuffle = (
        tokens(seed, 1, POSITIONS, D),
        torch.randperm(POSITIONS, generator=generator(seed, 2)),
    )

    def moved(n_heads: int, context: Context) -> float:
        block = initialise(Block(config(n_heads=n_heads), "encoder"), generator(seed, 1)).double()
        return (block(x[:, shuffle], context) - block(x, context)[:, shuffle]).abs().max().item()

    free, before = (Context(allowed[None]) for allowed in (full(POSITIONS), causal(POSITIONS)))
    return [
        exact(
            "heads",
            max(moved(n, free) for n in (1, 2, 4, 8)),
            "1 to 8 heads: a shuffled text gives the shuffled stream",
            (0, 1e-10),
        ),
        exact(
            "causal",
            moved(1, before),
            "under the causal mask it does not, with one head",
            (0.1, None),
        ),
    ]


@torch.no_grad()
def multiplied(seed: int) -> list[Finding]:
    q, k = tokens(seed, 2, POSITIONS, 16)
    allowed, scores = causal(POSITIONS), scaled_dot(q, k)
    after, before = softmax(scores) * allowed, softmax(scores.masked_fill(~allowed, -torch.inf))
    return [
        exact(
            "multiplied",
            after.sum(-1).min(),
            "multiplied after the softmax, a row sums to as little as this",
            (0, 0.5),
        ),
        exact(
            "added",
            (before.sum(-1) - 1).abs().max(),
            "added before it, every row sums to 1; off by",
            (0, EXACT),
        ),
    ]


def heads_cost(_: int) -> list[Finding]:
    sizes = {
        sum(p.numel() for p in MultiHeadAttention(config(n_heads=n)).parameters())
        for n in (1, 2, 4, 8, 16)
    }
    return [
        exact(
            "parameters",
            max(sizes) - min(sizes),
            "1 to 16 heads: as many parameters; more by",
            (0, 0),
        )
    ]


@torch.no_grad()
def one_token(seed: int) -> list[Finding]:
    x, f = tokens(seed, 2, POSITIONS, D)
    others = torch.cat([x[:1], tokens(seed + 1, POSITIONS - 1, D)])
    norm = LayerNorm(D, 1e-5).double()
    return [
        exact(
            "moved",
            (norm(x + f)[0] - norm(others + f)[0]).abs().max(),
            "the other tokens change, this one moves by",
            (0, 0),
        )
    ]


@torch.no_grad()
def hard_and_local(seed: int) -> list[Finding]:
    n, near = 32, window(32, 4)
    q, k = tokens(seed, 2, n, 16)
    scores = scaled_dot(q, k)
    hard = torch.zeros(n, n).scatter(-1, scores.argmax(-1, keepdim=True), 1.0)
    soft_local = softmax(scores.masked_fill(~near, -torch.inf))
    return [
        exact(
            "hard_is_far",
            (hard * ~near).sum(-1).mean(),
            "share of hard choices outside a window of 4",
            (0.5, 1),
        ),
        exact(
            "local_is_soft",
            soft_local[3:].amax(-1).mean(),
            "mean largest weight inside it, soft: below 1",
            (0.25, 0.95),
        ),
    ]


def wave_order(_: int) -> list[Finding]:
    waves = wavelengths(sinusoidal(2, D, dtype=torch.float64))
    longest = longest_wavelength(D)
    return [
        exact(
            "rises",
            (waves[1:] / waves[:-1]).min(),
            "each wavelength over the one before: above 1",
            (1, None),
        ),
        analytic(
            "longest",
            waves[-1],
            f"2 pi 10000^((d-2)/d) = {longest:.6g}",
            (longest * (1 - 1e-6), longest * (1 + 1e-6)),
            "positions",
        ),
    ]


@torch.no_grad()
def squared(seed: int) -> list[Finding]:
    """The findings for the change of the output divided by the sum of beta_ii^2, by placement and
    depth. The quotient should be one constant.
    """

    def constants(placement: str, trial: int) -> list[float]:
        draws = generator(seed, trial)
        x, stack = (
            torch.randn(16, POSITIONS, D, generator=draws),
            fresh_encoder(placement, 16, D, draws),
        )
        recorded = run_recorded(stack, x)
        perturb(stack, 0.01, draws)
        after, shares = run_recorded(stack, x).after, dependency(stack, recorded)
        return [distance(recorded.after[n - 1], after[n - 1]) / sum(shares[:n]) for n in (2, 8, 32)]

    measured = torch.tensor(
        [
            [constants("post", trial), constants("pre", trial)]
            for trial in progress.steps(range(SEEDS))
        ]
    )
    law = (
        "change over the sum of squares after 2, 8, 32 sub-layers of Post- and Pre-LN: largest over"
        " smallest"
    )
    return [
        pooled(
            "squared", lambda some: some.mean(0).max() / some.mean(0).min(), measured, law, (1, 2)
        )
    ]


def interleaved(seed: int) -> list[Finding]:
    """The findings for one token that passes three Post-LN feed-forward sub-layers: the Jacobian of
    the whole network compared with products of the Jacobians of its parts.
    """
    x, d = tokens(seed, 1, 16), 16
    sizes: dict[str, Any] = {"d_model": d, "d_ff": 4 * d, "n_heads": HEADS, "n_encoder_layers": 1}
    small = Config(family="encoder-only", vocabulary_size=1, **sizes)
    blocks = [
        initialise(Block(small, "encoder"), generator(seed, 1 + i)).double().requires_grad_(False)
        for i in range(3)
    ]

    def matrix(f: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
        return jacobian(f, x).reshape(x.numel(), x.numel())

    norms, adds = [], []
    for block in blocks:

        def add(x: Tensor, block: Block = block) -> Tensor:
            return x + block.feed_forward(x)

        adds.append(matrix(add, x))
        norms.append(matrix(block.norm2, add(x)))
        x = block.norm2(add(x))

    def all_three(x: Tensor) -> Tensor:
        for block in blocks:
            x = block.norm2(x + block.feed_forward(x))
        return x

    whole = matrix(all_three, tokens(seed, 1, 16))
    product = norms[2] @ adds[2] @ norms[1] @ adds[1] @ norms[0] @ adds[0]
    apart = (norms[2] @ norms[1] @ norms[0]) @ (adds[2] @ adds[1] @ adds[0])
    return [
        exact(
            "interleaved",
            (product - whole).abs().max(),
            "norm, sub-layer, norm, sub-layer …: off by",
            (0, 1e-10),
        ),
        exact(
            "separated",
            ((apart - whole).norm() / whole.norm()),
            "all norms, then all sub-layers, as printed: off by this share",
            (0.05, None),
        ),
    ]


CLAIMS = (
    Claim(
        "length",
        "wrong",
        "After layer normalisation y . y = sqrt(d).",
        "y . y = d: every channel has variance 1, so the length is sqrt(d).",
        "Ba et al. 2016; Xiong et al. 2020, Lemma 3",
        "/norms",
        length_after_norm,
    ),
    Claim(
        "branch",
        "wrong",
        "The formula x + LN(f(x)) is printed for Post-LN, elsewhere for Pre-LN.",
        "It is neither. Post-LN is LN(x + f(x)), Pre-LN is x + f(LN(x)).",
        "Xiong et al. 2020, figure 1",
        "/norms",
        branch_is_neither,
    ),
    Claim(
        "warmup",
        "wrong",
        "Pre-LN is hard to train.",
        "Post-LN is meant: without warm-up the gradient of its last layers is large, that of Pre-LN"
        " shrinks with the depth.",
        "Xiong et al. 2020, Theorem 1; Liu et al. 2020 see another cause",
        "/gradients",
        last_gradient,
    ),
    Claim(
        "third",
        "wrong",
        "The decoder's third sub-layer is a second self-attention.",
        "It is cross-attention: its queries come from the decoder, its keys and values from the"
        " encoder's output.",
        "Vaswani et al. 2017, section 3.1",
        "/attention",
        third_sublayer,
    ),
    Claim(
        "order",
        "wrong",
        "Several heads let the model see the order of the words.",
        "Heads see a set. Order comes from positions, or from the causal mask.",
        "Vaswani et al. 2017, section 3.5",
        "/positions",
        order,
    ),
    Claim(
        "mask",
        "wrong",
        "The mask is multiplied with the attention weights.",
        "It is added to the scores before the softmax; multiplied after it, the rows no longer sum"
        " to 1.",
        "Vaswani et al. 2017, section 3.2.3",
        "/masks",
        multiplied,
    ),
    Claim(
        "cost",
        "wrong",
        "One head of full width is cheaper, or dearer, than h narrow ones.",
        "The width is divided among the heads: matrices and products are the same.",
        "Vaswani et al. 2017, section 3.2.2",
        "/attention",
        heads_cost,
    ),
    Claim(
        "token",
        "wrong",
        "Add-and-norm needs the whole sequence.",
        "It needs one token: mean and variance are taken over the channels of that token.",
        "Ba et al. 2016",
        "/norms",
        one_token,
    ),
    Claim(
        "hard",
        "ambiguous",
        "Hard attention is local attention.",
        "Two axes: hard or soft says how many keys count, local or global says which may.",
        "Luong et al. 2015, section 3.2; Xu et al. 2015",
        "/scores",
        hard_and_local,
    ),
    Claim(
        "waves",
        "wrong",
        "The frequency of the sinusoids grows with the channel, up to a wavelength of 10000 x"
        " 2 pi.",
        "It falls with the channel, and the longest wavelength is 10000^((d-2)/d) x 2 pi.",
        "Vaswani et al. 2017, section 3.5",
        "/positions",
        wave_order,
    ),
    Claim(
        "squares",
        "ambiguous",
        "The output change is proportional to the sum of dependencies.",
        "To the sum of their squares, beta_ii^2: shares of the variance.",
        "Liu et al. 2020, Theorem 2",
        "/amplification",
        squared,
    ),
    Claim(
        "product",
        "wrong",
        "The gradient through a Post-LN stack is the product of all norms' Jacobians times the"
        " product of all sub-layers'.",
        "Matrices do not commute: norm and sub-layer take turns in one product.",
        "Wang et al. 2019, equation 5, as printed",
        "/gradients",
        interleaved,
    ),
)
