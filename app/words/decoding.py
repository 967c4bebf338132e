"""What the page of /decoding says: the claim, what to look for, the number to read off."""

from typing import TYPE_CHECKING

from app.figures import axes
from app.figures.findings import measured
from app.figures.text import percent, weight
from app.words.verdicts import Claim, Question

if TYPE_CHECKING:
    from model.answers.answer import Answer

CLAIM = "The best letter each time is not the best text"
LOOK_FOR = (
    "Left, greedy takes the thick branch and ends thin. One more beam keeps the other branch "
    "long enough to win."
)


def claim(answer: "Answer", question: Question) -> Claim:
    """The heading, and the findings that say whether it holds."""
    return Claim(CLAIM, ("greedy_misses",))


def look_for(answer: "Answer", question: Question) -> str:
    """What to look for in the figures."""
    return LOOK_FOR


def reading(answer: "Answer", question: Question) -> str:
    """The number to read off: what greedy writes, what the beam finds, and the best text."""
    texts = axes.labels(answer, "text")
    probability = answer.tensors["probability"].data

    def said(text: str) -> str:
        return f"{text}, {weight(float(probability[texts.index(text)]), 3)}"

    beams, fields = question["beams"], answer.fields
    found = "" if beams == 1 else f"; {beams} beams find {said(fields['beam'][-1][0])}"
    return (
        f"Greedy writes {said(fields['greedy'])}{found}; the best text is {said(fields['best'])}."
        f" Of drawn chains greedy misses {percent(measured(answer, 'greedy_misses'))}."
    )


TITLES = {
    "greedy_over_best": "Probability of the greedy text over the best",
    "beam_over_best": "Probability of the beam's text over the best",
    "beam_1_is_greedy": "One beam differs from greedy",
    "all_beams_are_exhaustive": "All beams differ from the exhaustive search",
    "greedy_misses": "Greedy misses the best text",
    "beam_misses": "These beams miss the best text",
    "sampling": "Sampled texts: distance from p over chance",
    "renormalised": "Sum after the filter",
    "kept": "Tokens kept",
}
