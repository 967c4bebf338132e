"""What the page of /dependency says: the claim, what to look for, the number to read off."""

from typing import TYPE_CHECKING

from app.figures import axes, placements
from app.figures.text import percent
from app.words.verdicts import Claim, Question

if TYPE_CHECKING:
    from model.answers.answer import Answer

CLAIM = "The newest sub-layer supplies more of a Post-LN stream than of a Pre-LN stream"
LOOK_FOR = (
    "Left, each row is the stream after one sub-layer, and each cell is the share of its variance"
    " that one sub-layer has written. The last cell of a row is the newest sub-layer’s. Down the"
    " rows, it stays bright under Post-LN and fades under Pre-LN."
)
ZIGZAG = (
    " Right, the line of attention rises: the tokens become alike, and the average of like vectors"
    " is not shorter than they are."
)
RISES = 2  # so many times as large at the last layer as at the first
OTHERS = " Right, each kind of sub-layer has a line for the share of the newest."


def claim(answer: "Answer", question: Question) -> Claim:
    """The heading, and the findings that say whether it holds."""
    return Claim(CLAIM, ("post_over_pre",))


def look_for(answer: "Answer", question: Question) -> str:
    """What to look for in the figures."""
    attention = answer.tensors["by_kind"].data[axes.labels(answer, "kind").index("attention")]
    return LOOK_FOR + (ZIGZAG if attention[-1] > RISES * attention[0] else OTHERS)


def reading(answer: "Answer", question: Question) -> str:
    """The mean over all sub-layers, for the placement that was chosen and for Post- and Pre-LN."""
    shares = answer.tensors["dependency.all"].data.mean(-1).tolist()
    of = dict(zip(axes.labels(answer, "placement"), shares, strict=True))
    chosen = question["placement"]
    told = {name: of[name] for name in dict.fromkeys((chosen, "post", "pre"))}
    said = [f"{percent(share)} with {placements.NAMES[name]}" for name, share in told.items()]
    said[0] = (
        f"{percent(of[chosen])} of the variance of the stream of"
        f" {STACKS[question['stack']]} with {placements.NAMES[chosen]}"
    )
    listed = said[0] + "".join(f", {one}" for one in said[1:-1]) + f" and {said[-1]}"
    return f"On average over all sub-layers, the newest one supplies {listed}."


STACKS = {"encoder": "an encoder", "decoder": "a decoder"}
TITLES = {
    "mean_dependency": "Mean share, chosen placement",
    **{f"mean_dependency.{name}": f"Mean share, {said}" for name, said in placements.NAMES.items()},
    "post_over_pre": "Mean share, Post-LN over Pre-LN",
    "admin_from_pre": "Admin, largest difference from Pre-LN",
    "omega": "Last ω of Admin",
    "omega.again": "Last ω of Admin, measured again",
    "independence": "Largest difference from uncorrelated sub-layers",
}
