"""Attention: who looks at whom. Scores, masked scores or pattern of every layer and head asked
for.
"""

from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor

from model.answers.answer import Answer, Labelled, numbered
from model.errors import InvalidInput
from model.layers.relative_offsets import offsets
from model.runs.run import Run

Stage = Literal["scores", "masked_scores", "pattern"]
SUBLAYERS = {"self": "attention", "cross": "cross_attention", "rows": "row_attention"}


def attention(
    run: Run,
    *,
    kind: Literal["self", "cross", "rows"] | None = None,
    stack: str | None = None,
    layer: int | None = None,
    head: int | None = None,
    stage: Stage = "pattern",
    decimals: int | None = None,
) -> Answer:
    """The maps asked for, each [head, query, key], with their masks (1 allows) and, by map and
    head, entropy and distance.

    `entropy` is the mean over queries of -sum p ln p, in nats, `entropy_limit` what it would be if
    every query spread evenly over what it may see. `distance` is the mean over queries of sum p
    |query - key|, in positions; only where all keys are positions of the same text. `decimals`
    rounds the maps, and nothing else, to so many digits after the point.
    """
    names = [
        name
        for name in map_names(run, kind, stack)
        if layer is None or name.split(".")[1] == str(check_layer(run, name, layer))
    ]
    if not names:
        what, where = (
            f"{kind}-attention" if kind else "attention",
            (f" in its {stack}" if stack else ""),
        )
        raise InvalidInput(
            f"{run.model.id} has no {what}{where}.",
            field="kind" if kind else "stack",
            given=kind or stack,
        )
    heads = slice(None) if head is None else slice(check_head(run, head), head + 1)
    tensors, by_head = {}, {}
    for name in names:
        whole = run.tensor(f"{name}.{stage}")
        values = (
            whole.data[heads] if decimals is None else whole.data[heads].round(decimals=decimals)
        )
        tensors[f"{name}.{stage}"] = Labelled(whole.axes, values, whole.formula, whole.masked)
        by_head[name] = measures(run, name, heads)
    for name in {mask_of(name) for name in names}:
        _, query, key = run.tensor(next(n for n in names if mask_of(n) == name) + ".scores").axes
        tensors[f"{name}.mask"] = Labelled(
            (query, key), run.masks[name].to(torch.uint8), "1 where a query may look"
        )
    fields = {
        "stage": stage,
        "decimals": decimals,
        "entropy": {name: m["entropy"] for name, m in by_head.items()},
        "entropy_limit": {name: entropy_limit(run.masks[mask_of(name)]) for name in names},
        "distance": {name: m["distance"] for name, m in by_head.items()},
        "expected": run.expected,
        "expected_from": run.target_start,
    }
    chosen = {"head": numbered("head", [head], "head", ids=[head])} if head is not None else None
    return run.answer(tensors, fields, chosen)


def map_names(run: Run, kind: str | None, stack: str | None) -> list[str]:
    """decoder.0.cross_attention and so on: every attention of the run that fits."""
    maps = [name.removesuffix(".scores") for name in run.vocabulary if name.endswith(".scores")]
    sublayer = None if kind is None else SUBLAYERS[kind]
    return [
        name
        for name in maps
        if (stack in (None, name.split(".")[0])) and (sublayer in (None, name.split(".")[2]))
    ]


def mask_of(name: str) -> str:
    stack, _, sublayer = name.split(".")
    return f"{stack}.{sublayer}"


def check_layer(run: Run, name: str, layer: int) -> int:
    n = run.config.layers(name.split(".")[0])
    if not 0 <= layer < n:
        raise InvalidInput(
            f"Layer {layer} does not exist; the {name.split('.')[0]} has layers 0 to {n - 1}.",
            field="layer",
            limit=n - 1,
            given=layer,
        )
    return layer


def check_head(run: Run, head: int) -> int:
    n = run.config.n_heads
    if not 0 <= head < n:
        raise InvalidInput(
            f"Head {head} does not exist; {run.model.id} has heads 0 to {n - 1}.",
            field="head",
            limit=n - 1,
            given=head,
        )
    return head


def measures(run: Run, name: str, heads: slice) -> dict[str, list[float] | None]:
    pattern = run.trace[f"{name}.pattern"][heads]
    _, query, key = run.tensor(f"{name}.pattern").axes
    one_text = key in (query, "recalled") and run.axes[query].kind == "position"
    return {
        "entropy": entropy(pattern).tolist(),
        "distance": distance(pattern).tolist() if one_text else None,
    }


def entropy(pattern: Float[Tensor, "head query key"]) -> Float[Tensor, " head"]:
    """-sum p ln p over the keys, with 0 ln 0 = 0; mean over the queries."""
    return -torch.xlogy(pattern, pattern).sum(-1).mean(-1)


def entropy_limit(allowed: Tensor) -> float:
    """The entropy of a uniform pattern under the mask: the mean of ln(number of keys a query may
    see).
    """
    return allowed.sum(-1).clamp(min=1).log().mean().item()


def distance(pattern: Float[Tensor, "head query key"]) -> Float[Tensor, " head"]:
    """sum p |query - key| over the keys, mean over the queries; keys that are remembered come
    before the first query.
    """
    return (pattern * offsets(*pattern.shape[-2:]).abs()).sum(-1).mean(-1)
