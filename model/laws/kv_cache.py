"""What /kv-cache expects of each number that it measures."""

from model.laws import Law, by_name

LAWS = by_name(
    Law(
        "logits",
        "Logits with and without, largest difference",
        "the same logits with the cache and without it, up to rounding",
        (0, 1e-3),
        "logits",
    ),
    Law(
        "choices",
        "Texts with another next token",
        "the same next token at every step",
        (0, 0),
        "texts differ",
    ),
    Law(
        "counted",
        "Multiplications: counted minus formula",
        "projections, scores, sums, feed-forward and unembedding are all that is multiplied",
        (0, 0),
        "multiplications",
    ),
    Law(
        "bytes",
        "Bytes: measured minus formula",
        "2 × layers × d_model × tokens × 4 bytes",
        (0, 0),
        "bytes",
    ),
    Law(
        "saved",
        "Multiplications of the whole text: without the cache divided by with it",
        "without the cache over with it",
        unit="times",
    ),
    Law(
        "last_step",
        "Multiplications of the last step: without the cache divided by with it",
        "at the last step",
        unit="times",
    ),
)
