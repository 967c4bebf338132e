"""What the page of /gradients says: the claim, what to look for, the number to read off."""

from typing import TYPE_CHECKING

from app.figures.findings import measured
from app.figures.text import weight
from app.words.verdicts import Claim, Question

if TYPE_CHECKING:
    from model.answers.answer import Answer

CLAIM = "Only the Post-LN decoder’s gradient vanishes"
LOOK_FOR = (
    "Right, follow the lines from layer 18 down to 1: one of the four drops by decades. Left, "
    "Post-LN is level and Pre-LN falls."
)


def claim(answer: "Answer", question: Question) -> Claim:
    """The heading, and the findings that say whether it holds."""
    return Claim(CLAIM, ("first_over_last.post",))


def look_for(answer: "Answer", question: Question) -> str:
    """What to look for in the figures."""
    return LOOK_FOR


def reading(answer: "Answer", question: Question) -> str:
    """The number to read off."""
    post, pre = (measured(answer, f"first_over_last.{name}") for name in ("post", "pre"))
    vanished = weight(post, 3) if post < 0.1 else f"{post:.2f}"
    return (
        f"First layer over last, in the {question['stack']}: {vanished} under Post-LN,"
        f" {pre:.1f} under Pre-LN."
    )


TITLES = {
    "slope.post": "Slope in depth, Post-LN",
    "slope.pre": "Slope in depth, Pre-LN",
    "first_over_last.post": "First over last, Post-LN",
    "first_over_last.pre": "First over last, Pre-LN",
    "first_over_last.residual.post": "The same of the stream, Post-LN",
    "first_over_last.residual.pre": "The same of the stream, Pre-LN",
    "first_over_last.post.6": "First over last at 6 layers, Post-LN",
    "token_cosine.post": "Token cosine, Post-LN",
    "token_cosine.pre": "Token cosine, Pre-LN",
    "token_cosine.bare": "Token cosine, no shortcut",
    "equation_5": "Wang’s equation 5, in turns",
    "equation_5.printed": "Equation 5 as printed",
    "equation_6": "Wang’s equation 6",
    "equation_6.partial": "Equation 6, partial derivatives",
}
