"""Exercises: what the page of a clinic asks before it shows the measurement, and which of the
choices is right. The question names the setting, and the numbers of the answer decide: nobody says
beforehand what is right.
"""

from bisect import bisect_right
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

from app.captions import Question
from app.captions.findings import finding
from app.captions.verdicts import format_finding
from model.labels import label
from model.words import listed, quoted

if TYPE_CHECKING:
    from model.answers.answer import Answer

Decision = tuple[Collection[int | None], str]
"""Every choice that may be right after what was measured, None where it may be none of them, and
sentences that give the numbers.
"""
Steps = tuple[int, ...]
"""For each of several numbers, how many of its bounds are not above it."""


@dataclass(frozen=True)
class Exercise:
    """A question with choices. `decide` says of an answer which choices may be right. `variants`
    are other settings of the page as parts of an address, each with what a link to it says. An
    experiment declares choices and variants by the names of attributes of its message `asks`;
    `captions_of` reads them, and `asks`, the question at a setting.
    """

    choices: Sequence[str]
    decide: "Callable[[Answer, Question], Decision]"
    variants: Mapping[str, str]
    asks: Callable[[Question], str] | None = None

    def sentence(self, question: Question) -> str:
        """The question at a setting."""
        assert self.asks is not None, "`captions_of` reads the question"
        return self.asks(question)

    def solved(self, answer: "Answer", question: Question) -> tuple[int | None, str]:
        """The choice that is right, None where there is none, and the verdict with its reason."""
        possible, numbers = self.decide(answer, question)
        left = [quoted(choice) for i, choice in enumerate(self.choices) if i in possible]
        left += [label("none of these choices")] * (None in possible)
        if len(left) > 1:
            sentence = label("Inconclusive at these settings: possible are {choices}. {numbers}")
            return None, sentence.format(choices=listed(left, "and"), numbers=numbers)
        (right,) = possible
        sentence = label("Correct at these settings: {choice}. {numbers}")
        return right, sentence.format(choice=left[0], numbers=numbers)


def by_findings(
    bounds: Mapping[str, Sequence[float]],
    right: Callable[[Steps], int | None] = lambda steps: steps[0],
) -> "Callable[[Answer, Question], Decision]":
    """Decides by findings: each has ascending bounds, and `right` is the choice for the steps
    between them. The name of a finding may have fields of the question in braces.
    """

    def decide(answer: "Answer", question: Question) -> Decision:
        named = {name.format_map(question): ends for name, ends in bounds.items()}
        reach = [steps_of(answer, name, ends) for name, ends in named.items()]
        numbers = ". ".join(named_number(answer, name) for name in named)
        return {right(steps) for steps in product(*reach)}, f"{numbers}."

    return decide


def steps_of(answer: "Answer", name: str, bounds: Sequence[float]) -> range:
    """The steps between the bounds that a finding may stand on: those that its interval reaches,
    all where one seed alone was measured, which says nothing of others.
    """
    result = finding(answer, name)
    if result.kind == "statistical" and result.interval is None:
        return range(len(bounds) + 1)
    low, high = result.interval or (result.number, result.number)
    return range(bisect_right(bounds, low), bisect_right(bounds, high) + 1)


def named_number(answer: "Answer", name: str) -> str:
    """What a finding is called, and its number with its unit and its interval."""
    result = finding(answer, name)
    no_interval = (
        ", without an interval" if result.kind == "statistical" and not result.interval else ""
    )
    return label("{title}: {measured}").format(
        title=label(result.title or ""), measured=f"{format_finding(result)}{label(no_interval)}"
    )
