"""What /gradients expects of each number that it measures, in an encoder and in a decoder."""

from model.answers.laws import Band, Law, by_name, each
from model.layers.choice_names import PLACEMENT_NAMES

NOTHING = "no theorem speaks of it"
ENDS: dict[str, dict[str, tuple[str, Band]]] = {
    "encoder": {
        "post": ("the Post-LN encoder's gradient does not vanish", (0.3, 3)),
        "pre": ("the Pre-LN gradient does not vanish", (0.5, 6)),
        "b2t": ("the gradient of B2T does not vanish", (0.1, 10)),
    },
    "decoder": {
        "post": ("the Post-LN decoder's gradient vanishes", (None, 0.02)),
        "pre": ("the Pre-LN gradient does not vanish", (0.5, 6)),
        "b2t": ("the connection from bottom to top keeps it from vanishing", (0.1, 10)),
    },
}
"""What the papers say of the gradient of the first layer over that of the last, of 18."""
SHALLOWER: dict[str, tuple[str, Band]] = {
    "encoder": ("at 6 layers it does not vanish either", (0.3, 3)),
    "decoder": ("at 6 layers it has begun to vanish", (0.05, 0.3)),
}
COSINES: dict[str, dict[str, tuple[str, Band]]] = {
    "encoder": {
        "post": ("all tokens become nearly one vector", (0.95, None)),
        "pre": ("tokens become more alike", (0.6, 0.9)),
    },
    "decoder": {"post": ("all tokens become nearly one vector", (0.95, None))},
}


def laws_of(stack: str) -> dict[str, Law]:
    """The laws of the gradients of an encoder or of a decoder."""
    return by_name(
        *each(
            PLACEMENT_NAMES,
            Law("slope.{}", "Exponent in the depth, {}", NOTHING),
            {
                "post": ("does not depend on the depth", (-0.15, 0.15)),
                "pre": ("falls about like 1 / sqrt(L)", (-0.6, -0.35)),
            },
        ),
        *each(
            PLACEMENT_NAMES,
            Law("first_over_last.{}", "Weights, first over last layer, {}", NOTHING),
            ENDS[stack],
        ),
        *each(
            PLACEMENT_NAMES,
            Law("first_over_last.residual.{}", "Stream, first over last layer, {}", NOTHING),
            ENDS[stack],
        ),
        Law(
            "first_over_last.post.6",
            "Weights at 6 layers, first over last, Post-LN",
            *SHALLOWER[stack],
        ),
        *each(
            PLACEMENT_NAMES,
            Law("token_cosine.{}", "Cosine of two tokens, {}", NOTHING),
            COSINES[stack],
        ),
    )


LAWS = laws_of("encoder") | by_name(
    Law(
        "token_cosine.bare",
        "Cosine of two tokens, no shortcuts",
        "without the shortcut all tokens become one",
        (0.99, None),
    ),
    Law(
        "equation_5",
        "Wang’s equation 5, norms and sub-layers in turns",
        "Post-LN: the product of (Jacobian of the norm) (1 + Jacobian of the sub-layer)",
        (None, 1e-9),
    ),
    Law(
        "equation_5.printed",
        "Wang’s equation 5 as printed",
        "one product of all norms and one of all sub-layers is not the Jacobian",
        (0.01, None),
    ),
    Law(
        "equation_6",
        "Wang’s equation 6, total derivatives",
        "Pre-LN: 1 + the sum of the total derivatives of the sub-layers by the input",
        (None, 1e-9),
    ),
    Law(
        "equation_6.partial",
        "Wang’s equation 6, partial derivatives",
        "a sum of partial derivatives, each by its own input, is not the Jacobian",
        (0.01, None),
    ),
)
