"""Steering: what a model generates while a direction is added to its stream, at several strengths,
compared with random directions of the same norm.
"""

from dataclasses import dataclass, replace

import torch
from jaxtyping import Float, Int
from torch import Tensor

from model import progress
from model.activations.activation import input_axis
from model.answers.answer import Answer, Axis, Labelled, Section, numbered
from model.checks import check_between, check_layer, check_one_of
from model.errors import InvalidInput
from model.inputs.input import Input
from model.interpretability.stream import steering as steer
from model.runs.run_model import Runs, run_model
from model.runs.strategies import Prompt, prompt_of
from model.zoo.models import Model

DIRECTIONS = ("difference", "probe", "token")
STRENGTHS = (-2.0, -1.0, -0.5, -0.25, 0.0, 0.25, 0.5, 1.0, 2.0)
MAX_NEW_TOKENS = 20  # generated tokens
MASSIVE = 10  # times the median norm of the stream; beyond it, a token is an outlier


@torch.no_grad()
def steering(
    model: Model,
    input: Input,
    runs: Runs = run_model,
    *,
    direction: str = "difference",
    toward: str | None = None,
    away: str | None = None,
    token: str | None = None,
    layer: int | None = None,
    strength: float = 0.5,
    seed: int = 0,
    draws: int = 8,
    max_new_tokens: int | None = None,
) -> Answer:
    """The texts that the model generates after `input` at each strength. `direction` is the
    `difference` of the mean streams of the inputs `toward` and `away` after `layer`, the direction
    of a linear `probe` that separates their positions, or the embedding of a `token`.

    `share` [strength] is the total probability of the direction's tokens, `surprise` the loss of
    the text without steering, in nats per token, and `distinct` the fraction of distinct tokens.
    The same for `draws` random directions of the same norm, sampled with `seed`, is [draw,
    strength]. Strength 1 adds a vector with the mean norm of the stream over the input.

    Raises InvalidInput for a model that does not generate, a layer that does not exist, a `token`
    that is several, and inputs without a difference.
    """
    check_one_of("direction", direction, DIRECTIONS)
    check_between("strength", strength, -4, 4)
    check_between("draws", draws, 1, 16)
    prompt, layer = prompt_of(model, input), layer_of(model, layer)
    most = most_tokens(prompt, max_new_tokens)
    vector = vector_of(model, input, runs, direction, toward, away, token, layer)
    length = stream(model, runs, replace(input, target=None), layer).norm(dim=-1).mean()
    strengths = sorted({*STRENGTHS, float(strength)})
    every = pushes(vector.d, length, draws, seed)
    tried = trials(prompt, layer, every, strengths, most, vector.wanted)
    whole = by_strength(prompt, vector, strengths, tried)
    tensors = {"added": Labelled(("channel",), vector.d, FORMULAS[direction])} | whole.tensors
    fields = {
        "direction": direction,
        "layer": layer,
        "layers": model.config.n_decoder_layers,
        "strength": strength,
        "at": strengths.index(float(strength)),
        "without": strengths.index(0.0),
        "stream_length": float(length),
        "direction_length": float(vector.d.norm()),
        **whole.fields,
        **vector.about,
    }
    return runs(model, replace(input, target=None)).answer(tensors, fields, whole.axes)


FORMULAS = {
    "difference": "mean of x over the positions of toward - mean of x over those of away",
    "probe": "w = X^T (X X^T + rho I)^-1 y, y = 1 at toward and 0 at away",
    "token": "W_E[token]",
    "share": "mean over the steps of sum of p(t) over the tokens t of the direction",
    "surprise": "mean over the tokens of -ln p(token | text so far), without the push",
    "distinct": "different tokens / tokens",
}


@dataclass(frozen=True)
class SteeringVector:
    """The added direction `d`, the ids of the tokens it should lead to, and its description."""

    d: Float[Tensor, " channel"]
    wanted: Int[Tensor, " token"]
    about: dict


@dataclass(frozen=True)
class Trial:
    """What is generated with one steering vector at each strength, and its loss without steering,
    in nats per token.
    """

    samples: steer.Samples
    nll: Float[Tensor, " strength"]


def layer_of(model: Model, layer: int | None) -> int:
    """The requested layer, by default the middle one. Raises InvalidInput for a layer that does not
    exist.
    """
    layers = model.config.n_decoder_layers
    layer = (layers - 1) // 2 if layer is None else layer
    check_layer("decoder", layer, layers)
    return layer


def most_tokens(prompt: Prompt, requested: int | None) -> int:
    """The maximum number of generated tokens. Raises InvalidInput for more than the model
    supports.
    """
    limit = prompt.max_new_tokens
    most = min(MAX_NEW_TOKENS, limit) if requested is None else requested
    check_between("max_new_tokens", most, 1, limit)
    return most


def stream(model: Model, runs: Runs, input: Input, layer: int) -> Tensor:
    """The stream after `layer` at the positions of the run of `input` [position, channel], without
    the start token, whose stream is unlike the others. In a model without one, the first token's
    stream has a norm a hundred times larger (massive activations, Sun et al. 2024), and is omitted
    too.
    """
    run, special = runs(model, input), model.text_tokenizer.frame.special
    x, tokens = run.trace[steer.site(layer)], run.tokens[input_axis(model.config, "decoder")]
    x = x[1:] if len(x) > 1 and tokens[0].id in special else x
    lengths = x.norm(dim=-1)
    return x[lengths <= MASSIVE * lengths.median()]


def vector_of(
    model: Model,
    input: Input,
    runs: Runs,
    direction: str,
    toward: str | None,
    away: str | None,
    token: str | None,
    layer: int,
) -> SteeringVector:
    """The direction of a token, or between two inputs. Raises InvalidInput if there is none."""
    vector = (
        token_vector(model, token)
        if direction == "token"
        else vector_between(model, input, runs, direction, toward, away, layer)
    )
    if not vector.d.norm() > 0:
        raise InvalidInput("no-direction", field="toward")
    return vector


def token_vector(model: Model, token: str | None) -> SteeringVector:
    """The embedding of `token`, a single token, and its description."""
    ids = [piece.id for piece in model.text_tokenizer.encode(token or "")]
    if len(ids) != 1:
        if not ids:
            raise InvalidInput("token-missing", field="token", model=model.id)
        names = [model.text_tokenizer.label(id) for id in ids[:8]]
        raise InvalidInput(
            "token-is-several", field="token", model=model.id, n=len(ids), names=names
        )
    d = model.transformer.target_embedding.table[ids[0]]
    return SteeringVector(d, torch.tensor(ids), {"token": token})


def vector_between(
    model: Model,
    input: Input,
    runs: Runs,
    direction: str,
    toward: str | None,
    away: str | None,
    layer: int,
) -> SteeringVector:
    """The direction between the two inputs, the tokens that occur only in `toward`, and its
    description. The tokens are those that the decoder reads.
    """
    texts = {"toward": toward, "away": away}
    for field, text in texts.items():
        if text is None:
            raise InvalidInput("direction-misses", field=field, model=model.id)
    name = "source" if input.source is not None else "text"
    both, ids = [], []
    for field, text in texts.items():
        try:
            run = runs(model, Input(**{name: text}))
        except InvalidInput as wrong:
            raise InvalidInput("steering-input-not-read", field=field, why=wrong) from None
        both.append(stream(model, runs, Input(**{name: text}), layer))
        read = list(run.tokens.values())[-1][run.target_start :]
        ids.append({token.id for token in read} - model.text_tokenizer.frame.special)
    wanted = torch.tensor(sorted(ids[0] - ids[1]), dtype=torch.long)
    if not len(wanted):
        raise InvalidInput("toward-has-no-own-token", field="toward")
    if direction == "difference":
        return SteeringVector(steer.difference(*both), wanted, texts)
    found = steer.probe(*both)
    about = texts | {"right": found.right, "chance": found.chance}
    return SteeringVector(found.direction, wanted, about)


def pushes(
    d: Float[Tensor, " channel"], length: Tensor, draws: int, seed: int
) -> Float[Tensor, "push channel"]:
    """The direction and random ones, each with the mean norm of the stream."""
    found = torch.stack([d, *steer.random_directions(draws, len(d), seed)])
    return length * found / found.norm(dim=-1, keepdim=True)


def trials(
    prompt: Prompt,
    layer: int,
    pushes: Float[Tensor, "push channel"],
    strengths: list[float],
    most: int,
    tokens: Int[Tensor, " token"],
) -> list[Trial]:
    """What is generated with each steering vector, several in one batch: each token needs all
    weights once, no matter how many texts there are.
    """
    found, n = [], len(strengths)
    at_once = max(1, steer.rows_at_once(prompt, most) // n)
    for some in progress.steps(pushes.split(at_once)):
        rows = (torch.tensor(strengths)[:, None] * some[:, None]).flatten(0, 1)
        with progress.part(0, 0.5):
            samples = steer.write(prompt, layer, rows, most, tokens)
        with progress.part(0.5, 1):
            nll = steer.mean_nll(prompt, samples)
        for start in range(0, len(rows), n):
            part = slice(start, start + n)
            found.append(Trial(samples[part], nll[part]))
    return found


def by_strength(
    prompt: Prompt, vector: SteeringVector, strengths: list[float], tried: list[Trial]
) -> Section:
    """The effect of the direction at each strength, the first of `tried`, compared with random
    ones.
    """
    measured = {
        "share": torch.stack([text.samples.share for text in tried]),
        "surprise": torch.stack([text.nll for text in tried]),
        "distinct": torch.stack([steer.distinct(text.samples) for text in tried]),
    }
    axes = {
        "strength": numbered("step", strengths, "strength"),
        "draw": Axis("seed", len(tried) - 1),
        "channel": Axis("channel", len(vector.d)),
    }
    tensors = {}
    for name, values in measured.items():
        tensors[name] = Labelled(("strength",), values[0], FORMULAS[name])
        tensors[f"random.{name}"] = Labelled(("draw", "strength"), values[1:], FORMULAS[name])
    label = prompt.model.text_tokenizer.label
    fields = {
        "wanted": [label(id) for id in vector.wanted.tolist()],
        "texts": sample_texts(prompt, tried[0].samples),
        "random_texts": sample_texts(prompt, tried[1].samples),
    }
    return Section(axes, tensors, fields)


def sample_texts(prompt: Prompt, samples: steer.Samples) -> list[dict]:
    """The text of each row and its tokens, each with the probability with which it was sampled."""
    tokenizer, rows = prompt.model.text_tokenizer, []
    for ids, chances, real in zip(samples.ids, samples.chances, samples.real, strict=True):
        known = ids[real].tolist()
        rows.append(
            {
                "text": tokenizer.decode(known),
                "ended": bool(known) and known[-1] in tokenizer.frame.ends,
                "tokens": [
                    {"text": tokenizer.label(id), "probability": float(p)}
                    for id, p in zip(known, chances, strict=False)
                ],
            }
        )
    return rows
