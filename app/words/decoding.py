"""What the page of /decoding says: the claim, what to look for, the number to read off."""

from typing import TYPE_CHECKING

from app.figures import axes
from app.figures.findings import measured
from app.figures.text import grouped, percent, weight
from app.words.verdicts import Claim, Question

if TYPE_CHECKING:
    from model.answers.answer import Answer

CLAIM = "The best letter each time is not the best text"
SAMPLING = "What a filter keeps shares the whole probability"
TREE = (
    "Every branch is a letter, and a thick branch is probable. Greedy search takes the thickest"
    " branch each time."
)
TOKENS = (
    "Each bar is the probability of a token that the translator may write first, after temperature"
    " and filter, and each stroke its probability before. The last bar is that of all other tokens"
    " together."
)
GAIN = (
    "Here temperature and filter make the other tokens together more probable, so that a sample is"
    " often one of them."
)
LOSE = "Here temperature and filter make the other tokens together less probable."
ALONE = "Choose two beams, and see whether the second finds a better text."
FOUND = "The beams kept another branch as well, and it leads to the most probable text."
LOOK_FOR = f"{TREE} {ALONE}"
MISSED = "The beams keep other branches as well, and still miss the most probable text."


def claim(answer: "Answer", question: Question) -> Claim:
    """The heading, and the findings that say whether it holds."""
    return (
        Claim(SAMPLING, ("renormalised",))
        if samples(question)
        else Claim(CLAIM, ("greedy_misses",))
    )


def samples(question: Question) -> bool:
    """Whether the page shows sampling; what shows both speaks of search."""
    return "filter" in question["figures"] and "tree" not in question["figures"]


def look_for(answer: "Answer", question: Question) -> str:
    """What to look for in the figure that is shown."""
    if samples(question):
        others = [1 - held(answer, when) for when in ("before", "after")]
        changed = "" if others[0] == others[1] else GAIN if others[1] > others[0] else LOSE
        return f"{TOKENS} {changed}".strip()
    if question["beams"] == 1:
        return LOOK_FOR
    found = answer.fields["beam"][-1][0] == answer.fields["best"]
    return f"{TREE} {FOUND if found else MISSED}"


def reading(answer: "Answer", question: Question) -> str:
    """The numbers to read off: what greedy writes, what the beam finds and the best text; or how
    many tokens can be drawn, and how much the likeliest hold.
    """
    if samples(question):
        return drawable(answer)
    texts = axes.labels(answer, "text")
    probability = answer.tensors["probability"].data

    def said(text: str) -> str:
        return f"{text} ({weight(float(probability[texts.index(text)]), 3)})"

    beams, fields = question["beams"], answer.fields
    found = "" if beams == 1 else f", {beams} beams find {said(fields['beam'][-1][0])}"
    return (
        f"Greedy writes {said(fields['greedy'])}{found}, and the most probable text is"
        f" {said(fields['best'])}. {chain(answer, question)} Greedy misses the best text of"
        f" {percent(measured(answer, 'greedy_misses'))} of random chains."
    )


def drawable(answer: "Answer") -> str:
    """How many tokens can be drawn, and what the likeliest of them hold."""
    kept = int(measured(answer, "kept"))
    left = "Only 1 token" if kept == 1 else f"{grouped(kept)} tokens"
    tokens = len(axes.labels(answer, "token"))
    before, after = (percent(held(answer, when), 1) for when in ("before", "after"))
    return (
        f"{left} can be drawn. The {tokens} likeliest hold {after} of the probability; before"
        f" temperature and filter they hold {before}."
    )


def held(answer: "Answer", when: str) -> float:
    """The probability of the tokens that are shown by name, `before` or `after`."""
    return float(answer.tensors[when].data.double().sum())


def chain(answer: "Answer", question: Question) -> str:
    """How the chain that is shown was found."""
    tried = answer.fields["tried"]
    if question["chain"] == "stated":
        return "This chain was written for the purpose."
    if answer.fields["greedy"] == answer.fields["best"]:
        return f"Greedy missed the best text of none of {tried} random chains."
    return f"This is the first of {tried} random chains on which greedy misses."


TITLES = {
    "greedy_over_best": "Probability of the greedy text over the best",
    "beam_over_best": "Probability of the beams’ text over the best",
    "beam_1_is_greedy": "Chains on which one beam differs from greedy",
    "all_beams_are_exhaustive": "Chains on which all beams differ from the exhaustive search",
    "greedy_misses": "Greedy misses the best text",
    "beam_misses": "The beams miss the best text",
    "misses_saved": "Texts that greedy misses and the beams find, less the reverse",
    "sampling": "Distance of sampled texts from p, over what chance gives",
    "renormalised": "Sum of the probabilities after the filter",
    "kept": "Tokens that can still be drawn",
}
