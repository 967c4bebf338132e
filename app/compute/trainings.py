"""Trainings. One runs and a few wait, each in a process of its own with a low priority. Its steps
are on the disk before they are sent.
"""

import asyncio
import contextlib
import errno
import json
import logging
import os
import shutil
import sys
from pathlib import Path

import orjson

from app.clients import used_up
from app.compute.backend import canonical
from app.compute.engine import Engine
from app.compute.streams import EventLog, EventStreams
from app.errors import Problem, busy
from model.measure.stored_trainings import DIVERGED, folder_of, is_stored
from model.measure.stored_trainings import LOG as STEPS

log_of_server = logging.getLogger("vitrine.trainings")

COMPLETE = "complete"
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
READ_ONLY = (errno.EACCES, errno.EROFS, errno.ENOTDIR)


class Trainings(EventStreams):
    """Keeps one log for each training, however many clients follow it.

    Without a reader a training stops. When it is asked for again, it goes on after the last step on
    the disk.
    """

    def __init__(self, engine: Engine):
        super().__init__(engine)
        self.turn = asyncio.Lock()
        self.process: asyncio.subprocess.Process | None = None

    def begun(self, word: str, question: dict) -> bool:
        """Returns whether this training runs, waits, or has steps on the disk."""
        running = canonical(word, question, "events") in self.logs
        return running or (self.folder(word, question) / STEPS).exists()

    def folder(self, word: str, question: dict) -> Path:
        """Returns the folder of a training, which is one however many steps are asked for."""
        return folder_of(self.settings.runs, question)

    def stores(self, question: dict) -> bool:
        """Returns whether so many steps of a training are kept that no step has to be taken."""
        return is_stored(self.settings.runs, question, question["steps"])

    def admit(self, word: str, question: dict, client: str) -> None:
        """Raises Problem where as many run or wait as may, of all, of this address or client."""
        may, each = self.settings.trainings_waiting, self.settings.trainings_per_client
        share = used_up((log.client for log in self.logs.values()), client, may + 1, each)
        if share == "all":
            raise busy("too-many-trainings", 30, n=len(self.logs) - 1, most=may)
        if share == "own":
            raise busy("too-many-trainings-of-yours", 30, most=each)
        if share:
            raise busy("too-many-trainings-of-your-address", 30)

    async def compute(self, log: EventLog, word: str, question: dict) -> bool:
        log.append(orjson.dumps({"step": 0, "steps": question["steps"]}))
        training = asyncio.ensure_future(self.train(log, word, question))
        leaving = asyncio.ensure_future(self.until_unread(log))
        try:
            await asyncio.wait({training, leaving}, return_when=asyncio.FIRST_COMPLETED)
            if training.done():
                training.result()
            return training.done()
        finally:
            training.cancel()
            leaving.cancel()

    async def train(self, log: EventLog, word: str, question: dict) -> None:
        """Waits for its turn and follows the process that trains; raises Problem."""
        async with self.turn:
            folder = self.folder(word, question)
            prune_unfinished(self.settings.runs, self.settings.trainings_unfinished - 1, folder)
            command = (
                sys.executable,
                "-m",
                "model.processes.live_warmup",
                str(folder),
                json.dumps(question),
            )
            self.process = await asyncio.create_subprocess_exec(
                *command,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                env={**os.environ, "OMP_NUM_THREADS": "1"},
            )
            assert self.process.stdout is not None, "it was asked for"
            try:
                async for line in self.process.stdout:
                    log.append(line.rstrip())
                code = await self.process.wait()
            finally:
                self.end()
        if code in FULL:
            done = len(log.events) - 1
            raise Problem("full", "no-room-for-a-step", folder=self.settings.runs, step=done)
        if code in READ_ONLY:
            raise busy("steps-not-written", 60, folder=self.settings.runs)
        if code == DIVERGED:
            raise Problem("invalid", "network-diverged")
        if code:
            log_of_server.error("the training %s ended with %s", folder, code)
            raise busy("training-process-ended", 1)
        (folder / COMPLETE).touch()
        prune_finished(self.settings.runs, self.settings.trainings_kept)

    def end(self) -> None:
        """Kills the process; it has nothing to tidy up, because what it has said is on the disk."""
        if self.process is not None and self.process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                self.process.kill()

    def close(self) -> None:
        super().close()
        self.end()


def prune_unfinished(runs: Path, most: int, but: Path) -> None:
    """Deletes the oldest unfinished trainings until there are at most `most` beside `but`.

    A finished training is never deleted for one that only begins.
    """
    others = [path for path in folders(runs) if path != but and not (path / COMPLETE).exists()]
    delete(others[most:])


def prune_finished(runs: Path, most: int) -> None:
    """Deletes the oldest finished trainings until there are at most `most`."""
    delete([path for path in folders(runs) if (path / COMPLETE).exists()][most:])


def folders(runs: Path) -> list[Path]:
    """Returns the folders of all trainings, the one with the latest step first."""
    logs = sorted(runs.glob(f"*/{STEPS}"), key=lambda path: path.stat().st_mtime, reverse=True)
    return [path.parent for path in logs]


def delete(folders: list[Path]) -> None:
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)
