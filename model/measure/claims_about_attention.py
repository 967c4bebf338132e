"""What is so instead of the notes' claims about attention, masks and positions, each measured on
random inputs.
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
                text="Another output of the encoder moves the queries by 0.",
                band=(0, 0),
            ),
            (q2 - q).abs().max(),
        ),
        exact(
            Law(
                "key_moves",
                text="Another output of the encoder moves some key by at least 0.1.",
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
                text="With 1 to 8 heads and no mask a shuffled text gives the same stream,"
                " shuffled: the difference is 0.",
                band=(0, 1e-10),
            ),
            max(moved(n, free) for n in (1, 2, 4, 8)),
        ),
        exact(
            Law(
                "causal",
                text="Under the causal mask the difference is at least 0.1, even with one head.",
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
                text="If weights are multiplied with a mask after the softmax, the smallest sum of"
                " a row is below 0.5.",
                band=(0, 0.5),
            ),
            after.sum(-1).min(),
        ),
        exact(
            Law(
                "added",
                text="If minus infinity is added before the softmax, the sums of the rows miss 1"
                " by 0.",
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
                text="1 to 16 heads have as many parameters: the difference is 0.",
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
                text="The share of hard choices outside a window of 4 keys is above 0.5.",
                band=(0.5, 1),
            ),
            (hard * ~near).sum(-1).mean(),
        ),
        exact(
            Law(
                "local_is_soft",
                text="The largest weight of soft attention inside that window is below 0.95 on the"
                " mean.",
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
                text="The smallest quotient of a wavelength and the one before it is above 1.",
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
    """Each query alone with all keys, in the reverse order, beside all queries at once."""
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
                text="Each row computed alone, the last one first, differs from the same row of"
                " the whole by 0.",
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
                text="The share of products q · k below 0, as no probability is, is above 0.2.",
                band=(0.2, 1),
            ),
            (q @ k.mT < 0).double().mean(),
        ),
        exact(
            Law(
                "row",
                text="After scaling and the softmax the sums of the rows miss 1 by 0.",
                band=(0, EXACT),
            ),
            (softmax(scaled_dot(q, k)).sum(-1) - 1).abs().max(),
        ),
    ]


@torch.no_grad()
def future_is_hidden(seed: int) -> list[Finding]:
    """What a causal head sees of the past and of the future, and whether a change of the last token
    moves what stands before it.
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
                text="The least weight that a position after the first gives to earlier positions"
                " is above 0.",
                band=(1e-6, 1),
            ),
            pattern.tril(-1).sum(-1)[1:].min(),
        ),
        exact(
            Law(
                "hidden", text="The largest weight of a position on a later one is 0.", band=(0, 0)
            ),
            pattern.triu(1).max(),
        ),
        exact(
            Law(
                "moved",
                text="When the last token changes, what stands before it moves by 0, through the"
                " shortcut neither.",
                band=(0, 0),
            ),
            (after - before).abs().max(),
        ),
    ]


@torch.no_grad()
def query_asks_for_one(seed: int) -> list[Finding]:
    """The scores of a text beside those with another query, and beside those with another key, for
    the token in the middle.
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
                text="Another query changes 1 row of scores: the query belongs to the current"
                " word.",
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
