"""/rooms: what a lecture room shows. A POST opens a room or, with its token, controls it. As an
event stream, both send each change immediately.
"""

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import Annotated, Any

import orjson
from annotated_types import Le, MaxLen
from pydantic import BaseModel, ConfigDict, Field

from app.api.endpoint import Endpoint
from app.errors import Problem
from app.lecture.records import UNCOVERED, Ballots, RoomRecord
from app.lecture.rooms import LectureRoom
from app.lecture.talks import ADDRESS, NotATalk, Talk, talk_of
from app.schema.answers import EchoedAnswer, StrictModel, optional
from app.schema.bounds import Fixed
from app.schema.questions import LongText, Name, Question
from app.schema.strict_json import refusal
from app.site.services import Services

PHASES = Fixed(Le(UNCOVERED), "a question is asked twice and uncovered once")
MOST = 63
ZOOM_BYTES = 8_192
"""Sent to every follower with each change."""
MANY = Fixed(MaxLen(MOST), "no page has more figures, and no figure more axes")
Range = Annotated[list[float], Field(min_length=2), Fixed(MaxLen(2), "a range has two ends")]
Axes = Annotated[dict[Name, Range], MANY]
Address = Annotated[LongText, Field(pattern=ADDRESS)]


class Pointer(BaseModel):
    """Where the lecturer points: a position in a panel of a figure, in the units of its axes."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    figure: Name
    panel: Name
    x: float | Name
    y: float | Name


class Rooms(Question):
    code: Name = ""


class Lead(Question):
    """A lecturer's action: opens a room for a talk, or controls the one with this code."""

    talk: Name = ""
    code: Name = ""
    token: Name = ""
    scene: Annotated[int, Field(ge=-1)] | None = None
    phase: Annotated[int, Field(ge=0), PHASES] | None = None
    step: Annotated[int, Field(ge=-MOST), Fixed(Le(MOST), "as many keys at once")] = 0
    address: Address | None = None
    pointer: Pointer | None = None
    zoom: Annotated[dict[Name, Axes], MANY] | None = None
    close: bool = False


class RoomState(StrictModel):
    """The content of a room. `claim`, `number`, `right`, and the students' `votes` are included
    once the answer is revealed; the lecturer always has the votes, `followers`, and `lost`.
    """

    code: str
    talk: str
    title: str
    scene: int
    scenes: int
    phase: int
    address: str
    next: str | None
    pointer: dict[str, Any] | None
    zoom: dict[str, dict[str, list[float]]]
    sentence: str
    claim: str | None
    number: str | None
    asks: str | None
    choices: list[str]
    right: str | None
    votes: list[list[int]] | None
    voted: int = optional()
    followers: int = optional()
    lost: int = optional()
    begun: float = optional()
    trouble: str = optional()


class RoomAnswer(EchoedAnswer):
    open: int
    room: RoomState | None
    token: str | None


def room_answer(
    services: Services,
    room: LectureRoom | None = None,
    leads: bool = False,
    token: str | None = None,
) -> dict[str, Any]:
    state = room and (room.state_of_lecturer() if leads else room.state())
    return {"open": len(services.rooms.rooms), "room": state, "token": token}


async def rooms(services: Services, question: Question, client: str) -> dict:
    """Opens a room, controls one, or returns its content. Changes are saved to disk first."""
    all_rooms = services.rooms
    if not isinstance(question, Lead):
        assert isinstance(question, Rooms)
        return room_answer(services, await all_rooms.room(question.code) if question.code else None)
    if question.talk:
        room, token = await all_rooms.open(requested_talk(services, question), client)
        return room_answer(services, room, leads=True, token=token)
    if not question.code:
        return room_answer(services)
    room = await all_rooms.led(question.code, question.token)
    if question.close:
        await all_rooms.end(room)
    elif question.model_fields_set - {"code", "token"}:
        await all_rooms.lead(room, leading(services, room, question))
    return room_answer(services, room, leads=True)


def leading(
    services: Services, room: LectureRoom, question: Lead
) -> Callable[[RoomRecord, Ballots], None]:
    """Goes where the lecturer says; raises Problem."""
    scenes = len(room.record)
    if question.scene is not None and question.scene >= scenes:
        raise refusal("/scene", "less_than", "no-such-scene", limit=scenes, given=question.scene)
    fields_set = question.model_fields_set
    display = {name: getattr(question, name) for name in ("address", "zoom")}
    display = {name: value for name, value in display.items() if value is not None}
    if "address" in display:
        check_page(services, display["address"])
    if (many := len(orjson.dumps(question.zoom))) > ZOOM_BYTES:
        raise refusal("/zoom", "too_long", "zoom-too-large", limit=ZOOM_BYTES, given=many)
    if "pointer" in fields_set:
        display["pointer"] = question.pointer and question.pointer.model_dump()

    def lead(record: RoomRecord, ballots: Ballots) -> None:
        if question.step:
            record.step(question.step, ballots)
        if fields_set & {"scene", "phase", "address", "pointer", "zoom"}:
            record.lead(question.scene, question.phase, display, ballots)

    return lead


def requested_talk(services: Services, question: Lead) -> Talk:
    """The talk of the room to open; raises Problem."""
    try:
        talk = talk_of(question.talk, services.settings.talks)
    except NotATalk as error:
        raise Problem("invalid", error.sentence) from error
    if talk is None:
        raise Problem("unknown", "no-such-talk", talk=question.talk)
    return talk


def check_page(services: Services, address: str) -> None:
    """Students' windows can only be sent to pages; raises Problem otherwise."""
    path = address.partition("?")[0]
    if path not in {page.path for page in services.pages.by_word.values()}:
        raise refusal("/address", "page", "no-page-of-explore", path=path[:80])


async def followed(services: Services, question: Question, client: str) -> AsyncGenerator[bytes]:
    """The content of a room, and each change of it; raises Problem."""
    assert isinstance(question, Rooms | Lead)
    leads = isinstance(question, Lead) and bool(question.token)
    if isinstance(question, Lead) and leads:
        room = await services.rooms.led(question.code, question.token)
    else:
        room = await services.rooms.room(question.code)
    async with aclosing(services.rooms.follow(room, client, leads)) as states:
        async for state in states:
            yield state


ENDPOINT = Endpoint(
    "rooms",
    Rooms,
    RoomAnswer,
    local=rooms,
    followed=followed,
    posted=Lead,
)
