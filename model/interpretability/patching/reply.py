"""The reply: a model's prediction for an input, as tokens or classes at positions of the logits,
and its log-probability.

    target        the target's tokens, each after the tokens before it (teacher forcing)
    next token    the most probable next token after the text
    blanks        the most probable word at each blank
    class         the most probable class
    shapes        the class of each object query that finds a shape
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from jaxtyping import Float, Int
from torch import Tensor

from model.errors import InvalidInput
from model.runs.run import Run

Logits = Float[Tensor, "*row position vocabulary"]


@dataclass(frozen=True)
class Reply:
    """The reply of a run: the positions of the logits, and the id of the token or class at each.
    `kind` is one of the five above.
    """

    kind: str
    positions: tuple[int, ...]
    ids: tuple[int, ...]

    def among(self, places: Sequence[int]) -> "Reply":
        """The same reply, for logits computed only at `places`."""
        return replace(self, positions=tuple(places.index(at) for at in self.positions))

    def log_probabilities(self, logits: Logits) -> Float[Tensor, "*row token"]:
        """ln p of each token or class of the reply, in nats. They sum to ln p of the reply."""
        here = logits[..., self.positions, :].double().log_softmax(-1)
        return here[..., torch.arange(len(self.ids)), self.ids]

    def argmax_ids(self, logits: Logits) -> Int[Tensor, "*row token"]:
        """The ids with the largest logits at the positions of the reply."""
        return logits[..., self.positions, :].argmax(-1)


def reply_of(run: Run) -> Reply:
    """The reply of a run. Raises InvalidInput for a sentence without a blank in a fill-in model."""
    config, best = run.config, run.logits.argmax(-1).tolist()
    if config.n_queries:
        nothing = config.head.classes - 1
        finds = [i for i, found in enumerate(best) if found != nothing] or range(len(best))
        return Reply("shapes", tuple(finds), tuple(best[i] for i in finds))
    if config.family == "encoder-only" and not config.says_class:
        blanks = run.blanks
        if not blanks:
            raise InvalidInput("no-blank", field="text")
        return Reply("blanks", tuple(blanks), tuple(best[i] for i in blanks))
    if config.says_class:
        return Reply("class", (0,), (best[0],))
    if config.family == "decoder-only":
        return Reply("next token", (len(best) - 1,), (best[-1],))
    places = range(run.predicted.start, run.predicted.stop)
    return Reply("target", tuple(places), tuple(token.id for token in run.next_tokens))


def expecting(run: Run) -> Sequence[int]:
    """The positions of the logits whose next token is known: none for a model that does not predict
    the next token, or a text without one.
    """
    return range(len(run.logits))[run.predicted] if run.next_tokens else ()


def loss(run: Run, logits: Logits, places: Sequence[int]) -> Float[Tensor, "*row"]:
    """The mean cross-entropy over the known next tokens, in nats per token, from logits at
    `places`, which include those of `expecting`.
    """
    read = [places.index(at) for at in expecting(run)]
    here = logits[..., read, :].double().log_softmax(-1)
    ids = [token.id for token in run.next_tokens]
    return -here[..., torch.arange(len(ids)), ids].mean(-1)
