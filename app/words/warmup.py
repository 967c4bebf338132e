"""What the page of /warmup says: the claim, what to look for, the number to read off."""

from typing import TYPE_CHECKING

from app.figures.findings import measured
from app.figures.text import percent
from app.words.verdicts import Claim, Question

if TYPE_CHECKING:
    from model.answers.answer import Answer

CLAIM = "Warm-up saves Post-LN"
LOOK_FOR = (
    "Two lines are the same Post-LN network: they differ in their first steps alone. Lower the "
    "peak rate until both learn."
)


def claim(answer: "Answer", question: Question) -> Claim:
    """The heading, and the findings that say whether it holds."""
    return Claim(CLAIM, ("left.post", "left.post_warmup"))


def look_for(answer: "Answer", question: Question) -> str:
    """What to look for in the figures."""
    return LOOK_FOR


def reading(answer: "Answer", question: Question) -> str:
    """The number to read off."""
    post, warmed, pre = (
        percent(measured(answer, f"left.{arm}")) for arm in ("post", "post_warmup", "pre")
    )
    return (
        f"After {answer.axes['step'].size} steps, of the cost of guessing: {post} left in Post-LN,"
        f" {warmed} with warm-up, {pre} in Pre-LN."
    )


TITLES = {
    "left.post": "Left of guessing, Post-LN",
    "left.post_warmup": "Left, Post-LN with warm-up",
    "left.pre": "Left, Pre-LN",
    "left.admin": "Left, Admin",
    "gain": "What warm-up alone gains",
}
