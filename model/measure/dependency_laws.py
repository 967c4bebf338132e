"""What /dependency expects of each number that it measures."""

from dataclasses import replace

from model.answers.laws import Law, by_name, each
from model.layers.choice_names import PLACEMENT_NAMES

LAWS = by_name(
    Law("mean_dependency", "Mean share, chosen placement"),
    *each(
        PLACEMENT_NAMES,
        Law("mean_dependency.{}", "Mean share, {}", "the paper says nothing of it"),
        {
            "post": ("about a quarter over six layers; it rises with depth", (0.22, 0.29)),
            "pre": ("about an eighth over six layers; it falls with depth", (0.105, 0.14)),
            "admin": ("over six layers as much as in a Pre-LN stack", (0.105, 0.14)),
        },
    ),
    Law(
        "post_over_pre",
        "Mean share, Post-LN over Pre-LN",
        "over six layers, Post-LN depends on its newest sub-layers about twice as much",
        (1.8, 2.6),
    ),
    Law(
        "admin_from_pre",
        "Admin, largest difference from Pre-LN",
        "Admin gives a Post-LN stack the dependencies of a Pre-LN one",
        (None, 0.03),
    ),
    Law(
        "omega",
        "Last ω of Admin",
        "omega of sub-layer {sublayer}, measured with every omega at 1: about 2.1 after"
        " 12 sub-layers",
        (1.9, 2.4),
    ),
    Law(
        "omega.again",
        "Last ω of Admin, measured again",
        "measured again in the finished Admin stack, omega is about the same",
        (1.9, 2.4),
    ),
    Law(
        "independence",
        "Largest difference from uncorrelated sub-layers",
        "close to the shares of sub-layers whose outputs are uncorrelated",
        (None, 0.1),
    ),
)
ELSEWHERE = replace(
    LAWS["post_over_pre"], text="more under Post-LN than under Pre-LN", band=(1, None)
)
"""The law of stacks for which the paper gives no numbers."""
