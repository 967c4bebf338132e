"""What was found of the probes of /probes: each finding with its law and its band."""

from jaxtyping import Float
from torch import Tensor

from model.answers.intervals import Band
from model.answers.measurements import OPEN, Finding, exact, statistical

COLLAPSED, CLEAR = 0.99, 0.05
ABOVE: Band = (0, None)
BELOW: Band = (None, 0)

Accuracy = Float[Tensor, "seed residual probe split point"]


def of_tokens(name: str, values: Tensor, law: str, band: Band = OPEN) -> Finding:
    return statistical(name, values.tolist(), law, band, "of the tokens")


def of_comparisons(accuracy: Accuracy, by_word: Float[Tensor, " seed"]) -> list[Finding]:
    """The findings of held-out accuracies beside others: the guess from the word, those without
    the residual, and those of the control.
    """
    on, off = accuracy[..., 1, -1].unbind(1)  # the tokens held out, the last layer
    position, token, control = on.unbind(1)
    position_off, token_off, _ = off.unbind(1)
    return [
        of_tokens(
            "position.over_word.embedding",
            accuracy[:, 0, 0, 1, 0] - by_word,
            "above 0: better than the guess from the word",
            ABOVE,
        ),
        of_tokens(
            "position.over_word",
            position - by_word,
            "above 0: better than the guess from the word",
            ABOVE,
        ),
        of_tokens(
            "position.over_word.off",
            position_off - by_word,
            "below 0: worse than the guess from the word",
            BELOW,
        ),
        of_tokens(
            "residual.position",
            position - position_off,
            "above 0: it is lost without the residual",
            ABOVE,
        ),
        of_tokens(
            "residual.token", token - token_off, "above 0: it is lost without the residual", ABOVE
        ),
        of_tokens(
            "selectivity.token",
            token - control,
            "the token is easier to read than a random label for each word",
            (CLEAR, None),
        ),
    ]


def of_accuracies(accuracy: Accuracy, by_word: Float[Tensor, " seed"]) -> list[Finding]:
    """The findings of the accuracies themselves, and how much of one is owed to the fit."""
    on, off = accuracy[..., 1, -1].unbind(1)  # the tokens held out, the last layer
    position, token, control = on.unbind(1)
    position_off, token_off, _ = off.unbind(1)
    return [
        of_tokens("position.embedding", accuracy[:, 0, 0, 1, 0], "only measured"),
        of_tokens("position.last", position, "only measured"),
        of_tokens("position.last.off", position_off, "only measured"),
        of_tokens("by_word", by_word, "a guess of the place where the word stood most often"),
        of_tokens("token.last", token, "only measured"),
        of_tokens("token.last.off", token_off, "only measured"),
        of_tokens("control.last", control, "one random label for each word"),
        of_tokens(
            "gap",
            accuracy[:, 0, 0, 0, -1] - position,
            "above 0: a probe does better on the sentences it was fitted to",
            ABOVE,
        ),
    ]


def of_cosines(weights: str, cosine: Float[Tensor, "seed residual point"]) -> list[Finding]:
    """The findings of rank collapse: the cosines after the last layer."""
    on, off = cosine[..., -1].unbind(1)
    return [
        statistical(
            "cosine.on",
            on.tolist(),
            "below 0.99: no rank collapse with the residual",
            (None, COLLAPSED),
        ),
        statistical(
            "cosine.off",
            off.tolist(),
            "above 0.99: rank collapse",
            (COLLAPSED, None),
            premise=(
                None
                if weights == "fresh"
                else "Rank collapse is a law of deep stacks at initialisation, and these few layers"
                " are trained."
            ),
        ),
        statistical(
            "cosine.more_without",
            (off - on).tolist(),
            "above 0: tokens are more alike without the residual",
            ABOVE,
        ),
    ]


def of_direct_paths(direct: Float[Tensor, "seed residual part point"]) -> list[Finding]:
    """The findings of what comes from position and token past every sub-layer."""
    return [
        statistical(
            "direct.on",
            direct[:, 0, 0, -1].tolist(),
            "only measured",
            OPEN,
            "of |x|²",
        ),
        exact(
            "direct.off",
            direct[:, 1, :, 1:].abs().max(),
            "0: no direct path is left without the residual",
            (0, 0),
            "of |x|²",
        ),
        exact(
            "parts",
            direct[..., 0].sum(-1).sub(1).abs().max(),
            "0: the embedding is the sum of token and position",
            (0, 1e-5),
        ),
    ]
