"""Complexity: the number of operations of attention, recurrence and convolution, the path length
between two positions, and the size of the gradient along that path.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor, nn

from model.answers import progress
from model.answers.answer import Answer, Axis, Labelled, numbered
from model.answers.measurements import Finding, analytic, exact, statistical
from model.checks import check_between
from model.clinics._shared.initialised_stacks import (
    by_seed,
    check_width,
    fresh_encoder,
    generator,
    seed_axis,
)
from model.clinics._shared.timing import NOTE, seconds
from model.errors import InvalidInput
from model.layers import masks
from model.layers.attention import MultiHeadAttention

LENGTHS = [8, 16, 32, 64, 128, 256, 512, 1024]
MOST_LENGTHS, MOST_LENGTH, MOST_TIMED = 16, 100_000, 1024
MOST_KERNEL, MOST_WINDOW = 31, 1024
GAINS = (0.8, 1.0, 1.2)
FARTHEST = 64
SEQUENCES = 2
INPUT = 1e-4
LAW = (
    r"n^2 d = n d^2 \;\iff\; n = d, \; \left\lVert \frac{\partial h_{t + \Delta}}{\partial h_t}"
    r" \right\rVert \le g^{\Delta}"
)
SOURCE = "Vaswani et al. 2017, table 1; the bound: Pascanu, Mikolov and Bengio 2013, section 2.1"
INIT = (
    "RNN: h = tanh(W h + x) from h = 0, W a random orthogonal matrix times the gain g, x ~ N(0,"
    f" {INPUT:g}^2). Attention: Xavier-uniform, {FARTHEST + 1} positions x ~ N(0, 1). Drawn anew"
    " for each seed"
)


@dataclass(frozen=True)
class Layer:
    """A row of table 1 of Vaswani et al. 2017. `path` is the number of layers, or of steps in time,
    between the first position and the last.
    """

    name: str
    operations: Callable[[int, int, int, int], int]
    sequential: Callable[[int], int]
    path: Callable[[int, int, int], int]


LAYERS = (
    Layer("self-attention", lambda n, d, k, r: n * n * d, lambda n: 1, lambda n, k, r: 1),
    Layer("recurrent", lambda n, d, k, r: n * d * d, lambda n: n, lambda n, k, r: n - 1),
    Layer(
        "convolution",
        lambda n, d, k, r: k * n * d * d,
        lambda n: 1,
        lambda n, k, r: dilated_layers(n, k),
    ),
    Layer(
        "restricted",
        lambda n, d, k, r: min(r, n) * n * d,
        lambda n: 1,
        lambda n, k, r: math.ceil((n - 1) / (r - 1)),
    ),
)
TIMED = ("self-attention", "recurrent", "convolution")


def dilated_layers(n: int, k: int) -> int:
    """The fewest layers of dilated convolution that connect n positions, if layer l has dilation
    k^l: ceil(log_k n), computed in integers.
    """
    layers = 0
    while k**layers < n:
        layers += 1
    return layers


def complexity(
    *,
    lengths: list[int] | None = None,
    d_model: int = 64,
    kernel: int = 3,
    window: int = 32,
    measure: bool = False,
    seed: int = 0,
    seeds: int = 4,
) -> Answer:
    """Answers with the counts `operations`, `sequential` and `path_length` [layer, length], and
    with `gradient_by_distance` [path, distance], geometric means over the seeds.

    With `measure` the answer also has `time` [timed, length] in seconds, which differs from one
    measurement to the next. `kernel` is the width of convolutions; with restricted attention a
    query sees `window` positions, itself and those before it.
    """
    lengths = sorted(set(lengths or LENGTHS))
    check_between("lengths", len(lengths), 2, MOST_LENGTHS)
    for n in lengths:
        check_between("lengths", n, 2, MOST_LENGTH)
    check_width(d_model)
    check_between("kernel", kernel, 2, MOST_KERNEL)
    check_between("window", window, 2, MOST_WINDOW)
    if measure and max(lengths) > MOST_TIMED:
        detail = f"lengths goes up to {max(lengths)}; with measure, up to {MOST_TIMED}."
        raise InvalidInput(detail, field="lengths", limit=MOST_TIMED, given=max(lengths))
    counted = {
        "operations": [
            [layer.operations(n, d_model, kernel, window) for n in lengths] for layer in LAYERS
        ],
        "sequential": [[layer.sequential(n) for n in lengths] for layer in LAYERS],
        "path_length": [[layer.path(n, kernel, window) for n in lengths] for layer in LAYERS],
    }
    formulas = {
        "operations": "n^2 d, n d^2, k n d^2, r n d",
        "sequential": "1, n, 1, 1",
        "path_length": "1, n - 1, ceil(log_k n), ceil((n - 1) / (r - 1))",
    }
    untimed = seeds / (seeds + len(lengths)) if measure else 1.0  # share of all steps
    gradients = torch.stack(
        [trial(d_model, seed, number) for number in progress.trials(seeds, 0, untimed)]
    )  # [seed, path, distance]
    axes = {
        "layer": Axis("step", len(LAYERS), [layer.name for layer in LAYERS]),
        "length": numbered("step", lengths, "sequence length", "positions"),
        "path": Axis(
            "step", len(GAINS) + 1, [f"RNN, gain {gain:g}" for gain in GAINS] + ["attention"]
        ),
        "distance": numbered("step", range(1, FARTHEST + 1), "distance", "positions"),
        "timed": Axis("step", len(TIMED), list(TIMED)),
        "seed": seed_axis(seeds),
    }
    tensors = {
        name: Labelled(("layer", "length"), torch.tensor(rows, dtype=torch.float64), formulas[name])
        for name, rows in counted.items()
    }
    norm = (
        "|dh_{t + distance} / dh_t|: how much a random small change grows; geometric mean over the"
        " seeds"
    )
    tensors["gradient_by_distance"] = Labelled(
        ("path", "distance"), gradients.log().mean(0).exp(), norm
    )
    tensors |= by_seed(tensors, {"gradient_by_distance": gradients})
    if measure:
        with progress.part(untimed, 1):
            time = clock(lengths, d_model, kernel)
        tensors["time"] = Labelled(("timed", "length"), time, "seconds, the shortest of three runs")
    fields = {"law": LAW, "source": SOURCE, "init": INIT, "findings": found(d_model, gradients)}
    return Answer(
        "random initialisation", axes, tensors, fields | {"notes": [NOTE]} if measure else fields
    )


def found(d: int, gradients: Float[Tensor, "seed path distance"]) -> list[Finding]:
    """The findings of `gradients` [seed, path, distance] for networks of d channels."""
    attention, recurrent = LAYERS[:2]
    crossover = recurrent.operations(1, d, 1, 1) / attention.operations(1, d, 1, 1)
    far = gradients[:, :, -1]
    bound = torch.tensor(GAINS, dtype=torch.float64)[:, None] ** torch.arange(1, FARTHEST + 1)
    near_half, far_half = gradients[:, -1].log().unflatten(-1, (2, -1)).mean(-1).exp().unbind(-1)
    return [
        analytic("crossover_length", crossover, "n^2 d = n d^2 at n = d", (d, d), "positions"),
        statistical(
            "gradient.0.8", far[:, 0].tolist(), "vanishes: at most 0.8^64 = 6.3e-7", (None, 1e-6)
        ),
        statistical(
            "gradient.1.2",
            far[:, 2].tolist(),
            "explodes, until tanh saturates: above 100",
            (100, None),
        ),
        statistical(
            "gradient.attention",
            (far_half / near_half).tolist(),
            "about 1: the farther half gets as much as the nearer",
            (0.7, 1.4),
        ),
        exact(
            "bound",
            (gradients[:, :-1] / bound).max().item(),
            "at most 1: no gradient is above g^distance",
            (0, 1 + 1e-9),
        ),
    ]


def trial(d: int, seed: int, number: int) -> Float[Tensor, "path distance"]:
    draws = generator(seed, number)
    w, x = (
        orthogonal(d, draws),
        INPUT * torch.randn(FARTHEST, d, generator=draws, dtype=torch.float64),
    )
    attention = fresh_encoder("post", 1, d, draws)[0].attention
    return torch.stack(
        [*(through_time(gain * w, x) for gain in GAINS), through_attention(attention, draws)]
    )


def orthogonal(d: int, draws: torch.Generator) -> Float[Tensor, "d d"]:
    """A random orthogonal matrix. All its singular values are 1, so that a factor applied to it
    scales every direction equally.
    """
    return torch.linalg.qr(torch.randn(d, d, generator=draws, dtype=torch.float64)).Q


@torch.no_grad()
def through_time(w: Float[Tensor, "d d"], x: Float[Tensor, "time d"]) -> Float[Tensor, " distance"]:
    """The size of dh_t / dh_0 = diag(1 - h_t^2) W ... diag(1 - h_1^2) W at each distance t, for the
    recurrence h_t = tanh(W h_{t-1} + x_t) with h_0 = 0.
    """
    h, jacobian, sizes = torch.zeros_like(x[0]), torch.eye(len(w), dtype=w.dtype), []
    for new in x:
        h = (w @ h + new).tanh()
        jacobian = (1 - h.square())[:, None] * (w @ jacobian)
        sizes.append(size(jacobian))
    return torch.stack(sizes)


def through_attention(
    attention: MultiHeadAttention, draws: torch.Generator
) -> Float[Tensor, " distance"]:
    """The size of dy_last / dx_{last - distance} for one layer of self-attention without a mask:
    the geometric mean over the sequences.
    """
    n, d = FARTHEST + 1, attention.query.weight.shape[0]
    x, mask = torch.randn(SEQUENCES, n, d, generator=draws), masks.full(n)[-1:]
    jacobian = torch.func.jacrev(lambda x: attention(x[:, -1:], x, mask).sum((0, 1)))(
        x
    )  # [d, sequence, position, d]: sequences do not mix
    return size(jacobian.permute(1, 2, 0, 3))[:, :-1].log().mean(0).exp().flip(0).double()


def size(jacobian: Float[Tensor, "*batch out d"]) -> Float[Tensor, "*batch"]:
    """|J| = ||J||_F / sqrt(d): the root mean square growth of a small change in a random direction.
    It is at most the largest singular value.
    """
    return torch.linalg.matrix_norm(jacobian) / math.sqrt(jacobian.shape[-1])


@torch.no_grad()
def clock(lengths: list[int], d: int, kernel: int) -> Float[Tensor, "timed length"]:
    """The wall-clock time in seconds of one layer on one sequence. The time of attention includes
    its four projections, which table 1 leaves out.
    """
    draws = generator(0, 0)
    attention = fresh_encoder("post", 1, d, draws)[0].attention
    rnn = filled(nn.RNN(d, d, device="meta"), draws)
    padding = kernel // 2  # "same" warns that it copies the input where the kernel is even
    convolution = filled(nn.Conv1d(d, d, kernel, padding=padding, device="meta"), draws)
    return torch.tensor(
        [timed(n, d, attention, rnn, convolution) for n in progress.steps(lengths)]
    ).mT


def timed(
    n: int, d: int, attention: nn.Module, rnn: nn.Module, convolution: nn.Module
) -> list[float]:
    x, mask = torch.randn(n, d, generator=generator(0, n)), masks.full(n)
    return [
        seconds(run)
        for run in (lambda: attention(x, x, mask), lambda: rnn(x), lambda: convolution(x.mT[None]))
    ]


def filled(module: nn.Module, draws: torch.Generator) -> nn.Module:
    """`module` with weights drawn from `draws`. The default initialisation of torch would draw from
    the global state that all requests share.
    """
    module = module.to_empty(device="cpu")
    for parameter in module.parameters():
        parameter.copy_(
            torch.randn(parameter.shape, generator=draws) / math.sqrt(parameter.shape[-1])
        )
    return module
