"""/votes: what a class thinks before it sees the measurement. There is one list for each question
at each of its settings, and in it one vote of each device. Lists are kept in this process, and
nobody can wipe one: it begins anew an hour after its last vote.
"""

from typing import Any

from cachetools import TTLCache
from pydantic import ValidationError

from app.api.endpoint import Endpoint
from app.api.request_parsing import from_address, validation_problem
from app.captions.clinic import captions_of
from app.captions.exercises import Exercise
from app.clients import address_of, device_of, used_up
from app.errors import Problem, busy
from app.experiments import experiment
from app.schema.answers import EchoedAnswer
from app.schema.questions import Choice, Name, Question, Text
from app.schema.strict_json import refusal
from app.site.services import Given, Services

MAX_FIELDS = 64
MAX_DEVICES = 10_000
DEVICES_OF_ADDRESS = 2_000
"""So many devices of one address vote in a list; further ones count as the address itself."""
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
    """Takes a vote, if there is one, and tells the counts. Only an exercise has some."""
    assert isinstance(question, Votes)
    exercise, asks = exercise_of(services, question)
    key, device, address = (question.page, asks), device_of(client), address_of(client)
    given = services.votes.get(key, {})
    choice = question.choice if isinstance(question, Vote) else None
    if choice is not None:
        if choice >= len(exercise.choices):
            most = len(exercise.choices) - 1
            raise refusal("/choice", "less_than_equal", "no-such-choice", limit=most, given=choice)
        if device not in given:
            near = sum(one.address == address for one in given.values())
            device = address if near >= DEVICES_OF_ADDRESS else device
        # A list that made room for another would be a list that somebody wiped.
        full = len(given) >= MAX_DEVICES if given else lists_full(services.votes, address)
        if full and device not in given:
            raise busy("too-many-votes-for-now", WAIT)
        given[device] = Given(choice, address)
        services.votes[key] = given
    counts = [0] * len(exercise.choices)
    for one in given.values():
        counts[one.choice] += 1
    own = given.get(device)
    return {"asks": asks, "votes": counts, "choice": own and own.choice}


def lists_full(lists: TTLCache[Any, dict[str, Given]], address: str) -> bool:
    """Whether there is no place for another list, or this address has begun half of all."""
    most = int(lists.maxsize)
    with lists.timer:  # none ends meanwhile
        begun = [next(iter(one.values())).address for one in lists.values()]
    return bool(used_up(begun, address, most, max(1, most // 2)))


def exercise_of(services: Services, question: Votes) -> tuple[Exercise, str]:
    """The exercise of a page, and what it asks at a setting; raises Problem."""
    page = services.pages.by_word.get(question.page)
    if page is None or not page.has_claim:
        raise Problem("unknown", "page-asks-nothing", page=question.page)
    exercise = captions_of(experiment(page.word)).exercise
    setting = from_address(question.setting.encode(), MAX_FIELDS)
    try:
        return exercise, services.pages.exercise_sentence(question.page, setting)
    except ValidationError as wrong:
        found = [{**one, "loc": ("body", *one["loc"])} for one in wrong.errors()]
        raise validation_problem(found, ()) from None


ENDPOINT = Endpoint(
    "votes",
    Votes,
    VotesAnswer,
    "page=norms&setting=depth%3D12",
    local=votes,
    posted=Vote,
)
