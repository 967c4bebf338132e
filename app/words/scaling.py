"""What the page of /scaling says: the claim, what to look for, the number to read off."""

from typing import TYPE_CHECKING

from app.figures.findings import measured
from app.words.verdicts import Claim, Question

if TYPE_CHECKING:
    from model.answers.answer import Answer

CLAIM = "Divide by √dₖ, or one key takes everything"
LOOK_FOR = (
    "Above, the softmax has chosen a key for no reason. Step dₖ down: the bars above soften; "
    "those below stay as soft as they were."
)


def claim(answer: "Answer", question: Question) -> Claim:
    """The heading, and the findings that say whether it holds."""
    return Claim(CLAIM, ("entropy.unscaled", "entropy.scaled"))


def look_for(answer: "Answer", question: Question) -> str:
    """What to look for in the figures."""
    return LOOK_FOR


def reading(answer: "Answer", question: Question) -> str:
    """The number to read off."""
    variance, unscaled, scaled = (
        f"{measured(answer, name):.2f}"
        for name in ("variance_over_d_head", "entropy.unscaled", "entropy.scaled")
    )
    return (
        f"At d = {question['d_head']}, Var(q·k) = {variance} d; entropy {unscaled} unscaled,"
        f" {scaled} scaled."
    )


TITLES = {
    "variance_over_d_head": "Variance of q·k over d",
    "variance_over_law": "Variance over (1 + c²) d",
    "mean_over_sqrt_d_head": "Mean of q·k over √d",
    "entropy.unscaled": "Entropy, unscaled",
    "entropy.scaled": "Entropy, scaled",
    "entropy_slope.unscaled": "Its exponent in d, unscaled",
    "entropy_spread.scaled": "Its range over all d, scaled",
    "jacobian_median.unscaled": "Median gradient, unscaled",
    "jacobian_median.scaled": "Median gradient, scaled",
    "jacobian_mean.unscaled": "Mean gradient, unscaled",
}
