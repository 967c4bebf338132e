"""What the page of /norms says: the claim, what to look for, the number to read off."""

from typing import TYPE_CHECKING

from app.figures import placements
from app.figures.findings import finding
from app.figures.text import decimals, number
from app.words.verdicts import Claim, Question

if TYPE_CHECKING:
    from model.answers.answer import Answer

CLAIM = "Post-LN fixes the length of a token’s vector, Pre-LN lets it grow"
LOOK_FOR = (
    "Left, the lines of Post-LN, Admin and B2T lie flat on one another at √d, because each of their"
    " sub-layers ends with a norm. Pre-LN and x + LN(f) grow about like the root of the depth."
)
NO_NORM = (
    "Left, without a norm the length grows by many powers of ten. Choose another placement, and"
    " compare how long its vectors are."
)
SCALED = (
    "Each shortcut multiplies the stream by λ = {}, so what the first sub-layers wrote {} as a"
    " power of the depth. Post-LN, Admin and B2T stay flat, because they end with a norm."
)
SINGULAR = (
    "Right, each singular value says how much the norm stretches a small change of a token in one"
    " direction. Times σ it is 1, except {}."
)
LOST = {
    True: "for two directions that are lost: along the vector, and all channels alike",
    False: "for one direction that is lost, the one along the vector",
}
LEAK = (
    "Right, each number says how much a token changes when what stands elsewhere is drawn anew."
    " LayerNorm reads one token alone, so its row is 0. BatchNorm and InstanceNorm also average"
    " over"
    " other samples or other positions."
)
GROWS = {True: "grows", False: "shrinks"}


def claim(answer: "Answer", question: Question) -> Claim:
    """The heading, and the findings that say whether it holds."""
    return Claim(CLAIM, ("stream.post", "lemma_2"))


def look_for(answer: "Answer", question: Question) -> str:
    """What to look for in the figures, as they are drawn."""
    shortcut, figures = question["shortcut"], question["figures"]
    if "path" not in figures and "singular" in figures:
        return SINGULAR.format(LOST[question["norm"] == "layer"])
    if "path" not in figures and "leak" in figures:
        return LEAK
    if question["placement"] == "none":
        return NO_NORM
    if shortcut != 1:
        return SCALED.format(f"{shortcut:g}", "fades" if shortcut < 1 else "grows")
    return LOOK_FOR


def reading(answer: "Answer", question: Question) -> str:
    """The length of the chosen stream at its ends, as it is drawn, and its exponent where it has
    one.
    """
    lengths = answer.tensors["stream"].data.tolist()
    placement = question["placement"]
    where = "Without a norm" if placement == "none" else f"Under {placements.NAMES[placement]}"
    if question["stack"] == "decoder":
        where = f"In a decoder {where[0].lower()}{where[1:]}"
    said = (
        f"{where}, a token’s vector is {number(lengths[0])} long"
        f" after one sub-layer and {number(lengths[-1])} after {len(lengths)}."
    )
    exponent = finding(answer, "stream_exponent")
    if exponent.verdict == "not applicable":
        return said
    power = decimals(exponent.number)
    if power == "0":
        return f"{said} It does not change with the depth."
    return f"{said} It {GROWS[exponent.number > 0]} like the depth to the power {power}."


TITLES = {
    "stream_exponent": "Exponent of the length",
    "lemma_2": "Lemma 2, Pre-LN and its nearest bound",
    "lemma_2.post": "Lemma 2, Post-LN before its norm",
    "stream.post": "Post-LN, largest difference from √d",
    "stream.branch": "x + LN(f), largest difference from √((n + 1) d)",
    "jacobian_times_sigma": "|J|₂ σ",
    "jacobian_rank": "Rank of the Jacobian",
    "y_dot_ones": "y · 1",
    "y_dot_y": "y · y",
    "path.0.9": "Length after 48 shortcuts, λ = 0.9",
    "path.1.1": "Length after 48 shortcuts, λ = 1.1",
    "leak.layer": "Leak, LayerNorm",
    "leak.batch": "Leak, BatchNorm",
    "leak.instance": "Leak, InstanceNorm",
}
