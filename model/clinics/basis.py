"""Basis: rotate the residual stream of a small model, and every matrix that reads it or writes to
it. Its coordinates change; do the logits?
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from model import progress
from model.answers.answer import Answer, Axis, Labelled
from model.answers.laws import Law, by_name
from model.answers.measurements import Finding, exact, statistical
from model.checks import check_one_of
from model.config import Config
from model.layers import masks
from model.layers.linear import Linear, Product
from model.layers.norms import AnyNorm, LayerNorm, NoNorm
from model.measure.initialised_stacks import HEADS, generator
from model.trace import Recorder
from model.transformer import Transformer
from model.zoo.initialisation import initialise

ZERO = 1e-10
MIN_CHANGE = 0.01
"""The minimum change under a rotation that does not commute with the norm."""

LAWS = by_name(
    Law("logit_change", "Largest change in any logit", "0: the logits don’t change", (0, ZERO)),
    Law(
        "stream_change",
        "Change of the residual stream / its norm",
        "|x R - x| / |x| = 2 sin(angle / 2)",
    ),
    Law(
        "stream_less_rotated",
        "Difference between the new residual stream and x R",
        "the new residual stream is x R",
        (0, ZERO),
    ),
    Law(
        "norm_change",
        "Difference between norm(x R) and norm(x) R",
        "norm(x R) = norm(x) R",
        (0, ZERO),
    ),
    Law(
        "hidden_rotation",
        "Largest change in a logit when the feed-forward hidden units are rotated",
        "rotating the hidden units changes the logits",
        (0.1, None),
    ),
    Law(
        "hidden_permutation",
        "Largest change in a logit when the feed-forward hidden units are reordered",
        "reordering the hidden units does not change the logits",
        (0, ZERO),
    ),
)
PRIVILEGED = {
    name: replace(LAWS[name], text=text, band=(MIN_CHANGE, None))
    for name, text in (
        ("logit_change", "norm(x R) is not norm(x) R, so the logits change"),
        ("stream_less_rotated", "the new residual stream is not x R"),
        ("norm_change", "norm(x R) is not norm(x) R"),
    )
}
"""The predictions for a network whose norm has a privileged basis."""

NORMS, ROTATIONS = ("layer", "rms"), ("any", "fixing-ones")
D_MODEL, LAYERS, VOCABULARY, LENGTH = 64, 2, 32, 12
MIN_ANGLE, FULL_ANGLE = 1e-6, 10
"""Degrees from the nearest rotation that changes nothing. Below the first, rounding hides the
changes; up to the second, they are proportional to the angle.
"""
LAW = r"\operatorname{norm}(x R) = \operatorname{norm}(x)\, R"
SOURCE = (
    "Elhage et al. 2021, A Mathematical Framework for Transformer Circuits, on the privileged"
    " basis; Ashkboos et al. 2024, section 3.1, on computational invariance"
)
INIT = (
    "Two Pre-LN layers, Xavier-uniform matrices, gains from 0.5 to 1.5, biases ~ N(0, 0.01), random"
    " tokens; all drawn anew for each seed"
)

Rotation = Float[Tensor, "channel channel"]
Logits = Float[Tensor, "position vocabulary"]
Draw = Callable[[int, torch.Generator], Rotation]


@dataclass(frozen=True)
class Trial:
    """The measurement of one seed: the stream after the last layer and the logits of the original
    model, the rotated model, and the model with rotated hidden units.
    """

    stream: Float[Tensor, "state position channel"]
    logits: Float[Tensor, "state position vocabulary"]
    hidden_logits: Logits
    changes: dict[str, float]


def basis(
    *,
    norm: str = "rms",
    folded: bool = True,
    rotation: str = "any",
    angle: float = 90.0,
    seed: int = 0,
    seeds: int = 4,
) -> Answer:
    """`stream` [state, position, channel] and `logits` [state, position, vocabulary] of the first
    seed, before and after the rotation, and the `probabilities` [state, vocabulary] at the last
    position.

    With `folded`, the gain of each norm is moved into the matrices that read the norm. `rotation`
    is "any", or a rotation that leaves the vector of ones unchanged. `angle` is in degrees.
    """
    check_one_of("norm", norm, NORMS)
    check_one_of("rotation", rotation, ROTATIONS)
    trials = [
        trial(norm, folded, rotation, math.radians(angle), generator(seed, number))
        for number in progress.trials(seeds)
    ]
    first = trials[0]
    axes = {
        "state": Axis("step", 2, ["before", "after"]),
        "position": Axis("position", LENGTH),
        "channel": Axis("channel", D_MODEL),
        "vocabulary": Axis("vocabulary", VOCABULARY),
    }
    tensors = {
        "stream": Labelled(
            ("state", "position", "channel"), first.stream, "x, and x of the rotated model"
        ),
        "logits": Labelled(("state", "position", "vocabulary"), first.logits, "norm(x) W_U"),
        "probabilities": Labelled(
            ("state", "vocabulary"), first.logits[:, -1].softmax(-1), "softmax(norm(x) W_U)"
        ),
        "hidden_logits": Labelled(
            ("position", "vocabulary"), first.hidden_logits, "norm(x) W_U, hidden units rotated"
        ),
    }
    measured = findings(trials, angle, rotation, free=passes(norm, folded, rotation, angle))
    return Answer(
        "random initialization",
        axes,
        tensors,
        {"law": LAW, "source": SOURCE, "init": INIT, "findings": measured},
    )


def passes(norm: str, folded: bool, rotation: str, angle: float) -> bool:
    """Whether norm(x R) = norm(x) R. A rotation of every plane by 180 degrees is -1, and a norm
    without biases maps -x to -norm(x).
    """
    if angle == 0 or (angle == 180 and rotation == "any"):
        return True
    return folded and (norm == "rms" or rotation == "fixing-ones")


@torch.no_grad()
def trial(norm: str, folded: bool, rotation: str, angle: float, draws: torch.Generator) -> Trial:
    """Measures one seed: the stream and the logits before and after the rotations."""
    model = small_model(norm, draws)
    ids = torch.randint(VOCABULARY, (LENGTH,), generator=draws)
    r = {"any": turning, "fixing-ones": fixing_ones}[rotation](D_MODEL, angle, draws)
    if folded:
        fold(model)
    stream, logits = run(model, ids)
    hidden = [changed_hidden(model, ids, turn, draws) for turn in (orthogonal, permutation)]
    final_norm = model.stack("decoder").norm
    normed = final_norm(stream)
    rotate(model, r)
    new_stream, new_logits = run(model, ids)
    return Trial(
        stream=torch.stack([stream, new_stream]),
        logits=torch.stack([logits, new_logits]),
        hidden_logits=hidden[0],
        changes={
            "logit_change": largest(new_logits - logits),
            "stream_change": ((new_stream - stream).norm() / stream.norm()).item(),
            "stream_less_rotated": largest(new_stream - stream @ r),
            "norm_change": largest(final_norm(stream @ r) - normed @ r),
            "hidden_rotation": largest(hidden[0] - logits),
            "hidden_permutation": largest(hidden[1] - logits),
        },
    )


def small_model(norm: str, draws: torch.Generator) -> Transformer:
    """A decoder with random values for every parameter. Gains of 1 and biases of 0 would hide the
    effect of folding and rotating on them.
    """
    sizes: dict[str, Any] = {
        "family": "decoder-only",
        "vocabulary_size": VOCABULARY,
        "d_model": D_MODEL,
        "n_heads": HEADS,
        "d_ff": 4 * D_MODEL,
        "n_decoder_layers": LAYERS,
        "max_length": LENGTH,
    }
    sizes |= {"placement": "pre", "norm": norm, "positions": "learned", "tied_unembedding": False}
    model = initialise(
        Transformer(Config.from_dict(sizes)),
        draws,
    ).double()
    for name, parameter in model.requires_grad_(False).named_parameters():
        if name.endswith("gain"):
            parameter.uniform_(0.5, 1.5, generator=draws)
        elif name.endswith("bias"):
            parameter.normal_(std=0.1, generator=draws)
    return model


def run(
    model: Transformer, ids: Int[Tensor, " position"]
) -> tuple[Float[Tensor, "position channel"], Logits]:
    trace = Recorder()
    logits = model.unembed(model.decode(ids, masks.causal(len(ids)), trace=trace))
    return trace.values[f"decoder.{LAYERS - 1}.residual.out"], logits


def readings(model: Transformer) -> list[tuple[AnyNorm, list[Product | nn.Parameter]]]:
    """Every norm with the matrices that multiply its output. The unembedding [vocabulary, channel]
    is a parameter, not a linear map.
    """
    decoder = model.stack("decoder")
    assert not isinstance(decoder.norm, NoNorm), "the model is Pre-LN"
    assert model.untied is not None, "the unembedding is not the embedding"
    found: list[tuple[AnyNorm, list[Product | nn.Parameter]]] = []
    for block in (decoder[layer] for layer in range(LAYERS)):
        attention = block.attention
        found.append((block.norm1, [attention.query, attention.key, attention.value]))
        found.append((block.norm2, [block.feed_forward.hidden]))
    return [*found, (decoder.norm, [model.untied])]


def fold(model: Transformer) -> None:
    """Moves the gain g of every norm n into the matrices W that read it, by (n(x) g + b) W = (n(x)
    + b / g) (g W). All gains are 1 afterwards.
    """
    for norm, readers in readings(model):
        for reader in readers:
            into(reader, lambda w, gain=norm.gain: gain.unsqueeze(-1) * w)
        if isinstance(norm, LayerNorm):
            norm.bias.div_(norm.gain)
        norm.gain.fill_(1)


def rotate(model: Transformer, r: Rotation) -> None:
    """Rotates the residual stream by R: every matrix that writes to the stream is multiplied by R
    from the right, every matrix that reads it by R^T from the left. Norm gains are not changed,
    because each gain belongs to its channel.
    """
    model.embedding.token.copy_(model.embedding.token @ r)
    assert model.embedding.learned is not None, "its positions are learned"
    model.embedding.learned.copy_(model.embedding.learned @ r)
    for layer in range(LAYERS):
        for writer in (
            model.stack("decoder")[layer].attention.output,
            model.stack("decoder")[layer].feed_forward.output,
        ):
            assert isinstance(writer, Linear), "the model has biases"
            writer.weight.copy_(writer.weight @ r)
            writer.bias.copy_(writer.bias @ r)
    for norm, readers in readings(model):
        for reader in readers:
            into(reader, lambda w: r.mT @ w)
        if isinstance(norm, LayerNorm):
            norm.bias.copy_(norm.bias @ r)


def into(reader: Product | nn.Parameter, change: Callable[[Tensor], Tensor]) -> None:
    """Applies `change` to the matrix [channel, …] of `reader`, in place."""
    if isinstance(reader, Product):
        reader.weight.copy_(change(reader.weight))
    else:
        reader.copy_(change(reader.mT).mT)


def changed_hidden(
    model: Transformer, ids: Int[Tensor, " position"], turn: Draw, draws: torch.Generator
) -> Logits:
    """The logits when the hidden units of every feed-forward network are rotated: h Q before the
    ReLU, and Q^T after it. The weights of `model` are restored afterwards.
    """
    weights = {name: value.clone() for name, value in model.state_dict().items()}
    for layer in range(LAYERS):
        feed_forward = model.stack("decoder")[layer].feed_forward
        hidden, output = feed_forward.hidden, feed_forward.output
        assert isinstance(hidden, Linear), "the model has biases"
        q = turn(len(hidden.bias), draws)
        hidden.weight.copy_(hidden.weight @ q)
        hidden.bias.copy_(hidden.bias @ q)
        output.weight.copy_(q.mT @ output.weight)
    _, logits = run(model, ids)
    model.load_state_dict(weights)
    return logits


def orthogonal(n: int, draws: torch.Generator) -> Rotation:
    """A uniformly distributed random orthogonal matrix: the factor Q of a Gaussian matrix, with the
    signs of the diagonal of R (Mezzadri 2007).
    """
    q, r = torch.linalg.qr(torch.randn(n, n, dtype=torch.float64, generator=draws))
    return q * r.diagonal().sign()


def turning(n: int, angle: float, draws: torch.Generator) -> Rotation:
    """A rotation of n // 2 random orthogonal planes by `angle` in radians: B diag(D, D, …) B^T,
    where B is orthogonal and D = [[cos, sin], [-sin, cos]]. If n is odd, one direction is fixed.
    """
    b = orthogonal(n, draws)
    cosine, sine = math.cos(angle), math.sin(angle)
    plane = torch.tensor([[cosine, sine], [-sine, cosine]], dtype=torch.float64)
    return b @ torch.block_diag(*[plane] * (n // 2), torch.eye(n % 2, dtype=torch.float64)) @ b.mT


def fixing_ones(n: int, angle: float, draws: torch.Generator) -> Rotation:
    """A rotation by `angle` in radians that fixes the direction of the vector of ones: H diag(1, R)
    H, where the reflection H maps the first axis to that direction, and R rotates planes of all
    other directions.
    """
    u = torch.full((n, 1), -1 / math.sqrt(n), dtype=torch.float64)
    u[0] += 1
    h = torch.eye(n, dtype=torch.float64) - 2 * u @ u.mT / u.square().sum()
    r = turning(n - 1, angle, draws)
    return h @ torch.block_diag(torch.ones(1, 1, dtype=torch.float64), r) @ h


def permutation(n: int, draws: torch.Generator) -> Rotation:
    return torch.eye(n, dtype=torch.float64)[torch.randperm(n, generator=draws)]


def largest(values: Tensor) -> float:
    return values.abs().max().item()


def findings(trials: list[Trial], angle: float, rotation: str, free: bool) -> list[Finding]:
    """The findings from `trials`. If `free`, the network has no privileged basis and the logits
    must not change; otherwise they must.
    """
    changes = {name: [trial.changes[name] for trial in trials] for name in trials[0].changes}
    away = angle if rotation == "fixing-ones" else min(angle, 180 - angle)
    hidden = f"A rotation by {angle:g}° changes so little that rounding hides it."
    premise = None if away >= MIN_ANGLE else hidden

    def finding_of(name: str) -> Finding:
        if free:
            return exact(LAWS[name], max(changes[name]))
        law = PRIVILEGED[name]
        least = MIN_CHANGE * min(1, away / FULL_ANGLE)
        return statistical(
            replace(law, band=(least, None)), changes[name], premise=premise, geometric=True
        )

    return [
        finding_of("logit_change"),
        angle_finding(changes["stream_change"], angle, rotation, free),
        finding_of("stream_less_rotated"),
        finding_of("norm_change"),
        statistical(LAWS["hidden_rotation"], changes["hidden_rotation"]),
        exact(LAWS["hidden_permutation"], max(changes["hidden_permutation"])),
    ]


def angle_finding(changes: list[float], angle: float, rotation: str, free: bool) -> Finding:
    """How far the stream moves: every plane rotates by the same angle, so |x R - x| is 2
    sin(angle/2) times |x|, the chord of a circle.
    """
    chord = 2 * math.sin(math.radians(angle) / 2)
    premise = "Some directions stay fixed, so the residual stream moves less."
    if not free:
        premise = (
            "This norm does not commute with the rotation, so the new residual stream is not x R."
        )
    return statistical(
        replace(LAWS["stream_change"], band=(chord - ZERO, chord + ZERO)),
        changes,
        premise=None if free and rotation == "any" else premise,
    )
