"""Recurrence: what came before the Transformer. RNN and LSTM encoder-decoders with and without
Bahdanau's attention, compared with a Transformer of similar size, all trained to spell words
backwards.
"""

import torch
from jaxtyping import Float
from torch import Tensor

from model import progress
from model.answers.answer import Answer, Axis, Labelled, counted, numbered
from model.checks import check_between
from model.measure.gradient_by_distance import gradient_by_distance
from model.measure.initialised_stacks import by_seed, generator, seed_axis
from model.measure.reversal_findings import (
    behind_the_cut,
    beyond,
    bottleneck,
    identities,
    vanishing,
)
from model.measure.reversal_writing import read_word, written_by_all
from model.recurrent.encoder_decoder import RecurrentConfig
from model.recurrent.names import NAMES as TITLES
from model.recurrent.reversal import random_words, steps_between
from model.recurrent.reversers import (
    LONGEST,
    NETWORKS,
    TOKENIZER,
    TRAINED,
    TRAININGS,
    TRUNCATIONS,
    fresh_reverser,
    load_reverser,
    read_record,
)

TEXT = "recurrent"
WORDS, WORDS_SEED = 32, 2**41  # sample for mean gradients, and its seed for trained networks
NAMES = tuple(NETWORKS)
LAW = (
    r"c_i = \sum_j \alpha_{ij} h_j, \; \alpha_{ij} = \operatorname{softmax}_j(e_{ij}), \;"
    r" e_{ij} = v_a^\top \tanh(W_a s_{i-1} + U_a h_j)"
)
SOURCE = (
    "Bahdanau et al. 2015, equations 5 and 6; Hochreiter and Schmidhuber 1997; Sutskever et al."
    " 2014; Bengio et al. 1994; truncation: Williams and Peng 1990"
)

ByDistance = Float[Tensor, "network distance"]


def recurrence(
    *, text: str = TEXT, length: int = TRAINED, training: int = 0, seed: int = 0, seeds: int = 4
) -> Answer:
    """For the word `text`: `written` [network, step], the probability of each letter that a network
    outputs, and `alignment` [map, step, letter], the weights of the networks with attention;
    `writings` has the letters. `training` selects one training of each network.

    Over all trainings: `letters` and `words` [network, length], the fractions that are correct, and
    `truncated` [truncation, gap], the same for the LSTM with truncated gradients, by the number of
    steps between reading and writing a letter; with `.by_training`, those of each training.
    `gradient.trained` and `gradient.initial` [network, distance] are gradients of the last letter
    of random words of `length` letters, the latter in networks sampled for each seed.
    """
    check_between("length", length, 2, LONGEST)
    check_between("training", training, 0, TRAININGS - 1)
    word = read_word(text)
    with progress.part(0, 0.4):
        writing_axes, writing, writings = written_by_all(word, training)
    with progress.part(0.4, 0.7):
        trained = torch.stack([gradients_trained(length, n) for n in progress.trials(TRAININGS)])
    with progress.part(0.7, 1):
        initial = torch.stack(
            [gradients_initial(length, generator(seed, n)) for n in progress.trials(seeds)]
        )
    record = read_record()
    each = {name: record.measured(name) for name in ("letters", "words", "truncated")}
    fields = {
        "law": LAW,
        "source": SOURCE,
        "init": (
            "The five networks have 41,000 to 44,000 parameters; each was trained"
            f" {TRAININGS} times on random words of 1 to {TRAINED} letters. Hidden units:"
            f" {hidden_units()}. Untrained networks have orthogonal recurrent matrices, a"
            " forget-gate bias of 1 and Xavier-uniform matrices elsewhere, drawn anew for each seed"
        ),
        "findings": [
            *bottleneck(each["letters"]),
            *beyond(each["letters"]),
            *vanishing(trained, initial),
            *behind_the_cut(each["truncated"]),
            *identities(word, writing["alignment"].data),
        ],
        "word": [TOKENIZER.label(id) for id in word[0].tolist()],
        "writings": writings,
        "trained_length": TRAINED,
    }
    return Answer(
        "trained",
        writing_axes | axes_of(length, seeds),
        writing | tensors_of(each, trained, initial),
        fields,
    )


def axes_of(length: int, seeds: int) -> dict[str, Axis]:
    """The networks and the axes of comparison: lengths, truncations, and distances in words of
    `length` letters.
    """
    return {
        "network": Axis("step", len(NAMES), list(NAMES)),
        "length": numbered("step", list(range(1, LONGEST + 1)), "letters of the word"),
        "truncation": numbered("step", cut_after(), "steps that a gradient passes"),
        "gap": numbered(
            "step",
            steps_between(TRAINED),
            "steps between reading a letter and writing it",
        ),
        "distance": counted("step", 2 * length, "steps back from the last letter"),
        "training": counted("step", TRAININGS, "training"),
        "seed": seed_axis(seeds),
    }


def tensors_of(
    each: dict[str, Tensor],
    trained: Float[Tensor, "training network distance"],
    initial: Float[Tensor, "seed network distance"],
) -> dict[str, Labelled]:
    """The fractions correct and the gradients, as means, and for each training and each seed.
    `each` holds the fractions of all trainings by name.
    """
    pooled = {
        "letters": Labelled(
            ("network", "length"), each["letters"].mean(0), "share of letters that are right"
        ),
        "words": Labelled(
            ("network", "length"), each["words"].mean(0), "share of words that are right to the end"
        ),
        "truncated": Labelled(
            ("truncation", "gap"), each["truncated"].mean(0), "share of letters that are right"
        ),
        "gradient.trained": Labelled(
            ("network", "distance"), trained.mean(0), "|d logit of the last letter / d e_i|"
        ),
        "gradient.initial": Labelled(
            ("network", "distance"), initial.mean(0), "|d logit of the last letter / d e_i|"
        ),
    }
    by_training = {
        f"{name}.by_training": Labelled(
            ("training", *pooled[name].axes), values, f"{pooled[name].formula}; of each training"
        )
        for name, values in {**each, "gradient.trained": trained}.items()
    }
    return pooled | by_training | by_seed(pooled, {"gradient.initial": initial})


def cut_after() -> list[int]:
    """The truncations, and the whole sequence for no truncation."""
    return [*TRUNCATIONS, 2 * TRAINED + 1]


def hidden_units() -> str:
    """The number of hidden units of the recurrent networks, in words."""
    recurrent = {
        name: config.n_hidden
        for name, config in NETWORKS.items()
        if isinstance(config, RecurrentConfig)
    }
    return ", ".join(f"{n} ({TITLES[name]})" for name, n in recurrent.items())


def gradients_trained(length: int, training: int) -> ByDistance:
    """The gradients of all networks of one training, on the same words for every question."""
    words = random_words(WORDS, length, torch.Generator().manual_seed(WORDS_SEED))
    return torch.stack(
        [
            gradient_by_distance(load_reverser(name, training), words)
            for name in progress.steps(NAMES)
        ]
    )


def gradients_initial(length: int, draws: torch.Generator) -> ByDistance:
    """The gradients of sampled, untrained networks, on sampled words."""
    words = random_words(WORDS, length, draws)
    return torch.stack(
        [gradient_by_distance(fresh_reverser(name, draws), words) for name in progress.steps(NAMES)]
    )
