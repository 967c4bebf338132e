"""Steering: a direction is added to the stream while a model generates text (activation addition,
Turner et al. 2023).

    x_l := x_l + strength · s · d / |d|        at every position, at every step

`d` is a direction in the stream after layer l, and s is the mean norm of the stream there: at
strength 1, the added vector has the norm of the stream itself. Random directions show whether a
direction does more than any vector of the same norm.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from model import progress
from model.generation.decoding import IncrementalDecoder, permitted
from model.generation.ties import best
from model.inputs.text import Frame
from model.runs.strategies import Prompt
from model.trace import OFF, Trace
from model.zoo.models import SINGLE

Direction = Float[Tensor, " channel"]
Points = Float[Tensor, "point channel"]
Others = Float[Tensor, "other channel"]
Pushes = Float[Tensor, "row channel"]


def site(layer: int) -> str:
    """Where a direction is added: the stream after a layer of the generating stack."""
    return f"decoder.{layer}.residual.out"


CACHE_AT_ONCE = 400_000_000
"""The maximum bytes of the keys and values of texts generated at once."""


@dataclass(frozen=True)
class Samples:
    """The text generated in each row of a batch: the most probable token of each step, `chances`,
    its probability, and `wanted`, the total probability of the direction's tokens. `real` is False
    after the end of a text, where the end token of `frame` is repeated.
    """

    ids: Int[Tensor, "row step"]
    chances: Float[Tensor, "row step"]
    wanted: Float[Tensor, "row step"]
    frame: Frame

    @property
    def real(self) -> Bool[Tensor, "row step"]:
        ended = self.frame.ended(self.ids).int()
        return ended.cumsum(1) - ended == 0

    @property
    def share(self) -> Float[Tensor, " row"]:
        """The total probability of the direction's tokens, averaged over the steps of each text."""
        return (self.wanted * self.real).sum(1) / self.real.sum(1)

    def __getitem__(self, rows: slice) -> "Samples":
        """The texts of some rows."""
        return Samples(self.ids[rows], self.chances[rows], self.wanted[rows], self.frame)


@torch.inference_mode()
def write(
    prompt: Prompt, layer: int, pushes: Pushes, most: int, tokens: Int[Tensor, " token"]
) -> Samples:
    """The greedy text of at most `most` tokens in each row, while the row's vector in `pushes` is
    added to the stream after `layer` at every position. `tokens` are those of the direction.
    """
    decoder, trace = decoder_of(prompt, len(pushes)), pushing(layer, pushes)
    frame = prompt.model.text_tokenizer.frame
    new = torch.tensor([prompt.ids] * len(pushes))
    ended = torch.zeros(len(pushes), dtype=torch.bool)
    ids, chances, wanted = [], [], []
    texts = [list(prompt.ids) for _ in pushes]
    for step in progress.steps(range(most)):
        logits = decoder.read(new, trace)
        p, last = logits.softmax(-1), best(permitted(logits, frame, step, texts))
        ids.append(torch.where(ended, frame.end, last) if ended.any() else last)
        chances.append(p.gather(1, ids[-1][:, None])[:, 0])
        wanted.append(p[:, tokens].sum(-1))
        ended = ended | frame.ended(last)
        if ended.all():
            break
        new = ids[-1][:, None]
        for text, id in zip(texts, ids[-1].tolist(), strict=True):
            text.append(id)
    return Samples(*(torch.stack(part, 1) for part in (ids, chances, wanted)), frame)


@torch.inference_mode()
def mean_nll(prompt: Prompt, samples: Samples) -> Float[Tensor, " row"]:
    """The mean of -ln p over the tokens of each row, in nats, where p is the token's probability
    without steering.
    """
    decoder = decoder_of(prompt, len(samples.ids))
    new, nats = torch.tensor([prompt.ids] * len(samples.ids)), []
    for ids in progress.steps(list(samples.ids.T)):
        log_p = decoder.read(new).log_softmax(-1)
        nats.append(-log_p.gather(1, ids[:, None])[:, 0])
        new = ids[:, None]
    real = samples.real
    return (torch.stack(nats, 1) * real).sum(1) / real.sum(1)


def rows_at_once(prompt: Prompt, most: int) -> int:
    """How many texts are generated at once."""
    config = prompt.model.config
    of_a_token = 2 * SINGLE * config.n_decoder_layers * config.kv_heads * config.d_head
    return CACHE_AT_ONCE // (of_a_token * (len(prompt.ids) + len(prompt.tokens) + most))


def decoder_of(prompt: Prompt, rows: int) -> IncrementalDecoder:
    """A decoder that reads the prompt in each row of a batch."""
    sources = [[token.id for token in prompt.tokens]] * rows if prompt.model.config.cross else None
    return IncrementalDecoder(prompt.model.transformer, sources, prompt.prefix)


def pushing(layer: int, pushes: Pushes) -> Trace:
    """A trace that adds each row's vector to the stream after `layer`."""
    if not pushes.any():
        return OFF

    def push(name: str, value: Tensor) -> Tensor:
        return value + pushes[:, None] if name == site(layer) else value

    return Trace(push)


def distinct(samples: Samples) -> Float[Tensor, " row"]:
    """The number of distinct tokens in each text as a fraction of its tokens: near 0 if a text
    repeats itself.
    """
    rows = [ids[real] for ids, real in zip(samples.ids, samples.real, strict=True)]
    return torch.tensor([len(set(ids.tolist())) / len(ids) for ids in rows])


def difference(toward: Points, away: Others) -> Direction:
    """The mean of the stream over the positions of one input minus that of the other."""
    return toward.mean(0) - away.mean(0)


def ridge(x: Points, y: Float[Tensor, " point"], penalty: float) -> Direction:
    """w = X^T (X X^T + rho I)^-1 y, the linear map from the stream to `y` with an L2 penalty, rho =
    `penalty` times the mean squared norm of a row of X. X and y are centered.
    """
    x, y = x.double(), y.double()
    x, y = x - x.mean(0), y - y.mean()
    gram = x @ x.T
    rho = penalty * gram.diagonal().mean()
    return (x.T @ torch.linalg.solve(gram + rho * torch.eye(len(x)).double(), y)).float()


@dataclass(frozen=True)
class Probe:
    """A linear probe that separates the positions of one input from those of another. `right` is
    its leave-one-out accuracy, and `chance` the fraction of the larger class.
    """

    direction: Direction
    right: float
    chance: float


PENALTY = 0.1


def probe(toward: Points, away: Others) -> Probe:
    """The ridge probe with targets 1 at the positions of `toward` and 0 at those of `away`."""
    x = torch.cat([toward, away])
    y = torch.cat([torch.ones(len(toward)), torch.zeros(len(away))])
    right = 0
    for left_out in range(len(x)):
        rest = torch.arange(len(x)) != left_out
        w = ridge(x[rest], y[rest], PENALTY)
        means = [(x[rest & (y == side)] @ w).mean() for side in (0, 1)]
        right += int((x[left_out] @ w > sum(means) / 2) == bool(y[left_out]))
    most = max(len(toward), len(away)) / len(x)
    return Probe(ridge(x, y, PENALTY), right / len(x), most)


def random_directions(number: int, d_model: int, seed: int) -> Points:
    """Directions sampled from N(0, 1) in each channel, so that all directions are equally
    likely.
    """
    return torch.randn(number, d_model, generator=torch.Generator().manual_seed(seed))
