"""The process with torch. It takes a word and a question and returns bytes.

The engine calls the functions at the top by name through the process pool: the web process does not
import this file, which imports everything that computes and draws.
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
    Representation,
    Sizes,
    WorkerQuery,
)
from app.compute.pausable import Cancelled, Need, Pausable, Progress
from app.worker.presentation import present
from model.errors import InvalidInput, NotRead, UnknownName, VitrineError
from model.zoo import cards

MAX_GENERATORS = 64
MAX_KEPT = 4
MAX_KEPT_BYTES = 33_554_432
"""The latest answers are cached, because their figures and their numbers are requested one after
another. A tensor that is a view of a run counts as much as what it is a view of.
"""
HEARTBEAT_SECONDS = 0.5
MEASURED_SECONDS = 60
"""The core's speed is measured again after this long: other programs may have come or gone."""


class TooExpensive(VitrineError):
    """The edits of a question exceed the cost limit."""

    FILE = "errors"

    def __init__(self, code: str, price: float, most: float):
        self.code, self.price, self.most = code, round(price, 2), most
        super().__init__("edits-too-expensive", code=code, price=price, most=most)


def begin(pulse: Pulse, environment: dict[str, str]) -> None:
    """Prepares the process: starts a thread that writes the time into shared memory twice a second.

    A long computation does not stop it, but a stopped or stuck process does. `environment` is that
    of the server now; the process was forked with an older one.
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
    """Imports the analyses and torch, unless they were preloaded (nursery.py). `trainings` is the
    folder with the steps of live trainings, `weights` that of the weights shared by several
    processes, and `models` that with the cards of added models. Returns the id of the process.
    """
    os.environ["OMP_NUM_THREADS"] = "1"  # two threads were slower under load
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
    queries: Sequence[WorkerQuery], waiting: Sequence[tuple[str, dict]] = ()
) -> list[Outcome | Progress | NoTurn]:
    """One turn for several questions: the answer to each, or the progress of its computation, in
    order. The first runs as long as it takes; the others until the turn is over. Their runs are
    made in a batch, together with those of questions `waiting` for a later turn.
    """
    if time.monotonic() > State.measured_until:
        State.measure_core()
    if len(queries) + len(waiting) > 1:
        guarded(
            partial(State.run_ahead, [(query.word, query.question) for query in queries], waiting)
        )
    ends = time.monotonic() + State.sizes.turn_seconds
    found: list[Outcome | Progress | NoTurn] = []
    for number, query in enumerate(queries):
        State.pulse.at.value = number
        has_turn = number == 0 or time.monotonic() < ends
        found.append(answer(query) if has_turn else NO_TURN)
    State.pulse.at.value = FOR_ALL
    return found


def answer(query: WorkerQuery) -> Outcome | Progress:
    """The answer, or the progress of its computation. Called again with the same `id`, it
    continues. A process that does not know the `id` starts over.
    """
    computation = State.computations.get(query.id)
    if computation is None:
        compute = partial(State.answer, query.word, query.question, query.form, query.store)
        computation = Pausable(partial(guarded, compute), State.sizes.turn_seconds)
        State.computations[query.id] = computation
    outcome = computation.advance()
    if not isinstance(outcome, Progress):
        del State.computations[query.id]
        give_much_back()
    return outcome


def cancel(id: str) -> None:
    """Ends a paused computation that nobody waits for any more."""
    if (computation := State.computations.pop(id, None)) is not None:
        computation.cancel()


def events(queries: Sequence[tuple[str, str, dict, int]]) -> list[Outcome]:
    """The next events of several streams. Each continues until it reads its generated token; then
    all of them read in one pass.
    """
    streams = [Pausable(partial(event, *query), math.inf, beside=True) for query in queries]
    found: list[Any] = [Need(None) for _ in queries]
    while any(isinstance(item, Need) for item in found):
        for number, stream in enumerate(streams):
            if isinstance(found[number], Need):
                State.pulse.at.value = number
                found[number] = stream.advance()
        State.pulse.at.value = FOR_ALL
        if needs := [item.what for item in found if isinstance(item, Need)]:
            guarded(partial(State.analyses.read_together, needs))
    return found


def event(stream: str, word: str, question: dict, step: int) -> Outcome:
    """Event number `step` of a stream, or None after its last.

    A process that does not know the stream starts it over and skips to the step.
    """
    with_reason = explaining_overflow(question)(next_event)
    return guarded(partial(with_reason, stream, word, question, step))


class State:
    """The state of the process between calls."""

    analyses: ModuleType
    sizes: Sizes
    pulse: Pulse
    slowness = 1.0
    measured_until = math.inf
    memo: dict[str, Any] = {}  # noqa: RUF012 - replaced by keep_runs, never changed in place
    computations: dict[str, Pausable[Outcome]] = {}  # noqa: RUF012 - one per process
    generators: LRUCache[str, "Events"] = LRUCache(MAX_GENERATORS)
    answers: LRUCache[str, Any] = LRUCache(MAX_KEPT_BYTES, getsizeof=lambda answer: weight(answer))

    @classmethod
    def measure_core(cls) -> None:
        """Measures and reports the speed of the core, which takes about 30 ms."""
        if hasattr(cls.analyses, "slowness"):
            cls.slowness = cls.pulse.slowness.value = cls.analyses.slowness()
            cls.measured_until = time.monotonic() + MEASURED_SECONDS

    @classmethod
    def keep_runs(cls, most: int, most_bytes: int) -> None:
        """Gives the analyses a function that caches the latest runs by weights, input, edits, and
        arrangement, up to a maximum number and total size. A run is never changed.

        Weights are identified by their module, because the stored steps of a training have the id
        of the trained model.
        """
        if hasattr(cls.analyses, "run_model"):

            def size(run: Any) -> float:
                return max(run.bytes, most_bytes / most)

            @cached(LRUCache(most_bytes, getsizeof=size), key=key_of_run)
            def run(*arguments: Any, **more: Any) -> Any:
                return cls.analyses.run_model(*arguments, **more, runs=run)

            cls.memo = {"runs": run}

    @classmethod
    def forget(cls, model: Any) -> None:
        """Drops the runs of an evicted model, because they hold its weights."""
        if cls.memo:
            cache = cls.memo["runs"].cache
            for key in [key for key in cache if key[0] is model.transformer]:
                del cache[key]

    @classmethod
    def run_ahead(
        cls, questions: Sequence[tuple[str, dict]], waiting: Sequence[tuple[str, dict]]
    ) -> None:
        """Makes the runs and removals that several questions need in batches. They are cached, so
        that each question finds them.
        """
        if cls.memo:
            keep = cls.memo["runs"]

            def known(*of: Any, **more: Any) -> bool:
                return keep.cache_key(*of, **more) in keep.cache

            runs = cls.analyses.runs_ahead(questions, waiting, known, keep)
            for model, input, more, run in runs:
                with suppress(ValueError):  # larger than the whole cache
                    keep.cache[keep.cache_key(model, input, **more)] = run
            cls.analyses.remove_ahead(questions, waiting, known, keep)

    @classmethod
    def answer(cls, word: str, question: dict, form: Representation, store: bool = True) -> bytes:
        # If an answer is not repeatable, neither are its parts.
        store = store or bool(getattr(form, "display_fields", ()))
        computed = partial(cls.computed, store=store)
        with explaining_overflow(question):
            return present(word, question, form, computed, cls.sizes.answer_bytes)

    @classmethod
    def computed(cls, word: str, question: dict, store: bool, **more: Any) -> Any:
        """The answer, cached for requests in another form: showing its numbers after its figures,
        or moving a slider over its parts, does not recompute it.

        Raises TooExpensive before any edit is made, if the edits cost too much.
        """
        key = f"{word} {sorted(question.items())} {cards.version_of(word, question)}"
        answer = cls.answers.get(key) if store else None
        if answer is None:
            if cls.memo:
                cls.check_price(word, question)
                answer = cls.analyses.answer(word, question, **cls.memo, **more)
            else:
                answer = cls.analyses.answer(word, question)
            if store and weight(answer) <= MAX_KEPT_BYTES:
                cls.answers[key] = answer
        return answer

    @classmethod
    def check_price(cls, word: str, question: dict) -> None:
        price, sizes = cls.analyses.price(word, question, **cls.memo), cls.sizes
        seconds, most = price.seconds * cls.slowness, sizes.work_seconds
        if seconds > most:
            raise TooExpensive("too_much_work", seconds, most)
        if price.bytes > sizes.runs_bytes:
            raise TooExpensive("too_much_memory", price.bytes / 1e6, sizes.runs_bytes / 1e6)


def weight(answer: Any) -> float:
    """The bytes that a cached answer counts for, so that at most `MAX_KEPT` are cached."""
    tensors = (*answer.tensors.values(), *answer.unedited.values())
    storages = [tensor.data.untyped_storage() for tensor in tensors]
    taken = sum({storage.data_ptr(): storage.nbytes() for storage in storages}.values())
    return max(taken, MAX_KEPT_BYTES / MAX_KEPT)


def key_of_run(
    model: Any, input: Any, edits: tuple = (), arranged: Any = None, maps: bool = True
) -> tuple:
    """The cache key of a run."""
    return model.transformer, input, edits, arranged, maps


@dataclass
class Events:
    events: Iterator[dict]
    step: int = field(default=0)


@contextmanager
def explaining_overflow(question: dict) -> Generator[None]:
    """Replaces an error with NotRead if the numbers of the requested model overflow."""
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
        if State.memo:
            State.check_price(word, question)
        events = iter(State.analyses.stream(word, question, **State.memo))
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
    """The result of `work`. An error is returned as a plain value, because an exception with custom
    arguments cannot be pickled.
    """
    try:
        return work()
    except UnknownName as refusal:
        return Refused(refusal.sentence, nearest=refusal.nearest)
    except InvalidInput as refusal:
        limit, value = plain(refusal.limit), plain(refusal.given)
        return Refused(refusal.sentence, refusal.field, limit, value)
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
    except BaseException:  # a panic in a Rust library is not an Exception
        return Failed(traceback.format_exc())


def plain(value: object) -> object:
    return value if isinstance(value, int | float | str | bool | None) else repr(value)[:200]
