"""The findings about the probes of /probes, with predictions and ranges."""

from jaxtyping import Float
from torch import Tensor

from model.answers.laws import DIFFERENCE, Band, Law, by_name
from model.answers.measurements import Finding, exact, statistical

COLLAPSED = 0.99
ABOVE: Band = (0, None)
OF_TOKENS = f"of the tokens{DIFFERENCE}"

LAWS = by_name(
    Law(
        "position.over_word.embedding",
        "Position probe in the embedding: accuracy minus that of guessing from the word"
        " (selectivity)",
        "above 0: better than guessing from the word",
        ABOVE,
        OF_TOKENS,
    ),
    Law(
        "position.over_word",
        "Position probe after the last layer: accuracy minus that of guessing from the word"
        " (selectivity)",
        "above 0: better than guessing from the word",
        ABOVE,
        OF_TOKENS,
    ),
    Law(
        "position.over_word.off",
        "Position probe after the last layer, without residual connections: accuracy minus that"
        " of guessing from the word (selectivity)",
        "below 0: worse than guessing from the word",
        (None, 0),
        OF_TOKENS,
    ),
    Law(
        "residual.position",
        "Accuracy of the position probe after the last layer, with residual connections minus"
        " without them",
        "above 0: less can be recovered without residual connections",
        ABOVE,
        OF_TOKENS,
    ),
    Law(
        "residual.token",
        "Accuracy of the token probe after the last layer, with residual connections minus"
        " without them",
        "above 0: less can be recovered without residual connections",
        ABOVE,
        OF_TOKENS,
    ),
    Law(
        "selectivity.token",
        "Token probe after the last layer: accuracy minus accuracy on random labels (selectivity)",
        "a word’s identity is easier to recover than a random label assigned to it",
        (0.05, None),
        OF_TOKENS,
    ),
    Law(
        "position.embedding",
        "Accuracy of the position probe in the embedding",
        "no prediction",
        unit="of the tokens",
    ),
    Law(
        "position.last",
        "Accuracy of the position probe after the last layer",
        "no prediction",
        unit="of the tokens",
    ),
    Law(
        "position.last.off",
        "Accuracy of the position probe after the last layer, without residual connections",
        "no prediction",
        unit="of the tokens",
    ),
    Law(
        "by_word",
        "Accuracy of guessing the position from the word",
        "the word’s most frequent position is guessed",
        unit="of the tokens",
    ),
    Law(
        "token.last",
        "Accuracy of the token probe after the last layer",
        "no prediction",
        unit="of the tokens",
    ),
    Law(
        "token.last.off",
        "Accuracy of the token probe after the last layer, without residual connections",
        "no prediction",
        unit="of the tokens",
    ),
    Law(
        "control.last",
        "Accuracy of a probe for random labels after the last layer",
        "one random label for each word",
        unit="of the tokens",
    ),
    Law(
        "gap",
        "Accuracy of the position probe after the last layer, on the sentences used for"
        " fitting minus on held-out ones",
        "above 0: a probe does better on the sentences it was fitted to",
        ABOVE,
        OF_TOKENS,
    ),
    Law(
        "cosine.on",
        "Mean cosine between the vectors of two tokens after the last layer, with residual"
        " connections",
        "below 0.99: no rank collapse with residual connections",
        (None, COLLAPSED),
    ),
    Law(
        "cosine.off",
        "Mean cosine between the vectors of two tokens after the last layer, without residual"
        " connections",
        "above 0.99: rank collapse",
        (COLLAPSED, None),
    ),
    Law(
        "cosine.more_without",
        "Mean cosine between the vectors of two tokens after the last layer, without residual"
        " connections minus with them",
        "above 0: tokens are more alike without residual connections",
        ABOVE,
    ),
    Law(
        "direct.on",
        "Fraction of the vector after the last layer that comes directly from the position",
        "no prediction",
        unit="of |x|²",
    ),
    Law(
        "direct.off",
        "Largest fraction of a vector that comes directly from the token or the position, without"
        " residual connections",
        "0: no direct path is left without residual connections",
        (0, 0),
        "of |x|²",
    ),
    Law(
        "parts",
        "Sum of the fractions of the embedding that come from the token and the position, minus 1",
        "0: the embedding is the sum of the token’s vector and the position’s vector",
        (0, 1e-5),
    ),
)
Accuracy = Float[Tensor, "seed residual probe split point"]


def comparison_findings(accuracy: Accuracy, by_word: Float[Tensor, " seed"]) -> list[Finding]:
    """The findings comparing held-out accuracies with guesses from the word, with those without
    residual connections, and with the control.
    """
    on, off = accuracy[..., 1, -1].unbind(1)  # held-out tokens, last layer
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
    """The findings about the accuracies themselves, and how much is due to overfitting."""
    on, off = accuracy[..., 1, -1].unbind(1)  # held-out tokens, last layer
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
    """The findings about rank collapse: the cosines after the last layer."""
    on, off = cosine[..., -1].unbind(1)
    return [
        statistical(LAWS["cosine.on"], on.tolist()),
        statistical(
            LAWS["cosine.off"],
            off.tolist(),
            premise=None
            if weights == "fresh"
            else "The check for rank collapse is not counted: the theory is about deep, untrained"
            " stacks, and this one has only three trained layers.",
        ),
        statistical(LAWS["cosine.more_without"], (off - on).tolist()),
    ]


def direct_path_findings(direct: Float[Tensor, "seed residual part point"]) -> list[Finding]:
    """The findings about the direct contributions of position and token past every sub-layer."""
    return [
        statistical(LAWS["direct.on"], direct[:, 0, 0, -1].tolist()),
        exact(LAWS["direct.off"], direct[:, 1, :, 1:].abs().max()),
        exact(LAWS["parts"], direct[..., 0].sum(-1).sub(1).abs().max()),
    ]
