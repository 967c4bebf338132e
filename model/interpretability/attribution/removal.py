"""Removal of a token: how much less probable the answer is without it, in nats. Two ways to remove
a token are measured, because they need not agree.

    removal    its vector is set to 0 where it enters the model; its position stays
    hiding     every query of every attention is forbidden to look at it, as padding is hidden; its
               own stream goes on, but nobody reads it

Both give ln p(answer) - ln p(answer without the token): above 0 where the token speaks for the
answer. All tokens are removed one at a time, in a few batches (runs/sweep.py).
"""

from collections.abc import Callable

from model.edits.edit import Edit, Edits
from model.interpretability.attribution.answer import AttributedAnswer, InputToken
from model.interpretability.attribution.flow import OfTokens
from model.runs.sweep import sweep


def removal(asked: AttributedAnswer) -> OfTokens:
    """What the answer loses without the vector of each token."""
    return lost(asked, without_vector)


def hiding(asked: AttributedAnswer) -> OfTokens:
    """What the answer loses where no query may look at each token."""
    return lost(asked, hidden)


def without_vector(asked: AttributedAnswer, token: InputToken) -> Edits:
    return (Edit("zero", f"{token.stack}.embedding.token", ((token.axis, (token.position,)),)),)


def hidden(asked: AttributedAnswer, token: InputToken) -> Edits:
    """Masks of the key `token` in every attention that reads its stack."""
    scores = [f"{token.stack}.*.attention.scores"]
    if asked.run.config.cross and token.stack == "encoder":
        scores.append("decoder.*.cross_attention.scores")
    return tuple(Edit("mask", name, (("key", (token.position,)),)) for name in scores)


def lost(
    asked: AttributedAnswer, removed: Callable[[AttributedAnswer, InputToken], Edits]
) -> OfTokens:
    """ln p(answer) - ln p(answer without the token) of each token."""
    # The last row is unchanged, so that both sides are computed in batches of one shape.
    rows = [*(removed(asked, token) for token in asked.tokens), ()]
    logits = sweep(asked.run.model, asked.input, rows, at=[asked.position])["logits"]
    known = logits[:, 0].double().log_softmax(-1)[:, asked.id]
    return known[-1] - known[:-1]
