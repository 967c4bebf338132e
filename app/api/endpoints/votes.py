"""/votes: what a class predicts before it sees the measurement. There is one list per question and
setting, with one vote per device. Lists are stored in this process and cannot be deleted; one
expires an hour after its last vote.
"""

from typing import Any

from cachetools import TTLCache
from pydantic import ValidationError

from app.api.endpoint import Endpoint
from app.api.strict_routes import from_address
from app.api.validation import validation_problem
from app.captions.clinic import captions_of
from app.captions.exercises import Exercise
from app.clients import address_of, device_of, used_up
from app.errors import Problem, busy
from app.experiments import experiment
from app.schema.answers import EchoedAnswer
from app.schema.questions import Choice, Name, Question, Text
from app.schema.strict_json import refusal
from app.site.services import DeviceVote, Services

MAX_FIELDS = 64
MAX_DEVICES = 10_000
DEVICES_OF_ADDRESS = 2_000
"""The number of devices at one address that vote separately in a list; further ones share the
address's vote.
"""
WAIT = 60  # seconds


class Votes(Question):
    page: Name
    setting: Text = ""


class Vote(Votes):
    choice: Choice | None = None


class VotesAnswer(EchoedAnswer):
    asks: str
    votes: list[int]
    choice: int | None


def votes(services: Services, question: Question, client: str) -> dict:
    """Records a vote, if there is one, and returns the counts. Only an exercise has any."""
    assert isinstance(question, Votes)
    exercise, asks = exercise_of(services, question)
    key, device, address = (question.page, asks), device_of(client), address_of(client)
    ballots = services.votes.get(key, {})
    choice = question.choice if isinstance(question, Vote) else None
    if choice is not None:
        if choice >= len(exercise.choices):
            most = len(exercise.choices) - 1
            raise refusal("/choice", "less_than_equal", "no-such-choice", limit=most, given=choice)
        if device not in ballots:
            near = sum(ballot.address == address for ballot in ballots.values())
            device = address if near >= DEVICES_OF_ADDRESS else device
        # Evicting a list to make room would let anyone delete it.
        full = len(ballots) >= MAX_DEVICES if ballots else lists_full(services.votes, address)
        if full and device not in ballots:
            raise busy("too-many-votes-for-now", WAIT)
        ballots[device] = DeviceVote(choice, address)
        services.votes[key] = ballots
    counts = [0] * len(exercise.choices)
    for ballot in ballots.values():
        counts[ballot.choice] += 1
    ballot = ballots.get(device)
    return {"asks": asks, "votes": counts, "choice": ballot and ballot.choice}


def lists_full(lists: TTLCache[Any, dict[str, DeviceVote]], address: str) -> bool:
    """Whether there is no room for another list, or this address has started half of all lists."""
    most = int(lists.maxsize)
    with lists.timer:  # so that none expires meanwhile
        begun = [next(iter(ballots_of.values())).address for ballots_of in lists.values()]
    return bool(used_up(begun, address, most, max(1, most // 2)))


def exercise_of(services: Services, question: Votes) -> tuple[Exercise, str]:
    """The exercise of a page, and its question at a setting; raises Problem."""
    page = services.pages.by_word.get(question.page)
    if page is None or not page.has_claim:
        raise Problem("unknown", "page-asks-nothing", page=question.page)
    exercise = captions_of(experiment(page.word)).exercise
    setting = from_address(question.setting.encode(), MAX_FIELDS)
    try:
        return exercise, services.pages.exercise_sentence(question.page, setting)
    except ValidationError as wrong:
        found = [{**error, "loc": ("body", *error["loc"])} for error in wrong.errors()]
        raise validation_problem(found, ()) from None


ENDPOINT = Endpoint(
    "votes",
    Votes,
    VotesAnswer,
    "page=norms&setting=depth%3D12",
    local=votes,
    posted=Vote,
)
