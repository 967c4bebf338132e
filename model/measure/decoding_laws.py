"""What /decoding expects of each number that it measures."""

from model.answers.laws import Law, by_name

LAWS = by_name(
    Law(
        "greedy_over_best",
        "Probability of the greedy text over the best",
        "1 where greedy finds the most probable text",
    ),
    Law(
        "beam_over_best",
        "Probability of the beams’ text over the best",
        "1 where the beams find the most probable text",
    ),
    Law(
        "beam_1_is_greedy",
        "Chains on which one beam differs from greedy",
        "no chain in which they differ",
        (0, 0),
        "chains",
    ),
    Law(
        "all_beams_are_exhaustive",
        "Chains on which all beams differ from the exhaustive search",
        "no chain in which V^T beams miss the best text",
        (0, 0),
        "chains",
    ),
    Law(
        "greedy_misses",
        "Greedy misses the best text",
        "greedy misses the best text of some chains",
        (0.001, None),
        "of the chains",
    ),
    Law(
        "beam_misses",
        "The beams miss the best text",
        "the beams miss the best text of some chains",
        unit="of the chains",
    ),
    Law(
        "misses_saved",
        "Texts that greedy misses and the beams find, less the reverse",
        "at least 0: beams miss no more texts than greedy",
        (0, None),
        "of the chains",
    ),
    Law(
        "sampling",
        "Distance of sampled texts from p, over what chance gives",
        "1: as far from p as chance puts it",
        (0.5, 1.5),
    ),
    Law(
        "renormalised",
        "Sum of the probabilities after the filter",
        "what is kept sums to 1",
        (1 - 1e-9, 1 + 1e-9),
    ),
    Law(
        "kept",
        "Tokens that can still be drawn",
        "tokens that can still be drawn",
        (1, None),
        "tokens",
    ),
)
