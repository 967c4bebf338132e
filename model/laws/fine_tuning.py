"""What /fine-tuning expects of each number that it measures."""

from model.laws import Law, by_name, each

CLEAR = 0.05
"""Five sentences of a hundred: less is not called a gain."""

LAWS = by_name(
    Law(
        "tuned.over_scratch",
        "Tuned less scratch, most labels",
        "pre-training helps with {labels:,} labels",
        (CLEAR, None),
        "of the sentences",
    ),
    Law(
        "tuned.over_frozen",
        "Tuned less frozen, most labels",
        "the encoder's own weights have to change, with {labels:,} labels",
        (CLEAR, None),
        "of the sentences",
    ),
    Law(
        "tuned.over_scratch.few",
        "Tuned less scratch, fewest labels",
        "pre-training helps with {labels} labels",
        (CLEAR, None),
        "of the sentences",
    ),
    *each(
        {"frozen": "Frozen", "tuned": "Tuned", "scratch": "Scratch"},
        Law(
            "{}.over_chance",
            "{} less a coin, most labels",
            "better than a coin, with {labels:,} labels",
            (CLEAR, None),
            "of the sentences",
        ),
    ),
)
