"""Probes: the accuracy with which linear maps predict position and token from the stream after each
layer, with and without residual connections.
"""

from dataclasses import dataclass, replace
from typing import Any

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.nn.functional import one_hot

from model import progress
from model.answers.answer import Answer, Axis, Labelled
from model.answers.measurements import Finding
from model.checks import check_between, check_one_of
from model.config import Config
from model.inputs.text import pad_ids
from model.layers.norms import NORMS
from model.measure.initialised_stacks import HEADS, by_seed, generator, seed_axis
from model.measure.probe_findings import (
    accuracy_findings,
    comparison_findings,
    cosine_findings,
    direct_path_findings,
)
from model.measure.random_sentences import sentences as texts
from model.trace import Recorder
from model.transformer import Transformer
from model.zoo.initialisation import initialise
from model.zoo.models import load_model

MODEL = "translator"
RESIDUAL = {"on": 1.0, "off": 0.0}
PROBES, SPLITS, PARTS = (
    ("position", "token", "control"),
    ("train", "held-out"),
    ("position", "token"),
)
HELD_OUT, MAX_SENTENCES = 32, 64
FRESH_LAYERS, FRESH_D_MODEL, FRESH_VOCABULARY = 12, 64, 256
ORIGIN = {
    "trained": f"The trained weights are those of the encoder of the model “{MODEL}”",
    "fresh": (
        f"The untrained stack has {FRESH_LAYERS} Post-LN layers with d_model {FRESH_D_MODEL},"
        " Xavier-uniform matrices and embeddings ~ N(0, 1)"
    ),
}
LAW = r"\hat W = (X^\top X + \rho I)^{-1} X^\top Y, \; \hat y = \operatorname{argmax} x \hat W"
SOURCE = (
    "Alain and Bengio 2017; control task: Hewitt and Liang 2019, section 2; rank collapse: Dong et"
    " al. 2021"
)

Ids = Int[Tensor, "sentence position"]
Real = Bool[Tensor, "sentence position"]
Stream = Float[Tensor, "point sentence position channel"]
Direct = Float[Tensor, "part point sentence position"]


@dataclass(frozen=True)
class Measured:
    """The measurements with and without residual connections, of one seed or of each: the
    accuracies of the probes, the mean cosines of two tokens in a sentence, the fractions of |x|^2
    that come directly from position and token, and the accuracy achievable from the word alone.
    """

    accuracy: Float[Tensor, "*seed residual probe split point"]
    cosine: Float[Tensor, "*seed residual point"]
    direct: Float[Tensor, "*seed residual part point"]
    by_word: Float[Tensor, "*seed"]

    @property
    def selectivity(self) -> Float[Tensor, "seed residual part point"]:
        """Held-out accuracy minus that of a control: for the position, what the word alone allows;
        for the token, the control probe.
        """
        position, token, control = self.accuracy[:, :, :, 1].unbind(2)
        return torch.stack([position - self.by_word[:, None, None], token - control], dim=2)


@torch.no_grad()
def probes(
    *,
    weights: str = "trained",
    sentences: int = 64,
    ridge: int | float = 1.0,
    seed: int = 0,
    seeds: int = 4,
) -> Answer:
    """`accuracy` [probe, split, point], `selectivity` [part, point], `cosine` [point], and `direct`
    [part, point], means over the seeds, with and without residual connections.

    The points are the embedding and the stream after each encoder layer, of the translator or of a
    deeper, freshly initialized stack. A probe is fitted to `sentences` sentences and tested on
    others, with the penalty `ridge` on squared weights. In the control probe, each word has one
    random label instead of its position. `selectivity` is held-out accuracy minus that of a
    control: for the token, the control probe (Hewitt and Liang 2019); for the position, which is
    not a label of a word, what the word alone reveals.
    """
    check_one_of("weights", weights, tuple(ORIGIN))
    check_between("sentences", sentences, 8, MAX_SENTENCES)
    check_between("ridge", ridge, 1e-3, 1e3)
    trials = [
        trial(weights, sentences, ridge, generator(seed, number))
        for number in progress.trials(seeds)
    ]
    measured = stacked(trials)
    axes = {
        "probe": Axis("step", len(PROBES), list(PROBES)),
        "split": Axis("step", len(SPLITS), list(SPLITS)),
        "part": Axis("step", len(PARTS), list(PARTS)),
        "point": points(measured.accuracy.shape[-1]),
        "seed": seed_axis(seeds),
    }
    fields = {
        "law": LAW,
        "source": SOURCE,
        "init": (
            f"{ORIGIN[weights]}. For each seed, new sentences are generated from short word lists:"
            f" {sentences} to fit the probes and {HELD_OUT} others to test them. In “Without"
            " residual connections”, the vector carried by each residual connection is multiplied"
            " by 0; the weights stay the same"
        ),
        "findings": findings(weights, measured),
    }
    return Answer(
        "trained" if weights == "trained" else "random initialization",
        axes,
        tensors_of(measured),
        fields,
    )


def stacked(trials: list[Measured]) -> Measured:
    return Measured(
        accuracy=torch.stack([trial.accuracy for trial in trials]),
        cosine=torch.stack([trial.cosine for trial in trials]),
        direct=torch.stack([trial.direct for trial in trials]),
        by_word=torch.stack([trial.by_word for trial in trials]),
    )


def points(n: int) -> Axis:
    """The embedding, and the stream after each layer."""
    return Axis("step", n, ["embedding", *map(str, range(n - 1))])


def tensors_of(measured: Measured) -> dict[str, Labelled]:
    """Means over the seeds, with and without residual connections, and the same for each seed."""
    each = {
        "accuracy": measured.accuracy,
        "selectivity": measured.selectivity,
        "cosine": measured.cosine,
        "direct": measured.direct,
    }
    pooled = {
        f"{name}.{residual}": Labelled(AXES[name], every.mean(0)[i], FORMULAS[name])
        for i, residual in enumerate(RESIDUAL)
        for name, every in each.items()
    }
    single = {
        f"{name}.{residual}": every[:, i]
        for i, residual in enumerate(RESIDUAL)
        for name, every in each.items()
    }
    return pooled | by_seed(pooled, single)


AXES = {
    "accuracy": ("probe", "split", "point"),
    "selectivity": ("part", "point"),
    "cosine": ("point",),
    "direct": ("part", "point"),
}
FORMULAS = {
    "accuracy": "share of tokens for which argmax x W is right",
    "selectivity": (
        "held-out accuracy - control: for token the control probe, for position the word"
    ),
    "cosine": "mean cosine of two tokens of one sentence",
    "direct": "part . x / |x|^2, the part followed past every sub-layer",
}


def trial(weights: str, n: int, ridge: int | float, draws: torch.Generator) -> Measured:
    """Measures one seed: probes fitted to `n` sentences and tested on others."""
    tokenizer = load_model(MODEL).text_tokenizer
    rows = [
        [token.id for token in tokenizer.encode(sentence, start=True, end=True)]
        for sentence in texts(n + HELD_OUT, draws)
    ]
    frame = tokenizer.frame
    ids = pad_ids(rows, frame.pad)
    real, typed = ids != frame.pad, frame.is_text(ids)
    position = torch.arange(ids.shape[1]).expand(ids.shape)[typed]
    token = ids[typed].unique(return_inverse=True)[1]
    control = torch.randint(int(position.max()) + 1, (int(token.max()) + 1,), generator=draws)[
        token
    ]
    fit = (torch.arange(len(rows)) < n)[:, None].expand(ids.shape)[typed]
    transformer = trained() if weights == "trained" else fresh(draws)
    known = ids if weights == "trained" else ids.unique(return_inverse=True)[1]
    parts = []
    for scale in progress.steps(list(RESIDUAL.values())):
        stream, direct = read(with_residual_scale(transformer, scale), known, real)
        found = accuracies(stream[:, typed], [position, token, control], fit, ridge)
        parts.append((found, cosines(stream, real), direct[..., typed].mean(-1)))
    right, alike, straight = (torch.stack(some) for some in zip(*parts, strict=True))
    return Measured(right, alike, straight, majority(token, position, fit))


def trained() -> Transformer:
    return load_model(MODEL).transformer


def fresh(draws: torch.Generator) -> Transformer:
    sizes: dict[str, Any] = {
        "d_model": FRESH_D_MODEL,
        "n_heads": HEADS,
        "d_ff": 4 * FRESH_D_MODEL,
        "n_encoder_layers": FRESH_LAYERS,
        "max_length": 64,
    }
    return initialise(
        Transformer(Config(family="encoder-only", vocabulary_size=FRESH_VOCABULARY, **sizes)), draws
    )


def with_residual_scale(transformer: Transformer, scale: float) -> Transformer:
    """`transformer` with the same weights and the factor `scale` on every residual connection."""
    if transformer.config.shortcut == scale:
        return transformer
    other = Transformer(replace(transformer.config, shortcut=scale))
    other.load_state_dict(transformer.state_dict())
    return other


def read(transformer: Transformer, ids: Ids, real: Real) -> tuple[Stream, Direct]:
    """The encoder's stream at each point, and the fractions of |x|^2 that come directly from the
    position and from the token. With its scale held at the value in the run, a norm is linear and
    maps a sum to the sum of its parts.
    """
    trace, linear = Recorder(), NORMS[transformer.config.norm.name].linear
    transformer.encode(ids, real[:, None, :], trace)
    values, encoder = trace.values, transformer.stack("encoder")
    stream = [values["encoder.embedding.sum"]]
    part = torch.stack(
        [
            values["encoder.embedding.position"].expand_as(stream[0]),
            values["encoder.embedding.token"],
        ]
    )
    shares = [fraction_along(part, stream[0])]
    for layer in range(encoder.n_layers):
        for name in ("norm1", "norm2"):
            passed = transformer.config.shortcut * part
            scale = values[f"encoder.{layer}.{name}.scale"][..., None]
            part = linear(getattr(encoder[layer], name), passed) / scale
        stream.append(values[f"encoder.{layer}.residual.out"])
        shares.append(fraction_along(part, stream[-1]))
    return torch.stack(stream), torch.stack(shares, 1)


def fraction_along(
    part: Float[Tensor, "part sentence position channel"],
    x: Float[Tensor, "sentence position channel"],
) -> Tensor:
    """part . x / |x|^2 for each part of x. The fractions of all parts of x sum to 1."""
    return (part * x).sum(-1) / x.square().sum(-1)


def cosines(stream: Stream, real: Real) -> Float[Tensor, " point"]:
    """The mean cosine of two different tokens in a sentence, from |sum of n unit vectors|^2 = n +
    sum of all cosines.
    """
    sums = (stream / stream.norm(dim=-1, keepdim=True) * real[..., None]).sum(2)
    n = real.sum(1)
    return ((sums.square().sum(-1) - n) / (n * (n - 1))).mean(1)


def accuracies(
    x: Float[Tensor, "point token channel"],
    labels: list[Int[Tensor, " token"]],
    fit: Bool[Tensor, " token"],
    ridge: int | float,
) -> Float[Tensor, "probe split point"]:
    """The fraction of tokens that the probe for each kind of labels classifies correctly, for the
    tokens it was fitted to and for all others. All probes are fitted at once.
    """
    classes = [one_hot(some).double() for some in labels]
    predicted = predict(x.double(), torch.cat(classes, -1), fit, ridge)
    right = torch.stack(
        [
            part.argmax(-1) == some
            for part, some in zip(
                predicted.split([some.shape[-1] for some in classes], -1), labels, strict=True
            )
        ]
    )
    return torch.stack([right[..., some].float().mean(-1) for some in (fit, ~fit)], 1)


def predict(
    x: Float[Tensor, "point token channel"],
    y: Float[Tensor, "token class"],
    fit: Bool[Tensor, " token"],
    ridge: int | float,
) -> Float[Tensor, "point token class"]:
    """The ridge regression x W + b for all tokens, where W = (X^T X + ridge I)^-1 X^T Y is fitted
    to the centered tokens in `fit`. The intercept b is not penalized.
    """
    centred, mean = x - x[:, fit].mean(1, keepdim=True), y[fit].mean(0)
    x_fit = centred[:, fit]
    w = torch.linalg.solve(
        x_fit.mT @ x_fit + ridge * torch.eye(x.shape[-1], dtype=x.dtype), x_fit.mT @ (y[fit] - mean)
    )
    return centred @ w + mean


def majority(
    token: Int[Tensor, " token"], position: Int[Tensor, " token"], fit: Bool[Tensor, " token"]
) -> Tensor:
    """The fraction of held-out words at the position where the same word was most frequent in the
    fitted sentences: the accuracy achievable from the word alone.
    """
    counts = one_hot(token[fit], int(token.max()) + 1).T @ one_hot(
        position[fit], int(position.max()) + 1
    )
    return (counts.argmax(1)[token] == position)[~fit].float().mean()


def findings(weights: str, measured: Measured) -> list[Finding]:
    """The findings from all measurements; the first axis of each tensor is the seed. Comparisons
    use the difference of two measurements, seed by seed, and predict its sign.
    """
    return [
        *comparison_findings(measured.accuracy, measured.by_word),
        *accuracy_findings(measured.accuracy, measured.by_word),
        *cosine_findings(weights, measured.cosine),
        *direct_path_findings(measured.direct),
    ]
