"""The path of the values: what the weights of one query are used for. Values, weighted values,
their sum z, the head's output, the output of all heads, and the stream before and after.
"""

from collections.abc import Hashable, Sequence

import torch
from jaxtyping import Float, Int
from torch import Tensor

from model.activations.site import Site
from model.answers.answer import Axis, Labelled, Section
from model.interpretability.attribution.agreement import sizes, spearman
from model.interpretability.masks.key_removal import Removal, removals
from model.interpretability.stream.residual import steps, sums
from model.runs.run import Run

MAX_REMOVED = 48  # maximum number of removed keys, those with the largest weights


def value_path(run: Run, attention: Site, head: int, query: int) -> Section:
    """The tensors from the weights of `query` in one head to the stream after the attention layer,
    and three measures of each key: its weight, the norm of its contribution to the stream, and the
    effect of removing it on the prediction.

    With attention between table rows, only the first row has a stream that is shown; for other
    rows, the path ends at z. The stream shown there is that of the first token, [CLS]. A model
    without a head has no prediction to affect.
    """
    scope = attention.scope
    grid = run.activation(f"{scope}.pattern").axes
    weights, values = run.trace[f"{scope}.pattern"][head, query], run.trace[f"{scope}.v"][head]
    weighted = weights[:, None] * values
    tensors = {
        "weight": Labelled((grid[2],), weights, run.activation(f"{scope}.pattern").formula),
        "value": Labelled((grid[2], "head_channel"), values, run.activation(f"{scope}.v").formula),
        "weighted_value": Labelled((grid[2], "head_channel"), weighted, "weight times value"),
        "z": Labelled(
            ("head_channel",), run.trace[f"{scope}.z"][head, query], "sum of weight times value"
        ),
        "weighted_value_length": Labelled(
            (grid[2],), weighted.norm(dim=-1), "|weight value|, its Euclidean length"
        ),
        "brought_length": Labelled(
            (grid[2],),
            (weighted @ output_weight(run, scope, head)).norm(dim=-1),
            "|weight value W_O[head]|, its Euclidean length",
        ),
    }
    axes: dict[str, Axis] = {}
    between_rows = attention.part == "row_attention"
    if not between_rows or query == 0:
        at = 0 if between_rows else query
        tensors |= stream_tensors(run, attention, head, at)
        axes["point"] = Axis("step", len(POINTS), list(POINTS))
    if run.config.head.absent:
        return Section(axes, tensors, {"forward": query, "agreement": []})
    removal = removal_of(run, attention, head, query)
    keys, labels = removal.keys, run.axes[grid[2]].labels
    axes["removed"] = Axis(
        "position", len(keys), labels and [labels[i] for i in keys.tolist()], keys.tolist()
    )
    formula = "log p(answer) without the key - log p(answer), in nats"
    remove([removal])
    tensors["removal"] = Labelled(("removed",), run.removed[key_of(removal)], formula)
    fields = {"forward": query, "agreement": agreement(tensors, keys)}
    return Section(axes, tensors, fields)


def removal_of(run: Run, attention: Site, head: int, query: int) -> Removal:
    """The removal of the keys with the largest weights, in the order of their positions."""
    weights = run.trace[f"{attention.scope}.pattern"][head, query]
    found = weights.argsort(descending=True, stable=True)[:MAX_REMOVED]
    return Removal(run, attention, head, query, found[weights[found] > 0].sort().values)


def remove(wanted: Sequence[Removal]) -> None:
    """Computes all removals that their runs do not have yet, together."""
    new = [removal for removal in wanted if key_of(removal) not in removal.run.removed]
    missing = {(id(removal.run), key_of(removal)): removal for removal in new}
    for removal, change in zip(missing.values(), removals([*missing.values()]), strict=True):
        removal.run.removed[key_of(removal)] = change


def key_of(removal: Removal) -> Hashable:
    """Distinguishes the removals of one run: their keys are always those of `removal_of`."""
    return removal.attention, removal.head, removal.query


POINTS = ("before", "added", "sum", "after")
"""Rows of the tensor `stream`: the stream before, what is added to it, their sum, and the stream
after, which is the norm of the sum in a placement with a norm there.
"""


def stream_tensors(run: Run, attention: Site, head: int, at: int) -> dict[str, Labelled]:
    """The output of the head and of all heads at the position `at`, and the stream there."""
    scope, stack = attention.scope, attention.stack
    assert stack is not None, "an attention belongs to a stack"
    step = next(step for step in steps(run.config, stack) if step.wrote == f"{scope}.out")
    at_step = sums(run, stack)[step.name]
    points = [at_step.x[at], at_step.f[at], at_step.total[at], run.trace[step.name][at]]
    return {
        "head_out": Labelled(("channel",), run.trace[f"{scope}.head_out"][head, at], "z W_O[head]"),
        "out": Labelled(
            ("channel",), run.trace[f"{scope}.out"][at], run.activation(f"{scope}.out").formula
        ),
        "stream": Labelled(("point", "channel"), torch.stack(points), step.formula),
    }


def output_weight(run: Run, scope: str, head: int) -> Float[Tensor, "head_channel written"]:
    """W_O[head], the rows of W_O for one head."""
    whole = run.model.transformer.get_parameter(f"{scope}.output.weight")
    return whole.detach().unflatten(0, (run.config.n_heads, -1))[head]


PAIRS = (
    ("weight", "brought_length"),
    ("weight", "removal"),
    ("brought_length", "removal"),
)


def agreement(
    tensors: dict[str, Labelled], removed: Int[Tensor, " removed"]
) -> list[dict[str, object]]:
    """The rank correlation of each pair of measures over the removed keys. A removal's effect
    counts by its absolute value, and a rounding error as 0. None if there are fewer than three
    keys, or if a measure is the same for all.
    """
    measures = {name: tensors[name].data[removed] for name in ("weight", "brought_length")}
    measures["removal"] = sizes(tensors["removal"].data)
    return [
        {"first": a, "second": b, "rank_correlation": spearman(measures[a], measures[b])}
        for a, b in PAIRS
    ]
