"""Where rooms are kept: in a database that all web processes of one folder share. A vote is a row,
and whoever opened a room or voted is only a number in it, which tells it from others.
"""

import hmac
import logging
import os
import secrets
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from app.clients import address_of, device_of
from app.errors import Problem, busy
from app.lecture.database import Database
from app.lecture.records import UNCOVERED, Counts, RoomRecord

log = logging.getLogger("vitrine.rooms")

NAME = "rooms"
LOST = 2
"""The round, after those of a question, in which students say that they are lost."""
MAX_DEVICES = 10_000
DEVICES_OF_ADDRESS = 2_000
"""So many devices of one address vote in a round; further ones count as the address itself."""
ALIVE_SECONDS = 15.0  # after which the windows of a process that says nothing are gone

SCHEMA = """
CREATE TABLE IF NOT EXISTS secret (value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS rooms (
  code TEXT PRIMARY KEY, kept TEXT NOT NULL, used REAL NOT NULL, version INTEGER NOT NULL,
  address TEXT NOT NULL, client TEXT NOT NULL, shown INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS votes (
  code TEXT, scene INTEGER, round INTEGER, device TEXT, address TEXT, choice INTEGER,
  PRIMARY KEY (code, scene, round, device)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS votes_of_addresses ON votes (code, scene, round, address);
CREATE TABLE IF NOT EXISTS tally (
  code TEXT, scene INTEGER, round INTEGER, choice INTEGER, many INTEGER,
  PRIMARY KEY (code, scene, round, choice)
) WITHOUT ROWID;
CREATE TRIGGER IF NOT EXISTS counted AFTER INSERT ON votes BEGIN
  INSERT INTO tally VALUES (new.code, new.scene, new.round, new.choice, 1)
    ON CONFLICT DO UPDATE SET many = many + 1;
END;
CREATE TRIGGER IF NOT EXISTS uncounted AFTER DELETE ON votes BEGIN
  UPDATE tally SET many = many - 1 WHERE code = old.code AND scene = old.scene
    AND round = old.round AND choice = old.choice;
END;
CREATE TABLE IF NOT EXISTS windows (
  process TEXT, code TEXT, followers INTEGER, leaders INTEGER, seen REAL,
  PRIMARY KEY (process, code)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS unreadable (code TEXT, kept TEXT);
"""

Windows = dict[str, tuple[int, int]]
"""How many windows follow each room, and how many lead it."""


@dataclass(frozen=True)
class StoredRoom:
    """A room as it stands in the database; `version` grows with each of its changes."""

    record: RoomRecord
    version: int
    used: float
    was_open: bool
    votes: Counts
    lost: int


@dataclass(frozen=True)
class Opened:
    """A room that takes a place: who opened it, and whether a window ever showed it."""

    code: str
    used: float
    address: str
    client: str
    was_open: bool


@dataclass(frozen=True)
class News:
    """What other processes have done: the rooms that changed, the codes of all, and windows."""

    changed: list[StoredRoom]
    codes: set[str]
    elsewhere: Windows


@dataclass(frozen=True)
class OneRoom:
    """The votes of one room, within a transaction."""

    store: "Store"
    record: RoomRecord

    def uncover(self, scene: int) -> Counts:
        counts = self.store.counts(self.record, scene)
        self.store.forget(self.record.code, "scene = ? AND round < ?", scene, LOST)
        return counts

    def find_all(self) -> None:
        self.store.forget(self.record.code, "round = ?", LOST)


class Store(Database[StoredRoom]):
    """The rooms of a folder. What is below runs in its thread, and changes in a transaction."""

    def __init__(self, folder: Path):
        self.records: dict[str, tuple[str, RoomRecord]] = {}
        self.touched: set[str] = set()
        self.process = f"{os.getpid()} {secrets.token_hex(8)}"
        self.read_at = -1
        super().__init__(folder, NAME, SCHEMA)

    def prepare(self) -> None:
        self.secret = self.kept_secret()
        self.forget_killed()

    def read_changed(self) -> list[StoredRoom]:
        touched, self.touched = self.touched, set()
        return [*self.read_rooms(touched)]

    # What is known.

    def read_rooms(self, codes: Iterable[str] | None = None) -> Iterator[StoredRoom]:
        """The rooms of these codes, or all. One that cannot be read is put aside."""
        if codes is None:
            codes = [code for (code,) in self.db.execute("SELECT code FROM rooms")]
        query = "SELECT kept, used, version, shown FROM rooms WHERE code = ?"
        for code in codes:
            row = self.db.execute(query, (code,)).fetchone()
            if row and (record := self.parsed(code, row[0])):
                yield StoredRoom(record, row[2], row[1], bool(row[3]), *self.votes(record))

    def parsed(self, code: str, stored: str) -> RoomRecord | None:
        """The record of a row; None for one that cannot be read."""
        text, record = self.records.get(code, ("", None))
        if text == stored:
            return record
        try:
            record = RoomRecord.model_validate_json(stored)
        except ValidationError as error:
            first = error.errors()[0]
            why = f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
            log.warning("the room %s cannot be read and is put aside: %s", code, why)
            with suppress(sqlite3.Error):
                self.db.execute("INSERT INTO unreadable VALUES (?, ?)", (code, stored))
                self.db.execute("DELETE FROM rooms WHERE code = ?", (code,))
            return None
        self.records[code] = stored, record
        return record

    def votes(self, record: RoomRecord) -> tuple[Counts, int]:
        """The votes on the question that is open, and how many are lost."""
        if record.scene < 0:
            return ([], []), 0
        open_ = record.phase < UNCOVERED
        counts = self.counts(record, record.scene) if open_ else ([], [])
        return counts, self.many(record.code, record.scene, LOST)

    def counts(self, record: RoomRecord, scene: int) -> Counts:
        before, after = ([0] * len(record.talk.scene[scene].choices) for _ in range(2))
        query = "SELECT round, choice, many FROM tally WHERE code = ? AND scene = ? AND round < ?"
        for round, choice, many in self.db.execute(query, (record.code, scene, LOST)):
            (after if round else before)[choice] = many
        return before, after

    def many(self, code: str, scene: int, round: int) -> int:
        """How many devices have said something in a round."""
        query = "SELECT total(many) FROM tally WHERE code = ? AND scene = ? AND round = ?"
        return int(self.db.execute(query, (code, scene, round)).fetchone()[0])

    def opened_rooms(self) -> list[Opened]:
        query = "SELECT code, used, address, client, shown FROM rooms"
        return [Opened(*row) for row in self.db.execute(query)]

    def news(self, known: dict[str, int]) -> News | None:
        """What others have done since it was asked last; `known` are the versions of rooms."""
        (read_at,) = self.db.execute("PRAGMA data_version").fetchone()
        if read_at == self.read_at:
            return None
        versions = dict(self.db.execute("SELECT code, version FROM rooms"))
        changed = [code for code, version in versions.items() if known.get(code) != version]
        now = time.monotonic()
        windows = self.db.execute(
            "SELECT code, sum(followers), sum(leaders) FROM windows"
            " WHERE process != ? AND seen BETWEEN ? AND ? GROUP BY code",
            (self.process, now - ALIVE_SECONDS, now),
        )
        news = News(
            [*self.read_rooms(changed)] if changed else [],
            set(versions),
            {code: (followers, leaders) for code, followers, leaders in windows},
        )
        self.read_at = read_at
        return news

    # What changes it.

    def add(self, record: RoomRecord, used: float, client: str) -> None:
        """Keeps a new room, and of who opened it only what tells it from others."""
        row = (record.code, record.model_dump_json(), used, *self.opener(client))
        self.db.execute("INSERT INTO rooms VALUES (?, ?, ?, 1, ?, ?, 0)", row)
        self.touched.add(record.code)

    def opener(self, client: str) -> tuple[str, str]:
        """What stands for an address and for a client."""
        address, whole = (
            hmac.digest(self.secret.encode(), identity.encode(), "sha256").hex()[:16]
            for identity in (address_of(client), client)
        )
        return address, whole

    def end(self, code: str) -> None:
        self.db.execute("DELETE FROM rooms WHERE code = ?", (code,))
        self.forget(code, "TRUE")
        self.db.execute("DELETE FROM tally WHERE code = ?", (code,))
        self.records.pop(code, None)

    def end_unused(self, code: str, late: float) -> bool:
        """Ends a room, unless it was used in another process since; returns whether it did."""
        query = "SELECT 1 FROM rooms WHERE code = ? AND used >= ?"
        if self.db.execute(query, (code, late)).fetchone():
            return False
        self.end(code)
        return True

    def mark(self, code: str, used: float, was_open: bool = False) -> None:
        """A room is used; it `was_open` for good once a window was open."""
        self.db.execute(
            "UPDATE rooms SET used = max(used, ?), shown = shown OR ?, version = version + 1"
            " WHERE code = ?",
            (used, was_open, code),
        )
        self.touched.add(code)

    def lead(self, code: str, used: float, do: Callable[[RoomRecord, OneRoom], None]) -> None:
        """Leads a room from where it stands now."""
        record = self.record(code).copy_to_lead()
        do(record, OneRoom(self, record))
        stored = record.model_dump_json()
        self.db.execute("UPDATE rooms SET kept = ? WHERE code = ?", (stored, code))
        self.records[code] = stored, record
        self.mark(code, used)

    def record(self, code: str) -> RoomRecord:
        """The record of a room as it stands now; raises Problem."""
        row = self.db.execute("SELECT kept FROM rooms WHERE code = ?", (code,)).fetchone()
        if row is None or (record := self.parsed(code, row[0])) is None:
            raise Problem("unknown", "room-has-ended", room=code)
        return record

    def vote(self, code: str, client: str, choice: int | None, lost: bool | None) -> dict[str, Any]:
        """Takes a vote in the round that is open, and whether a student is lost; raises Problem.
        Returns what this device has said then.
        """
        record = self.record(code)
        if choice is not None:
            if record.current_scene is None or record.phase == UNCOVERED:
                raise Problem("invalid", "no-question-open")
            if choice >= (most := len(record.current_scene.choices)):
                raise Problem("invalid", "choices-there-are", most=most)
            self.put(record, record.phase, client, choice)
        if lost:
            self.put(record, LOST, client, 1)
        elif lost is not None:
            self.forget(
                code, "round = ? AND device = ?", LOST, self.device(record, device_of(client))
            )
        self.db.execute("UPDATE rooms SET version = version + 1 WHERE code = ?", (code,))
        self.touched.add(code)
        return self.device_votes(record, client)

    def put(self, record: RoomRecord, round: int, client: str, choice: int) -> None:
        """Keeps what one device says in a round, in place of what it said before."""
        at = record.code, record.scene, round
        address, device = (self.device(record, of(client)) for of in (address_of, device_of))
        of_round = "FROM votes WHERE code = ? AND scene = ? AND round = ?"
        if not self.db.execute(f"SELECT 1 {of_round} AND device = ?", (*at, device)).fetchone():
            query = f"SELECT count(*) {of_round} AND address = ?"
            (near,) = self.db.execute(query, (*at, address)).fetchone()
            if near >= DEVICES_OF_ADDRESS:
                device = address
            elif self.many(*at) >= MAX_DEVICES:
                raise busy("too-many-votes-in-a-round", 60)
        self.db.execute(f"DELETE {of_round} AND device = ?", (*at, device))
        row = (*at, device, address, choice)
        self.db.execute("INSERT INTO votes VALUES (?, ?, ?, ?, ?, ?)", row)

    def device_votes(self, record: RoomRecord, client: str) -> dict[str, Any]:
        """What a device has voted, and whether it said that it is lost."""
        cursor = self.db.execute(
            "SELECT round, choice FROM votes WHERE code = ? AND scene = ? AND device = ?",
            (record.code, record.scene, self.device(record, device_of(client))),
        )
        rounds = dict(cursor.fetchall())
        choice = rounds.get(record.phase) if record.phase < UNCOVERED else None
        return {"choice": choice, "lost": LOST in rounds}

    @staticmethod
    def device(record: RoomRecord, cookie: str) -> str:
        """What stands for a device in this room, and in no other."""
        return hmac.digest(record.token.encode(), cookie.encode(), "sha256").hex()[:16]

    def forget(self, code: str, where: str, *values: object) -> None:
        votes = f"DELETE FROM votes WHERE code = ? AND {where}"  # noqa: S608, it is of this file
        self.db.execute(votes, (code, *values))

    def show_windows(self, windows: Windows) -> None:
        """Says to other processes how many windows are open here."""
        now = time.monotonic()
        with self.transaction(durable=False):
            self.db.execute(
                "DELETE FROM windows WHERE process = ? OR seen NOT BETWEEN ? AND ?",
                (self.process, now - ALIVE_SECONDS, now),
            )
            rows = [(self.process, code, *many, now) for code, many in windows.items()]
            self.db.executemany("INSERT INTO windows VALUES (?, ?, ?, ?, ?)", rows)

    # What was before.

    def forget_killed(self) -> None:
        """Forgets the windows of servers that are no more, this one's before it was killed too."""
        for (process,) in self.db.execute("SELECT DISTINCT process FROM windows").fetchall():
            try:
                os.kill(int(process.partition(" ")[0]), 0)
            except ProcessLookupError:
                self.db.execute("DELETE FROM windows WHERE process = ?", (process,))
            except OSError:
                continue  # another user's

    def kept_secret(self) -> str:
        """What cookies are signed with: a student who has voted is known again after a restart."""
        if row := self.db.execute("SELECT value FROM secret").fetchone():
            return row[0]
        secret = secrets.token_hex(32)
        self.db.execute("INSERT INTO secret VALUES (?)", (secret,))
        return secret
