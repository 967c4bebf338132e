"""Head split: the queries of a trained layer, split into heads correctly, and by a single `view`,
which omits the transpose and mixes tokens.
"""

from collections.abc import Callable

import torch
from jaxtyping import Float, Int
from torch import Tensor

from model import progress
from model.answers.answer import Answer, Axis, Labelled
from model.answers.laws import Law, by_name
from model.answers.measurements import Finding, exact, statistical
from model.checks import check_between
from model.inputs.input import Input
from model.layers.attention import concat_heads
from model.layers.attention_scores import scaled_dot, softmax
from model.measure.initialised_stacks import by_seed, generator, seed_axis
from model.measure.random_sentences import sentences
from model.runs.run import Run
from model.runs.run_model import run_model
from model.zoo.models import load_model

LAWS = by_name(
    Law(
        "model",
        "Difference between the correct split and the model’s attention",
        "0: the correct split reproduces the model’s attention",
        (0, 1e-5),
    ),
    Law(
        "same_numbers",
        "Numbers changed by view",
        "0: view does not change any number",
        (0, 0),
    ),
    Law(
        "one_head",
        "Difference between the two splits with one head",
        "0: with one head, the two splits are identical",
        (0, 0),
    ),
    Law(
        "foreign",
        "Vectors of the wrong token",
        "above 0: some vectors belong to another token",
        (0.01, None),
        "of the vectors",
    ),
    Law(
        "moved",
        "Attention weight on the wrong tokens",
        "above 0: attention goes to the wrong tokens",
        (0.01, None),
        "of the weight",
    ),
)
MODEL = "translator"
LAYERS, HEADS = 3, 4
SPLITS = ("right", "wrong")
LAW = r"q \to \operatorname{view}(n, h, d_k) \to \operatorname{transpose} \to (h, n, d_k)"
SOURCE = "Vaswani et al. 2017, section 3.2.2"

Flat = Float[Tensor, "position channel"]
Heads = Float[Tensor, "head position head_channel"]
Pattern = Float[Tensor, "head query key"]
Split = Callable[[Flat, int], Heads]


def right(x: Flat, heads: int) -> Heads:
    """Splits each token's channels into `heads` pieces, then swaps the token and head axes."""
    return x.view(len(x), heads, -1).transpose(0, 1)


def wrong(x: Flat, heads: int) -> Heads:
    """Reads the numbers of x in memory order, without swapping axes."""
    return x.reshape(-1).view(heads, len(x), -1)


@torch.no_grad()
def head_split(*, layer: int = 0, seed: int = 0, seeds: int = 4) -> Answer:
    """`origin.right` and `origin.wrong` [head, position], the token that each row of a head comes
    from, and `pattern.right` and `pattern.wrong` [head, query, key], the attention under both
    splits, in encoder layer `layer` of the translator, for the sentence of the first seed. `moved`
    [head] is the fraction of attention that the wrong split moves to other tokens, averaged over
    queries and seeds.
    """
    check_between("layer", layer, 0, LAYERS - 1)
    model = load_model(MODEL)
    runs = [
        run_model(model, Input(source=sentences(1, generator(seed, number))[0], target="."))
        for number in progress.trials(seeds)
    ]
    first, tokens = runs[0], len(runs[0].tokens["source"])
    origins = {
        name: origin(split, tokens) for name, split in zip(SPLITS, (right, wrong), strict=True)
    }
    patterns = {
        name: attention(first, layer, split)
        for name, split in zip(SPLITS, (right, wrong), strict=True)
    }
    moved = torch.stack([difference(run, layer) for run in runs])
    labels = [token.text for token in first.tokens["source"]]
    axes = {
        "head": Axis("head", HEADS),
        "seed": seed_axis(seeds),
        **{name: Axis("position", tokens, labels) for name in ("position", "query", "key")},
    }
    tensors = {
        **{
            f"origin.{name}": Labelled(
                ("head", "position"), rows.float(), "number of the token that the row comes from"
            )
            for name, rows in origins.items()
        },
        **{
            f"pattern.{name}": Labelled(
                ("head", "query", "key"), rows, "softmax(q k^T / sqrt(d_head))"
            )
            for name, rows in patterns.items()
        },
        "moved": Labelled(
            ("head",),
            moved.mean(0),
            "half the sum of |weight right - weight wrong|, mean of queries",
        ),
    }
    tensors |= by_seed(tensors, {"moved": moved})
    fields = {
        "law": LAW,
        "source": SOURCE,
        "init": (
            f"Encoder layer {layer} of {MODEL}, {HEADS} heads of {model.config.d_head} channels; a"
            " sentence made from short word lists, new for each seed"
        ),
        "sentence": first.input["source"],
        "findings": findings(runs, layer, moved),
    }
    return Answer("trained", axes, tensors, fields)


def flat(run: Run, layer: int, value: str) -> Flat:
    """The queries or keys of a layer before splitting."""
    return concat_heads(run.trace[f"encoder.{layer}.attention.{value}"])


def origin(split: Split, tokens: int) -> Int[Tensor, "head position"]:
    """For each row of each head, the token whose channels it holds. Each token's channels are
    replaced with the token's number and split in the same way.
    """
    numbers = torch.arange(tokens).float()[:, None].expand(tokens, HEADS)
    return split(numbers.contiguous(), HEADS)[..., 0].long()


def attention(run: Run, layer: int, split: Split) -> Pattern:
    """The attention when queries and keys are both split in this way."""
    q, k = (split(flat(run, layer, value), HEADS) for value in ("q", "k"))
    return softmax(scaled_dot(q, k))


def difference(run: Run, layer: int) -> Float[Tensor, " head"]:
    """The mean over queries of half the sum of |weight right - weight wrong|: 0 if all weights are
    equal, 1 if no key has weight in both.
    """
    gap = attention(run, layer, right) - attention(run, layer, wrong)
    return gap.abs().sum(-1).mean(-1) / 2


def findings(runs: list[Run], layer: int, moved: Float[Tensor, "seed head"]) -> list[Finding]:
    """The findings over all sentences."""
    model, numbers, same, foreign = 0.0, 0.0, 0.0, []
    for run in runs:
        q, tokens = flat(run, layer, "q"), len(run.tokens["source"])
        ran = run.trace[f"encoder.{layer}.attention.pattern"]
        model = max(model, (attention(run, layer, right) - ran).abs().max().item())
        numbers = max(numbers, (wrong(q, HEADS).reshape(-1) - q.reshape(-1)).abs().max().item())
        same = max(same, (wrong(q, 1) - right(q, 1)).abs().max().item())
        in_place = origin(wrong, tokens) == torch.arange(tokens)
        foreign.append(1 - in_place.float().mean().item())
    return [
        exact(LAWS["model"], model),
        exact(LAWS["same_numbers"], numbers),
        exact(LAWS["one_head"], same),
        statistical(LAWS["foreign"], foreign),
        statistical(LAWS["moved"], moved.mean(1).tolist()),
    ]
