"""What the page of /padding says: the claim, what to look for, the number to read off."""

from typing import TYPE_CHECKING

from app.figures.findings import measured
from app.figures.padding import hides_every_key
from app.figures.text import number, percent
from app.words.verdicts import Claim, Question

if TYPE_CHECKING:
    from model.answers.answer import Answer

CLAIM = "With its mask, a padded sentence comes out like the sentence alone"
EQUAL = (
    "The first four are equal: True means “takes part” in one"
    " library function and “is hidden” in another, and each was given the mask that it expects. The"
    " fifth map is of a function that was given the mask of the other:"
)
LOOK_FOR = f"All maps show one padded sentence. {EQUAL} all weight lies on the padding."
WITHOUT_PADDING = (
    f"All maps show one sentence, which has no padding. {EQUAL} every key is hidden, so that there"
    " are no weights."
)


def claim(answer: "Answer", question: Question) -> Claim:
    """The heading, and the findings that say whether it holds."""
    return Claim(CLAIM, ("with", "bits"))


def look_for(answer: "Answer", question: Question) -> str:
    """What to look for in the maps and in the bars."""
    return WITHOUT_PADDING if hides_every_key(answer) else LOOK_FOR


def reading(answer: "Answer", question: Question) -> str:
    """How far the shortest sentence is changed without the mask, as it is drawn and on average, and
    with it.
    """
    drawn = answer.tensors["shortest.by_seed"].data[0, 1].item()
    return (
        "Without the mask, padding changes the encoder’s output vectors of the shortest sentence by"
        f" {percent(drawn)} of their length, and over all seeds by"
        f" {percent(measured(answer, 'without'))} on average. With the mask no sentence"
        f" changes by more than {number(measured(answer, 'with'))}, which is rounding."
    )


TITLES = {
    "sdpa": "Weights of SDPA and of Vitrine, difference",
    "multihead": "Weights of MHA and of Vitrine, difference",
    "additive": "Weights with added numbers and of Vitrine, difference",
    "mistaken": "Weight on the padding, with the mask of the other function",
    "with": "Change by padding, with the mask",
    "bits": "Change by other tokens in the padding",
    "without": "Change by padding, without the mask",
    "first_word": "Probability that moves to other first words, without the mask",
}
