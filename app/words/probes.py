"""What the page of /probes says: the claim, what to look for, the number to read off."""

from typing import TYPE_CHECKING

from app.figures.findings import finding, measured
from app.figures.text import number, percent
from app.words.verdicts import Claim, Question

if TYPE_CHECKING:
    from model.answers.answer import Answer

CLAIM = "The residual carries position and token through the layers"
RESTS_ON = ("residual.position", "residual.token", "position.over_word", "cosine.on")
LOOK_FOR = (
    "On the left, a linear map still reads the position of a token after every layer. On the right,"
    " without the residual, it reads the position worse than a guess from the word alone."
)
SELECTIVE = (
    "The lines show how much more often a probe is right than its control. Above the dotted line at"
    " 0 the vectors themselves hold what is read. The token’s line lies at 0 where the probe learns"
    " a random label just as well."
)
ALIKE = (
    "On the left, the tokens of a sentence stay different from each other. On the right, without"
    " the residual, they become nearly the same vector."
)
COLLAPSED = (
    "With twelve Post-LN layers that learned nothing, the tokens of a sentence grow alike with the"
    " residual too, only later than without it."
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
            f"After the last layer the cosine of two tokens of a sentence is {alike} with the"
            f" residual and {collapsed} without it."
        )
    if "selectivity.on" in question["figures"]:
        position, token = (
            percent(measured(answer, name)) for name in ("position.over_word", "selectivity.token")
        )
        return (
            f"After the last layer the accuracy of the probe less that of its control is {position}"
            f" for the position and {token} for the token."
        )
    on, off, word = (
        percent(measured(answer, name))
        for name in ("position.last", "position.last.off", "by_word")
    )
    return (
        f"After the last layer the position is read for {on} of held-out tokens with the residual"
        f" and {off} without it. A guess from the word alone is right for {word}."
    )


TITLES = {
    "position.over_word.embedding": "Position in the embedding, less the guess from the word",
    "position.over_word": "Position after the last layer, less the guess from the word",
    "position.over_word.off": "The same without the residual",
    "residual.position": "Position after the last layer, with the residual less without",
    "residual.token": "Token after the last layer, with the residual less without",
    "selectivity.token": "Token after the last layer, less random labels",
    "position.embedding": "Position in the embedding",
    "position.last": "Position after the last layer",
    "position.last.off": "Position after the last layer, without the residual",
    "by_word": "Position guessed from the word",
    "token.last": "Token after the last layer",
    "token.last.off": "Token after the last layer, without the residual",
    "control.last": "Random labels after the last layer",
    "gap": "Position after the last layer, fitted sentences less held-out ones",
    "cosine.on": "Cosine of two tokens with the residual",
    "cosine.off": "Cosine of two tokens without the residual",
    "cosine.more_without": "Cosine of two tokens, without the residual less with it",
    "direct.on": "Share that comes straight from the position",
    "direct.off": "Shares that come straight from token or position, without the residual",
    "parts": "Shares of token and position in the embedding, together, less 1",
}
