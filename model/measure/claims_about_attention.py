"""Corrections of the notes' claims about attention, masks, and positions, each measured on random
inputs.
"""

import torch
from torch.utils.flop_counter import FlopCounterMode

from model.analytic.position_properties import wavelengths
from model.analytic.sinusoidal_shift import longest_wavelength
from model.answers.laws import Law
from model.answers.measurements import Finding, analytic, exact
from model.config import Config
from model.layers.attention import MultiHeadAttention
from model.layers.attention_scores import scaled_dot, softmax
from model.layers.block import Block
from model.layers.context import Context
from model.layers.masks import causal, full, window
from model.layers.positional_encodings import sinusoidal
from model.measure.claimed import EXACT, POSITIONS, D, config, tokens
from model.measure.initialised_stacks import HEADS, generator
from model.zoo.initialisation import initialise


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
            Law(
                "query_moves",
                text="Changing the encoder output does not change the queries.",
                band=(0, 0),
            ),
            (q2 - q).abs().max(),
        ),
        exact(
            Law(
                "key_moves",
                text="Changing the encoder output changes some key by at least 0.1.",
                band=(0.1, None),
            ),
            (k2 - k).abs().max(),
        ),
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
            Law(
                "heads",
                text="Without a mask, with 1 to 8 heads, shuffling the input only shuffles"
                " the residual stream: the difference is 0.",
                band=(0, 1e-10),
            ),
            max(moved(n, free) for n in (1, 2, 4, 8)),
        ),
        exact(
            Law(
                "causal",
                text="With the causal mask the difference is at least 0.1, even with one head.",
                band=(0.1, None),
            ),
            moved(1, before),
        ),
    ]


@torch.no_grad()
def multiplied(seed: int) -> list[Finding]:
    q, k = tokens(seed, 2, POSITIONS, 16)
    allowed, scores = causal(POSITIONS), scaled_dot(q, k)
    after, before = softmax(scores) * allowed, softmax(scores.masked_fill(~allowed, -torch.inf))
    return [
        exact(
            Law(
                "multiplied",
                text="If the mask multiplies the weights after the softmax, some row sums to"
                " less than 0.5.",
                band=(0, 0.5),
            ),
            after.sum(-1).min(),
        ),
        exact(
            Law(
                "added",
                text="If minus infinity is added before the softmax, every row sums to 1.",
                band=(0, EXACT),
            ),
            (before.sum(-1) - 1).abs().max(),
        ),
    ]


@torch.no_grad()
def heads_cost(seed: int) -> list[Finding]:
    """Parameters, and multiplications as torch counts them in a run: two operations each."""
    x, counts = tokens(seed, 1, POSITIONS, D), []
    for n_heads in (1, 2, 4, 8, 16):
        attention = MultiHeadAttention(config(n_heads=n_heads)).double()
        with FlopCounterMode(display=False) as counter:
            attention(x, Context(full(POSITIONS)))
        parameters = sum(p.numel() for p in attention.parameters())
        counts.append((parameters, counter.get_total_flops() // 2))
    parameters, products = zip(*counts, strict=True)
    return [
        exact(
            Law(
                "parameters",
                text="1 to 16 heads all have the same number of parameters.",
                band=(0, 0),
            ),
            max(parameters) - min(parameters),
        ),
        exact(
            Law(
                "products",
                text=f"1 to 16 heads make {products[0]:,} multiplications each: the difference is"
                f" 0.",
                band=(0, 0),
            ),
            max(products) - min(products),
        ),
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
            Law(
                "hard_is_far",
                text="More than half of the hard choices are outside a window of 4 keys.",
                band=(0.5, 1),
            ),
            (hard * ~near).sum(-1).mean(),
        ),
        exact(
            Law(
                "local_is_soft",
                text="The largest soft attention weight inside that window is below 0.95 on"
                " average.",
                band=(0.25, 0.95),
            ),
            soft_local[3:].amax(-1).mean(),
        ),
    ]


def wave_order(_: int) -> list[Finding]:
    waves = wavelengths(sinusoidal(2, D, dtype=torch.float64))
    longest = longest_wavelength(D)
    return [
        exact(
            Law(
                "rises",
                text="Each wavelength is longer than the previous one: the smallest ratio is"
                " above 1.",
                band=(1, None),
            ),
            (waves[1:] / waves[:-1]).min(),
        ),
        analytic(
            Law(
                "longest",
                text=f"The longest wavelength is 2π · 10000^((d−2)/d) = {longest:.6g}.",
                band=(longest * (1 - 1e-6), longest * (1 + 1e-6)),
                unit="positions",
            ),
            waves[-1],
        ),
    ]


@torch.no_grad()
def rows_alone(seed: int) -> list[Finding]:
    """Each query separately with all keys, in reverse order, compared with all queries at once."""
    attention = initialise(MultiHeadAttention(config()), generator(seed, 1)).double()
    x = tokens(seed, POSITIONS, D)
    together = attention(x, Context(full(POSITIONS)))
    rows = [
        attention.attend(x[i : i + 1], x, torch.ones(1, POSITIONS, dtype=torch.bool))
        for i in reversed(range(POSITIONS))
    ]
    return [
        exact(
            Law(
                "alone",
                text="Computing the rows separately, last row first, gives exactly the same rows.",
                band=(0, EXACT),
            ),
            (torch.cat(rows[::-1]) - together).abs().max(),
        )
    ]


@torch.no_grad()
def scores_are_no_distribution(seed: int) -> list[Finding]:
    q, k = tokens(seed, 2, POSITIONS, 16)
    return [
        exact(
            Law(
                "negative",
                text="More than 20% of the products q · k are negative, so they cannot be"
                " probabilities.",
                band=(0.2, 1),
            ),
            (q @ k.mT < 0).double().mean(),
        ),
        exact(
            Law(
                "row",
                text="After scaling and the softmax, every row sums to 1.",
                band=(0, EXACT),
            ),
            (softmax(scaled_dot(q, k)).sum(-1) - 1).abs().max(),
        ),
    ]


@torch.no_grad()
def future_is_hidden(seed: int) -> list[Finding]:
    """Which past and future positions a causal head attends to, and whether a change of the last
    token affects earlier positions.
    """
    allowed, (q, k) = causal(POSITIONS), tokens(seed, 2, POSITIONS, 16)
    pattern = softmax(scaled_dot(q, k).masked_fill(~allowed, -torch.inf))
    block = initialise(Block(config(), "encoder"), generator(seed, 1)).double()
    x = tokens(seed, 1, POSITIONS, D)
    other = x.clone()
    other[:, -1] += 1
    before, after = (block(text, Context(allowed[None]))[:, :-1] for text in (x, other))
    return [
        exact(
            Law(
                "seen",
                text="Every position after the first gives weight to earlier positions: the"
                " smallest total is above 0.",
                band=(1e-6, 1),
            ),
            pattern.tril(-1).sum(-1)[1:].min(),
        ),
        exact(
            Law(
                "hidden",
                text="No position gives weight to a later one: the largest weight is 0.",
                band=(0, 0),
            ),
            pattern.triu(1).max(),
        ),
        exact(
            Law(
                "moved",
                text="Changing the last token does not change earlier positions, not even"
                " through residual connections.",
                band=(0, 0),
            ),
            (after - before).abs().max(),
        ),
    ]


@torch.no_grad()
def query_asks_for_one(seed: int) -> list[Finding]:
    """The scores of a text, compared with those after changing the middle token's query, and its
    key.
    """
    q, k = tokens(seed, 2, POSITIONS, 16)
    middle, scores = POSITIONS // 2, scaled_dot(q, k)
    other = tokens(seed + 1, 16)
    queries, keys = q.clone(), k.clone()
    queries[middle], keys[middle] = other, other
    rows = ((scaled_dot(queries, k) - scores).abs() > 0).any(1).sum()
    columns = (softmax(scaled_dot(q, keys)) - softmax(scores)).abs().amin(1) > 0
    return [
        exact(
            Law(
                "query",
                text="Changing one query changes 1 row of scores, the row of the current word.",
                band=(1, 1),
                unit="rows",
            ),
            rows,
        ),
        exact(
            Law(
                "key",
                text=f"Another key changes all {POSITIONS} rows: every word is compared with it.",
                band=(POSITIONS, POSITIONS),
                unit="rows",
            ),
            columns.sum(),
        ),
    ]
