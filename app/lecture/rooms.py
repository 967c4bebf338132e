"""Rooms: a lecturer leads one, and students follow what is shown and vote.

A room knows no names. A vote is kept beside a number that is made of the device's cookie and the
room's own key, so that it can be changed, and once the question is uncovered only counts are left.
Rooms are written into one small file, so that they outlive a restart of the server.
"""

import asyncio
import hmac
import logging
import os
import secrets
import time
from collections import Counter
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson
from fastapi.sse import format_sse_event
from pydantic import BaseModel, ValidationError

from app.errors import Problem, busy
from app.lecture.talks import Scene, Talk
from app.limits import SharedLimits

log = logging.getLogger("vitrine.rooms")

SIGNS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"  # none looks like another
CODE_LENGTH = 5
FILE = "rooms.json"
BEFORE, AFTER, UNCOVERED = 0, 1, 2
"""What becomes of the question of a scene: a vote before the figure is seen, another one after it,
and then all see the votes and what is right.
"""
MAX_DEVICES = 10_000
QUIET_SECONDS = 15  # after which a stream says that it lives
SAVING_SECONDS = 0.2  # changes within this long are written together

Moment = Callable[[], float]


@dataclass
class Change:
    """A number that grows with each change, and whoever waits for the next."""

    version: int = 0
    happened: asyncio.Event = field(default_factory=asyncio.Event)

    def notify(self) -> None:
        self.version += 1
        self.happened.set()
        self.happened = asyncio.Event()


class RoomRecord(BaseModel):
    """What is kept of a room: which scene is shown and how, and the votes. `scene` is -1 before the
    first one; `votes` are those of open questions, by scene, round and device, and `counts` those
    of uncovered ones.
    """

    code: str
    token: str
    talk: Talk
    used: float
    begun: float = 0
    scene: int = -1
    reached: dict[int, int] = {}
    address: str = ""
    pointer: dict[str, Any] | None = None
    zoom: dict[str, dict[str, list[float]]] = {}
    votes: dict[int, tuple[dict[str, int], dict[str, int]]] = {}
    counts: dict[int, tuple[list[int], list[int]]] = {}
    lost: set[str] = set()


class LectureRoom:
    """One room. `shared` changes with what students see, `led` with what only the lecturer does."""

    def __init__(self, kept: RoomRecord):
        self.kept = kept
        self.followers = 0
        self.leaders = 0
        self.over = False
        self.shared, self.led = Change(), Change()
        self.written: dict[bool, tuple[int, bytes]] = {}

    def __len__(self) -> int:
        return len(self.kept.talk.scene)

    @property
    def scene(self) -> Scene | None:
        return self.kept.talk.scene[self.kept.scene] if self.kept.scene >= 0 else None

    @property
    def phase(self) -> int:
        """How far the question of this scene is; a scene without one has nothing to uncover."""
        asks = self.scene is not None and self.scene.question is not None
        return self.kept.reached.get(self.kept.scene, BEFORE) if asks else UNCOVERED

    def state(self) -> dict[str, Any]:
        """What everybody in the room may know."""
        kept, scene = self.kept, self.scene
        after = kept.talk.scene[kept.scene + 1 : kept.scene + 2]
        known: dict[str, Any] = {
            "code": kept.code,
            "talk": kept.talk.id,
            "title": kept.talk.title,
            "scene": kept.scene,
            "scenes": len(self),
            "phase": self.phase,
            "address": kept.address,
            "next": after[0].address if after else None,
            "pointer": kept.pointer,
            "zoom": kept.zoom,
            "sentence": kept.talk.title,
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
        """The same with the votes as they come in, and how many follow and are lost."""
        asks = self.scene is not None and self.scene.question is not None
        votes = self.counts() if asks else None
        return self.state() | {
            "votes": votes,
            "voted": sum(votes[self.phase]) if votes and self.phase < UNCOVERED else 0,
            "followers": self.followers,
            "lost": len(self.kept.lost),
            "begun": self.kept.begun,
        }

    def counts(self) -> tuple[list[int], list[int]]:
        """How many votes each choice of this scene has, before the figure was seen and after."""
        if self.kept.scene in self.kept.counts:
            return self.kept.counts[self.kept.scene]
        assert self.scene is not None
        of_choices = range(len(self.scene.choices))
        before, after = (Counter(each.values()) for each in self.rounds())
        return [before[one] for one in of_choices], [after[one] for one in of_choices]

    def rounds(self) -> tuple[dict[str, int], dict[str, int]]:
        return self.kept.votes.get(self.kept.scene, ({}, {}))

    def device(self, client: str) -> str:
        """What stands for a device in this room, and in no other."""
        cookie = client.rpartition(" ")[2]
        return hmac.digest(self.kept.token.encode(), cookie.encode(), "sha256").hex()[:16]

    def vote(self, client: str, choice: int | None, lost: bool | None) -> None:
        """Takes a vote in the round that is open, and whether a student is lost; raises Problem."""
        device = self.device(client)
        if choice is not None:
            if self.scene is None or self.phase == UNCOVERED:
                raise Problem("invalid", "No question is open now: wait for the next one.")
            if choice >= (most := len(self.scene.choices)):
                raise Problem("invalid", f"There are {most} choices, counted from 0.")
            votes = self.kept.votes.setdefault(self.kept.scene, ({}, {}))[self.phase]
            if device not in votes and len(votes) >= MAX_DEVICES:
                raise busy("Too many votes are kept already.", 60)
            votes[device] = choice
        if lost is not None and (not lost or len(self.kept.lost) < MAX_DEVICES):
            (self.kept.lost.add if lost else self.kept.lost.discard)(device)
        self.led.notify()

    def own(self, client: str) -> dict[str, Any]:
        """What this device has voted, and whether it said that it is lost."""
        device, rounds = self.device(client), self.rounds()
        choice = rounds[self.phase].get(device) if self.phase < UNCOVERED else None
        return {"choice": choice, "lost": device in self.kept.lost}

    def step(self, by: int) -> None:
        """One key: on with the question of this scene, or to the next scene; back to the scene
        before.
        """
        for _ in range(abs(by)):
            if by > 0 and self.phase < UNCOVERED:
                self.lead(None, self.phase + 1, {})
            elif -1 <= self.kept.scene + (way := 1 if by > 0 else -1) < len(self):
                self.lead(self.kept.scene + way, None, {})

    def lead(self, scene: int | None, phase: int | None, shown: dict[str, Any]) -> None:
        """Goes to a scene, on with its question, or elsewhere in what is shown."""
        kept = self.kept
        if scene is not None and scene != kept.scene:
            kept.scene, kept.lost = scene, set()
            kept.begun = kept.begun or time.time()
            kept.address = self.scene.address if self.scene else ""
            kept.pointer, kept.zoom = None, {}
        if phase is not None and phase > self.phase:
            kept.reached[kept.scene] = phase
            if phase == UNCOVERED:
                kept.counts[kept.scene] = self.counts()
                kept.votes.pop(kept.scene, None)
        if (
            "address" in shown
            and shown["address"].partition("?")[0] != kept.address.partition("?")[0]
        ):
            kept.pointer, kept.zoom = None, {}
        for name, value in shown.items():
            setattr(kept, name, value)
        self.shared.notify()
        self.led.notify()

    def event(self, leads: bool) -> bytes:
        """The state as an event, written once for all who wait for it."""
        version = self.led.version if leads else self.shared.version
        if self.written.get(leads, (None,))[0] != version:
            state = self.state_of_lecturer() if leads else self.state()
            event = format_sse_event(event="room", data_str=orjson.dumps(state).decode())
            self.written[leads] = version, event
        return self.written[leads][1]


class Rooms:
    """All rooms of this server."""

    def __init__(self, limits: SharedLimits, folder: Path, now: Moment = time.time):
        self.limits, self.file, self.now = limits, folder / FILE, now
        self.rooms: dict[str, LectureRoom] = {}
        self.streams: Counter[str] = Counter()
        self.secret = secrets.token_hex(32)
        self.saving: asyncio.TimerHandle | None = None
        self.closed = False
        self.read()

    def read(self) -> None:
        """Reads what an earlier server has kept; the secret of the cookies too, so that a student
        who has voted is known again.
        """
        try:
            said = orjson.loads(self.file.read_bytes())
            self.secret = str(said["secret"])
            kept = [RoomRecord.model_validate(one) for one in said["rooms"]]
        except FileNotFoundError:
            return
        except (OSError, ValueError, KeyError, TypeError, ValidationError) as error:
            log.warning("the rooms in %s cannot be read: %s", self.file, error)
            return
        self.rooms = {one.code: LectureRoom(one) for one in kept}

    def open(self, talk: Talk) -> tuple[LectureRoom, str]:
        """A new room and the token that leads it; raises Problem."""
        self.sweep()
        if len(self.rooms) >= self.limits.rooms:
            empty = [one for one in self.rooms.values() if not one.followers + one.leaders]
            if not empty:
                raise busy(f"{len(self.rooms)} rooms are open and in use; as many may be.", 60)
            self.end(min(empty, key=lambda room: room.kept.used))
        while (code := "".join(secrets.choice(SIGNS) for _ in range(CODE_LENGTH))) in self.rooms:
            pass
        token = secrets.token_urlsafe(18)
        room = LectureRoom(RoomRecord(code=code, token=hashed(token), talk=talk, used=self.now()))
        self.rooms[code] = room
        self.changed()
        return room, token

    def room(self, code: str) -> LectureRoom:
        """The room of a code; raises Problem."""
        self.sweep()
        room = self.rooms.get(code.strip().upper())
        if room is None:
            hours = f"{self.limits.room_seconds / 3600:g}"
            raise Problem(
                "unknown",
                f"There is no room {code.strip()[:20]!r}. A room ends {hours} hours after it was"
                " led last.",
            )
        return room

    def led(self, code: str, token: str) -> LectureRoom:
        """The room of a code, for whoever has its token; raises Problem."""
        room = self.room(code)
        if not hmac.compare_digest(room.kept.token, hashed(token)):
            raise Problem("token", "This is not the token of the room: only its lecturer has it.")
        room.kept.used = self.now()
        return room

    def sweep(self) -> None:
        """Ends the rooms that nobody has led for too long."""
        late = self.now() - self.limits.room_seconds
        for room in [one for one in self.rooms.values() if one.kept.used < late]:
            self.end(room)

    def end(self, room: LectureRoom) -> None:
        self.rooms.pop(room.kept.code, None)
        room.over = True
        room.shared.notify()
        room.led.notify()
        self.changed()

    def changed(self) -> None:
        """Writes all rooms in a moment."""
        if self.saving is None and not self.closed:
            loop = asyncio.get_running_loop()
            self.saving = loop.call_later(SAVING_SECONDS, self.save)

    def save(self) -> None:
        """Writes all rooms into the file, which is whole at any time. A disk that takes nothing
        costs only the restart.
        """
        self.saving = None
        rooms = [room.kept.model_dump(mode="json") for room in self.rooms.values()]
        beside = self.file.with_suffix(".new")
        try:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            beside.touch(mode=0o600)
            beside.write_bytes(
                orjson.dumps(
                    {"secret": self.secret, "rooms": rooms}, option=orjson.OPT_NON_STR_KEYS
                )
            )
            os.replace(beside, self.file)
        except OSError as error:
            log.warning("the rooms cannot be written into %s: %s", self.file, error)

    def close(self) -> None:
        """Ends every stream, because the server stops; the rooms stay in the file."""
        if self.saving is not None:
            self.saving.cancel()
            self.save()
        self.closed = True
        for room in self.rooms.values():
            room.shared.notify()
            room.led.notify()

    async def follow(
        self, room: LectureRoom, client: str, leads: bool = False
    ) -> AsyncGenerator[bytes]:
        """The states of a room as events, each as soon as it is there; one that came and went while
        the client was slow is left out.
        """
        change = room.led if leads else room.shared
        self.count(room, client, leads, 1)
        seen = -1
        try:
            while not (room.over or self.closed):
                happened = change.happened
                if change.version != seen:
                    seen = change.version
                    yield room.event(leads)
                    continue
                try:
                    await asyncio.wait_for(happened.wait(), QUIET_SECONDS)
                except TimeoutError:
                    self.sweep()
                    yield b": here\n\n"
            if room.over:
                yield format_sse_event(event="end", data_str="{}")
        finally:
            self.count(room, client, leads, -1)

    def count(self, room: LectureRoom, client: str, leads: bool, by: int) -> None:
        self.streams[client] += by
        if not self.streams[client]:
            del self.streams[client]
        if leads:
            room.leaders += by
        else:
            room.followers += by
            room.led.notify()

    def admit(self, client: str) -> None:
        """Raises Problem where there is one stream more than there may be at once."""
        own, most = self.streams[client], self.limits.streams_per_client
        if own >= most:
            raise Problem(
                "too_many",
                f"You follow rooms in {own} windows, as many as it may.",
                headers={"Retry-After": "5"},
            )
        if sum(self.streams.values()) >= self.limits.room_followers:
            raise busy(f"{self.limits.room_followers} follow rooms here, as many as may.", 10)


def hashed(token: str) -> str:
    """A token as it is kept: who reads the file cannot lead."""
    return hmac.digest(b"vitrine room", token.encode(), "sha256").hex()
