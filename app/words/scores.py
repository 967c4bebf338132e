"""What the page of /scores says: the claim, what to look for, the number to read off."""

from typing import TYPE_CHECKING

from app.figures.findings import measured
from app.words.verdicts import Claim, Question

if TYPE_CHECKING:
    from model.answers.answer import Answer

CLAIM = "One of six never looks at the keys"
LOOK_FOR = (
    "Right, one bar is missing: location scores a place, not what stands there. Left, dot is "
    "almost hard and cosine almost flat; T moves both."
)

NAMES = {
    "dot": "dot",
    "scaled_dot": "scaled dot",
    "general": "general",
    "additive": "additive",
    "cosine": "cosine",
    "location": "location",
}


def claim(answer: "Answer", question: Question) -> Claim:
    """The heading, and the findings that say whether it holds."""
    return Claim(CLAIM, ("reach.location",))


def look_for(answer: "Answer", question: Question) -> str:
    """What to look for in the figures."""
    return LOOK_FOR


def reading(answer: "Answer", question: Question) -> str:
    """The number to read off."""
    shown = ("dot", "scaled_dot", "cosine", "location")
    said = ", ".join(f"{NAMES[name]} {measured(answer, 'reach.' + name):.2f}" for name in shown)
    return f"Gradient to the keys: {said}."


TITLES = {
    "general_is_dot": "General with W = I, less dot",
    "scaled_is_temperature": "Scaled, less dot at T √d",
    "cosine_largest": "Cosine, largest weight",
    "cosine_bound": "The bound, less where it is reached",
    **{f"reach.{name}": f"Gradient, {said}" for name, said in NAMES.items()},
    "hard_reach": "Gradient of hard choices",
    "soft_reach": "Gradient of soft choices",
    "local_outside": "Weight outside the window",
    "cold_is_arg_max": "Cold softmax, less the best value",
    "sampling_over_law": "Error of draws over its law",
    "sampling_slope": "Its exponent in the draws",
}
