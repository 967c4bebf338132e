"""The process that holds torch: word and question in, bytes out. The engine calls the functions at the top through the process pool."""

import os
import threading
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib import import_module
from types import ModuleType
from typing import Any

from cachetools import LRUCache, cached

from app import wire
from model.errors import InvalidInput, UnknownName, VitrineError

MOST_GENERATORS = 64


@dataclass(frozen=True)
class Refused:
    """The question was at fault; `nearest` is set where a name is unknown."""

    detail: str
    field: str = ""
    limit: Any = None
    given: Any = None
    nearest: list[str] | None = None


@dataclass(frozen=True)
class Failed:
    """The server was at fault; the traceback is for its log."""

    traceback: str


def warm(analyses: str, runs_kept: int) -> int:
    """Imports the analyses, and with them torch, once in the life of the process; gives the process's id."""
    os.environ["OMP_NUM_THREADS"] = "1"  # two threads were seen to collapse under load
    State.analyses = import_module(analyses)
    State.keep_runs(runs_kept)
    if hasattr(State.analyses, "load_ahead"):
        threading.Thread(target=State.analyses.load_ahead, daemon=True).start()
    return os.getpid()


def ping() -> None:
    """Answers, so the worker lives."""


def answer(word: str, question: dict, encoding: wire.Encoding) -> bytes | Refused | Failed:
    return guarded(lambda: wire.encode(State.analyses.answer(word, question, **State.kept), encoding))


def event(stream: str, word: str, question: dict, step: int) -> bytes | Refused | Failed | None:
    """Event `step` of a stream, None after its last. A stream that this process does not know, it begins anew and skips to the step."""
    return guarded(lambda: next_event(stream, word, question, step))


class State:
    """What lives as long as the process."""

    analyses: ModuleType
    kept: dict[str, Any] = {}  # noqa: RUF012 - replaced by keep_runs, never changed in place
    generators: LRUCache[str, "Generator"] = LRUCache(MOST_GENERATORS)

    @classmethod
    def keep_runs(cls, most: int) -> None:
        """The analyses are handed a `run` that remembers, by model and input; what it gives is never changed."""
        if hasattr(cls.analyses, "run"):
            keep = cached(LRUCache(most), key=lambda model, input: (model.id, input))
            cls.kept = {"run": keep(cls.analyses.run)}


@dataclass
class Generator:
    events: Iterator[dict]
    step: int = field(default=0)


def next_event(stream: str, word: str, question: dict, step: int) -> bytes | None:
    generator = State.generators.get(stream)
    if generator is None or generator.step > step:
        generator = State.generators[stream] = Generator(iter(State.analyses.stream(word, question)))
    item = None
    while generator.step <= step:
        item = next(generator.events, None)
        generator.step += 1
    if item is None:
        State.generators.pop(stream, None)
        return None
    return wire.dumps(wire.checked(item))


def guarded(work: Any) -> Any:
    """Refusals and failures travel as plain values: an exception with arguments of its own does not survive the way between processes."""
    try:
        return work()
    except UnknownName as refusal:
        return Refused(str(refusal), nearest=refusal.nearest)
    except InvalidInput as refusal:
        return Refused(str(refusal), refusal.field, plain(refusal.limit), plain(refusal.given))
    except VitrineError as refusal:
        return Failed(str(refusal))
    except Exception:
        return Failed(traceback.format_exc())


def plain(value: object) -> object:
    return value if isinstance(value, int | float | str | bool | None) else repr(value)[:200]
