"""What /padding expects of each number that it measures."""

from model.answers.laws import Law, by_name, each

LAWS = by_name(
    *each(
        {"sdpa": "of SDPA", "multihead": "of MHA", "additive": "with added numbers"},
        Law(
            "{}",
            "Weights {} and of Vitrine, difference",
            "the same weights as ours, up to rounding",
            (0, 1e-5),
        ),
    ),
    Law(
        "mistaken",
        "Weight on the padding, with the mask of the other function",
        "1: with the mask inverted, all weight lies on the padding",
        (1 - 1e-5, 1 + 1e-5),
        "of the weight",
    ),
    Law(
        "with",
        "Change by padding, with the mask",
        "with the mask a padded sentence is the sentence alone, up to rounding",
        (0, 1e-5),
        "of the length",
    ),
    Law(
        "bits",
        "Change by other tokens in the padding",
        "other tokens in the padding change nothing, bit for bit",
        (0, 0),
    ),
    Law(
        "without",
        "Change by padding, without the mask",
        "above 0: without the mask the shortest sentence comes out changed",
        (0.01, None),
        "of the length",
    ),
    Law(
        "first_word",
        "Probability that moves to other first words, without the mask",
        "probability that goes to other first words",
    ),
)
