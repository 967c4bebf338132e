"""Rooms: a lecturer leads one, and students follow what is shown and vote.

A room knows no names. A vote is kept beside a number that is made of the device's cookie and the
room's own key, so that it can be changed, and once the question is uncovered only counts are left.
What was answered is on the disk before, and all web processes of one folder have the same rooms.
"""

import asyncio
import hmac
import logging
import secrets
import sqlite3
import time
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Collection
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import orjson
from fastapi.sse import format_sse_event

from app.clients import address_of, used_up
from app.errors import Problem, busy, sentence
from app.lecture.records import CODE_LENGTH, SIGNS, UNCOVERED, Ballots, Counts, RoomRecord
from app.lecture.store import Opened, Store, StoredRoom
from app.lecture.talks import Talk, translated
from app.limits import SharedLimits
from model.errors import Sentence
from model.words import LANGUAGE

log = logging.getLogger("vitrine.rooms")

LEADING = 16  # windows that lead one room
SOON = {"Retry-After": "5"}
AWAY_SECONDS = 600  # in which a lecturer comes back to a room that nobody has open
MARK_SECONDS = 60  # after which it is kept again that a room is used
QUIET_SECONDS = 15  # after which a stream says that it lives
LOOK_SECONDS = 0.05  # after which it is seen what other web processes have done
SHOW_SECONDS = 5.0  # after which they are told again which windows are open here

Moment = Callable[[], float]


def steady() -> Moment:
    """The time of day when the server started, and what has passed since: whatever becomes of the
    machine's clock, no room gets older by it.
    """
    begun = time.time() - time.monotonic()
    return lambda: begun + time.monotonic()


@dataclass
class Change:
    """A number that grows with each change, and whoever waits for the next."""

    version: int = 0
    happened: asyncio.Event = field(default_factory=asyncio.Event)

    def notify(self) -> None:
        self.version += 1
        self.wake()

    def wake(self) -> None:
        self.happened.set()
        self.happened = asyncio.Event()


class LectureRoom:
    """One room as it was read last. `shared` changes with what students see, `led` with what only
    the lecturer does; `left` is when its last window was closed, or the server started.
    `elsewhere` are the followers and leaders of other web processes.
    """

    def __init__(self, read: StoredRoom, now: float):
        self.read = read
        self.used, self.left = read.used, now
        self.followed = self.leading = 0
        self.elsewhere = (0, 0)
        self.trouble: Sentence | None = None
        self.over = False
        self.shared, self.led = Change(), Change()
        self.events: dict[tuple[bool, str], tuple[int, bytes]] = {}

    @property
    def record(self) -> RoomRecord:
        return self.read.record

    @property
    def phase(self) -> int:
        return self.record.phase

    @property
    def followers(self) -> int:
        return self.followed + self.elsewhere[0]

    @property
    def leaders(self) -> int:
        return self.leading + self.elsewhere[1]

    def become(self, read: StoredRoom) -> None:
        """It was read again."""
        before, self.read, self.used = self.record, read, max(self.used, read.used)
        if read.record is not before:
            self.shared.notify()
        self.led.notify()

    def state(self) -> dict[str, Any]:
        """What everybody in the room may know, in the language of who asks."""
        record, talk = self.record, translated(self.record.talk)
        scene = talk.scene[record.scene] if record.scene >= 0 else None
        after = talk.scene[record.scene + 1 : record.scene + 2]
        known: dict[str, Any] = {
            "code": record.code,
            "talk": talk.id,
            "title": talk.title,
            "scene": record.scene,
            "scenes": len(record),
            "phase": self.phase,
            "address": record.address,
            "next": after[0].address if after else None,
            "pointer": record.pointer,
            "zoom": record.zoom,
            "sentence": talk.title,
            "claim": None,
            "number": None,
            "asks": None,
            "choices": [],
            "right": None,
            "votes": None,
        }
        if scene is not None:
            uncovered = self.phase == UNCOVERED
            known |= {"asks": scene.question, "choices": list(scene.choices)}
            known |= {"claim": scene.claim if uncovered else None}
            known |= {"number": scene.number.sentence if uncovered and scene.number else None}
            known |= {"sentence": scene.claim if uncovered else scene.question}
            if uncovered and scene.question:
                known |= {"right": scene.right, "votes": self.counts()}
        return known

    def state_of_lecturer(self) -> dict[str, Any]:
        """The same with votes as they come in, followers, the lost, and trouble with the disk."""
        asks = (
            self.record.current_scene is not None and self.record.current_scene.question is not None
        )
        votes = self.counts() if asks else None
        return self.state() | {
            "votes": votes,
            "voted": sum(votes[self.phase]) if votes and self.phase < UNCOVERED else 0,
            "followers": self.followers,
            "lost": self.read.lost,
            "begun": self.record.begun,
            "trouble": str(self.trouble or ""),
        }

    def counts(self) -> Counts:
        """How many votes each choice of this scene has, before the figure was seen and after."""
        return self.record.counts.get(self.record.scene, self.read.votes)

    def event(self, leads: bool) -> bytes:
        """The state as an event, written once for all who wait for it and read one language."""
        version, whose = (self.led if leads else self.shared).version, (leads, LANGUAGE.get())
        if self.events.get(whose, (None,))[0] != version:
            state = self.state_of_lecturer() if leads else self.state()
            event = format_sse_event(event="room", data_str=orjson.dumps(state).decode())
            self.events[whose] = version, event
        return self.events[whose][1]


@dataclass(eq=False)
class Window:
    """A window that has a room open."""

    room: LectureRoom
    client: str
    leads: bool
    over: bool = False


class Rooms:
    """All rooms of the folder, as this process knows them."""

    def __init__(self, limits: SharedLimits, folder: Path, now: Moment | None = None):
        self.limits, self.now = limits, now or steady()
        self.store = Store(folder)
        self.secret = self.store.secret
        self.store.on_change, self.store.on_trouble = self.take, self.report_trouble
        self.trouble = self.store.unkept
        self.rooms: dict[str, LectureRoom] = {}
        self.following: set[Window] = set()
        self.watching: asyncio.Task | None = None
        self.unsaid = False
        self.closed = False
        self.take(self.store.read_rooms())

    def take(self, changed: Collection[StoredRoom] | Any) -> None:
        """Rooms were read from the database."""
        for read in changed:
            if (room := self.rooms.get(read.record.code)) is None:
                room = self.rooms[read.record.code] = LectureRoom(read, self.now())
                room.trouble = self.trouble
            elif read.version > room.read.version:
                room.become(read)

    def report_trouble(self, trouble: Sentence | None) -> None:
        """Tells lecturers what is wrong with the disk, or that nothing is."""
        trouble = trouble or self.store.unkept
        if trouble != self.trouble:
            self.trouble = trouble
            for room in self.rooms.values():
                room.trouble = trouble
                room.led.notify()

    async def refresh(self) -> None:
        """Takes up what other web processes have done."""
        known = {code: room.read.version for code, room in self.rooms.items()}
        try:
            news = await self.store.read(self.store.news, known)
        except sqlite3.Error as error:
            log.warning("the rooms cannot be read: %s", error)
            return
        if news is None:
            return
        self.take(news.changed)
        for code in known.keys() - news.codes:
            self.end_here(code)
        for code, room in self.rooms.items():
            elsewhere = news.elsewhere.get(code, (0, 0))
            if elsewhere != room.elsewhere:
                room.elsewhere = elsewhere
                room.led.notify()

    async def watch(self) -> None:
        """Looks what other processes do, and tells them of the windows here, while some are."""
        notified = 0.0
        while (self.following or self.unsaid) and not self.closed:
            await asyncio.sleep(LOOK_SECONDS)
            if self.unsaid or time.monotonic() > notified + SHOW_SECONDS:
                self.unsaid, notified = False, time.monotonic()
                many: dict[str, tuple[int, int]] = {
                    code: (room.followed, room.leading)
                    for code, room in self.rooms.items()
                    if room.followed or room.leading
                }
                with suppress(sqlite3.Error):  # it is told again soon
                    await self.store.read(self.store.show_windows, many)
            await self.refresh()
        self.watching = None

    async def open(self, talk: Talk, client: str) -> tuple[LectureRoom, str]:
        """A new room and the token that leads it; raises Problem."""
        await self.refresh()
        await self.sweep()
        token, used = secrets.token_urlsafe(18), self.now()
        in_use = {code for code, room in self.rooms.items() if room.followers or room.leaders}

        def add() -> tuple[str, str | None]:
            rooms = self.store.opened_rooms()
            ending = self.least_needed(rooms, client, in_use)
            if ending:
                self.store.end(ending)
            codes = {room.code for room in rooms}
            while (code := "".join(secrets.choice(SIGNS) for _ in range(CODE_LENGTH))) in codes:
                pass
            self.store.add(RoomRecord(code=code, token=hashed(token), talk=talk), used, client)
            return code, ending

        code, ended = await self.store.change(add)
        if ended:
            self.end_here(ended)
        return self.rooms[code], token

    def least_needed(self, rooms: list[Opened], client: str, in_use: set[str]) -> str | None:
        """The room that ends for a new one of this client, if one has to; raises Problem.

        A browser's own room ends for another of its own. One that no window ever showed ends for
        another of its address, or of any where all places are taken: then the address that has most
        gives one. No other room ends for somebody else's.
        """
        address, whole = self.store.opener(client)
        near = [room for room in rooms if room.address == address]
        same_client = [room for room in near if room.client == whole]
        unshown = [room for room in rooms if not room.was_open]
        most = self.limits
        if len(same_client) >= most.rooms_per_client:
            browser = address_of(client) != client  # an address alone may be many
            ending = [
                room
                for room in same_client
                if room.code not in in_use and (browser or not room.was_open)
            ]
            refused = sentence("too-many-rooms-of-yours", n=len(same_client))
        elif len(near) >= most.rooms_per_address:
            ending = [room for room in unshown if room.address == address]
            refused = sentence("too-many-rooms-of-your-address", n=len(near))
        elif len(rooms) >= most.rooms:
            ending, refused = unshown, sentence("too-many-rooms", n=len(rooms))
        else:
            return None
        if not ending:
            raise busy(refused, 60)
        of_address = Counter(room.address for room in rooms)
        return min(
            ending, key=lambda room: (room.was_open, -of_address[room.address], room.used)
        ).code

    async def room(self, code: str) -> LectureRoom:
        """The room of a code; raises Problem."""
        await self.refresh()
        await self.sweep()
        room = self.rooms.get(code.strip().upper())
        if room is None:
            hours = self.limits.room_seconds / 3600
            raise Problem("unknown", "no-such-room", room=code.strip()[:20], hours=hours)
        return room

    async def led(self, code: str, token: str) -> LectureRoom:
        """The room of a code, for whoever has its token; raises Problem."""
        room = await self.room(code)
        if not hmac.compare_digest(room.record.token, hashed(token)):
            raise Problem("token", "not-the-token")
        before, room.used = room.used, self.now()
        if room.used > before + MARK_SECONDS:
            await self.mark(room)
        return room

    async def mark(self, room: LectureRoom, was_open: bool = False) -> None:
        """Keeps that a room is used. What a disk does not take it is told at the next step."""
        with suppress(Problem):
            mark = partial(self.store.mark, room.record.code, self.now(), was_open)
            await self.store.change(mark)

    async def lead(
        self, room: LectureRoom, do: Callable[[RoomRecord, Ballots], None]
    ) -> LectureRoom:
        """Leads a room, and returns it as it stands then; raises Problem."""
        await self.store.change(partial(self.store.lead, room.record.code, self.now(), do))
        return room

    async def vote(
        self, room: LectureRoom, client: str, choice: int | None, lost: bool | None
    ) -> dict[str, Any]:
        """Takes a vote in the round that is open, and whether a student is lost; raises Problem.
        Returns what this device has said.
        """
        vote = partial(self.store.vote, room.record.code, client, choice, lost)
        return await self.store.change(vote)

    async def device_votes(self, room: LectureRoom, client: str) -> dict[str, Any]:
        """What this device has said."""
        return await self.store.read(self.store.device_votes, room.record, client)

    async def sweep(self) -> None:
        """Ends the rooms that nobody has led for too long; none that its lecturer has open, or had
        a short while ago.
        """
        now = self.now()
        late, left = now - self.limits.room_seconds, now - AWAY_SECONDS
        for code, room in [*self.rooms.items()]:
            unused = room.used < late and room.left < left and not room.leaders
            end = partial(self.store.end_unused, code, late)
            if unused and await self.store.change(end):
                self.end_here(code)

    async def end(self, room: LectureRoom) -> None:
        """Ends a room for all; raises Problem."""
        await self.store.change(partial(self.store.end, room.record.code))
        self.end_here(room.record.code)

    def end_here(self, code: str) -> None:
        if room := self.rooms.pop(code, None):
            room.over = True
            room.shared.notify()
            room.led.notify()

    def close(self) -> None:
        """Ends every stream, because the server stops; the rooms stay in the folder."""
        self.closed = True
        for room in self.rooms.values():
            room.shared.notify()
            room.led.notify()

    async def follow(
        self, room: LectureRoom, client: str, leads: bool = False
    ) -> AsyncGenerator[bytes]:
        """The states of a room as events, each as soon as it is there; one that came and went while
        the client was slow is left out. Raises Problem where there is no place for a window.
        """
        change = room.led if leads else room.shared
        window = Window(room, client, leads)
        self.enter(window)
        version = -1
        try:
            if not room.read.was_open:
                await self.mark(room, was_open=True)
            while not (room.over or self.closed or window.over):
                happened = change.happened
                if change.version != version:
                    version = change.version
                    yield room.event(leads)
                    continue
                try:
                    await asyncio.wait_for(happened.wait(), QUIET_SECONDS)
                except TimeoutError:
                    await self.sweep()
                    yield b": here\n\n"
            if room.over:
                yield format_sse_event(event="end", data_str="{}")
        finally:
            self.following.discard(window)
            self.count(window, -1)
            if leads and not room.over:
                room.used = self.now()

    def enter(self, window: Window) -> None:
        """Takes a place for a window; raises Problem. Those that lead a room take nobody's."""
        if window.leads:
            if window.room.leading >= LEADING:
                raise Problem("too_many", "too-many-lead", headers=SOON, most=LEADING)
        else:
            self.admit(window)
        self.following.add(window)
        self.count(window, 1)
        if self.watching is None:
            self.watching = asyncio.get_running_loop().create_task(self.watch())

    def admit(self, window: Window) -> None:
        """Raises Problem where there is one that follows more than there may be. Where all places
        are taken, or those of one address, a room that nobody leads gives one to a room with its
        lecturer, and a browser that has several to one that has fewer.
        """
        client, most, each = (
            window.client,
            self.limits.room_followers,
            self.limits.streams_per_client,
        )
        followers = [window for window in self.following if not (window.leads or window.over)]
        share = used_up((follower.client for follower in followers), client, most, each)
        if share == "own":
            raise Problem("too_many", "you-follow-too-many", headers=SOON, most=each)
        if not share:
            return
        if share == "address":
            address = address_of(client)
            followers = [
                follower for follower in followers if address_of(follower.client) == address
            ]
        many = Counter(follower.client for follower in followers)
        many[client] += 1

        def weight(window: Window) -> tuple[bool, int]:
            return not window.room.leaders, many[window.client]

        heaviest = max(followers, key=weight, default=window)
        if weight(heaviest) <= weight(window):
            raise busy("too-many-follow", 10, n=len(followers), share=share)
        heaviest.over = True
        heaviest.room.shared.wake()

    def count(self, window: Window, by: int) -> None:
        room = window.room
        if window.leads:
            room.leading += by
        else:
            room.followed += by
            room.led.notify()
        room.left = self.now()
        self.unsaid = True


def hashed(token: str) -> str:
    """A token as it is kept: who reads the file cannot lead."""
    return hmac.digest(b"vitrine room", token.encode(), "sha256").hex()
