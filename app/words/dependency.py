"""What the page of /dependency says: the claim, what to look for, the number to read off."""

from typing import TYPE_CHECKING

from app.figures.findings import measured
from app.words.verdicts import Claim, Question

if TYPE_CHECKING:
    from model.answers.answer import Answer

CLAIM = "Post-LN leans on whoever wrote last"
LOOK_FOR = (
    "Go down the diagonals: under Post-LN the newest writer stays bright to the end. Under "
    "Pre-LN it fades, and Admin follows Pre-LN."
)


def claim(answer: "Answer", question: Question) -> Claim:
    """The heading, and the findings that say whether it holds."""
    return Claim(CLAIM, ("post_over_pre",))


def look_for(answer: "Answer", question: Question) -> str:
    """What to look for in the figures."""
    return LOOK_FOR


def reading(answer: "Answer", question: Question) -> str:
    """The number to read off."""
    post, pre = answer.tensors["dependency.all"].data[:2, -1].tolist()
    return (
        f"The last sub-layer wrote {post:.2f} of a Post-LN stream, {pre:.2f} of a Pre-LN one;"
        f" over all, Post is {measured(answer, 'post_over_pre'):.1f} times Pre."
    )


TITLES = {
    "mean_dependency": "Mean dependency",
    "mean_dependency.post": "Mean, Post-LN",
    "mean_dependency.pre": "Mean, Pre-LN",
    "mean_dependency.admin": "Mean, Admin",
    "post_over_pre": "Post over Pre",
    "admin_from_pre": "Admin, farthest from Pre",
    "omega": "Last omega",
    "omega.again": "Last omega, profiled again",
    "independence": "Farthest from the product formula",
}
