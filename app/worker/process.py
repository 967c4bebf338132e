"""The process that holds torch. It takes a word and a question and returns bytes.

The engine calls the functions at the top through the process pool, by their names: the web process
does not import this file, which imports all that computes and draws.
"""

import math
import os
import threading
import time
import traceback
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from types import ModuleType
from typing import Any

from cachetools import LRUCache, cached

from app.compute import wire
from app.compute.allocator import give_much_back, keep_freed_memory, loading
from app.compute.messages import (
    FOR_ALL,
    NO_TURN,
    Failed,
    NoTurn,
    Outcome,
    Pulse,
    Refused,
    Sizes,
    WorkerQuery,
)
from app.compute.pausable import Cancelled, Need, Pausable, Progress
from app.compute.representations import Representation
from app.worker.presentation import present
from model.errors import InvalidInput, NotRead, UnknownName, VitrineError
from model.zoo import cards

MAX_GENERATORS = 64
MAX_KEPT = 4
MAX_KEPT_BYTES = 33_554_432
"""The latest answers are kept, because their figures, parts of these and their numbers are asked
for one after the other. A tensor that is a view of a run takes what it is a view of.
"""
HEARTBEAT_SECONDS = 0.5
MEASURED_SECONDS = 60
"""The core is measured again after this long: other programs may have come or gone."""


class TooExpensive(VitrineError):
    """The edits of a question cost more than they may."""

    FILE = "errors"

    def __init__(self, code: str, price: float, most: float):
        self.code, self.price, self.most = code, round(price, 2), most
        super().__init__("edits-too-expensive", code=code, price=price, most=most)


def begin(pulse: Pulse, environment: dict[str, str]) -> None:
    """Prepares the process: starts a thread that writes the time into shared memory twice a second.

    A long computation does not stop it; a process that is stopped or stuck does. `environment` is
    that of the server now; the process was forked from one that has that of an earlier time.
    """
    os.environ.clear()
    os.environ.update(environment)
    keep_freed_memory()
    State.pulse = pulse

    def beat() -> None:
        while True:
            pulse.beat.value = time.monotonic()
            time.sleep(HEARTBEAT_SECONDS)

    threading.Thread(target=beat, daemon=True).start()


def warm(
    analyses: str, sizes: Sizes, trainings: str = "", weights: str = "", models: str = ""
) -> int:
    """Imports the analyses, and torch with them, where the process that it was forked from has not
    (nursery.py). `trainings` is the folder with the steps of live trainings, `weights` that of the
    weights which several processes share, and `models` that with the cards of models that were
    added. Returns the id of the process.
    """
    os.environ["OMP_NUM_THREADS"] = "1"  # two threads were seen to collapse under load
    with loading():
        State.analyses = import_module(analyses)
        if hasattr(State.analyses, "load_ahead"):
            State.analyses.load_ahead()
    State.sizes = sizes
    State.measure_core()
    State.keep_runs(sizes.runs_kept, sizes.runs_bytes)
    if trainings and hasattr(State.analyses, "read_trainings"):
        State.analyses.read_trainings(trainings)
    if weights and hasattr(State.analyses, "share_weights"):
        State.analyses.share_weights(weights)
    if hasattr(State.analyses, "keep_models"):
        State.analyses.keep_models(models, sizes.model_bytes, State.forget)
    return os.getpid()


def answers(
    asked: Sequence[WorkerQuery], waiting: Sequence[tuple[str, dict]] = ()
) -> list[Outcome | Progress | NoTurn]:
    """One turn of several questions: the answer to each, or how far its computation is, in their
    order. The first has its turn whatever it takes; the others until the turn is over. The runs
    that they are about are made together, and with them those that questions `waiting` for a later
    turn are about.
    """
    if time.monotonic() > State.measured_until:
        State.measure_core()
    if len(asked) + len(waiting) > 1:
        guarded(partial(State.run_ahead, [(one.word, one.question) for one in asked], waiting))
    ends = time.monotonic() + State.sizes.turn_seconds
    found: list[Outcome | Progress | NoTurn] = []
    for number, one in enumerate(asked):
        State.pulse.at.value = number
        has_turn = number == 0 or time.monotonic() < ends
        found.append(answer(one) if has_turn else NO_TURN)
    State.pulse.at.value = FOR_ALL
    return found


def answer(asked: WorkerQuery) -> Outcome | Progress:
    """Returns the answer, or how far its computation is. Called again with the same `id`, it goes
    on. A process that does not know the `id` begins anew.
    """
    computation = State.computations.get(asked.id)
    if computation is None:
        compute = partial(State.answer, asked.word, asked.question, asked.form, asked.store)
        computation = Pausable(partial(guarded, compute), State.sizes.turn_seconds)
        State.computations[asked.id] = computation
    outcome = computation.advance()
    if not isinstance(outcome, Progress):
        del State.computations[asked.id]
        give_much_back()
    return outcome


def cancel(id: str) -> None:
    """Ends a paused computation that nobody waits for any more."""
    if (computation := State.computations.pop(id, None)) is not None:
        computation.cancel()


def events(asked: Sequence[tuple[str, str, dict, int]]) -> list[Outcome]:
    """What `event` returns of each of several streams. Each goes on until it reads what it has
    written; then all of them read in one pass.
    """
    streams = [Pausable(partial(event, *one), math.inf, beside=True) for one in asked]
    found: list[Any] = [Need(None) for _ in asked]
    while any(isinstance(one, Need) for one in found):
        for number, stream in enumerate(streams):
            if isinstance(found[number], Need):
                State.pulse.at.value = number
                found[number] = stream.advance()
        State.pulse.at.value = FOR_ALL
        if needs := [one.what for one in found if isinstance(one, Need)]:
            guarded(partial(State.analyses.read_together, needs))
    return found


def event(stream: str, word: str, question: dict, step: int) -> Outcome:
    """Returns event number `step` of a stream, or None after its last.

    A process that does not know the stream begins it anew and skips to the step.
    """
    with_reason = explaining_overflow(question)(next_event)
    return guarded(partial(with_reason, stream, word, question, step))


class State:
    """What the process keeps between two calls."""

    analyses: ModuleType
    sizes: Sizes
    pulse: Pulse
    slowness = 1.0
    measured_until = math.inf
    kept: dict[str, Any] = {}  # noqa: RUF012 - replaced by keep_runs, never changed in place
    computations: dict[str, Pausable[Outcome]] = {}  # noqa: RUF012 - one a process, as the class is
    generators: LRUCache[str, "Events"] = LRUCache(MAX_GENERATORS)
    answers: LRUCache[str, Any] = LRUCache(MAX_KEPT_BYTES, getsizeof=lambda answer: weight(answer))

    @classmethod
    def measure_core(cls) -> None:
        """Measures how slow the core is, which takes it some 30 ms, and says so."""
        if hasattr(cls.analyses, "slowness"):
            cls.slowness = cls.pulse.slowness.value = cls.analyses.slowness()
            cls.measured_until = time.monotonic() + MEASURED_SECONDS

    @classmethod
    def keep_runs(cls, most: int, most_bytes: int) -> None:
        """Gives the analyses a function that remembers its latest runs by weights, input, edits and
        arrangement: at most so many, and of so many bytes together. A run is never changed.

        The weights are told apart by their module, because the kept steps of a training have the
        id of the model that was trained.
        """
        if hasattr(cls.analyses, "run_model"):

            def size(run: Any) -> float:
                return max(run.bytes, most_bytes / most)

            @cached(LRUCache(most_bytes, getsizeof=size), key=key_of_run)
            def run(*asked: Any, **more: Any) -> Any:
                return cls.analyses.run_model(*asked, **more, runs=run)

            cls.kept = {"runs": run}

    @classmethod
    def forget(cls, model: Any) -> None:
        """Drops the runs of a model that goes from memory: they hold its weights."""
        if cls.kept:
            kept = cls.kept["runs"].cache
            for key in [key for key in kept if key[0] is model.transformer]:
                del kept[key]

    @classmethod
    def run_ahead(
        cls, asked: Sequence[tuple[str, dict]], waiting: Sequence[tuple[str, dict]]
    ) -> None:
        """Makes the runs together that several questions are about, and what they remove from
        them. Each is kept, so that its question finds it.
        """
        if cls.kept:
            keep = cls.kept["runs"]

            def known(*of: Any, **more: Any) -> bool:
                return keep.cache_key(*of, **more) in keep.cache

            made = cls.analyses.runs_ahead(asked, waiting, known, keep)
            for model, input, more, run in made:
                with suppress(ValueError):  # larger than all that is kept
                    keep.cache[keep.cache_key(model, input, **more)] = run
            cls.analyses.remove_ahead(asked, waiting, known, keep)

    @classmethod
    def answer(cls, word: str, question: dict, form: Representation, store: bool = True) -> bytes:
        # The parts of an answer that cannot be repeated are parts of one.
        store = store or bool(getattr(form, "display_fields", ()))
        computed = partial(cls.computed, store=store)
        with explaining_overflow(question):
            return present(word, question, form, computed, cls.sizes.answer_bytes)

    @classmethod
    def computed(cls, word: str, question: dict, store: bool, **more: Any) -> Any:
        """The answer. It is kept for those that ask for it in another form: its numbers after its
        figures, and a slider that moves over its parts, do not compute it anew.

        Raises TooExpensive before any edit is made, if they cost too much.
        """
        key = f"{word} {sorted(question.items())} {cards.version_of(word, question)}"
        answer = cls.answers.get(key) if store else None
        if answer is None:
            if cls.kept:
                cls.check_price(word, question)
                answer = cls.analyses.answer(word, question, **cls.kept, **more)
            else:
                answer = cls.analyses.answer(word, question)
            if store and weight(answer) <= MAX_KEPT_BYTES:
                cls.answers[key] = answer
        return answer

    @classmethod
    def check_price(cls, word: str, question: dict) -> None:
        price, sizes = cls.analyses.price(word, question, **cls.kept), cls.sizes
        seconds, most = price.seconds * cls.slowness, sizes.work_seconds
        if seconds > most:
            raise TooExpensive("too_much_work", seconds, most)
        if price.bytes > sizes.runs_bytes:
            raise TooExpensive("too_much_memory", price.bytes / 1e6, sizes.runs_bytes / 1e6)


def weight(answer: Any) -> float:
    """The bytes that a kept answer counts for: so many that at most `MAX_KEPT` are kept."""
    tensors = (*answer.tensors.values(), *answer.unedited.values())
    storages = [tensor.data.untyped_storage() for tensor in tensors]
    taken = sum({storage.data_ptr(): storage.nbytes() for storage in storages}.values())
    return max(taken, MAX_KEPT_BYTES / MAX_KEPT)


def key_of_run(
    model: Any, input: Any, edits: tuple = (), arranged: Any = None, maps: bool = True
) -> tuple:
    """What tells two runs apart."""
    return model.transformer, input, edits, arranged, maps


@dataclass
class Events:
    events: Iterator[dict]
    step: int = field(default=0)


@contextmanager
def explaining_overflow(question: dict) -> Generator[None]:
    """Raises NotRead in place of a failure, if the numbers of the model that was asked overflow."""
    try:
        yield
    except VitrineError:
        raise
    except Exception as error:
        if hasattr(State.analyses, "overflows") and State.analyses.overflows(question):
            raise NotRead("numbers-overflow", model=question["model"]) from error
        raise


def next_event(stream: str, word: str, question: dict, step: int) -> bytes | None:
    generator = State.generators.get(stream)
    if generator is None or generator.step > step:
        if State.kept:
            State.check_price(word, question)
        events = iter(State.analyses.stream(word, question, **State.kept))
        generator = State.generators[stream] = Events(events)
    item = None
    while generator.step <= step:
        item = next(generator.events, None)
        generator.step += 1
    if item is None:
        State.generators.pop(stream, None)
        return None
    return wire.dumps(wire.plain(item))


def guarded(work: Callable[[], Any]) -> Any:
    """Returns what `work` returns. A refusal or a failure becomes a plain value, because an
    exception with arguments of its own does not survive the way between processes.
    """
    try:
        return work()
    except UnknownName as refusal:
        return Refused(refusal.sentence, nearest=refusal.nearest)
    except InvalidInput as refusal:
        limit, given = plain(refusal.limit), plain(refusal.given)
        return Refused(refusal.sentence, refusal.field, limit, given)
    except NotRead as gone:
        return Refused(gone.sentence, "model", code="not_read")
    except wire.AnswerTooLarge as large:
        return Refused(large.sentence, "", large.most, large.size, code="answer_too_large")
    except TooExpensive as much:
        return Refused(much.sentence, "edits", much.most, much.price, code=much.code)
    except VitrineError as refusal:
        return Failed(refusal.text("en"))
    except Cancelled:
        raise
    except BaseException:  # a panic of a library in Rust is no Exception
        return Failed(traceback.format_exc())


def plain(value: object) -> object:
    return value if isinstance(value, int | float | str | bool | None) else repr(value)[:200]
