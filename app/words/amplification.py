"""What the page of /amplification says: the claim, what to look for, the number to read off."""

from typing import TYPE_CHECKING

from app.figures import axes, placements
from app.figures.text import decimals, number
from app.words.verdicts import Claim, Question

if TYPE_CHECKING:
    from model.answers.answer import Answer

CLAIM = "The output moves with the sum of the shares that the sub-layers supply"
LOOK_FOR = (
    "Left, the same small change of the weights moves the output of a deep Post-LN stack farther"
    " than"
    " that of Pre-LN or Admin. Right, each line is divided by the sum of the shares that its"
    " sub-layers supply, its dependencies. Post-LN, Pre-LN and Admin then lie near one grey stripe,"
    " whose upper edge is twice its lower one."
)
DECODER = (
    "Left, the lines of a decoder lie closer together than those of an encoder. Right, each is"
    " divided by the sum of the shares that its sub-layers supply, its dependencies. If the"
    " quotient"
    " were one constant, all lines would lie in the grey stripe."
)


def claim(answer: "Answer", question: Question) -> Claim:
    """The heading, and the findings that say whether it holds."""
    return Claim(CLAIM, ("proportional", "sum_spread"))


def look_for(answer: "Answer", question: Question) -> str:
    """What to look for in the figures."""
    return DECODER if question["stack"] == "decoder" else LOOK_FOR


def reading(answer: "Answer", question: Question) -> str:
    """How far the chosen placement is moved against Pre-LN, and what a sub-layer supplies to it:
    geometric means, as they are drawn.
    """
    names, depths = axes.labels(answer, "placement"), axes.labels(answer, "depth")
    change, share = (answer.tensors[name].data[:, -1].tolist() for name in ("change", "share"))
    chosen, pre = names.index(question["placement"]), names.index("pre")
    name = placements.NAMES[question["placement"]]
    supplied = (
        f"on average each sub-layer supplies {number(share[chosen])} of the variance of the stream"
        " when it has just been added"
    )
    if chosen == pre:
        return f"{name}, {depths[-1]} sub-layers: {supplied}."
    return (
        f"After {depths[-1]} sub-layers the mean square change of the output of {name} is"
        f" {decimals(change[chosen] / change[pre])} times that of Pre-LN; {supplied}."
    )


TITLES = {
    "constant_spread": "C, largest over smallest",
    "proportional": "Exponent of the change in the sum of dependencies",
    "sum_spread": "Sum of dependencies, largest over smallest",
    **{f"slope.{name}": f"Slope of the change, {said}" for name, said in placements.NAMES.items()},
    "post_over_pre": "Change, Post-LN over Pre-LN",
    **{f"share.{name}": f"Mean share, {said}" for name, said in placements.NAMES.items()},
}
