"""The residual stream: its norm at every point, the outputs that sub-layers add to it, and its
decomposition into a sum of parts.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from model import progress
from model.activations.activation import input_axis
from model.answers.answer import Answer, Axis, Labelled, Section, named
from model.checks import check_position, check_stack
from model.errors import UnknownName
from model.interpretability.stream.residual import Part, Step, filled, growth, steps, sums
from model.interpretability.stream.windows import in_layers, layers_shown, window_starts
from model.runs.run import Run

Writes = Float[Tensor, "sub_layer position channel"]
Lengths = Float[Tensor, "step part position"]


def residual(
    run: Run,
    *,
    stack: str | None = None,
    at: str | None = None,
    position: int | None = None,
    names: str | None = None,
    first_layer: int | None = None,
    layers: int | None = None,
) -> Answer:
    """The stream of `stack`, by default the last, point by point, for every position or for one.

    `contributions` are the vectors of all parts at the point `at`, by default the end of the stack;
    their sum is the stream at that point. `projections` are the components of the parts along the
    direction of the stream at every point; their sum is `norm`. `names` selects tensors, separated
    by commas. `first_layer` and `layers` select the points of a window of layers, 8 by default;
    `whole_norm` then has the norm at every point of the stack. Raises InvalidInput (stack,
    position, first_layer, layers) or UnknownName (at, names).
    """
    stack = run.config.stacks[-1] if stack is None else stack
    check_stack(run.model.id, stack, run.config.stacks)
    every, n_layers = steps(run.config, stack), run.config.layers(stack)
    path = in_layers(every, layers_shown(n_layers, first_layer, layers), n_layers)
    at = check_point([step.name for step in every], at)
    text = input_axis(run.config, stack)
    whole = grown(run, stack, at, path)
    tensors = measures(run, stack, path, text, whole)
    tensors["contributions"] = contributions(whole, at, text)
    tensors = named(tensors, names)
    axes = {
        "step": Axis("step", len(path), [step.name for step in path]),
        "sub_layer": Axis(
            "step", len(writes(path)), [step.wrote for step in writes(path) if step.wrote]
        ),
        "part": Axis("part", len(whole.parts), [part.name for part in whole.parts]),
    }
    fields = {
        "stack": stack,
        "placement": run.config.placement,
        "d_model": run.config.d_model,
        "steps": [
            {"name": s.name, "wrote": s.wrote, "norm": s.norm, "formula": s.formula} for s in path
        ],
        "at": at,
        "parts": [
            {"name": p.name, "kind": p.kind, "layer": p.layer, "head": p.head} for p in whole.parts
        ],
        "largest_difference": {
            "value": whole.largest_difference,
            "formula": "max |sum of parts - x| over all points of the stack",
        },
    }
    section = Section(axes, tensors, fields)
    if first_layer is not None or layers is not None:
        section |= beside_window(run, every, text, window_starts(every, layers, n_layers))
    if position is not None:
        section |= at_position(run, section.tensors, text, position)
    return run.answer(section.tensors, section.fields, section.axes)


def beside_window(run: Run, every: list[Step], text: str, starts: list[int]) -> Section:
    """The norm of the stream at every step of the stack, and the start of each step's window."""
    return Section(
        {"whole_step": Axis("step", len(every), [step.name for step in every])},
        {"whole_norm": length(run, every, "whole_step", text)},
        {
            "whole_steps": [
                {"name": step.name, "wrote": step.wrote, "first_layer": first}
                for step, first in zip(every, starts, strict=True)
            ]
        },
    )


@dataclass(frozen=True)
class Grown:
    """The parts of a stream at the end of the stack: `outputs` holds each as it was added,
    `projections` its component along the stream at every point, and `contributions` its
    contribution at one point. The sum of the parts differs from the stream by at most
    `largest_difference`, due to rounding.
    """

    parts: list[Part]
    outputs: Float[Tensor, "part position channel"]
    projections: Lengths
    contributions: Float[Tensor, "part position channel"]
    largest_difference: float


def grown(run: Run, stack: str, at: str, path: list[Step]) -> Grown:
    """The parts of the stream, point by point: in a deep stack, all points at once would take
    gigabytes. Their components are stored at the points of `path`.
    """
    whole, lengths, differences = [], [], []
    found = run.trace[at].new_empty(0, *run.trace[at].shape)
    for step, new, now in growth(run, stack):
        progress.checkpoint()
        point = run.trace[step.name]
        whole += new
        if step in path:
            lengths.append(along(point, now))
        differences.append((now.sum(dim=0) - point).abs().max().item())
        found = now if step.name == at else found
    n = len(whole)
    return Grown(
        [part for part, _ in whole],
        torch.stack([value for _, value in whole]),
        torch.stack([filled(some, n) for some in lengths]),
        filled(found, n),
        max(differences),
    )


def at_position(run: Run, tensors: dict[str, Labelled], text: str, position: int) -> Section:
    """The tensors at one position. Raises InvalidInput for a position that does not exist."""
    check_position(text, position, len(run.tokens[text]))
    token = run.tokens[text][position]
    return Section(
        {text: Axis("position", 1, [token.text], [token.id])},
        {name: Labelled(t.axes, only(t, text, position), t.formula) for name, t in tensors.items()},
        {"position": position},
    )


def writes(path: list[Step]) -> list[Step]:
    """The steps at which a sub-layer adds its output: all except the embedding and a final norm."""
    return [step for step in path if step.before is not None and step.wrote is not None]


def length(run: Run, path: list[Step], axis: str, text: str) -> Labelled:
    """The norm of the stream at points, which form one `axis`."""
    points = torch.stack([run.trace[step.name] for step in path])
    return Labelled((axis, text), points.norm(dim=-1), "|x|")


def measures(
    run: Run, stack: str, path: list[Step], text: str, whole: Grown
) -> dict[str, Labelled]:
    """Norms, cosines, dependencies, and projections along the stream. In the formulas, x is the
    stream before a sub-layer, f is its output, and x alone is a point of the stream; norms and
    variances are over the channels.
    """
    by_step = sums(run, stack)
    x, f, total = (
        torch.stack([getattr(by_step[step.name], part) for step in writes(path)])
        for part in ("x", "f", "total")
    )
    dependency = fraction(variance(f), variance(total))
    return {
        "norm": length(run, path, "step", text),
        "sum_norm": Labelled(
            ("sub_layer", text),
            total.norm(dim=-1),
            "|x + f|, before the norm that follows in Post-LN",
        ),
        "update_norm": Labelled(("sub_layer", text), f.norm(dim=-1), "|f|"),
        "cosine": Labelled(
            ("sub_layer", text), torch.cosine_similarity(f, x, dim=-1), "f . x / (|f| |x|)"
        ),
        "dependency": Labelled(
            ("sub_layer", text),
            dependency,
            "Var f / Var(x + f), population variance over the channels of one token",
        ),
        "dependency_mean": Labelled(
            ("sub_layer",), dependency.mean(dim=-1), "mean of dependency over all positions"
        ),
        "part_norm": Labelled(
            ("part", text), whole.outputs.norm(dim=-1), "|part| as it was written, before any norm"
        ),
        "projections": Labelled(
            ("step", "part", text),
            whole.projections,
            "part . x / |x|; over the parts they sum to |x|",
        ),
    }


def contributions(whole: Grown, at: str, text: str) -> Labelled:
    formula = (
        f"parts of {at}, the mean and scale of every norm frozen as they were; over the parts they"
        " sum to it"
    )
    return Labelled(("part", text, "channel"), whole.contributions, formula)


def variance(x: Writes) -> Float[Tensor, "sub_layer position"]:
    return x.var(dim=-1, correction=0)


def along(
    point: Float[Tensor, "position channel"], parts: Float[Tensor, "part position channel"]
) -> Float[Tensor, "part position"]:
    """The component of each part along the direction of the stream at one point, at every position;
    0 if an edit has set the stream to 0, which has no direction.
    """
    return torch.einsum("pqc,qc->pq", parts, fraction(point, point.norm(dim=-1, keepdim=True)))


def fraction(part: Tensor, whole: Tensor) -> Tensor:
    """`part` / `whole`, and 0 if the whole is 0, which only an edit can cause."""
    return torch.where(whole == 0, 0.0, part / whole)


def only(tensor: Labelled, text: str, position: int) -> Tensor:
    return (
        tensor.data.narrow(tensor.axes.index(text), position, 1)
        if text in tensor.axes
        else tensor.data
    )


def check_point(points: list[str], at: str | None) -> str:
    if at is not None and at not in points:
        raise UnknownName("unknown-point", at, points)
    return at or points[-1]
