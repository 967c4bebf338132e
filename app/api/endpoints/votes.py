"""/votes: what a class thinks before it sees the measurement. The counts are kept in this process
until it ends, one list for each page; who voted is kept nowhere.
"""

from typing import Annotated

from annotated_types import Le
from pydantic import Field

from app.api.endpoint import Endpoint
from app.errors import Problem
from app.schema.answers import EchoedAnswer
from app.schema.bounds import Fixed
from app.schema.questions import Name, Question
from app.site.services import Services

MAX_CHOICES = 4


class Votes(Question):
    page: Name = Field(
        description="The word of the page whose question is voted on, for example norms."
    )


class Vote(Votes):
    choice: (
        Annotated[int, Field(ge=0), Fixed(Le(MAX_CHOICES - 1), "a question has at most 4 choices")]
        | None
    ) = Field(
        None,
        description=(
            "The choice, counted from 0, that gets one vote. If it is left out, nothing is"
            " voted for."
        ),
    )
    reset: bool = Field(
        False, description=("Whether the votes that were given before are forgotten first.")
    )


class VotesAnswer(EchoedAnswer):
    votes: list[int] = Field(description="How many votes each choice has.")


def votes(services: Services, question: Question) -> dict:
    """Counts a vote, if there is one, and tells the counts. Only a page has some, so that there are
    no more lists than pages.
    """
    assert isinstance(question, Votes)
    page = question.page
    if page not in services.pages.by_word:
        raise Problem(
            "unknown", f"There is no page {page!r}: give the word of a page, for example norms."
        )
    counts = services.votes.get(page, [0] * MAX_CHOICES)
    if isinstance(question, Vote):
        if question.reset:
            counts = [0] * MAX_CHOICES
        if question.choice is not None:
            counts = [n + (i == question.choice) for i, n in enumerate(counts)]
        services.votes[page] = counts
    return {"votes": counts}


ENDPOINT = Endpoint(
    "votes",
    Votes,
    VotesAnswer,
    "How a class has voted on the question of a page; POST gives a vote",
    "page=norms",
    local=votes,
    posted=Vote,
)
