"""What the page of /dependency says: the claim, what to look for, the number to read off."""

from typing import TYPE_CHECKING

from app.figures import axes, placements
from app.figures.text import percent
from app.words.verdicts import Claim, Question

if TYPE_CHECKING:
    from model.answers.answer import Answer

CLAIM = "A Post-LN stack depends more on its newest sub-layer than a Pre-LN stack"
LOOK_FOR = (
    "Left, each row is the stream after one sub-layer, and each cell the share of its variance that"
    " one earlier sub-layer has written. The last cells of the rows stay bright under Post-LN and"
    " fade under Pre-LN."
)
ZIGZAG = (
    " Right, the line of attention rises, because the tokens of a deep stack become alike and"
    " averaging them no longer makes its output smaller."
)
OTHERS = " Right, each kind of sub-layer has a line."


def claim(answer: "Answer", question: Question) -> Claim:
    """The heading, and the findings that say whether it holds."""
    return Claim(CLAIM, ("post_over_pre",))


def look_for(answer: "Answer", question: Question) -> str:
    """What to look for in the figures."""
    return LOOK_FOR + (ZIGZAG if question["placement"] in ("post", "b2t") else OTHERS)


def reading(answer: "Answer", question: Question) -> str:
    """The mean over all sub-layers, for the placement that was chosen and for Post- and Pre-LN."""
    shares = answer.tensors["dependency.all"].data.mean(-1).tolist()
    of = dict(zip(axes.labels(answer, "placement"), shares, strict=True))
    chosen = question["placement"]
    told = {name: of[name] for name in dict.fromkeys((chosen, "post", "pre"))}
    said = [f"{percent(share)} of a {placements.NAMES[name]} one" for name, share in told.items()]
    said[0] = (
        f"{percent(of[chosen])} of the variance of a {question['stack']}’s stream with"
        f" {placements.NAMES[chosen]}"
    )
    listed = said[0] + "".join(f", {one}" for one in said[1:-1]) + f" and {said[-1]}"
    return f"On average over all sub-layers, the newest one supplies {listed}."


TITLES = {
    "mean_dependency": "Mean share, chosen placement",
    **{f"mean_dependency.{name}": f"Mean share, {said}" for name, said in placements.NAMES.items()},
    "post_over_pre": "Mean share, Post-LN over Pre-LN",
    "admin_from_pre": "Admin, farthest from Pre-LN",
    "omega": "Last ω of Admin",
    "omega.again": "Last ω, profiled again",
    "independence": "Farthest from uncorrelated writers",
}
