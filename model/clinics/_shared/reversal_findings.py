"""What was found of the networks of /recurrence: each finding with its law and its band."""

import torch
from torch import Tensor

from model.answers.measurements import OPEN, Finding, exact, statistical
from model.clinics._shared.gradient_by_distance import gradient_by_distance
from model.clinics._shared.reversal_writing import ATTENDING
from model.recurrent.reversal import LETTERS, given_target, random_words, steps_between
from model.recurrent.reversers import NETWORKS, TRAINED, TRUNCATED, TRUNCATIONS, load_reverser

NAMES = tuple(NETWORKS)
BOTTLENECK = (("rnn", "rnn-attention"), ("lstm", "lstm-attention"))
CUT = 4  # steps, where it is tried that truncation changes no number


def of_network(shares: Tensor, name: str) -> Tensor:
    """The part of [training, network, …] that belongs to the network `name`."""
    return shares[:, NAMES.index(name)]


def bottleneck(letters: Tensor) -> list[Finding]:
    """What attention adds where all of the longest trained words has to pass one vector, and at
    twice that length, of which the literature says nothing.
    """
    added = {
        without: of_network(letters, attending) - of_network(letters, without)
        for without, attending in BOTTLENECK
    }
    return [
        statistical(
            f"bottleneck.{without}",
            shares[:, TRAINED - 1].tolist(),
            f"more than 0: with attention more letters of {TRAINED} are right than without",
            (0, None),
            "of the letters",
        )
        for without, shares in added.items()
    ] + [
        statistical(
            f"longer.{without}",
            shares[:, 2 * TRAINED - 1].tolist(),
            f"as measured at {2 * TRAINED} letters",
            OPEN,
            "of the letters",
        )
        for without, shares in added.items()
    ]


def beyond(letters: Tensor) -> list[Finding]:
    """What is left of the share of right letters when the words are twice as long as the longest in
    the training. Only of the Transformer the literature says what to expect.
    """
    expected = {
        "transformer": (
            "at most 0.5: with absolute positions a Transformer does not go beyond the lengths it"
            " has seen (Kazemnejad et al. 2023)",
            (None, 0.5),
        )
    }
    measured = f"as measured: the share at {2 * TRAINED} letters over that at {TRAINED}"
    longer, trained = letters[..., 2 * TRAINED - 1], letters[..., TRAINED - 1]
    return [
        statistical(
            f"beyond.{name}",
            of_network(longer / trained, name).tolist(),
            *expected.get(name, (measured, OPEN)),
        )
        for name in NAMES
    ]


def factor(gradients: Tensor) -> Tensor:
    """The factor per step by which a gradient […, distance] changes from the step before the last
    to the farthest.
    """
    return (gradients[..., -1] / gradients[..., 1]) ** (1 / (gradients.shape[-1] - 2))


def vanishing(trained: Tensor, initial: Tensor) -> list[Finding]:
    """How gradients [seed, network, distance] change from step to step in recurrent networks, and
    from letter to letter of the source in those that attend.
    """
    rnn, lstm = (factor(of_network(initial, name)) for name in ("rnn", "lstm"))
    n = initial.shape[-1] // 2
    halves = {
        name: of_network(initial, name)[:, n:].tensor_split((n // 2,), dim=-1) for name in ATTENDING
    }
    return [
        statistical(
            "factor.rnn",
            rnn.tolist(),
            "at most 1: the matrix is orthogonal, and no slope of tanh is above 1",
            (None, 1),
            "a step",
        ),
        statistical(
            "factor.lstm",
            (lstm - rnn).tolist(),
            "more than 0: gates keep more of a gradient than the RNN does",
            (0, None),
            "a step",
        ),
        *(
            statistical(
                f"factor.{name}.trained",
                factor(of_network(trained, name)).tolist(),
                "about 1: a network that has learned the task has learned to pass gradients",
                (0.9, 1.1),
                "a step",
            )
            for name in ("rnn", "lstm")
        ),
        *(
            statistical(
                f"far_over_near.{name}",
                (far.mean(-1) / near.mean(-1)).tolist(),
                "about 1: attention is one step from every letter",
                (0.5, 2),
            )
            for name, (near, far) in halves.items()
        ),
    ]


def behind_the_cut(truncated: Tensor) -> list[Finding]:
    """Letters [training, truncation, letter] that were read at least as many steps before they are
    written as a gradient passes: how many are right all the same, and what the cut costs.
    """
    gaps, whole = torch.tensor(steps_between(TRAINED)), truncated[:, -1]
    findings = []
    for number, steps in enumerate(TRUNCATIONS):
        far = gaps >= steps
        right = truncated[:, number, far].mean(-1)
        findings += [
            statistical(
                f"behind_cut.{steps}",
                right.tolist(),
                f"as measured; chance is 1/{LETTERS}. They get no gradient of their own, but share"
                " the weights of nearer letters",
                OPEN,
                "of the letters",
            ),
            statistical(
                f"cost_of_cut.{steps}",
                (right - whole[:, far].mean(-1)).tolist(),
                "less than 0: with the whole gradient more of these letters are right",
                (None, 0),
                "of the letters",
            ),
        ]
    return findings


def identities(word: Tensor, alignment: Tensor) -> list[Finding]:
    """Each row of weights sums to 1; truncation changes gradients and no number."""
    network, target = load_reverser(TRUNCATED, 0), given_target(word)
    with torch.no_grad():
        whole, cut = network(word, target), network(word, target, truncation=CUT)
    words = random_words(1, TRAINED, torch.Generator().manual_seed(0))
    by_distance = gradient_by_distance(network, words, CUT)
    since_the_cut = (len(by_distance) - 1) % CUT
    return [
        exact(
            "rows",
            alignment.sum(-1).sub(1).abs().max(),
            "0: the weights of a step sum to 1",
            (0, 1e-5),
        ),
        exact("cut", (whole - cut).abs().max(), "0: truncation changes no number", (0, 0)),
        exact(
            "gradient_behind_cut",
            by_distance[since_the_cut + 1 :].max(),
            "0: no gradient passes the last cut",
            (0, 0),
        ),
    ]
