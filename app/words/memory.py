"""What the page of /memory says: the claim, what to look for, the number to read off."""

from typing import TYPE_CHECKING

from app.figures import axes
from app.figures.findings import measured
from app.figures.text import number, percent, visible
from app.words.verdicts import Claim, Question

if TYPE_CHECKING:
    from model.answers.answer import Answer

CLAIM = "The feed-forward is a memory"
LOOK_FOR = (
    "Each row is one key: the token at which it fires strongest, after those before it, and the"
    " words that its value pushes up. Some of them continue the text."
)


def claim(answer: "Answer", question: Question) -> Claim:
    """The heading, and the findings that say whether it holds."""
    return Claim(CLAIM, ("sum_of_values",))


def look_for(answer: "Answer", question: Question) -> str:
    """What to look for in the figures."""
    return LOOK_FOR


def reading(answer: "Answer", question: Question) -> str:
    """The number to read off: of what is shown beside the keys."""
    if "recurrence" in question["figures"]:
        bits = answer.tensors["bits"].data
        return (
            f"Remembering nothing this text costs {bits[0]:.2f} bits a character, at best"
            f" {bits.min():.2f}. Of text held out memory saves {number(measured(answer, 'saved'))}."
        )
    if "slots" in question["figures"]:
        return (
            f"{question['slots']} slots take {percent(measured(answer, 'slot_weight'))} of the"
            " attention; each row still sums to 1."
        )
    chosen = answer.fields["chosen"]
    words = ", ".join(f"« {visible(word)} »" for word in axes.labels(answer, "word")[:3])
    return (
        f"Key {chosen['neuron']} fires up to {chosen['firing']:.2f} and writes {words}. At a token"
        f" {percent(measured(answer, 'fires'), 1)} of the keys fire."
    )


TITLES = {
    "sum_of_values": "FFN less the sum of its values",
    "other_tokens": "Change when all other tokens do",
    "other_tokens_in_attention": "The same in attention",
    "fires": "Keys that fire at a token",
    "fires_fresh": "The same, nothing learned",
    "agreement": "Values that name the fitting word",
    "agreement_shuffled": "The same by chance",
    "saved": "What memory saves of text held out",
    "cached": "All remembered, against the whole text at once",
    "reach": "How far a segment reaches back",
    "slots_sum": "Rows over tokens and slots, less 1",
    "no_slots": "No slots against plain attention",
    "slot_weight": "Weight on the slots",
}
