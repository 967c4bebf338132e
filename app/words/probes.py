"""What the page of /probes says: the claim, what to look for, the number to read off."""

from typing import TYPE_CHECKING

from app.figures.findings import finding, measured
from app.figures.text import number, percent
from app.words.verdicts import Claim, Question

if TYPE_CHECKING:
    from model.answers.answer import Answer

CLAIM = "The residual carries position and token up"
RESTS_ON = ("residual.position", "residual.token", "position.over_word", "cosine.on")
LOOK_FOR = (
    "On the left, a linear map still reads the position of a token after every layer. On the right,"
    " without the residual, it reads less of the position than the word alone gives away."
)
SELECTIVE = (
    "The lines show what a probe reads beyond its control. Above the dotted line at 0 the vectors"
    " themselves hold it; the token’s line lies at 0 where a random label is learned as well."
)
ALIKE = (
    "On the left, the tokens of a sentence stay different from each other. On the right, without"
    " the residual, they grow alike."
)
COLLAPSED = (
    "With twelve Post-LN layers that learned nothing, the tokens of a sentence grow alike with the"
    " residual too, only later than without it. What is read at the end is less than the word alone"
    " gives away."
)


def claim(answer: "Answer", question: Question) -> Claim:
    """The heading, and the findings that say whether it holds."""
    return Claim(CLAIM, RESTS_ON)


def look_for(answer: "Answer", question: Question) -> str:
    """What to look for in the figures: in those of the stack that collapses, that it does."""
    if finding(answer, "cosine.on").verdict == "fails":
        return COLLAPSED
    if "selectivity.on" in question["figures"]:
        return SELECTIVE
    return ALIKE if "stream.on" in question["figures"] else LOOK_FOR


def reading(answer: "Answer", question: Question) -> str:
    """The number to read off: of what probes read, beyond their controls, or of the stream."""
    if "stream.on" in question["figures"]:
        alike, collapsed = (number(measured(answer, f"cosine.{name}")) for name in ("on", "off"))
        return (
            f"Two tokens of a sentence at the end: cosine {alike} with the residual, {collapsed}"
            " without."
        )
    if "selectivity.on" in question["figures"]:
        position, token = (
            percent(measured(answer, name)) for name in ("position.over_word", "selectivity.token")
        )
        return (
            f"At the end the position is read for {position} of the held-out tokens beyond what the"
            f" word gives away, and the token for {token} beyond a random label."
        )
    on, off, word = (
        percent(measured(answer, name))
        for name in ("position.last", "position.last.off", "by_word")
    )
    return (
        f"At the end the position is read for {on} of held-out tokens with the residual and {off}"
        f" without. The word alone gives away {word}."
    )


TITLES = {
    "position.over_word.embedding": "Position in the embedding, beyond the word",
    "position.over_word": "Position at the end, beyond the word",
    "position.over_word.off": "The same without residual",
    "residual.position": "Position at the end, lost without residual",
    "residual.token": "Token at the end, lost without residual",
    "selectivity.token": "Token at the end, beyond the control",
    "position.embedding": "Position in the embedding, held out",
    "position.last": "Position at the end, held out",
    "position.last.off": "Position at the end without residual",
    "by_word": "Position guessed from the word",
    "token.last": "Token at the end, held out",
    "token.last.off": "Token at the end without residual",
    "control.last": "Control at the end, held out",
    "gap": "Position at the end, fitted less held out",
    "cosine.on": "Cosine of two tokens, with residual",
    "cosine.off": "Cosine of two tokens, without residual",
    "cosine.more_without": "Cosine, without less with residual",
    "direct.on": "Position's direct path at the end",
    "direct.off": "Direct paths without residual",
    "parts": "Parts of the embedding, less 1",
}
