"""The residual stream: how large it is at every point, what each sub-layer writes to it, and the parts it is the sum of."""

import torch
from jaxtyping import Float
from torch import Tensor

from model.answer import Answer, Axis, Labelled
from model.errors import InvalidInput, UnknownName
from model.run import Run
from model.stream import Part, Parts, Step, parts_by_step, steps, sums
from model.vocabulary import input_axis


def residual(run: Run, *, stack: str | None = None, at: str | None = None, position: int | None = None, names: str | None = None) -> Answer:
    """The stream of `stack` (without it: of the last one), point by point, for every position or for one.

    `contributions` are the vectors of all parts at the point `at` (without it: at the end of the stack); over the parts they sum to the stream
    there. `projections` does the same for lengths at every point: over the parts it sums to `norm`. `names` narrows what is sent to the tensors it
    lists, comma separated. Raises InvalidInput for a stack or position, UnknownName for a point or tensor that does not exist.
    """
    stack = check_stack(run, stack)
    path = steps(run.config, stack)
    at = check_point(path, at)
    text = input_axis(run.config, stack)
    axis, where = narrowed(run, text, position)
    parts, by_step = parts_by_step(run, stack)
    tensors = chosen(measures(run, path, stack, text, by_step, at), names)
    sent = {name: Labelled(t.axes, t.data.narrow(t.axes.index(text), *where) if text in t.axes else t.data, t.formula) for name, t in tensors.items()}
    axes = {
        "step": Axis("step", len(path), [step.name for step in path]),
        "sub_layer": Axis("step", len(writes(path)), [step.wrote for step in writes(path)]),
        "part": Axis("part", len(parts), [part.name for part in parts]),
        text: axis,
    }
    return run.answer(sent, fields(run, stack, path, parts, by_step[at], at), axes)


def measures(run: Run, path: list[Step], stack: str, text: str, by_step: dict[str, Parts], at: str) -> dict[str, Labelled]:
    """Every tensor of the answer. x is the stream that a sub-layer's update f was added to; norms are Euclidean, over the channels."""
    seen = sums(run, stack)
    points = torch.stack([run.trace[step.name] for step in path])
    before = torch.stack([run.trace[path[i - 1].name] for i, step in enumerate(path) if step in writes(path)])
    update = torch.stack([run.trace[step.wrote] for step in writes(path)])
    total = torch.stack([seen[step.name] for step in writes(path)])
    dependency = variance(update) / variance(total)
    return {
        "norm": Labelled(("step", text), points.norm(dim=-1), "|x|, the stream's Euclidean norm at this point"),
        "sum_norm": Labelled(("sub_layer", text), total.norm(dim=-1), "|x + f|, before a norm that follows"),
        "update_norm": Labelled(("sub_layer", text), update.norm(dim=-1), "|f|, what the sub-layer writes"),
        "cosine": Labelled(("sub_layer", text), torch.cosine_similarity(update, before, dim=-1), "f . x / (|f| |x|)"),
        "dependency": Labelled(("sub_layer", text), dependency, "Var f / Var(x + f), population variance over the channels of one token"),
        "dependency_mean": Labelled(("sub_layer",), dependency.mean(dim=-1), "mean of dependency over all positions"),
        "part_norm": Labelled(("part", text), first_norm(by_step, path), "|part| at the first point it reaches"),
        "projections": Labelled(
            ("step", "part", text), projections(points, torch.stack(list(by_step.values()))), "part . x / |x|; over the parts they sum to |x|"
        ),
        "contributions": Labelled(
            ("part", text, "channel"), by_step[at], f"the parts of {at}, every norm's mean and scale frozen as they were; over the parts they sum to it"
        ),
    }


def variance(x: Float[Tensor, "sub_layer position channel"]) -> Float[Tensor, "sub_layer position"]:
    return x.var(dim=-1, correction=0)


def projections(points: Float[Tensor, "step position channel"], parts: Float[Tensor, "step part position channel"]) -> Float[Tensor, "step part position"]:
    """How far each part carries the stream along its own direction."""
    return torch.einsum("spqc,sqc->spq", parts, points / points.norm(dim=-1, keepdim=True))
