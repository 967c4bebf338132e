"""What /warmup expects of each number that it measures."""

from model.answers.laws import OPEN, Law, by_name, each
from model.layers.choice_names import PLACEMENT_NAMES

ARMS = {
    **PLACEMENT_NAMES,
    **{f"{name}_warmup": f"{said} with warm-up" for name, said in PLACEMENT_NAMES.items()},
}

LAWS = by_name(
    *each(
        ARMS,
        Law("left.{}", "Share of guessing left, {}", "no paper says how much is left here"),
        {
            "post": (
                "Post-LN at the full rate from the first step stays near guessing",
                (0.5, None),
            ),
            "post_warmup": ("the same network with warm-up learns", (None, 0.2)),
            "pre": ("Pre-LN learns without warm-up", (None, 0.2)),
            "admin": ("Admin learns without warm-up", (None, 0.2)),
            "b2t": ("B2T was made for deep stacks; its paper trains it with warm-up", OPEN),
        },
    ),
    Law(
        "gain",
        "Share that warm-up takes away",
        "share left without warm-up, less the share left with it",
        (0.4, None),
    ),
    Law(
        "equal_training",
        "Difference from the other placement",
        "share left with warm-up, less that of {other} without",
    ),
)
