"""The engine under many askers, a slow worker and a dead one; in this process, with analyses that
do as they are told.
"""

import asyncio
import gc
import multiprocessing
import os
import signal
import time
from collections.abc import AsyncIterator, Awaitable, Iterator
from pathlib import Path

import pytest

from app.compute import supervisor
from app.compute.backend import Job, Query, Step
from app.compute.engine import Engine, Reply
from app.compute.messages import Numbers, Outcome
from app.compute.pausable import Pausable, Progress
from app.compute.queueing import FIRST_GUESS, MANY, SHARE, ServiceTimes
from app.errors import Problem
from app.settings import Settings
from tests.app.engines import (
    FakeBackend,
    ask,
    fresh_engine,
    has_paused,
    is_idle,
    killed_and_replaced,
    problem_of,
    until,
)
from tests.app.fake_analyses import Panic
from tests.rounding import SINGLE, same


async def test_two_hundred_who_ask_the_same_cost_one_run(begun):
    async with fresh_engine() as engine:
        replies = await asyncio.gather(*(ask(engine, "sleep 0.3") for _ in range(200)))
        assert len({reply.body for reply in replies}) == 1
        assert await ask(engine, "sleep 0.3") is replies[0], "kept"
    assert begun() == ["attention sleep 0.3"]


async def test_the_order_of_fields_does_not_make_another_question(begun):
    async with fresh_engine() as engine:
        first = await engine.ask("attention", {"source": "a", "layer": 1})
        assert await engine.ask("attention", {"layer": 1, "source": "a"}) is first
        assert (
            await engine.ask("attention", {"layer": 1, "source": "a"}, Numbers("base64"))
        ) is not first
    assert len(begun()) == 1, "another form of the answer is written without computing it anew"


@pytest.mark.embedded
async def test_what_nobody_waits_for_any_more_is_never_begun(begun, tmp_path: Path):
    go = tmp_path / "go"
    async with fresh_engine() as engine:
        first = asyncio.ensure_future(ask(engine, f"held {go}"))
        await until(lambda: engine.backend.load().running == 1)
        leaving = [asyncio.ensure_future(ask(engine, f"leaves {i}")) for i in range(50)]
        shared = [asyncio.ensure_future(ask(engine, "shared")) for _ in range(2)]
        await until(lambda: engine.backend.load().waiting == 51)
        for waiting_reply in [*leaving, shared[0]]:
            waiting_reply.cancel()
        await until(lambda: engine.backend.load().waiting == 1)
        await until(lambda: engine.load()["dropped_unstarted"] == 50)
        go.touch()
        await first
        await shared[1]
        assert (await ask(engine, "leaves 0")).body
    assert begun() == [f"attention held {go}", "attention shared", "attention leaves 0"]


async def test_who_would_wait_too_long_is_refused_at_once():
    async with fresh_engine(patience_seconds=1) as engine:
        engine.backend.service_times.record("attention", 0.5)
        replies = [asyncio.ensure_future(ask(engine, f"sleep 0.05 {i}")) for i in range(20)]
        results = await asyncio.gather(*replies, return_exceptions=True)
        refused = [result for result in results if isinstance(result, Problem)]
        assert len(refused) == 20 - 2, "0.5 s each against a patience of 1 s"
        assert all(
            problem.status == 503 and int(problem.headers["Retry-After"]) >= 1
            for problem in refused
        )


async def test_a_slow_clinic_does_not_make_quick_questions_look_slow():
    async with fresh_engine(patience_seconds=1) as engine:
        for word, seconds in {"claims": 0.9, "attention": 0.01}.items():
            engine.backend.service_times.record(word, seconds)
        quick = [asyncio.ensure_future(ask(engine, f"sleep 0.01 {i}")) for i in range(20)]
        assert all(reply.body for reply in await asyncio.gather(*quick))
        slow = [asyncio.ensure_future(engine.ask("claims", {"seed": i})) for i in range(3)]
        results = await asyncio.gather(*slow, return_exceptions=True)
        assert [isinstance(result, Problem) for result in results] == [
            False,
            True,
            True,
        ], "0.9 s each against a patience of 1 s"


def test_the_newest_weighs_a_tenth_and_of_a_new_word_all_that_is_known_are_the_others():
    times = ServiceTimes()
    assert times.estimate("claims") == FIRST_GUESS
    for seconds in [1.0] * 20:
        times.record("claims", seconds)
    times.record("claims", 2.0)
    times.record("attention", 0.1)
    same(times.estimate("claims"), 1.1, SINGLE)
    assert times.estimate("attention") == 0.1
    assert times.estimate("probes") == times.estimate()
    same(times.estimate(), 1.1 + 0.1 * (0.1 - 1.1))


def test_among_many_a_question_is_guessed_at_less_than_its_time_until_it_was_measured():
    times = ServiceTimes()
    times.record("attention", 0.04)
    guessed = [times.estimate("attention", n) for n in (1, MANY - 1, MANY)]
    assert guessed == [0.04, 0.04, 0.04 * SHARE]
    times.record("attention", 0.01, together=MANY)
    assert [times.estimate("attention", n) for n in (1, MANY)] == [0.04, 0.01]
    times.record("logits", 0.01, together=MANY)
    assert times.estimate("logits") == 0.01 / SHARE, "it was never asked alone"


async def test_a_late_answer_is_announced_computed_to_its_end_and_kept_for_the_next(
    begun, tmp_path: Path
):
    go = tmp_path / "go"
    async with fresh_engine(deadline_seconds=0.5) as engine:
        problem = await problem_of(ask(engine, f"held {go}"))
        assert (problem.status, problem.code) == (504, "too_slow")
        assert "continues" in problem.detail
        go.touch()
        await until(lambda: is_idle(engine))
        assert (await ask(engine, f"held {go}")).body
        assert engine.backend.load().replaced == 0
    assert begun() == [f"attention held {go}"]


@pytest.mark.embedded
async def test_what_has_not_begun_at_the_deadline_is_told_to_come_again(tmp_path: Path):
    go = tmp_path / "go"
    async with fresh_engine(deadline_seconds=0.4) as engine:
        first = asyncio.ensure_future(ask(engine, f"held {go}"))
        await until(lambda: engine.backend.load().running)
        problem = await problem_of(ask(engine, "behind"))
        assert (problem.status, problem.code) == (503, "busy")
        with pytest.raises(Problem):
            await first
        go.touch()


class Late(FakeBackend):
    """A backend that answers when it is told `go`; its jobs began so many seconds ago."""

    def __init__(self, ago: float) -> None:
        self.ago, self.go = ago, asyncio.Event()

    async def answer(self, job: Job) -> AsyncIterator[Outcome]:
        job.begun = time.monotonic() - self.ago
        await self.go.wait()
        yield b"{}"


@pytest.mark.parametrize(("ago", "status"), [(100.0, 504), (-100.0, 503)])
async def test_what_waited_most_of_the_time_was_not_too_slow_itself(ago: float, status: int):
    """It began while a worker was replaced, say, and is computed to its end all the same."""
    engine = Engine(Settings(deadline_seconds=0.1), Late(ago))
    assert (await problem_of(ask(engine, "late"))).status == status
    engine.backend.go.set()
    await until(lambda: not engine.in_flight)
    assert engine.cache


async def test_a_long_computation_gives_way_to_a_short_one_and_says_how_far_it_is():
    async with fresh_engine(turn_seconds=0.1) as engine:
        long = asyncio.ensure_future(ask(engine, "trials 0.05 40"))
        await until(lambda: has_paused(engine))
        (job,) = engine.in_flight.values()
        assert 0 < job.progress.done < job.progress.of
        for i in range(5):
            assert (await ask(engine, f"short {i}")).body
            assert not long.done()
        assert (await long).body
        assert engine.backend.load().replaced == 0


async def test_a_long_computation_that_nobody_waits_for_any_more_is_cancelled(begun):
    async with fresh_engine(turn_seconds=0.1) as engine:
        leaving = asyncio.ensure_future(ask(engine, "trials 0.05 2000"))
        await until(lambda: has_paused(engine))
        leaving.cancel()
        await until(lambda: is_idle(engine))
        await until(lambda: engine.load()["cancelled"] == 1)
        assert (await ask(engine, "after")).body
        assert not engine.in_flight


async def test_who_was_told_that_it_goes_on_finds_the_answer_though_nobody_waited(tmp_path: Path):
    go = tmp_path / "go"
    source = f"trials-until {go}"
    async with fresh_engine(turn_seconds=0.05, deadline_seconds=2) as engine:
        problem = await problem_of(ask(engine, source))
        assert problem.code == "too_slow"
        assert "% done" in problem.detail
        go.touch()
        await until(lambda: not engine.in_flight)
        _, is_cached = await engine.reply(Query("attention", {"model": "m", "source": source}))
        assert is_cached


async def test_over_the_hard_limit_it_is_ended_and_refused_at_once_when_asked_again(begun):
    async with fresh_engine(turn_seconds=0.1, hard_seconds=0.5) as engine:
        for _ in range(2):
            problem = await problem_of(ask(engine, "trials 0.05 2000"))
            assert problem.code == "too_slow"
        assert engine.load()["cancelled"] == 1
        assert (await ask(engine, "after")).body
        assert engine.backend.load().replaced == 0
    assert begun() == ["attention trials 0.05 2000", "attention after"]


async def test_a_computation_that_pauses_late_in_its_last_turn_costs_no_worker(
    begun, caplog: pytest.LogCaptureFixture
):
    """Its steps are longer than what is left of the hard limit when the last of them begins."""
    async with fresh_engine(turn_seconds=0.1, hard_seconds=2.2) as engine:
        assert (await problem_of(ask(engine, "trials 1.2 2000"))).code == "too_slow"
        assert engine.backend.load().replaced == 0, caplog.text
        assert engine.load()["cancelled"] == 1


def test_the_log_says_how_long_a_question_was_computed_before_its_last_turn():
    job = Job(Query("generate", {"seed": 1}), None, seconds=58.94)
    key = '["generate",{"seed":1},"Numbers(encoding=\'json\')"]'
    assert job.about() == f"generate {key} (for 58.9 s before)"


async def test_a_computation_without_checkpoints_over_the_hard_limit_costs_one_worker_once(begun):
    async with fresh_engine(hard_seconds=3) as engine:
        for _ in range(2):
            assert (await problem_of(ask(engine, "sleep 60"))).code == "too_slow"
        assert (await ask(engine, "after")).body
        assert engine.backend.load().replaced == 1
    assert begun() == ["attention sleep 60", "attention after"]


async def test_only_so_many_long_computations_are_under_way_at_once():
    async with fresh_engine(turn_seconds=0.1, computations=2) as engine:
        replies = [asyncio.ensure_future(ask(engine, f"trials 0.02 30 {i}")) for i in range(4)]
        results = await asyncio.gather(*replies, return_exceptions=True)
        refused = [result for result in results if isinstance(result, Problem)]
        assert [problem.code for problem in refused] == ["busy"] * len(refused)
        assert 1 <= len(refused) <= 2


async def test_a_worker_that_dies_in_a_turn_costs_only_that_computation():
    async with fresh_engine(turn_seconds=0.1) as engine:
        long = asyncio.ensure_future(ask(engine, "trials 0.05 20"))
        await until(lambda: has_paused(engine))
        assert (await problem_of(ask(engine, "die"))).code == "warming"
        assert (await long).body, "it began anew in the new worker"


async def test_an_answer_that_cannot_be_repeated_is_not_kept(begun):
    async with fresh_engine() as engine:
        for _ in range(2):
            await engine.ask("attention", {"source": "measured"}, store=False)
    assert len(begun()) == 2


async def test_a_reply_is_kept_compressed_and_waited_for_once():
    waited: list[object] = []

    async def waiting(answer: Awaitable[Reply]) -> Reply:
        waited.append(answer)
        return await answer

    async with fresh_engine() as engine:
        query = Query("attention", {"source": "much " * 400})
        first, is_cached = await engine.reply(query, "br", waiting)
        assert not is_cached
        assert set(first.variants) == {"br"}
        assert engine.cache.currsize == len(first), "the compressed form counts too"
        assert await engine.reply(query, "br", waiting) == (first, True)
        assert len(waited) == 1


@pytest.mark.embedded
async def test_a_worker_that_is_replaced_takes_no_other_child_of_the_process_along():
    other = multiprocessing.get_context("spawn").Process(target=time.sleep, args=(120,))
    other.start()
    try:
        async with fresh_engine() as engine:
            await problem_of(ask(engine, "die"))
            await until(engine.backend.supervisor.ready.is_set)
        assert other.is_alive()
    finally:
        other.kill()


class Counting(FakeBackend):
    """Answers count the jobs."""

    def __init__(self) -> None:
        self.taken: list[Job] = []

    async def answer(self, job: Job) -> AsyncIterator[Progress | Outcome]:
        self.taken.append(job)
        yield Progress(1, 2)
        yield b"%d" % len(self.taken)

    def cancel(self, job: Job) -> None:
        self.taken.remove(job)


async def test_the_engine_asks_whatever_backend_it_is_given():
    backend = Counting()
    engine = Engine(Settings(), backend)
    engine.start()
    first, same, other = await asyncio.gather(*(ask(engine, each) for each in "aab"))
    assert (first.body, other.body) == (b"1", b"2")
    assert same is first
    assert [job.progress for job in backend.taken] == [Progress(1, 2)] * 2
    assert await engine.event(Step("id", "generate", {}, 0)) == b"3"
    await engine.stop()
    assert backend.state == "restarting"


async def test_an_answer_is_kept_as_soon_as_its_question_is_no_longer_under_way():
    """Whoever asked in between would have it computed a second time."""
    states = []

    class Watching(Counting):
        async def answer(self, job: Job) -> AsyncIterator[Progress | Outcome]:
            yield b"1"
            states.append((job.request.key in engine.in_flight, job.request.key in engine.cache))

    engine = Engine(Settings(), Watching())
    await ask(engine, "a")
    await until(lambda: states)
    assert states == [(False, True)]


@pytest.mark.embedded
async def test_why_a_worker_was_replaced_and_by_which_question_stands_in_the_log(caplog):
    caplog.set_level("INFO")
    async with fresh_engine() as engine:
        await problem_of(ask(engine, "die"))
    (line,) = [record.getMessage() for record in caplog.records if "replaced" in record.message]
    assert "it ended with" in line
    assert "attention" in line
    assert "die" in line


async def test_a_worker_that_dies_is_replaced_and_only_its_own_question_fails():
    async with fresh_engine() as engine:
        dying, waiting = (
            asyncio.ensure_future(ask(engine, "die")),
            asyncio.ensure_future(ask(engine, "after")),
        )
        problem = await problem_of(dying)
        assert (problem.status, problem.code) == (503, "warming")
        assert (await waiting).body
        assert engine.backend.load().replaced == 1


@pytest.fixture
def collected_by_hand() -> Iterator[None]:
    """Nothing is freed by the collector, which comes rarely to a server that is left alone."""
    gc.disable()
    yield
    gc.enable()


@pytest.mark.embedded
@pytest.mark.usefixtures("collected_by_hand")
async def test_an_idle_worker_that_is_killed_is_replaced_before_anyone_asks():
    async with fresh_engine() as engine:
        before = len(os.listdir("/proc/self/fd"))
        for signal_number in (signal.SIGKILL, signal.SIGTERM):
            await killed_and_replaced(engine, signal_number)
        assert engine.backend.load().replaced == 2
        assert (await ask(engine, "after")).body
        await until(lambda: len(os.listdir("/proc/self/fd")) <= before)


@pytest.mark.embedded
async def test_a_worker_that_hangs_is_replaced():
    async with fresh_engine(silence_seconds=5) as engine:
        assert (await problem_of(ask(engine, "hang"))).status == 503
        await until(engine.backend.supervisor.ready.is_set)
        assert (await ask(engine, "after")).body
        await killed_and_replaced(engine, signal.SIGSTOP)  # while nobody asks
        assert engine.backend.load().replaced == 2
        assert (await ask(engine, "after all")).body


@pytest.mark.embedded
async def test_a_question_during_the_warm_up_waits_for_it_or_is_told_how_long_it_takes():
    async with fresh_engine(warm=False) as engine:
        assert engine.backend.supervisor.state == "warming"
        assert (await ask(engine, "early")).body
        assert engine.backend.supervisor.state == "ready"
    async with fresh_engine(warm=False, deadline_seconds=0.5) as engine:
        problem = await problem_of(ask(engine, "early"))
        assert (problem.status, problem.code) == (503, "warming")


@pytest.mark.embedded
async def test_a_worker_that_cannot_start_is_tried_again():
    async with fresh_engine() as engine:
        good = engine.backend.supervisor.warm_args
        engine.backend.supervisor.warm_args = ("tests.app.no_such_analyses", *good[1:])
        os.kill(engine.backend.supervisor.pid, signal.SIGKILL)
        await until(lambda: engine.backend.supervisor.failures_in_a_row >= 2)
        engine.backend.supervisor.warm_args = good
        await until(engine.backend.supervisor.ready.is_set)
        assert (await ask(engine, "after")).body


@pytest.mark.embedded
async def test_where_no_process_can_be_begun_it_is_tried_again(monkeypatch: pytest.MonkeyPatch):
    real = supervisor.Forking.until_it_forks

    async def none_is_left(forking: supervisor.Forking) -> None:
        monkeypatch.setattr(supervisor.Forking, "until_it_forks", real)
        raise BlockingIOError("no process is left")

    monkeypatch.setattr(supervisor.Forking, "until_it_forks", none_is_left)
    async with fresh_engine() as engine:
        assert (await ask(engine, "after")).body
        assert engine.backend.load().replaced == 1


async def test_refusals_are_not_kept_and_answers_over_the_limit_neither():
    async with fresh_engine(cache_bytes=300) as engine:
        assert (await problem_of(ask(engine, "refuse"))).status == 422
        assert (await ask(engine, "long " + "x" * 400)).body
        assert engine.load()["cache_bytes"] == 0
        assert (await ask(engine, "short")).body
        assert 0 < engine.load()["cache_bytes"] <= 300


async def test_a_panic_costs_one_answer_or_stream_and_no_worker():
    async with fresh_engine() as engine:
        panicking, beside = (
            asyncio.ensure_future(ask(engine, source)) for source in ("panic", "a")
        )
        assert (await problem_of(panicking)).status == 500
        assert (await beside).body
        step = Step("id", "generate", {"model": "m", "source": "panic"}, 0)
        assert (await problem_of(engine.event(step))).status == 500
        assert engine.backend.load().replaced == 0


def test_what_a_paused_computation_raises_reaches_whoever_waits_for_it():
    def panics() -> None:
        raise Panic

    with pytest.raises(Panic):
        Pausable(panics, 1).advance()


@pytest.mark.embedded
async def test_a_fault_nobody_foresaw_costs_one_answer_and_not_the_engine(
    monkeypatch: pytest.MonkeyPatch,
):
    async with fresh_engine() as engine:
        call = engine.backend.supervisor.call

        async def faulty(*args: object, **named: object) -> object:
            monkeypatch.setattr(engine.backend.supervisor, "call", call)
            raise OSError("unforeseen")

        monkeypatch.setattr(engine.backend.supervisor, "call", faulty)
        assert (await problem_of(ask(engine, "first"))).status == 500
        assert (await ask(engine, "second")).body
