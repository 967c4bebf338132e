"""What was found of the probes of /probes: each finding with its law and its band."""

from jaxtyping import Float
from torch import Tensor

from model.answers.laws import Band, Law, by_name
from model.answers.measurements import Finding, exact, statistical

COLLAPSED = 0.99
ABOVE: Band = (0, None)

LAWS = by_name(
    Law(
        "position.over_word.embedding",
        "Position in the embedding, less the guess from the word",
        "above 0: better than the guess from the word",
        ABOVE,
        "of the tokens",
    ),
    Law(
        "position.over_word",
        "Position after the last layer, less the guess from the word",
        "above 0: better than the guess from the word",
        ABOVE,
        "of the tokens",
    ),
    Law(
        "position.over_word.off",
        "The same without the residual",
        "below 0: worse than the guess from the word",
        (None, 0),
        "of the tokens",
    ),
    Law(
        "residual.position",
        "Position after the last layer, with the residual less without",
        "above 0: it is lost without the residual",
        ABOVE,
        "of the tokens",
    ),
    Law(
        "residual.token",
        "Token after the last layer, with the residual less without",
        "above 0: it is lost without the residual",
        ABOVE,
        "of the tokens",
    ),
    Law(
        "selectivity.token",
        "Token after the last layer, less random labels",
        "the token is easier to read than a random label for each word",
        (0.05, None),
        "of the tokens",
    ),
    Law("position.embedding", "Position in the embedding", "only measured", unit="of the tokens"),
    Law("position.last", "Position after the last layer", "only measured", unit="of the tokens"),
    Law(
        "position.last.off",
        "Position after the last layer, without the residual",
        "only measured",
        unit="of the tokens",
    ),
    Law(
        "by_word",
        "Position guessed from the word",
        "a guess of the place where the word stood most often",
        unit="of the tokens",
    ),
    Law("token.last", "Token after the last layer", "only measured", unit="of the tokens"),
    Law(
        "token.last.off",
        "Token after the last layer, without the residual",
        "only measured",
        unit="of the tokens",
    ),
    Law(
        "control.last",
        "Random labels after the last layer",
        "one random label for each word",
        unit="of the tokens",
    ),
    Law(
        "gap",
        "Position after the last layer, fitted sentences less held-out ones",
        "above 0: a probe does better on the sentences it was fitted to",
        ABOVE,
        "of the tokens",
    ),
    Law(
        "cosine.on",
        "Cosine of two tokens with the residual",
        "below 0.99: no rank collapse with the residual",
        (None, COLLAPSED),
    ),
    Law(
        "cosine.off",
        "Cosine of two tokens without the residual",
        "above 0.99: rank collapse",
        (COLLAPSED, None),
    ),
    Law(
        "cosine.more_without",
        "Cosine of two tokens, without the residual less with it",
        "above 0: tokens are more alike without the residual",
        ABOVE,
    ),
    Law(
        "direct.on", "Share that comes straight from the position", "only measured", unit="of |x|²"
    ),
    Law(
        "direct.off",
        "Shares that come straight from token or position, without the residual",
        "0: no direct path is left without the residual",
        (0, 0),
        "of |x|²",
    ),
    Law(
        "parts",
        "Shares of token and position in the embedding, together, less 1",
        "0: the embedding is the sum of token and position",
        (0, 1e-5),
    ),
)
Accuracy = Float[Tensor, "seed residual probe split point"]


def comparison_findings(accuracy: Accuracy, by_word: Float[Tensor, " seed"]) -> list[Finding]:
    """The findings of held-out accuracies beside others: the guess from the word, those without
    the residual, and those of the control.
    """
    on, off = accuracy[..., 1, -1].unbind(1)  # the tokens held out, the last layer
    position, token, control = on.unbind(1)
    position_off, token_off, _ = off.unbind(1)
    return [
        statistical(
            LAWS["position.over_word.embedding"], (accuracy[:, 0, 0, 1, 0] - by_word).tolist()
        ),
        statistical(LAWS["position.over_word"], (position - by_word).tolist()),
        statistical(LAWS["position.over_word.off"], (position_off - by_word).tolist()),
        statistical(LAWS["residual.position"], (position - position_off).tolist()),
        statistical(LAWS["residual.token"], (token - token_off).tolist()),
        statistical(LAWS["selectivity.token"], (token - control).tolist()),
    ]


def accuracy_findings(accuracy: Accuracy, by_word: Float[Tensor, " seed"]) -> list[Finding]:
    """The findings of the accuracies themselves, and how much of one is owed to the fit."""
    on, off = accuracy[..., 1, -1].unbind(1)  # the tokens held out, the last layer
    position, token, control = on.unbind(1)
    position_off, token_off, _ = off.unbind(1)
    return [
        statistical(LAWS["position.embedding"], accuracy[:, 0, 0, 1, 0].tolist()),
        statistical(LAWS["position.last"], position.tolist()),
        statistical(LAWS["position.last.off"], position_off.tolist()),
        statistical(LAWS["by_word"], by_word.tolist()),
        statistical(LAWS["token.last"], token.tolist()),
        statistical(LAWS["token.last.off"], token_off.tolist()),
        statistical(LAWS["control.last"], control.tolist()),
        statistical(LAWS["gap"], (accuracy[:, 0, 0, 0, -1] - position).tolist()),
    ]


def cosine_findings(weights: str, cosine: Float[Tensor, "seed residual point"]) -> list[Finding]:
    """The findings of rank collapse: the cosines after the last layer."""
    on, off = cosine[..., -1].unbind(1)
    return [
        statistical(LAWS["cosine.on"], on.tolist()),
        statistical(
            LAWS["cosine.off"],
            off.tolist(),
            premise=None
            if weights == "fresh"
            else "Rank collapse is a law of deep stacks at initialisation, and these few layers"
            " are trained.",
        ),
        statistical(LAWS["cosine.more_without"], (off - on).tolist()),
    ]


def direct_path_findings(direct: Float[Tensor, "seed residual part point"]) -> list[Finding]:
    """The findings of what comes from position and token past every sub-layer."""
    return [
        statistical(LAWS["direct.on"], direct[:, 0, 0, -1].tolist()),
        exact(LAWS["direct.off"], direct[:, 1, :, 1:].abs().max()),
        exact(LAWS["parts"], direct[..., 0].sum(-1).sub(1).abs().max()),
    ]
