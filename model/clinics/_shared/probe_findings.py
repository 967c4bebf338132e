"""What was found of the probes of /probes: each finding with its law and its band."""

from jaxtyping import Float
from torch import Tensor

from model.answers.measurements import Finding, exact, statistical
from model.laws.probes import LAWS

Accuracy = Float[Tensor, "seed residual probe split point"]


def of_comparisons(accuracy: Accuracy, by_word: Float[Tensor, " seed"]) -> list[Finding]:
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


def of_accuracies(accuracy: Accuracy, by_word: Float[Tensor, " seed"]) -> list[Finding]:
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


def of_cosines(weights: str, cosine: Float[Tensor, "seed residual point"]) -> list[Finding]:
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


def of_direct_paths(direct: Float[Tensor, "seed residual part point"]) -> list[Finding]:
    """The findings of what comes from position and token past every sub-layer."""
    return [
        statistical(LAWS["direct.on"], direct[:, 0, 0, -1].tolist()),
        exact(LAWS["direct.off"], direct[:, 1, :, 1:].abs().max()),
        exact(LAWS["parts"], direct[..., 0].sum(-1).sub(1).abs().max()),
    ]
