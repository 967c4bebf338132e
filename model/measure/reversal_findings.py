"""The findings about the networks of /recurrence, with predictions and ranges."""

import torch
from torch import Tensor

from model.answers.measurements import Finding, exact, statistical
from model.measure.gradient_by_distance import gradient_by_distance
from model.measure.recurrence_laws import LAWS
from model.recurrent.names import ATTENDING
from model.recurrent.reversal import LETTERS, decoder_input, random_words, steps_between
from model.recurrent.reversers import NETWORKS, TRAINED, TRUNCATED, TRUNCATIONS, load_reverser

NAMES = tuple(NETWORKS)
BOTTLENECK = (("rnn", "rnn-attention"), ("lstm", "lstm-attention"))
CUT = 4  # steps, for testing that truncation does not change the forward pass


def network_part(shares: Tensor, name: str) -> Tensor:
    """The part of [training, network, …] for the network `name`."""
    return shares[:, NAMES.index(name)]


def bottleneck(letters: Tensor) -> list[Finding]:
    """The benefit of attention when the longest trained words must pass through one vector, and at
    twice that length, for which the literature makes no prediction.
    """
    added = {
        without: network_part(letters, attending) - network_part(letters, without)
        for without, attending in BOTTLENECK
    }
    return [
        statistical(
            LAWS[f"bottleneck.{without}"].with_numbers(longest=TRAINED),
            shares[:, TRAINED - 1].tolist(),
        )
        for without, shares in added.items()
    ] + [
        statistical(
            LAWS[f"longer.{without}"].with_numbers(letters=2 * TRAINED),
            shares[:, 2 * TRAINED - 1].tolist(),
        )
        for without, shares in added.items()
    ]


def beyond(letters: Tensor) -> list[Finding]:
    """The remaining accuracy when words are twice as long as the longest in training. The
    literature makes a prediction only for the Transformer.
    """
    longer, trained = letters[..., 2 * TRAINED - 1], letters[..., TRAINED - 1]
    return [
        statistical(
            LAWS[f"beyond.{name}"].with_numbers(letters=2 * TRAINED, longest=TRAINED),
            network_part(longer / trained, name).tolist(),
        )
        for name in NAMES
    ]


def factor(gradients: Tensor) -> Tensor:
    """The factor per step by which a gradient […, distance] changes from the previous step to the
    farthest one.
    """
    return (gradients[..., -1] / gradients[..., 1]) ** (1 / (gradients.shape[-1] - 2))


def vanishing(trained: Tensor, initial: Tensor) -> list[Finding]:
    """How gradients [seed, network, distance] change from step to step in recurrent networks, and
    from letter to letter of the source in those with attention.
    """
    rnn, lstm = (factor(network_part(initial, name)) for name in ("rnn", "lstm"))
    n = initial.shape[-1] // 2
    halves = {
        name: network_part(initial, name)[:, n:].tensor_split((n // 2,), dim=-1)
        for name in ATTENDING
    }
    return [
        statistical(LAWS["factor.rnn"], rnn.tolist()),
        statistical(LAWS["factor.lstm"], (lstm - rnn).tolist()),
        *(
            statistical(
                LAWS[f"factor.{name}.trained"], factor(network_part(trained, name)).tolist()
            )
            for name in ("rnn", "lstm")
        ),
        *(
            statistical(
                LAWS[f"far_over_near.{name}"],
                (far.mean(-1) / near.mean(-1)).tolist(),
                geometric=True,
            )
            for name, (near, far) in halves.items()
        ),
    ]


def behind_the_cut(truncated: Tensor) -> list[Finding]:
    """Letters [training, truncation, letter] that are read at least as many steps before they are
    written as the gradient reaches: how many are still correct, and the cost of truncation.
    """
    gaps, whole = torch.tensor(steps_between(TRAINED)), truncated[:, -1]
    findings = []
    for number, steps in enumerate(TRUNCATIONS):
        far = gaps >= steps
        right = truncated[:, number, far].mean(-1)
        findings += [
            statistical(LAWS[f"behind_cut.{steps}"].with_numbers(letters=LETTERS), right.tolist()),
            statistical(LAWS[f"cost_of_cut.{steps}"], (right - whole[:, far].mean(-1)).tolist()),
        ]
    return findings


def identities(word: Tensor, alignment: Tensor) -> list[Finding]:
    """Each row of weights sums to 1; truncation changes gradients but not the forward pass."""
    network, target = load_reverser(TRUNCATED, 0), decoder_input(word)
    with torch.no_grad():
        whole, cut = network(word, target), network(word, target, truncation=CUT)
    words = random_words(1, TRAINED, torch.Generator().manual_seed(0))
    by_distance = gradient_by_distance(network, words, CUT)
    since_the_cut = (len(by_distance) - 1) % CUT
    return [
        exact(LAWS["rows"], alignment.sum(-1).sub(1).abs().max()),
        exact(LAWS["cut"], (whole - cut).abs().max()),
        exact(LAWS["gradient_behind_cut"], by_distance[since_the_cut + 1 :].max()),
    ]
