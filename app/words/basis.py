"""What the page of /basis says: the claim, what to look for, the number to read off."""

from typing import TYPE_CHECKING

from app.figures.findings import finding
from app.figures.text import number
from app.words.verdicts import Claim, Question

if TYPE_CHECKING:
    from model.answers.answer import Answer

CLAIM = "No channel of the residual stream is special"
LOOK_FOR = (
    "On the left each row is the vector of one token, with a colour for each channel. On the right"
    " are the probabilities of the next token. Move the angle: every channel changes, and no"
    " probability does."
)
THEN = {
    "any": " Then choose LayerNorm, and the probabilities move too.",
    "fixing-ones": " Then choose LayerNorm and any rotation, and the probabilities move too.",
}
LOGITS = (
    "Each point on the right is one logit, before the rotation (across) and after it (up). On the"
    " diagonal, the two are equal. Move the angle, and compare the points with the diagonal."
)
HIDDEN = (
    "Each point on the right is one logit, before and after the hidden units of the feed-forward"
    " are"
    " rotated by random rotations. The points leave the diagonal, because ReLU acts on each unit"
    " alone."
)
CHANGED = {
    "gains": "Here it does not hold that no channel is special: each gain belongs to a channel",
    "layer": "Here it does not hold that all directions are alike: LayerNorm singles one out",
}
LOOK_FOR_CHANGE = (
    "Move the angle: the channels on the left change, and now the probabilities on the right change"
    " as well. {} Then the probabilities stand still."
)
REMEDY = {
    "gains": "Fold the gains into the matrices after the norms, with RMSNorm.",
    "layer": "Choose the rotation that keeps the direction 1, 1, …, 1.",
}
STILL = {
    0: "An angle of 0° rotates nothing. Move the angle, and watch the two figures.",
    180: (
        "At 180° every vector x becomes −x. A norm turns −x into −norm(x), so nothing that is read"
        " from the stream changes. Choose 90°, and compare."
    ),
}
ROUNDING = 1e-9


def claim(answer: "Answer", question: Question) -> Claim:
    """The heading, and the findings that say whether it holds."""
    if finding(answer, "logit_change").kind == "exact":
        return Claim(CLAIM, ("logit_change", "stream_less_rotated"))
    return Claim(CHANGED[reason(question)], ("logit_change",))


def reason(question: Question) -> str:
    """What keeps a rotation from passing the norm."""
    return "layer" if question["folded"] else "gains"


def look_for(answer: "Answer", question: Question) -> str:
    """What to look for in the figures."""
    if "probabilities" not in question["figures"]:
        if "hidden" in question["figures"]:
            return HIDDEN
        if "logits" in question["figures"]:
            return LOGITS
    exact = finding(answer, "logit_change").kind == "exact"
    if exact and question["angle"] in STILL:
        return STILL[question["angle"]]
    if exact:
        return LOOK_FOR + THEN[question["rotation"]]
    return LOOK_FOR_CHANGE.format(REMEDY[reason(question)])


def reading(answer: "Answer", question: Question) -> str:
    """The number to read off, of what is rotated in the figure on the right."""
    if "hidden" in question["figures"]:
        moved = number(finding(answer, "hidden_rotation").number)
        return (
            f"A rotation of the hidden units changes a logit by up to {moved}; another order of"
            " them changes none."
        )
    stream, logit = (finding(answer, name).number for name in ("stream_change", "logit_change"))
    logits = (
        "no logit by more than rounding does"
        if logit < ROUNDING
        else f"a logit by up to {number(logit)}"
    )
    return (
        f"The rotation by {question['angle']:g}° moves the stream by {number(stream)} times its"
        f" length and changes {logits}."
    )


TITLES = {
    "logit_change": "Largest change of a logit",
    "stream_change": "Distance the stream moves, over its length",
    "stream_less_rotated": "Difference of the rotated stream from x R",
    "norm_change": "Difference of norm(x R) from norm(x) R",
    "hidden_rotation": "Change of a logit, hidden units rotated",
    "hidden_permutation": "Change of a logit, hidden units reordered",
}
