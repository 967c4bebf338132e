"""What the page of /norms says: the claim, what to look for, the number to read off."""

from typing import TYPE_CHECKING

from app.figures import placements
from app.figures.findings import finding
from app.figures.text import decimals, number
from app.words.verdicts import Claim, Question

if TYPE_CHECKING:
    from model.answers.answer import Answer

CLAIM = "Post-LN fixes the length, Pre-LN lets it grow"
LOOK_FOR = (
    "Three lines lie flat on one another, at the root of d: Post-LN, Admin and B2T end with a norm."
    " Pre-LN and x + LN(f) climb with the root of the depth."
)
BOUNDS = " Pre-LN stays between the dotted bounds of Lemma 2."
NO_NORM = (
    "Without a norm the length grows by decades. Choose another placement, and compare how long its"
    " vectors are."
)
SCALED = (
    "Each shortcut multiplies the stream by λ = {}, so what the first layers wrote {} as a power of"
    " the depth. Post-LN, Admin and B2T stay flat, because they end with a norm."
)


def claim(answer: "Answer", question: Question) -> Claim:
    """The heading, and the findings that say whether it holds."""
    return Claim(CLAIM, ("stream.post", "lemma_2"))


def look_for(answer: "Answer", question: Question) -> str:
    """What to look for in the figure on the left, as it is drawn."""
    shortcut = question["shortcut"]
    if question["placement"] == "none":
        return NO_NORM
    if shortcut != 1:
        return SCALED.format(f"{shortcut:g}", "fades" if shortcut < 1 else "grows")
    return LOOK_FOR + (BOUNDS if question["placement"] == "pre" else "")


def reading(answer: "Answer", question: Question) -> str:
    """The length of the chosen stream at its ends, as it is drawn, and its exponent where it has
    one.
    """
    lengths = answer.tensors["stream"].data.tolist()
    placement = question["placement"]
    where = "Without a norm" if placement == "none" else f"Under {placements.NAMES[placement]}"
    said = (
        f"{where}, a token’s vector is {number(lengths[0])} long"
        f" after one sub-layer and {number(lengths[-1])} after {len(lengths)}."
    )
    exponent = finding(answer, "stream_exponent")
    if exponent.verdict == "not applicable":
        return said
    return f"{said} The length grows with the depth to the power {decimals(exponent.number)}."


TITLES = {
    "stream_exponent": "Exponent of the length",
    "lemma_2": "Lemma 2, nearest bound",
    "lemma_2.post": "Lemma 2, Post-LN before its norm",
    "stream.post": "Post-LN, farthest from √d",
    "stream.branch": "x + LN(f), farthest from √((n + 1) d)",
    "jacobian_times_sigma": "|J|₂ σ",
    "jacobian_rank": "Rank of the Jacobian",
    "y_dot_ones": "y · 1",
    "y_dot_y": "y · y",
    "path.0.9": "0.9 forty-eight times",
    "path.1.1": "1.1 forty-eight times",
    "leak.layer": "Leak, LayerNorm",
    "leak.batch": "Leak, BatchNorm",
    "leak.instance": "Leak, InstanceNorm",
}
