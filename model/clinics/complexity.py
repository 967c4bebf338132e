"""Complexity: the number of operations of attention, recurrence, and convolution, the path length
between two positions, and the size of the gradient along that path.
"""

import math
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor, nn

from model import progress
from model.answers.answer import Answer, Axis, Labelled, numbered
from model.answers.laws import Law, by_name
from model.answers.measurements import Finding, analytic, exact, statistical
from model.checks import check_between
from model.errors import InvalidInput
from model.layers import masks
from model.layers.context import Context
from model.measure.initialised_stacks import (
    by_seed,
    check_width,
    fresh_encoder,
    generator,
    seed_axis,
)
from model.measure.path_gradients import by_position, size, through_gates, through_time
from model.measure.timing import NOTE, seconds
from model.recurrent.cells import LSTMCell

LAWS = by_name(
    Law(
        "crossover_length",
        "Table 1: length at which attention costs as much as recurrence",
        "n = d, where n^2 d = n d^2",
        unit="positions",
    ),
    Law(
        "crossover_products",
        "Length at which the pairs of positions cost as much as the layer’s matrices",
        "n = 6 d, where 2 n^2 d = 4 n d^2 + 8 n d^2",
        unit="positions",
    ),
    Law(
        "gradient.0.8",
        "RNN gradient after 64 steps, gain 0.8",
        "vanishes: at most 0.8^64 = 6.3e-7",
        (None, 1e-6),
    ),
    Law(
        "gradient.1.2",
        "RNN gradient after 64 steps, gain 1.2",
        "explodes if inputs are so small that tanh is linear: above 100",
        (100, None),
    ),
    Law(
        "gradient.lstm",
        "LSTM gradient after 64 steps",
        "through the cell state c: a product of forget gates",
    ),
    Law(
        "gradient.attention",
        "Attention gradient: farther half / nearer half",
        "about 1 in every seed: both halves get equal gradients",
        (0.7, 1.4),
    ),
    Law(
        "attention.even",
        "Attention gradient / gradient of equal weights",
        "1 for small inputs, as if every weight were 1 / n",
        (0.9, 1.1),
    ),
    Law(
        "gradient.own",
        "Gradient of a position with respect to itself",
        "about 1, from the residual connection",
        (0.9, 1.2),
    ),
    Law(
        "bound",
        "RNN: largest gradient / bound",
        "at most 1: no gradient exceeds g^distance",
        (0, 1 + 1e-9),
    ),
)

LENGTHS = [8, 16, 32, 64, 128, 256, 512, 1024]
MAX_LENGTHS, MAX_LENGTH, MAX_TIMED = 16, 100_000, 1024
MAX_KERNEL, MAX_WINDOW = 31, 1024
GAINS = (0.8, 1.0, 1.2)
FARTHEST = 64
SEQUENCES = 2
LARGEST_INPUT, LINEAR, EVEN = 10.0, 1e-3, 0.1
"""The largest input size; up to LINEAR, tanh(x) is x for 64 steps, and up to EVEN, randomly
initialized attention gives every position nearly the same weight.
"""
MIN_GRADIENT = 1e-300
"""Lower bound for gradients: float64 has no logarithm of 0."""
MAP_GAINS = (0.6, 0.8, 0.9, 1.0, 1.1, 1.2, 1.4, 1.6, 2.0)
MAP_SIZES = (1e-4, 1e-3, 0.01, 0.03, 0.1, 0.3, 1.0)
DIRECTIONS = 16
LAW = (
    r"\left\lVert \frac{\partial h_{t + \Delta}}{\partial h_t}"
    r" \right\rVert \le g^{\Delta}"
)
SOURCE = (
    "Vaswani et al. 2017, table 1; the bound: Pascanu, Mikolov and Bengio 2013, section 2.1; the"
    " LSTM: Gers et al. 2000"
)
INIT = (
    "All networks get the same inputs, x ~ N(0, σ²), where σ is the input standard deviation. The"
    " RNN computes h = tanh(W h + x) from h = 0; W is a random orthogonal matrix times the gain g."
    " LSTM and attention have Xavier-uniform matrices; the forget gate’s bias is 1. All matrices"
    " and inputs are drawn anew for each seed"
)

Gradients = Float[Tensor, "seed path distance"]


@dataclass(frozen=True)
class Layer:
    """A row of table 1 in Vaswani et al. 2017. `path` is the number of layers or time steps between
    the first position and the last.
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
FORMULAS = {
    "operations": "n^2 d, n d^2, k n d^2, r n d",
    "sequential": "1, n, 1, 1",
    "path_length": "1, n - 1, ceil(log_k n), ceil((n - 1) / (r - 1))",
}
TIMED = ("self-attention", "recurrent", "convolution")


def dilated_layers(n: int, k: int) -> int:
    """The smallest number of layers of dilated convolution that connects n positions, if layer l
    has dilation k^l: ceil(log_k n), computed in integers.
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
    input_size: float = 0.1,
    measure: bool = False,
    seed: int = 0,
    seeds: int = 4,
) -> Answer:
    """The counts `operations`, `sequential`, and `path_length` [layer, length], and
    `gradient_by_distance` [path, distance] and `growth` [gain, input] as powers of ten, geometric
    means over the seeds.

    All networks read the same inputs, with standard deviation `input_size`; in `growth`, the sizes
    form a grid. With `measure`, the answer also has `time` [timed, length] in seconds, which varies
    between measurements. `kernel` is the width of convolutions; in restricted attention, a query
    attends to `window` positions, itself and those before it.
    """
    lengths = sorted(set(lengths or LENGTHS))
    check_lengths(lengths)
    check_width(d_model)
    check_between("kernel", kernel, 2, MAX_KERNEL)
    check_between("window", window, 2, MAX_WINDOW)
    check_between("input_size", input_size, 0, LARGEST_INPUT)
    if measure:
        check_timed(lengths)
    untimed = seeds / (seeds + len(lengths)) if measure else 1.0  # fraction of all steps
    trials = [trial(d_model, input_size, seed, n) for n in progress.trials(seeds, 0, untimed)]
    tensors = counts(lengths, d_model, kernel, window) | gradient_sizes(trials)
    if measure:
        with progress.part(untimed, 1):
            time = clock(lengths, d_model, kernel)
        tensors["time"] = Labelled(("timed", "length"), time, "seconds, the shortest of three runs")
    fields = {
        "law": LAW,
        "source": SOURCE,
        "init": INIT,
        "findings": findings(d_model, input_size, trials),
    }
    return Answer(
        "random initialization",
        axes_of(lengths, seeds),
        tensors,
        fields | {"notes": [NOTE]} if measure else fields,
    )


def check_lengths(lengths: list[int]) -> None:
    check_between("lengths", len(lengths), 2, MAX_LENGTHS)
    for n in lengths:
        check_between("lengths", n, 2, MAX_LENGTH)


def check_timed(lengths: list[int]) -> None:
    """Raises InvalidInput if timing a length would take too long."""
    if max(lengths) > MAX_TIMED:
        raise InvalidInput("too-long-to-time", field="lengths", limit=MAX_TIMED, given=max(lengths))


@dataclass(frozen=True)
class Trial:
    """The results of one seed: `gradients` [path, distance] and `growth` [gain, input] as powers of
    ten; `nearest`, a position's gradient to itself through attention and its residual connection;
    and `even`, attention's gradient divided by that of uniform weights.
    """

    gradients: Float[Tensor, "path distance"]
    growth: Float[Tensor, "gain input"]
    nearest: float
    even: float


def axes_of(lengths: list[int], seeds: int) -> dict[str, Axis]:
    """The layers and lengths that are counted, and the paths, gains, and input sizes whose
    gradients are measured.
    """
    return {
        "layer": Axis("step", len(LAYERS), [layer.name for layer in LAYERS]),
        "length": numbered("step", lengths, "sequence length", "positions"),
        "path": Axis(
            "step",
            len(GAINS) + 2,
            [f"RNN, gain {gain:g}" for gain in GAINS] + ["LSTM", "attention"],
        ),
        "gain": numbered("step", MAP_GAINS, "gain of W"),
        "input": numbered("step", MAP_SIZES, "size of the inputs"),
        "distance": numbered("step", range(1, FARTHEST + 1), "distance", "positions"),
        "timed": Axis("step", len(TIMED), list(TIMED)),
        "seed": seed_axis(seeds),
    }


def counts(lengths: list[int], d: int, k: int, r: int) -> dict[str, Labelled]:
    """Table 1 of Vaswani et al. 2017 in numbers, each [layer, length]."""
    counted = {
        "operations": [[layer.operations(n, d, k, r) for n in lengths] for layer in LAYERS],
        "sequential": [[layer.sequential(n) for n in lengths] for layer in LAYERS],
        "path_length": [[layer.path(n, k, r) for n in lengths] for layer in LAYERS],
    }
    return {
        name: Labelled(("layer", "length"), torch.tensor(rows, dtype=torch.float64), FORMULAS[name])
        for name, rows in counted.items()
    }


def gradient_sizes(trials: list[Trial]) -> dict[str, Labelled]:
    """How much a small change grows along each path, and for each gain and input size."""
    gradients = torch.stack([trial.gradients for trial in trials])  # [seed, path, distance]
    growths = torch.stack([trial.growth for trial in trials])  # [seed, gain, input]
    pooled = {
        "gradient_by_distance": Labelled(
            ("path", "distance"),
            gradients.log().mean(0).exp(),
            "|dh_{t + distance} / dh_t|: how much a random small change grows; geometric mean over"
            " the seeds",
        ),
        "growth": Labelled(
            ("gain", "input"),
            growths.mean(0),
            f"log_10 |dh_{{t + {FARTHEST}}} / dh_t| of an RNN; means over the seeds",
        ),
    }
    return pooled | by_seed(pooled, {"gradient_by_distance": gradients, "growth": growths})


def findings(d: int, input_size: float, trials: list[Trial]) -> list[Finding]:
    """The findings about networks with d channels."""
    gradients = torch.stack([trial.gradients for trial in trials])  # [seed, path, distance]
    return [
        *operation_findings(d),
        *recurrence_findings(gradients, input_size),
        *attention_findings(gradients, input_size, trials),
        bound_finding(gradients),
    ]


def operation_findings(d: int) -> list[Finding]:
    """The findings about the lengths from which attention needs more operations."""
    attention, recurrent = LAYERS[:2]
    return [
        analytic(
            LAWS["crossover_length"],
            first_length(
                lambda n: attention.operations(n, d, 1, 1) >= recurrent.operations(n, d, 1, 1)
            ),
        ),
        analytic(
            LAWS["crossover_products"],
            first_length(lambda n: pair_multiplications(n, d) >= matrix_multiplications(n, d)),
        ),
    ]


def recurrence_findings(gradients: Gradients, input_size: float) -> list[Finding]:
    """The findings about gradients through an RNN with small and with large gain, and through an
    LSTM.
    """
    far = gradients[:, :, -1]
    return [
        statistical(LAWS["gradient.0.8"], far[:, 0].tolist(), geometric=True),
        statistical(
            LAWS["gradient.1.2"].where(input_size <= LINEAR),
            far[:, 2].tolist(),
            geometric=True,
        ),
        statistical(LAWS["gradient.lstm"], far[:, 3].tolist(), geometric=True),
    ]


def attention_findings(
    gradients: Gradients, input_size: float, trials: list[Trial]
) -> list[Finding]:
    """The findings about gradients through attention, which do not depend on distance. The seed
    farthest from 1 is evaluated, because seeds above and below 1 would cancel in a mean.
    """
    near_half, far_half = gradients[:, -1].log().unflatten(-1, (2, -1)).mean(-1).unbind(-1)
    ratios = far_half - near_half  # logarithms
    return [
        exact(LAWS["gradient.attention"], ratios[ratios.abs().argmax()].exp()),
        statistical(
            LAWS["attention.even"].where(input_size <= EVEN),
            [trial.even for trial in trials],
            geometric=True,
        ),
        statistical(
            LAWS["gradient.own"].where(input_size <= EVEN),
            [trial.nearest for trial in trials],
            geometric=True,
        ),
    ]


def bound_finding(gradients: Gradients) -> Finding:
    """The finding about the bound of each RNN: its gain at every step."""
    bound = torch.tensor(GAINS, dtype=torch.float64)[:, None] ** torch.arange(1, FARTHEST + 1)
    return exact(LAWS["bound"], (gradients[:, : len(GAINS)] / bound).max().item())


def pair_multiplications(n: int, d: int) -> int:
    """The multiplications for q k^T and A v in one Transformer layer."""
    return 2 * n * n * d


def matrix_multiplications(n: int, d: int) -> int:
    """The multiplications for the four projections, and for a feed-forward network with 4 d
    units.
    """
    return 4 * n * d * d + 2 * n * d * 4 * d


def first_length(enough: Callable[[int], bool]) -> int:
    """The smallest length, from 1 on, such that it and every longer one is `enough`."""
    most = 1
    while not enough(most):
        most *= 2
    return bisect_left(range(most + 1), True, lo=1, key=enough)


def trial(d: int, input_size: float, seed: int, number: int) -> Trial:
    draws = generator(seed, number)
    w = orthogonal(d, draws)
    unit = torch.randn(SEQUENCES, FARTHEST + 1, d, generator=draws, dtype=torch.float64)
    attention = fresh_encoder("post", 1, d, draws)[0].attention
    lstm = xavier(LSTMCell(d, d), draws).double()
    x, read = input_size * unit, unit[0, 1:]
    jacobian = by_position(attention, x)  # [sequence, distance, out, in]
    sizes = size(jacobian).log().mean(0).exp()
    alike = size(attention.value.weight @ attention.output.weight) / (FARTHEST + 1)
    nearest = size(jacobian[:, 0] + torch.eye(d, dtype=torch.float64)).mean().item()
    recurrent = [through_time(gain * w, input_size * read) for gain in GAINS]
    gradients = [*recurrent, through_gates(lstm, input_size * read), sizes[1:]]
    gain, u = torch.cartesian_prod(torch.tensor(MAP_GAINS), torch.tensor(MAP_SIZES)).double().mT
    grid = through_time(gain[:, None, None] * w, u[:, None] * read[:, None], DIRECTIONS)[-1]
    growth = grid.clamp_min(MIN_GRADIENT).log10().view(len(MAP_GAINS), len(MAP_SIZES))
    even = (sizes[1:].clamp_min(MIN_GRADIENT).log().mean().exp() / alike).item()
    return Trial(torch.stack(gradients).clamp_min(MIN_GRADIENT), growth, nearest, even)


def xavier(cell: LSTMCell, draws: torch.Generator) -> LSTMCell:
    """The cell with Xavier-initialized matrices, one per gate, sampled with `draws`."""
    for module in (cell.input, cell.recurrent):
        for gate in module.weight.data.chunk(cell.n_gates, dim=-1):
            nn.init.xavier_uniform_(gate, generator=draws)
    return cell.requires_grad_(False)


def orthogonal(d: int, draws: torch.Generator) -> Float[Tensor, "d d"]:
    """A random orthogonal matrix. All its singular values are 1, so a factor applied to it scales
    every direction equally.
    """
    return torch.linalg.qr(torch.randn(d, d, generator=draws, dtype=torch.float64)).Q


@torch.no_grad()
def clock(lengths: list[int], d: int, kernel: int) -> Float[Tensor, "timed length"]:
    """The wall-clock time in seconds of one layer on one sequence. The time for attention includes
    its four projections, which table 1 omits.
    """
    draws = generator(0, 0)
    attention = fresh_encoder("post", 1, d, draws)[0].attention.float()
    rnn = filled(nn.RNN(d, d, device="meta"), draws)
    padding = kernel // 2  # "same" warns about a copy if the kernel is even
    convolution = filled(nn.Conv1d(d, d, kernel, padding=padding, device="meta"), draws)
    return torch.tensor(
        [timed(n, d, attention, rnn, convolution) for n in progress.steps(lengths)]
    ).mT


def timed(
    n: int, d: int, attention: nn.Module, rnn: nn.Module, convolution: nn.Module
) -> list[float]:
    x, context = torch.randn(n, d, generator=generator(0, n)), Context(masks.full(n))
    return [
        seconds(run)
        for run in (lambda: attention(x, context), lambda: rnn(x), lambda: convolution(x.mT[None]))
    ]


def filled(module: nn.Module, draws: torch.Generator) -> nn.Module:
    """`module` with weights sampled with `draws`. torch's default initialization would use the
    global generator, which all requests share.
    """
    module = module.to_empty(device="cpu")
    for parameter in module.parameters():
        parameter.copy_(
            torch.randn(parameter.shape, generator=draws) / math.sqrt(parameter.shape[-1])
        )
    return module
