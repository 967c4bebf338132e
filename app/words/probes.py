"""What the page of /probes says: the claim, what to look for, the number to read off."""

from typing import TYPE_CHECKING

from app.figures.findings import measured
from app.figures.text import number, percent
from app.words.verdicts import Claim, Question

if TYPE_CHECKING:
    from model.answers.answer import Answer

CLAIM = "The residual carries position and token up"
LOOK_FOR = (
    "Left, held-out position and token after each layer. Right, without the residual: the "
    "tokens of a sentence grow alike, and little can be read."
)


def claim(answer: "Answer", question: Question) -> Claim:
    """The heading, and the findings that say whether it holds."""
    return Claim(CLAIM, ("position.last.off", "token.last.off"))


def look_for(answer: "Answer", question: Question) -> str:
    """What to look for in the figures."""
    return LOOK_FOR


def reading(answer: "Answer", question: Question) -> str:
    """The number to read off: of what probes read, or of the stream."""
    if "stream.on" in question["figures"]:
        alike, collapsed = (number(measured(answer, f"cosine.{name}")) for name in ("on", "off"))
        return (
            f"Two tokens of a sentence at the end: cosine {alike} with the residual, {collapsed}"
            " without."
        )
    on, off = (percent(measured(answer, f"position.last{name}")) for name in ("", ".off"))
    return (
        f"At the end the position is read for {on} of held-out tokens with the residual, {off}"
        " without."
    )


TITLES = {
    "position.embedding": "Position in the embedding, held out",
    "position.last": "Position at the end, held out",
    "position.last.off": "The same without residual",
    "by_word": "Position guessed from the word",
    "token.last": "Token at the end, held out",
    "token.last.off": "The same without residual",
    "control.last": "Control at the end, held out",
    "gap": "Position at the end, fitted less held out",
    "cosine.on": "Cosine of two tokens, with residual",
    "cosine.off": "The same without residual",
    "direct.on": "Position's direct path at the end",
    "direct.off": "Direct paths without residual",
    "parts": "Parts of the embedding, less 1",
}
