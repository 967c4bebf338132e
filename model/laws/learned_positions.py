"""What /learned-positions expects of each number that it measures."""

from model.laws import Band, Law, by_name, each

NEARLY: Band = (0.98, 1.02)
"""How far perplexities may lie apart that are called nearly identical: 2 %. In Table 3 of the paper
one head in place of eight costs 8 %.
"""

LAWS = by_name(
    Law(
        "learned_over_sinusoidal",
        "Perplexity, learned over sinusoidal",
        "1: nearly identical, as in the paper",
        NEARLY,
    ),
    *each(
        {"sinusoidal": "sinusoidal", "learned": "learned"},
        Law("perplexity.{}", "Perplexity with {} positions", "only measured"),
    ),
)
