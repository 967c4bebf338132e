"""Direct logit attribution: the logit of a prediction as a sum of contributions to the stream at
its position (nostalgebraist 2020; Elhage et al. 2021), assigned to the tokens they were read from.

The final stream is a sum of parts if the scale of every norm is held at its value in the run
(stream/residual.py). The unembedding is linear, so the logit is a sum too. An attention layer
contributes

    sum over heads and keys of pattern[head, key] v[head, key] W_O[head],

and each summand is assigned to the token at its key's position, in all layers of the predicting
stack. The vector of the answer's own token is assigned to this token. What belongs to no other
token (the position, the biases, and the feed-forward networks at the answer's position) is the
`rest`. The sum of all is the logit. In a later layer, a key already mixes several tokens; this
attribution is direct and does not trace it back.
"""

from collections.abc import Callable
from itertools import pairwise
from typing import cast

import torch
from jaxtyping import Float
from torch import Tensor

from model.interpretability.attribution.answer import AttributedAnswer
from model.interpretability.attribution.flow import KEY_STACKS, OfTokens, node_of
from model.interpretability.stream.residual import Step, past, steps, stream_parts, sums
from model.layers.norms import NORMS, AnyNorm
from model.runs.run import Run
from model.trace import Recorder

Vector = Float[Tensor, " channel"]


def direct_logits(target: AttributedAnswer) -> tuple[OfTokens, float]:
    """The direct contribution of each input token to the logit, and the rest. They sum to the
    logit.
    """
    run, place = target.run, node_of(target)
    toward, rest = directions(target)
    by_token = torch.zeros(len(target.tokens), dtype=torch.float64)
    for name, direction in toward.items():
        part = name.split(".")[-2]
        for summand, value in stream_parts(run, name):
            brought = (value[target.position].double() @ direction).item()
            if summand.kind == "token":
                by_token[place] += brought
            elif summand.head is None:
                rest += brought
        if part in KEY_STACKS:
            keys = [
                i for i, token in enumerate(target.tokens) if token.stack == looked_at(target, part)
            ]
            by_token[keys] += by_key(target, name.removesuffix(".out"), direction)[: len(keys)]
    return by_token, rest


def looked_at(target: AttributedAnswer, part: str) -> str:
    return KEY_STACKS[part] or target.stack


def by_key(target: AttributedAnswer, scope: str, direction: Vector) -> Float[Tensor, " key"]:
    """The contribution of each key of one attention layer at the answer's position along
    `direction`.
    """
    run = target.run
    w_o = run.model.transformer.get_parameter(f"{scope}.output.weight").detach().double()
    read = w_o.unflatten(0, (run.config.n_heads, -1)) @ direction
    values = torch.einsum("hkd,hd->hk", run.trace[f"{scope}.v"].double(), read)
    return (run.trace[f"{scope}.pattern"][:, target.position].double() * values).sum(0)


def directions(target: AttributedAnswer) -> tuple[dict[str, Vector], float]:
    """For each output added to the stream, by name, the vector whose product with the output at the
    answer's position is its contribution to the logit; and the contribution of the biases of the
    norms and of the unembedding. The steps of the stream are traced back from the logit.
    """
    run, stack, transformer = target.run, target.stack, target.run.model.transformer
    path, terms = steps(run.config, stack), sums(run, stack)
    bias = transformer.unembedding_bias
    rest = bias[target.id].item() if isinstance(bias, Tensor) else float(bias)
    points: dict[str, Vector] = {path[-1].name: transformer.unembedding[:, target.id].double()}
    toward: dict[str, Vector] = {}

    def through(norm: str, whole: Tensor, direction: Vector) -> Vector:
        nonlocal rest
        before, shift = through_norm(run, norm, whole[target.position], direction)
        rest += shift
        return before

    # A layer begins at the last point of the layer before it.
    ended = {step.before: before.name for before, step in pairwise(path)}
    for before, step in zip([None, *path[:-1]][::-1], reversed(path), strict=True):
        direction = points[step.name]
        if step.norm is not None:
            direction = through(step.norm, terms[step.name].total, direction)
        if before is not None:
            add(points, before.name, direction * scale_of(run, step))
        if step.earlier is not None:
            add(points, ended.get(step.earlier, step.earlier), direction)
        if step.wrote is not None:
            if step.branch is not None:
                direction = through(step.branch, run.trace[step.wrote], direction)
            toward[step.wrote] = direction
    return toward, rest


def add(points: dict[str, Vector], name: str, direction: Vector) -> None:
    points[name] = points[name] + direction if name in points else direction


def scale_of(run: Run, step: Step) -> Tensor | float:
    """The factor of the stream before the addition, as a tensor without a gradient."""
    factor = past(run, step)
    return factor.detach().double() if isinstance(factor, Tensor) else factor


def through_norm(run: Run, name: str, x: Vector, direction: Vector) -> tuple[Vector, float]:
    """The vector whose product with `x` is the component of A x / scale along `direction`, with the
    norm's scale for this `x`; and the contribution of the norm's bias.
    """
    norm, trace = cast(AnyNorm, run.model.transformer.get_submodule(name)), Recorder()
    norm(x[None], trace)
    kind = NORMS[run.config.norm.name]
    scaled = transposed(lambda x: kind.linear(norm, x), direction)
    shift = norm.get_parameter("bias").double() @ direction if kind.has_bias else 0.0
    return scaled / trace.values["scale"][0].double(), float(shift)


def transposed(linear: Callable[[Tensor], Tensor], direction: Vector) -> Vector:
    """A^T direction, for the linear map A of vectors that `linear` computes."""
    identity = torch.eye(len(direction))
    return linear(identity).double() @ direction
