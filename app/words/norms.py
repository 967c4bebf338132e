"""What the page of /norms says: the claim, what to look for, the number to read off."""

from typing import TYPE_CHECKING

from app.figures import placements
from app.figures.findings import measured
from app.figures.text import number
from app.words.verdicts import Claim, Question

if TYPE_CHECKING:
    from model.answers.answer import Answer

CLAIM = "Post-LN fixes the length, Pre-LN lets it grow"
LOOK_FOR = (
    "One line is flat, at the root of d. The others climb with the root of the depth: Pre-LN "
    "stays between the bounds of Lemma 2."
)


def claim(answer: "Answer", question: Question) -> Claim:
    """The heading, and the findings that say whether it holds."""
    return Claim(CLAIM, ("stream.post", "lemma_2"))


def look_for(answer: "Answer", question: Question) -> str:
    """What to look for in the figures."""
    return LOOK_FOR


def reading(answer: "Answer", question: Question) -> str:
    """The number to read off."""
    lengths = answer.tensors["stream"].data.tolist()
    placement = question["placement"]
    said = (
        f"{placements.NAMES[placement]}: {lengths[0]:.1f} after one sub-layer,"
        f" {number(lengths[-1]) if lengths[-1] >= 1e5 else f'{lengths[-1]:.1f}'} after"
        f" {len(lengths)}"
    )
    if placement == "none":
        return f"{said}."
    return f"{said}; the exponent is {measured(answer, 'stream_exponent'):.2f}."


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
