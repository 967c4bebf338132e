"""What the page of /scaling says: the claim, what to look for, the number to read off."""

from typing import TYPE_CHECKING

from app.figures.findings import measured
from app.figures.text import decimals, weight
from app.words.verdicts import Claim, Question

if TYPE_CHECKING:
    from model.answers.answer import Answer

CLAIM = "Without division by √dₖ, one key takes nearly all the weight"
LOOK_FOR = (
    "The upper bars are the softmax weights of the scores q·k, the lower bars those of the scores"
    " divided by √dₖ. The keys are random, so none deserves more weight than another. Lower dₖ: the"
    " upper bars become more equal, and the lower bars stay about as equal as they are."
)
RELATED = (
    "Key 1 is correlated with the query. Its score grows like dₖ, the others only like √dₖ, so"
    " key 1"
    " takes nearly all the weight when dₖ is large, even after the division by √dₖ."
)
NARROW = (
    "With few components the scores are small, so the division by √dₖ changes little. Raise dₖ: one"
    " upper bar takes nearly all the weight, and the lower bars stay nearly equal."
)


def claim(answer: "Answer", question: Question) -> Claim:
    """The heading, and the findings that say whether it holds."""
    return Claim(CLAIM, ("entropy.unscaled", "entropy.scaled"))


def look_for(answer: "Answer", question: Question) -> str:
    """What to look for in the bars, as they are drawn."""
    if question["correlation"]:
        return RELATED
    return LOOK_FOR if question["d_head"] >= 16 else NARROW


def reading(answer: "Answer", question: Question) -> str:
    """The largest weight of the query that is drawn, and what many queries say."""
    unscaled, scaled = answer.tensors["pattern"].data.amax(-1).tolist()
    before, after = (
        decimals(measured(answer, f"entropy.{name}")) for name in ("unscaled", "scaled")
    )
    return (
        f"With dₖ = {question['d_head']}, the largest of {question['keys']} weights is"
        f" {weight(unscaled)} unscaled and {weight(scaled)} scaled. On average over many"
        f" queries, the entropy of the unscaled weights is {before} of its largest value,"
        f" ln {question['keys']}, and that of the scaled weights is {after}."
    )


TITLES = {
    "variance_over_d_head": "Variance of q·k over d",
    "variance_over_law": "Variance over (1 + c²) d",
    "mean_over_sqrt_d_head": "Mean of q·k over √d",
    "entropy.unscaled": "Entropy, unscaled",
    "entropy.scaled": "Entropy, scaled",
    "entropy_slope.unscaled": "Exponent of the entropy in d, unscaled",
    "entropy_spread.scaled": "Range of the entropy over d, scaled",
    "jacobian_median.unscaled": "Median gradient, unscaled",
    "jacobian_median.scaled": "Median gradient, scaled",
    "jacobian_mean.unscaled": "Mean gradient, unscaled",
}
