"""The attention layers of a run as needed for head roles: what their queries and keys stand for."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from model.answers.answer import Axis
from model.interpretability.heads.roles import ROLES, AttentionContext, Keys, Role
from model.runs.run import Run, id_tensor


@dataclass(frozen=True)
class Attention:
    """One attention layer: its name without its value, decoder.0.cross_attention; what its queries
    and keys stand for; the possible roles of its heads; and its pattern [head, query, key].
    """

    name: str
    context: AttentionContext
    roles: dict[str, Role]
    pattern: Tensor


def attentions(run: Run) -> list[Attention]:
    """Every attention layer of `run`, in order."""
    found = []
    for name in names_of(run):
        kind, context = context_of(run, name)
        found.append(Attention(name, context, ROLES[kind], run.trace[f"{name}.pattern"]))
    return found


def names_of(run: Run) -> Iterator[str]:
    """The names of the attention layers in a run, such as encoder.0.attention."""
    return (name.removesuffix(".pattern") for name in run.trace if name.endswith(".pattern"))


def context_of(run: Run, name: str) -> tuple[str, AttentionContext]:
    """The kind of the attention layer `name`, a key of ROLES, and its context."""
    stack, _, attention = name.split(".")
    allowed = run.masks[f"{stack}.{attention}"]
    _, query, key = run.activation(f"{name}.pattern").axes
    axes = run.axes
    queries, keys = ids_of(axes[query]), ids_of(axes[key])
    plain = AttentionContext(allowed, queries, keys)
    match axes[query].kind, axes[key].kind:
        case "position", "position" if query == key or key == "recalled":
            first = len(keys) - len(queries)
            return "text", replace(plain, first=first, frame=run.model.text_tokenizer.frame)
        case "position", "position":
            next_ids = written_after(run, queries)
            return "cross", replace(plain, next_ids=next_ids, frame=run.model.text_tokenizer.frame)
        case "patch", "patch":
            rows, columns = axes[key].grid or (0, 0)
            context = AttentionContext(allowed, queries, keys, grid=(rows, columns))
            return ("patches with a class" if len(keys) > rows * columns else "patches"), context
        case "slot", "patch":
            return "boxes", AttentionContext(
                allowed, queries, keys, looked_for=in_own_box(run, axes[key])
            )
        case "column", "column":
            return ("columns with a class" if 0 in keys else "columns"), plain
        case "row", "row":
            # All inputs have the same reference rows; the row to classify is the first.
            first_row = allowed & (torch.arange(len(queries)) == 0)[:, None]
            return "rows", AttentionContext(
                first_row, queries, keys, looked_for=in_predicted_class(run, axes[key])
            )
    return "queries", plain


def ids_of(axis: Axis) -> Tensor:
    assert axis.ids is not None, "every place of an attention has an id"
    return torch.tensor(axis.ids)


def written_after(run: Run, queries: Tensor) -> Tensor:
    """The token after each position of a target; -1 if none is known."""
    next_ids = torch.full_like(queries, -1)
    next_ids[run.predicted] = id_tensor(run.next_tokens)
    return next_ids


def in_own_box(run: Run, axis: Axis) -> Keys:
    """The patches whose center is in the box that a query predicts. A query that predicts no object
    has none.
    """
    assert axis.grid is not None, "patches lie on a grid"
    rows, columns = axis.grid
    y, x = torch.meshgrid(
        (torch.arange(rows) + 0.5) / rows, (torch.arange(columns) + 0.5) / columns, indexing="ij"
    )
    centre_x, centre_y, width, height = run.trace["box.out"].unsqueeze(-1).unbind(-2)
    within = ((x.flatten() - centre_x).abs() <= width / 2) & (
        (y.flatten() - centre_y).abs() <= height / 2
    )
    predicted = run.logits.argmax(-1)
    return within & (predicted < run.config.head.classes - 1)[:, None]


def in_predicted_class(run: Run, axis: Axis) -> Keys:
    """For the row to classify, the reference rows of the predicted class."""
    assert axis.value is not None, "every reference row has a class"
    predicted = run.model.classes[int(run.logits[0].argmax())]
    found = torch.zeros(axis.size, axis.size, dtype=torch.bool)
    found[0] = torch.tensor([value == predicted for value in axis.value])
    return found
