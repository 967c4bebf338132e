"""What /circuits-theory expects of each number that it measures, of a pair of heads that has been
constructed, drawn at random or trained. The heads are `one` and `two`.
"""

from dataclasses import replace

from model.laws import Band, Law, by_name

ZERO: Band = (0, 1e-10)
MOST: Band = (0.5, None)
"""More than half of a logit or of a score."""
MORE_THAN_RANDOM = 1.15
"""Times the composition of random pairs: their pairs lie within 15 % of their mean."""
OVER_BASELINE: dict[str, tuple[str, Band]] = {
    "constructed": ("√(d_model/d_head) = 2", (1.9, 2.1)),
    "random": ("1: as large as for a random pair", (0.85, MORE_THAN_RANDOM)),
    "trained": ("clearly above 1: larger than for random pairs", (MORE_THAN_RANDOM, None)),
}
"""What the composition of the pair through keys is, divided by that of random pairs."""
CHANCE = 1 / 15  # letters


LAWS = by_name(
    Law(
        "out_error",
        "Difference between the 25 paths and the forward pass",
        "the 25 paths add up to the forward pass",
        ZERO,
    ),
    Law(
        "score_error",
        "Difference between the 25 terms and the score",
        "the 25 terms add up to the score of {two}",
        ZERO,
    ),
    Law("baseline", "Virtual weights of random pairs", "1/√d_model = 0.125", (0.12, 0.13)),
    Law(
        "composition.k",
        "Virtual weights of the pair, by keys",
        "1/√d_head = 0.25",
        (0.25 - 1e-10, 0.25 + 1e-10),
    ),
    Law(
        "composition.q_and_v",
        "Virtual weights of the pair, by queries or values",
        "0: {two} reads {one} through its keys alone",
        ZERO,
    ),
    Law(
        "over_baseline",
        "Virtual weights of the pair by keys, over random pairs",
        *OVER_BASELINE["constructed"],
    ),
    Law(
        "share.logit",
        "Logit through the second head alone",
        "more than half comes through {two} alone",
        MOST,
    ),
    Law(
        "share.layer_2",
        "Logit through layer 2 alone",
        "more than half comes through one head of layer 2 alone",
        MOST,
    ),
    Law(
        "share.score",
        "Score with the key through the first head",
        "more than half comes from keys through {one}",
        MOST,
    ),
    Law(
        "share.frozen",
        "Logit through the first head",
        "0: with the patterns held fixed, {one} adds nothing",
        (-0.1, 0.1),
    ),
    Law(
        "accuracy",
        "Accuracy in the repetition",
        "1: every letter of the repetition is predicted",
        (0.98, None),
    ),
    Law(
        "ablated.1.0",
        "Accuracy without the first head",
        "without {one} the network predicts little",
        (None, 2 * CHANCE),
    ),
    Law(
        "ablated.2.0",
        "Accuracy without the second head",
        "without {two} the network predicts little",
        (None, 2 * CHANCE),
    ),
    Law(
        "ablated.other",
        "Accuracy without any one other head",
        "no other head is needed",
        (0.98, None),
    ),
)


def of_weights(weights: str) -> dict[str, Law]:
    """What is expected of a network with such weights. What the constructed one has by design is
    exact; of the others the same is asked as far as it can be asked.
    """
    text, band = OVER_BASELINE[weights]
    over_baseline = replace(LAWS["over_baseline"], text=text, band=band)
    right: Band = (0.9, None) if weights == "trained" else (0.98, None)
    lost: Band = (None, 2 * CHANCE) if weights == "constructed" else (None, 0.5)
    bands = {"accuracy": right, "ablated.1.0": lost, "ablated.2.0": lost, "ablated.other": right}
    judged = [replace(LAWS[name], band=band) for name, band in bands.items()]
    return LAWS | by_name(over_baseline, *judged)
