"""A small database of SQLite in a folder, which several processes share. What was written outlives
them, and the power, however they end.

One thread of each process has the database. What changes at once is one transaction, and so one
wait for the disk; whoever asked for a change is answered after it.
"""

import asyncio
import logging
import sqlite3
import time
import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Generic, TypeVar

from app.errors import Problem, busy, sentence
from model.errors import Sentence

log = logging.getLogger("vitrine.rooms")

BUSY_SECONDS = 5.0  # that another process may write

T = TypeVar("T")
Changed = TypeVar("Changed")


class Database(ABC, Generic[Changed]):
    """The database of a folder. What is given to `change` and `read` runs in its thread, as do
    `prepare` and `read_changed`.

    `on_change` is called with what a transaction has changed, before it is answered, and
    `on_trouble` with what is wrong with the disk, or nothing. Where nothing can be written at all,
    `unkept` says so and the database is this process's alone.
    """

    def __init__(self, folder: Path, name: str, schema: str):
        self.folder = folder
        self.unkept: Sentence | None = None
        self.thread = ThreadPoolExecutor(1, name)
        self.waiting: list[tuple[Callable[[], Any], asyncio.Future]] = []
        self.flushing: asyncio.Task | None = None
        self.on_change: Callable[[list[Changed]], None] = lambda changed: None
        self.on_trouble: Callable[[Sentence | None], None] = lambda trouble: None
        try:
            self.begin(self.in_folder(name, schema))
        except (OSError, sqlite3.Error) as error:
            self.unkept = sentence("votes-are-lost", folder=folder)
            log.warning("%s %s", self.unkept, error)
            self.begin(connected(":memory:", schema))
        weakref.finalize(self, self.db.close)

    @abstractmethod
    def prepare(self) -> None:
        """The first transaction."""

    @abstractmethod
    def read_changed(self) -> list[Changed]:
        """What the last transaction has changed."""

    def begin(self, db: sqlite3.Connection) -> None:
        self.db = db
        try:
            with self.transaction():
                self.prepare()
        except sqlite3.Error:
            db.close()
            raise

    def in_folder(self, name: str, schema: str) -> sqlite3.Connection:
        """The database of the folder, new where there is none or none that can be read."""
        file = self.folder / f"{name}.db"
        self.folder.mkdir(parents=True, exist_ok=True)
        file.touch(mode=0o600)
        file.chmod(0o600)  # those beside it get the same
        try:
            return connected(file, schema)
        except sqlite3.DatabaseError as error:
            if error.sqlite_errorcode not in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
                raise
            log.warning("%s is damaged and put aside as %s.bad: %s", file, file.name, error)
            file.replace(file.with_name(f"{file.name}.bad"))
            file.touch(mode=0o600)
            return connected(file, schema)

    async def change(self, do: Callable[[], T]) -> T:
        """Runs `do` in a transaction, and returns what it returns once that is on the disk; raises
        Problem. What is asked for meanwhile is the next transaction, together.
        """
        loop = asyncio.get_running_loop()
        done: asyncio.Future[T] = loop.create_future()
        self.waiting.append((do, done))
        if self.flushing is None:
            self.flushing = loop.create_task(self.flush())
        return await done

    async def flush(self) -> None:
        while self.waiting:
            batch, self.waiting = self.waiting, []
            outcomes, changed, trouble = await self.read(self.write, [do for do, _ in batch])
            self.on_trouble(trouble)
            self.on_change(changed)
            for (_, done), outcome in zip(batch, outcomes, strict=True):
                if done.done():
                    continue  # whoever asked has left
                if isinstance(outcome, Exception):
                    done.set_exception(outcome)
                else:
                    done.set_result(outcome)
        self.flushing = None

    async def read(self, do: Callable[..., T], *arguments: Any) -> T:
        """What `do` returns, which runs in the thread of the database."""
        return await asyncio.get_running_loop().run_in_executor(self.thread, do, *arguments)

    def write(
        self, changes: list[Callable[[], Any]]
    ) -> tuple[list, list[Changed], Sentence | None]:
        """The outcome of each change, what they have changed, and what is wrong with the disk."""
        try:
            with self.transaction():
                outcomes = [self.outcome(do) for do in changes]
            return outcomes, self.read_changed(), None
        except sqlite3.Error as error:
            problem = self.problem(error)
            trouble = problem.sentence if problem.code == "full" else None
            return [problem] * len(changes), [], trouble
        except Exception as fault:  # whoever asked is told of it
            return [fault] * len(changes), [], None

    def outcome(self, do: Callable[[], Any]) -> Any:
        """What a change returns, or what it raises: then it has changed nothing."""
        self.db.execute("SAVEPOINT one")
        try:
            return do()
        except sqlite3.Error:
            raise
        except Exception as refused:
            self.db.execute("ROLLBACK TO one")
            return refused
        finally:
            with suppress(sqlite3.OperationalError):  # a fault of the disk has ended all of them
                self.db.execute("RELEASE one")

    def problem(self, error: sqlite3.Error) -> Problem:
        log.warning("nothing can be written into %s: %s", self.folder, error)
        if getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY:
            return busy("another-server-writes", 1)
        return Problem("full", "nothing-written", folder=self.folder, why=str(error))

    @contextmanager
    def transaction(self, durable: bool = True) -> Generator[None]:
        """All of it or nothing; what is not `durable` is not waited for."""
        self.db.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
        self.db.execute("BEGIN IMMEDIATE")
        try:
            yield
            self.db.execute("COMMIT")
        finally:
            if self.db.in_transaction:
                with suppress(sqlite3.Error):
                    self.db.execute("ROLLBACK")


def connected(file: Path | str, schema: str) -> sqlite3.Connection:
    """A connection to a database, which has its tables then."""
    db = sqlite3.connect(file, BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    ends = time.monotonic() + BUSY_SECONDS
    try:
        while db.execute("PRAGMA journal_mode").fetchone()[0] not in ("wal", "memory"):
            try:
                db.execute("PRAGMA journal_mode = WAL")
            except sqlite3.OperationalError:  # another process does so, for which SQLite waits not
                if time.monotonic() > ends:
                    raise
                time.sleep(0.02)
        db.executescript(schema)
    except sqlite3.Error:
        db.close()
        raise
    return db
