"""What the page of /warmup says: the claim, what to look for, the number to read off."""

from typing import TYPE_CHECKING

from app.figures import axes, placements
from app.figures.findings import finding
from app.figures.text import percent
from app.words.verdicts import Claim, Question

if TYPE_CHECKING:
    from model.answers.answer import Answer

CLAIM = "Warm-up lets Post-LN learn"
MEASURED = "{} with and without warm-up"
LOOK_FOR = (
    "The full and the dashed line of one colour are the same network, with the same first weights"
    " and the same data. They differ only in the learning rate of the first steps."
)
NO_WARMUP = (
    "The warm-up has no steps, so the dashed line lies on the full one: both networks are"
    " trained in"
    " the same way. Choose a warm-up of 20 steps, and compare them."
)
STOPPED = (
    "The warm-up of the dashed line is broken off after step {}, and its rate jumps to that of the"
    " others. Compare its loss with a warm-up that runs to its end."
)
CONSTANT = (
    "The rate stays at its peak after the warm-up. Follow the dashed line to the last step:"
    " its network may fail later than the one of the full line, or learn."
)


def claim(answer: "Answer", question: Question) -> Claim:
    """The heading, and the findings that say whether it holds."""
    placement = question["placement"]
    if placement != "post":
        return Claim(MEASURED.format(placements.NAMES[placement]))
    return Claim(CLAIM, ("left.post_warmup", "gain"))


def look_for(answer: "Answer", question: Question) -> str:
    """What to look for in the figures."""
    if not question["warmup_steps"]:
        return NO_WARMUP
    if question.get("stop") is not None:
        return STOPPED.format(question["stop"])
    return CONSTANT if question["schedule"] == "constant" else LOOK_FOR


def reading(answer: "Answer", question: Question) -> str:
    """The share of the loss of guessing that each network has left after the last step."""
    left = {
        arm: percent(finding(answer, f"left.{arm}").number) for arm in axes.labels(answer, "arm")
    }
    placement = question["placement"]
    pair = (
        f"the loss of {placements.NAMES[placement]} is {left.pop(placement)} of that of guessing"
        f" without warm-up, and {left.pop(f'{placement}_warmup')} with it"
    )
    others = ", ".join(f"{percent_} for {placements.NAMES[arm]}" for arm, percent_ in left.items())
    return f"After {answer.axes['step'].size} steps, {pair}. Without warm-up it is {others}."


TITLES = {
    **{
        f"left.{name}": f"Share of guessing left, {said}" for name, said in placements.NAMES.items()
    },
    **{
        f"left.{name}_warmup": f"Share of guessing left, {said} with warm-up"
        for name, said in placements.NAMES.items()
    },
    "gain": "Share that warm-up takes away",
    "equal_training": "Difference from the other placement",
}
