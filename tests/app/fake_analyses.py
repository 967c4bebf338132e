"""Analyses without torch, whose `source` says how they behave: `sleep 0.2`, `die`, `fail`; each one
begun is written to a file.

What is to last until a test has seen something waits for a file: `held PATH` until the test makes
it, and then takes it away; `trials-until PATH` likewise, with a checkpoint every hundredth of a
second.
"""

import hashlib
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

from model.errors import InvalidInput, UnknownName
from model.progress import trials

CALLS = "VITRINE_TEST_CALLS"


class Panic(BaseException):
    """As a library in Rust raises it."""


def answer(word: str, question: dict) -> SimpleNamespace:
    source = question.get("source") or ""
    begun(f"{word} {source}")
    behave(source)
    value: object = float("nan") if source == "nan" else 0.5
    if source.startswith("megabytes"):
        value = [
            hashlib.sha256(b"%d" % i).hexdigest() for i in range(15_000 * int(source.split()[1]))
        ]
    return SimpleNamespace(
        model=question.get("model"),
        kind="analytic",
        input={},
        axes={},
        tensors={},
        unedited={},
        unedited_axes={},
        fields={"asked": question, "value": value},
    )


def stream(word: str, question: dict) -> Iterator[dict]:
    source = question.get("source") or ""
    for step in range(question.get("max_new_tokens", 5)):
        begun(f"step {step} {source}")
        behave(source)
        yield {"step": step}


def begun(line: str) -> None:
    if path := os.environ.get(CALLS):
        with Path(path).open("a") as file:
            file.write(line + "\n")


def behave(source: str) -> None:
    match source.split():
        case ["sleep", seconds, *_]:
            time.sleep(float(seconds))
        case ["trials", seconds, number, *_]:
            for _ in trials(int(number)):
                time.sleep(float(seconds))
        case ["held", path, *_]:
            while not taken(path):
                time.sleep(0.01)
        case ["trials-until", path, *_]:
            for _ in trials(1_000_000):
                if taken(path):
                    break
                time.sleep(0.01)
        case ["die", *_]:
            os.kill(os.getpid(), signal.SIGKILL)
        case ["hang", *_]:
            os.kill(os.getpid(), signal.SIGSTOP)
        case ["fail", *_]:
            raise RuntimeError("secret")
        case ["panic", *_]:
            raise Panic
        case ["refuse", *_]:
            raise InvalidInput("input-is-empty", field="source", limit=3, given=4)
        case ["unknown", *_]:
            raise UnknownName("unknown-model", "traslator", ["translator"])


def taken(path: str) -> bool:
    """Whether the file was there; it no longer is."""
    try:
        Path(path).unlink()
    except FileNotFoundError:
        return False
    return True
