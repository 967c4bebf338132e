"""Removal of a token: how much less probable the prediction is without it, in nats. There are two
ways to remove a token, which may disagree.

    removal    its vector is set to 0 at the model's input; its position stays
    hiding     it is masked in every attention layer, like padding; its own stream continues, but no
               other token reads it

Both return ln p(answer) - ln p(answer without the token), which is positive if the token supports
the answer. All tokens are removed one at a time, in a few batches (runs/sweep.py).
"""

from collections.abc import Callable

from model.edits.edit import Edit, Edits
from model.interpretability.attribution.answer import AttributedAnswer, InputToken
from model.interpretability.attribution.flow import OfTokens
from model.runs.sweep import sweep


def removal(target: AttributedAnswer) -> OfTokens:
    """The log-probability lost without the vector of each token."""
    return lost(target, without_vector)


def hiding(target: AttributedAnswer) -> OfTokens:
    """The log-probability lost if no query may attend to each token."""
    return lost(target, hidden)


def without_vector(target: AttributedAnswer, token: InputToken) -> Edits:
    return (Edit("zero", f"{token.stack}.embedding.token", ((token.axis, (token.position,)),)),)


def hidden(target: AttributedAnswer, token: InputToken) -> Edits:
    """Masks of the key `token` in every attention layer that reads its stack."""
    scores = [f"{token.stack}.*.attention.scores"]
    if target.run.config.cross and token.stack == "encoder":
        scores.append("decoder.*.cross_attention.scores")
    return tuple(Edit("mask", name, (("key", (token.position,)),)) for name in scores)


def lost(
    target: AttributedAnswer, removed: Callable[[AttributedAnswer, InputToken], Edits]
) -> OfTokens:
    """ln p(answer) - ln p(answer without the token) for each token."""
    # The last row is unchanged, so that both sides come from batches of the same shape.
    rows = [*(removed(target, token) for token in target.tokens), ()]
    logits = sweep(target.run.model, target.input, rows, at=[target.position])["logits"]
    known = logits[:, 0].double().log_softmax(-1)[:, target.id]
    return known[-1] - known[:-1]
