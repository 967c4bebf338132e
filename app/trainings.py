"""Trainings: one runs, a few wait, each in a process of its own behind everything else; its steps are on the disk before they are sent."""

import asyncio
import contextlib
import errno
import hashlib
import json
import logging
import os
import shutil
import sys
from importlib.metadata import version
from pathlib import Path

from app.engine import Engine, canonical
from app.errors import Problem, busy
from app.streams import Log, Streams

log_of_server = logging.getLogger("vitrine")

LOOK_SECONDS = 0.2
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class Trainings(Streams):
    """One log a training, whoever follows it. Without a reader it stops; asked again, it goes on at the last step it has said."""

    def __init__(self, engine: Engine):
        super().__init__(engine)
        self.turn = asyncio.Lock()
        self.process: asyncio.subprocess.Process | None = None

    def admit(self, word: str) -> None:
        if len(self.logs) > self.settings.trainings_waiting:
            raise busy(f"One training runs and {len(self.logs) - 1} wait; {self.settings.trainings_waiting} may.", 30)

    async def compute(self, log: Log, word: str, question: dict) -> bool:
        log.append(json.dumps({"step": 0, "steps": question["steps"]}, separators=(",", ":")).encode())
        training = asyncio.ensure_future(self.train(log, word, question))
        leaving = asyncio.ensure_future(self.left(log))
        try:
            await asyncio.wait({training, leaving}, return_when=asyncio.FIRST_COMPLETED)
            if training.done():
                training.result()
            return training.done()
        finally:
            training.cancel()
            leaving.cancel()

    async def left(self, log: Log) -> None:
        while log.readers or await self.comes_back(log):
            await asyncio.sleep(LOOK_SECONDS)

    async def train(self, log: Log, word: str, question: dict) -> None:
        """Follows the training's process when it is this one's turn; raises Problem."""
        async with self.turn:
            folder = self.settings.runs / name_of(word, question)
            make_room(self.settings.runs, self.settings.trainings_kept - 1, folder)
            command = (sys.executable, "-m", "model.live", str(folder), json.dumps(question))
            streams = {"stdin": asyncio.subprocess.DEVNULL, "stdout": asyncio.subprocess.PIPE}
            self.process = await asyncio.create_subprocess_exec(*command, **streams, env={**os.environ, "OMP_NUM_THREADS": "1"})
            try:
                async for line in self.process.stdout:
                    log.append(line.rstrip())
                code = await self.process.wait()
            finally:
                self.end()
        if code in FULL:
            detail = f"There is no room for the next step in {self.settings.runs}; the training goes on after step {len(log.events) - 1}."
            raise Problem("full", detail)
        if code:
            log_of_server.error("the training %s ended with %s", folder, code)
            raise busy("The process that trains has ended. Asked again, it goes on after the last step.", 1)

    def end(self) -> None:
        """The process has nothing to tidy up: what it has said is on the disk."""
        if self.process is not None and self.process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                self.process.kill()

    def close(self) -> None:
        super().close()
        self.end()


def make_room(runs: Path, most: int, but: Path) -> None:
    """Leaves the `most` trainings whose latest step is the youngest, and the folder `but`."""
    others = [path for path in runs.glob("*/steps.jsonl") if path.parent != but]
    for path in sorted(others, key=lambda path: path.stat().st_mtime, reverse=True)[most:]:
        shutil.rmtree(path.parent, ignore_errors=True)


def name_of(word: str, question: dict) -> str:
    """Of the folder: a training is what was asked, and the library that computes it."""
    return hashlib.sha256(canonical(word, question, version("torch"))).hexdigest()[:32]
