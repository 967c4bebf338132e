"""Gradients: the norm of the gradient at the last layer and at every layer below it, by depth,
stack, and norm placement.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from model import progress
from model.answers.answer import Answer, Axis, Labelled, numbered
from model.answers.laws import Band, Law, by_name, each
from model.answers.measurements import Finding, exact, pooled, statistical
from model.checks import check_between, check_one_of
from model.layers.choice_names import PLACEMENT_NAMES
from model.layers.context import Context
from model.layers.masks import causal, full
from model.layers.residual import PLACEMENTS
from model.layers.stack import Stack
from model.measure.initialised_stacks import (
    INIT,
    STACKS,
    Inputs,
    by_seed,
    check_width,
    compared,
    generator,
    geometric_mean,
    normal,
    profile,
    seed_axis,
    slope,
    with_placement,
    zero_stack,
)
from model.measure.sub_layer_jacobians import equation_5, equation_6
from model.zoo.initialisation import initialise

NOTHING = "no theorem predicts it"
ENDS: dict[str, dict[str, tuple[str, Band]]] = {
    "encoder": {
        "post": ("the Post-LN encoder’s gradient does not vanish", (0.3, 3)),
        "pre": ("the Pre-LN gradient does not vanish", (0.5, 6)),
        "b2t": ("the gradient of B2T does not vanish", (0.1, 10)),
    },
    "decoder": {
        "post": ("the Post-LN decoder’s gradient vanishes", (None, 0.02)),
        "pre": ("the Pre-LN gradient does not vanish", (0.5, 6)),
        "b2t": ("the bottom-to-top connection keeps the gradient from vanishing", (0.1, 10)),
    },
}
"""The papers' predictions of the ratio of the gradients of the first and the last layer, of 18."""
SHALLOWER: dict[str, tuple[str, Band]] = {
    "encoder": ("at 6 layers, the gradient does not vanish either", (0.3, 3)),
    "decoder": ("at 6 layers, the gradient has begun to vanish", (0.05, 0.3)),
}
COSINES: dict[str, dict[str, tuple[str, Band]]] = {
    "encoder": {
        "post": ("all tokens’ vectors become nearly parallel", (0.95, None)),
        "pre": ("the tokens’ vectors become more alike", (0.6, 0.9)),
    },
    "decoder": {"post": ("all tokens’ vectors become nearly parallel", (0.95, None))},
}


def laws_of(stack: str) -> dict[str, Law]:
    """The predictions for the gradients of an encoder or a decoder."""
    return by_name(
        *each(
            PLACEMENT_NAMES,
            Law("slope.{}", "Log-log slope: last layer’s gradient against depth, {}", NOTHING),
            {
                "post": ("0: it does not depend on depth", (-0.15, 0.15)),
                "pre": ("−0.5: it falls roughly like 1 / sqrt(L)", (-0.6, -0.35)),
            },
        ),
        *each(
            PLACEMENT_NAMES,
            Law(
                "first_over_last.{}",
                "Weight gradient: first layer / last layer, {}",
                NOTHING,
            ),
            ENDS[stack],
        ),
        *each(
            PLACEMENT_NAMES,
            Law(
                "first_over_last.residual.{}",
                "Residual stream gradient: first layer / last layer, {}",
                NOTHING,
            ),
            ENDS[stack],
        ),
        Law(
            "first_over_last.post.6",
            "Weight gradient at 6 layers: first layer / last layer, Post-LN",
            *SHALLOWER[stack],
        ),
        *each(
            PLACEMENT_NAMES,
            Law("token_cosine.{}", "Cosine of two tokens, {}", NOTHING),
            COSINES[stack],
        ),
    )


LAWS = laws_of("encoder") | by_name(
    Law(
        "token_cosine.bare",
        "Cosine of two tokens, no residual connections",
        "without residual connections, all tokens’ vectors become parallel",
        (0.99, None),
    ),
    Law(
        "equation_5",
        "Error of Wang’s equation 5 if norms and sub-layers alternate",
        "Post-LN: the product, over sub-layers, of (norm’s Jacobian) × (I + sub-layer’s Jacobian)",
        (None, 1e-9),
    ),
    Law(
        "equation_5.printed",
        "Error of Wang’s equation 5 as printed",
        "multiplying the Jacobians of all norms, then those of all sub-layers, does not give the"
        " Jacobian of the stack",
        (0.01, None),
    ),
    Law(
        "equation_6",
        "Error of Wang’s equation 6 with total derivatives",
        "Pre-LN: I + the sum of sub-layers’ total derivatives with respect to the stack’s input",
        (None, 1e-9),
    ),
    Law(
        "equation_6.partial",
        "Error of Wang’s equation 6 with partial derivatives",
        "I + the sum of the sub-layers’ derivatives with respect to their own inputs is not the"
        " Jacobian of the stack",
        (0.01, None),
    ),
)

COMPARED = ("post", "pre", "b2t")
"""The placements measured in addition to the requested one."""
SEEDS = 8
KINDS = ("parameter", "residual")
DEPTHS = [2, 4, 8, 16, 32]
SEQUENCES, POSITIONS = 2, 16
MAX_DEPTH, PROFILED, SHALLOW, COLLAPSED = 32, 18, 6, 12
"""Numbers of layers: of the deepest stack, of the stack whose gradients are measured at every
layer, of the encoder that provides a decoder's memory, and of the stack in which tokens are
compared.
"""
LAW = (
    r"\left|\frac{\partial \mathcal{L}}{\partial W^{2,L}}\right|_F \le O\left(d \sqrt{\ln d}\right)"
    r" \text{ (Post-LN)}, \quad "
    r"O\left(d \sqrt{\frac{\ln d}{L}}\right) \text{ (Pre-LN)}"
)
SOURCE = (
    "Xiong et al. 2020, Theorem 1; Wang et al. 2019, equations 5 and 6; Liu et al. 2020,"
    " section 3.2"
)


@dataclass(frozen=True)
class Trial:
    """The measurement of one seed and one placement: the last layer's gradient and the cosine
    between tokens at each depth, and the gradients of every layer of both stacks.
    """

    last: list[float]
    cosine: list[float]
    by_layer: Float[Tensor, "stack kind layer"]
    shallow: float
    collapse: float


def gradients(
    *,
    depths: list[int] | None = None,
    stack: str = "encoder",
    placement: str = "post",
    d_model: int = 64,
    seed: int = 0,
    seeds: int = SEEDS,
) -> Answer:
    """Geometric means over the seeds, with gradients as Euclidean norms. `last` [placement, depth]
    is |dL/dW_2| of the last feed-forward network of `stack`, and `token_cosine` the mean cosine of
    two tokens there. `parameter` and `residual` [stack, placement, layer] are |dL/dW_2| and |dL/dx|
    of every layer, for a loss at the last layer. The placements are COMPARED and `placement`.

    W_2 is the output matrix of a feed-forward network. All depths are measured on one deep stack,
    whose first n layers are a stack of n layers. A decoder reads the output of an encoder with the
    same placement and at most six layers.
    """
    depths = sorted(set(depths or DEPTHS))
    check_between("depths", len(depths), 3, 8)
    for depth in depths:
        check_between("depths", depth, 1, MAX_DEPTH)
    check_one_of("stack", stack, STACKS)
    check_one_of("placement", placement, tuple(PLACEMENTS))
    check_width(d_model)
    names = compared(COMPARED, placement)
    encoder, decoder = stacks_of(stack, depths[-1], d_model)
    skipless = stack_of("encoder", "post", COLLAPSED, d_model, shortcut=0.0)
    trials, bared = [], []
    for number in progress.trials(seeds):
        trials.append(
            side_by_side(encoder, decoder, names, stack, depths, d_model, generator(seed, number))
        )
        bared.append(bare(skipless, d_model, generator(seed, number)))
    by_layer = torch.stack(
        [torch.stack([trial.by_layer for trial in row]) for row in trials]
    )  # [seed, placement, stack, kind, layer]
    axes = {
        "placement": Axis("step", len(names), list(names)),
        "depth": numbered("step", depths, "depth", "layers"),
        "stack": Axis("step", len(STACKS), list(STACKS)),
        "layer": numbered("step", range(1, PROFILED + 1), "layer"),
        "seed": seed_axis(seeds),
    }
    measured = [
        *findings(names, stack, depths, trials, by_layer),
        statistical(LAWS["token_cosine.bare"], bared),
        *identities(seed),
    ]
    loss = "the loss is the mean of random projections of the output tokens"
    fields = {
        "law": LAW,
        "source": SOURCE,
        "init": f"{INIT}; {SEQUENCES} sequences of {POSITIONS} positions; {loss}",
        "findings": measured,
    }
    return Answer("random initialization", axes, tensors_of(trials, by_layer), fields)


def tensors_of(trials: list[list[Trial]], by_layer: Tensor) -> dict[str, Labelled]:
    """The tensors computed from `trials` and `by_layer` [seed, placement, stack, kind, layer]:
    means over the seeds, geometric for gradients, and the numbers of each seed.
    """
    lasts, cosines = (
        torch.tensor([[getattr(trial, name) for trial in row] for row in trials])
        for name in ("last", "cosine")
    )  # [seed, placement, depth]
    parameter, residual = geometric_mean(by_layer).permute(2, 1, 0, 3).unbind()
    of_depth, of_layer = ("placement", "depth"), ("stack", "placement", "layer")
    tensors = {
        "last": Labelled(of_depth, geometric_mean(lasts), "|dL/dW_2|_F of the last layer"),
        "token_cosine": Labelled(
            of_depth, cosines.mean(0), "mean cosine between two tokens of the output"
        ),
        "parameter": Labelled(of_layer, parameter, "|dL/dW_2|_F of each layer"),
        "residual": Labelled(of_layer, residual, "|dL/dx| after each layer"),
    }
    parameters, residuals = by_layer.permute(3, 0, 2, 1, 4).unbind()
    each = {"last": lasts, "token_cosine": cosines, "parameter": parameters, "residual": residuals}
    return tensors | by_seed(tensors, each)


def stacks_of(chosen: str, depth: int, d_model: int) -> list[Stack]:
    """An encoder and a decoder of PROFILED layers; the requested one has `depth` layers if that is
    more.
    """
    layers = {name: max(PROFILED, depth) if name == chosen else PROFILED for name in STACKS}
    return [stack_of(name, "pre", layers[name], d_model) for name in STACKS]


def stack_of(name: str, placement: str, layers: int, d_model: int, shortcut: float = 1.0) -> Stack:
    """An encoder, or a decoder with cross-attention, with weights of zero. Only W_2 requires
    gradients.
    """
    stack = zero_stack(name, placement, layers, d_model, shortcut=shortcut)
    for matrix in outputs(stack):
        matrix.requires_grad_()
    return stack


def outputs(stack: Stack) -> list[Tensor]:
    """The matrices W_2 of all layers."""
    return [block.feed_forward.output.weight for block in stack.blocks]


def step(stack: Stack, layer: int, x: Inputs, memory: Inputs | None) -> Inputs:
    """The stream after one layer. In an encoder, every position attends to all positions; in a
    decoder, to itself, earlier positions, and all of `memory`.
    """
    everywhere = full(POSITIONS)[None]
    visible = everywhere if memory is None else causal(POSITIONS)[None]
    return stack[layer](x, Context(visible, memory, everywhere))


def streams(stack: Stack, x: Inputs, memory: Inputs | None, layers: range) -> list[Inputs]:
    """The stream after each of `layers`."""
    after = [x]
    for layer in layers:
        after.append(step(stack, layer, after[-1], memory))
    return after[1:]


def output(stack: Stack, x: Inputs) -> Inputs:
    """The output of a stack whose last stream is `x`: if its last sub-layer does not end with a
    norm, the final norm is applied.
    """
    return x if PLACEMENTS[stack[0].placement].norm == "sum" else stack.norm(x)


def placed(stack: Stack, name: str, placement: str, x: Inputs, memory: Inputs | None) -> Stack:
    """The weights of `stack` under another placement. Admin's omegas are profiled on `x`."""
    if placement != "admin":
        return with_placement(stack, placement)
    width = x.shape[-1]
    admin = stack_of(name, placement, stack.n_layers, width)
    admin.load_state_dict(stack.state_dict(), strict=False)
    with torch.no_grad():
        profile(admin, x, memory)
    return admin


def side_by_side(
    encoder: Stack,
    decoder: Stack,
    names: tuple[str, ...],
    chosen: str,
    depths: list[int],
    d_model: int,
    draws: torch.Generator,
) -> list[Trial]:
    """Measures every placement with the same weights and the same inputs."""
    inputs = normal(3, SEQUENCES, POSITIONS, d_model, draws=draws)
    encoder, decoder = initialise(encoder, draws), initialise(decoder, draws)
    return [
        trial(encoder, decoder, placement, chosen, depths, *inputs)
        for placement in progress.steps(names)
    ]


def trial(
    encoder: Stack,
    decoder: Stack,
    placement: str,
    chosen: str,
    depths: list[int],
    source: Inputs,
    target: Inputs,
    direction: Inputs,
) -> Trial:
    """Measures one seed under one norm placement."""

    def loss(stack: Stack, x: Inputs) -> Tensor:
        return (direction * output(stack, x)).sum(-1).mean()

    encoder = placed(encoder, "encoder", placement, source, None)
    encoded = streams(encoder, source, None, range(PROFILED))
    memory = output(encoder, encoded[SHALLOW - 1]).detach()
    decoder = placed(decoder, "decoder", placement, target, memory)
    decoded = streams(decoder, target, memory, range(PROFILED))
    progress.checkpoint()
    profiles = torch.stack(
        [by_layer(encoder, encoded, PROFILED, loss), by_layer(decoder, decoded, PROFILED, loss)]
    )
    stack, x, after, memory = (
        (encoder, source, encoded, None)
        if chosen == "encoder"
        else (decoder, target, decoded, memory)
    )
    parameter, _ = by_layer(stack, after, SHALLOW, loss)
    with torch.no_grad():
        after = [x, *after, *streams(stack, after[-1], memory, range(PROFILED, stack.n_layers))]

    def last(depth: int) -> float:
        """The last layer's gradient. Only this layer is recomputed, because the layers below do not
        affect it.
        """
        ended = step(stack, depth - 1, after[depth - 1].detach(), memory)
        return size(torch.autograd.grad(loss(stack, ended), outputs(stack)[depth - 1])[0])

    cosines = [token_cosine(output(stack, after[depth])) for depth in depths]
    return Trial(
        [last(depth) for depth in depths],
        cosines,
        profiles,
        (parameter[0] / parameter[-1]).item(),
        token_cosine(output(stack, after[COLLAPSED])),
    )


def by_layer(
    stack: Stack, after: list[Inputs], layers: int, loss: Callable[[Stack, Inputs], Tensor]
) -> Float[Tensor, "kind layer"]:
    """|dL/dW_2| and |dL/dx| of each layer in a stack of the first `layers` layers."""
    wanted = [*outputs(stack)[:layers], *after[:layers]]
    found = torch.autograd.grad(loss(stack, after[layers - 1]), wanted, retain_graph=True)
    return torch.tensor([size(gradient) for gradient in found]).view(len(KINDS), layers)


def size(gradient: Tensor) -> float:
    return gradient.norm().item()


@torch.no_grad()
def token_cosine(x: Inputs) -> float:
    """The mean cosine over all pairs of different tokens in a sequence."""
    unit = x / x.norm(dim=-1, keepdim=True)
    n = x.shape[-2]
    return ((unit @ unit.mT).sum((-1, -2)) - n).mean().item() / (n * (n - 1))


def findings(
    names: tuple[str, ...],
    stack: str,
    depths: list[int],
    trials: list[list[Trial]],
    by_layer: Tensor,
) -> list[Finding]:
    """The findings from `trials` and `by_layer` [seed, placement, stack, kind, layer]. Ratios and
    gradients are averaged geometrically.
    """
    ratios = by_layer[..., 0] / by_layer[..., -1]  # [seed, placement, stack, kind]
    index, laws = STACKS.index(stack), laws_of(stack)
    last = torch.tensor([[trial.last for trial in row] for row in trials])

    def ratio(name: str, values: Tensor) -> Finding:
        return statistical(laws[f"first_over_last.{name}"], values.tolist(), geometric=True)

    return [
        *(
            pooled(
                laws[f"slope.{name}"],
                lambda some, i=i: slope(depths, geometric_mean(some[:, i]).tolist()),
                last,
            )
            for i, name in enumerate(names)
        ),
        *(ratio(name, ratios[:, i, index, 0]) for i, name in enumerate(names)),
        *(ratio(f"residual.{name}", ratios[:, i, index, 1]) for i, name in enumerate(names)),
        ratio(f"post.{SHALLOW}", torch.tensor([row[0].shallow for row in trials])),
        *(
            statistical(laws[f"token_cosine.{name}"], [row[i].collapse for row in trials])
            for i, name in enumerate(names)
        ),
    ]


@torch.no_grad()
def bare(stack: Stack, d_model: int, draws: torch.Generator) -> float:
    """The mean cosine between tokens in a stack without residual connections."""
    x = normal(SEQUENCES, POSITIONS, d_model, draws=draws)
    return token_cosine(streams(initialise(stack, draws), x, None, range(COLLAPSED))[-1])


def identities(seed: int) -> list[Finding]:
    """The findings about equations 5 and 6 of Wang et al. 2019, which express dx_L/dx_0 as products
    and sums of the sub-layers' Jacobians. They use a small stack in float64, so that all Jacobians
    can be computed.
    """
    (post, separated), (pre, local) = equation_5(seed), equation_6(seed)
    return [
        exact(LAWS["equation_5"], post),
        exact(LAWS["equation_5.printed"], separated),
        exact(LAWS["equation_6"], pre),
        exact(LAWS["equation_6.partial"], local),
    ]
