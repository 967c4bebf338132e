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


def removal(target: AttributedAnswer) -> OfTokens:
    """What the answer loses without the vector of each token."""
    return lost(target, without_vector)


def hiding(target: AttributedAnswer) -> OfTokens:
    """What the answer loses where no query may look at each token."""
    return lost(target, hidden)


def without_vector(target: AttributedAnswer, token: InputToken) -> Edits:
    return (Edit("zero", f"{token.stack}.embedding.token", ((token.axis, (token.position,)),)),)


def hidden(target: AttributedAnswer, token: InputToken) -> Edits:
    """Masks of the key `token` in every attention that reads its stack."""
    scores = [f"{token.stack}.*.attention.scores"]
    if target.run.config.cross and token.stack == "encoder":
        scores.append("decoder.*.cross_attention.scores")
    return tuple(Edit("mask", name, (("key", (token.position,)),)) for name in scores)


def lost(
    target: AttributedAnswer, removed: Callable[[AttributedAnswer, InputToken], Edits]
) -> OfTokens:
    """ln p(answer) - ln p(answer without the token) of each token."""
    # The last row is unchanged, so that both sides are computed in batches of one shape.
    rows = [*(removed(target, token) for token in target.tokens), ()]
    logits = sweep(target.run.model, target.input, rows, at=[target.position])["logits"]
    known = logits[:, 0].double().log_softmax(-1)[:, target.id]
    return known[-1] - known[:-1]
