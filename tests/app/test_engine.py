"""The engine under many askers, a slow worker and a dead one; in this process, with analyses that do as they are told."""

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from app.engine import FIRST_GUESS, Engine, Pace, Reply
from app.errors import Problem
from app.settings import Settings
from tests.app.fake_analyses import CALLS


@pytest.fixture
def begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[str]]:
    """The analyses that the worker has begun."""
    monkeypatch.setenv(CALLS, str(tmp_path / "calls"))
    return lambda: (tmp_path / "calls").read_text().splitlines() if (tmp_path / "calls").exists() else []


def with_engine(work: Callable[[Engine], Awaitable[object]], *, warm: bool = True, **limits: object) -> None:
    async def run() -> None:
        engine = Engine(Settings(**limits), "tests.app.fake_analyses")
        engine.start()
        try:
            if warm:
                await asyncio.wait_for(engine.supervisor.ready.wait(), 30)
            await work(engine)
        finally:
            await engine.stop()

    asyncio.run(run())


def ask(engine: Engine, source: str) -> Awaitable[Reply]:
    return engine.ask("attention", {"model": "m", "source": source})


async def problem_of(asked: Awaitable[Reply]) -> Problem:
    with pytest.raises(Problem) as caught:
        await asked
    return caught.value


def test_two_hundred_who_ask_the_same_cost_one_run(begun):
    async def work(engine: Engine) -> None:
        replies = await asyncio.gather(*(ask(engine, "sleep 0.3") for _ in range(200)))
        assert len({reply.body for reply in replies}) == 1
        assert await ask(engine, "sleep 0.3") is replies[0], "kept"

    with_engine(work)
    assert begun() == ["attention sleep 0.3"]


def test_the_order_of_fields_does_not_make_another_question(begun):
    async def work(engine: Engine) -> None:
        first = await engine.ask("attention", {"source": "a", "layer": 1})
        assert await engine.ask("attention", {"layer": 1, "source": "a"}) is first
        assert (await engine.ask("attention", {"layer": 1, "source": "a"}, "base64")) is not first

    with_engine(work)
    assert len(begun()) == 2


def test_what_nobody_waits_for_any_more_is_never_begun(begun):
    async def work(engine: Engine) -> None:
        first = asyncio.ensure_future(ask(engine, "sleep 0.5"))
        leaving = [asyncio.ensure_future(ask(engine, f"leaves {i}")) for i in range(50)]
        shared = [asyncio.ensure_future(ask(engine, "shared")) for _ in range(2)]
        await asyncio.sleep(0.2)
        for asked in [*leaving, shared[0]]:
            asked.cancel()
        await first
        await shared[1]
        assert (await ask(engine, "leaves 0")).body
        assert engine.load()["dropped_unstarted"] == 50

    with_engine(work, patience_seconds=60)
    assert begun() == ["attention sleep 0.5", "attention shared", "attention leaves 0"]


def test_who_would_wait_too_long_is_refused_at_once():
    async def work(engine: Engine) -> None:
        engine.pace.learn("attention", 0.5)
        asked = [asyncio.ensure_future(ask(engine, f"sleep 0.05 {i}")) for i in range(20)]
        results = await asyncio.gather(*asked, return_exceptions=True)
        refused = [result for result in results if isinstance(result, Problem)]
        assert len(refused) == 20 - 2, "0.5 s each against a patience of 1 s"
        assert all(problem.status == 503 and int(problem.headers["Retry-After"]) >= 1 for problem in refused)

    with_engine(work, patience_seconds=1)


def test_a_slow_experiment_does_not_make_quick_questions_look_slow():
    async def work(engine: Engine) -> None:
        for word, seconds in {"claims": 0.9, "attention": 0.01}.items():
            engine.pace.learn(word, seconds)
        quick = [asyncio.ensure_future(ask(engine, f"sleep 0.01 {i}")) for i in range(20)]
        assert all(reply.body for reply in await asyncio.gather(*quick))
        slow = [asyncio.ensure_future(engine.ask("claims", {"seed": i})) for i in range(3)]
        results = await asyncio.gather(*slow, return_exceptions=True)
        assert [isinstance(result, Problem) for result in results] == [False, True, True], "0.9 s each against a patience of 1 s"

    with_engine(work, patience_seconds=1)


def test_the_newest_weighs_a_tenth_and_of_a_new_word_all_that_is_known_are_the_others():
    pace = Pace()
    assert pace.expected("claims") == FIRST_GUESS
    for seconds in [1.0] * 20:
        pace.learn("claims", seconds)
    pace.learn("claims", 2.0)
    pace.learn("attention", 0.1)
    assert pace.expected("claims") == pytest.approx(1.1)
    assert pace.expected("attention") == 0.1
    assert pace.expected("probes") == pace.expected() == pytest.approx(1.1 + 0.1 * (0.1 - 1.1))


def test_an_answer_that_does_not_come_is_given_up_at_the_deadline():
    async def work(engine: Engine) -> None:
        problem = await problem_of(ask(engine, "sleep 60"))
        assert (problem.status, problem.code) == (503, "busy")

    with_engine(work, deadline_seconds=0.5)


def test_a_worker_that_dies_is_replaced_and_only_its_own_question_fails():
    async def work(engine: Engine) -> None:
        dying, waiting = asyncio.ensure_future(ask(engine, "die")), asyncio.ensure_future(ask(engine, "after"))
        problem = await problem_of(dying)
        assert (problem.status, problem.code) == (503, "warming")
        assert (await waiting).body
        assert engine.supervisor.replaced == 1

    with_engine(work)


def test_an_idle_worker_that_is_killed_is_replaced_before_anyone_asks():
    async def work(engine: Engine) -> None:
        killed = engine.supervisor.pid
        for signal_number in (signal.SIGKILL, signal.SIGTERM):
            os.kill(engine.supervisor.pid, signal_number)
            for _ in range(1000):
                await asyncio.sleep(0.02)
                if engine.supervisor.ready.is_set() and engine.supervisor.pid != killed:
                    break
            killed = engine.supervisor.pid
        assert engine.supervisor.replaced == 2
        assert (await ask(engine, "after")).body

    with_engine(work)


def test_a_worker_that_hangs_is_replaced(monkeypatch: pytest.MonkeyPatch):
    async def work(engine: Engine) -> None:
        assert (await problem_of(ask(engine, "hang"))).status == 503
        await asyncio.wait_for(engine.supervisor.ready.wait(), 30)
        assert (await ask(engine, "after")).body
        os.kill(engine.supervisor.pid, signal.SIGSTOP)  # while nobody asks
        monkeypatch.setattr("app.supervisor.PING_SECONDS", 0.1)
        monkeypatch.setattr("app.supervisor.PING_TIMEOUT", 0.2)
        for _ in range(1000):
            await asyncio.sleep(0.02)
            if engine.supervisor.replaced == 2:
                break
        assert engine.supervisor.state == "restarting"

    with_engine(work, deadline_seconds=5)


def test_a_question_during_the_warm_up_waits_for_it_or_is_told_how_long_it_takes():
    async def waits(engine: Engine) -> None:
        assert engine.supervisor.state == "warming"
        assert (await ask(engine, "early")).body
        assert engine.supervisor.state == "ready"

    async def told(engine: Engine) -> None:
        problem = await problem_of(ask(engine, "early"))
        assert (problem.status, problem.code) == (503, "warming")

    with_engine(waits, warm=False, deadline_seconds=30)
    with_engine(told, warm=False, deadline_seconds=0.5)


def test_a_worker_that_cannot_start_is_tried_again():
    async def work(engine: Engine) -> None:
        engine.supervisor.warm_args = ("tests.app.no_such_analyses", 1)
        os.kill(engine.supervisor.pid, signal.SIGKILL)
        while engine.supervisor.failures_in_a_row < 2:
            await asyncio.sleep(0.02)
        engine.supervisor.warm_args = ("tests.app.fake_analyses", 1)
        await asyncio.wait_for(engine.supervisor.ready.wait(), 30)
        assert (await ask(engine, "after")).body

    with_engine(work)


def test_refusals_are_not_kept_and_answers_over_the_limit_neither():
    async def work(engine: Engine) -> None:
        assert (await problem_of(ask(engine, "refuse"))).status == 422
        assert (await ask(engine, "long " + "x" * 400)).body
        assert engine.load()["cache_bytes"] == 0
        assert (await ask(engine, "short")).body
        assert 0 < engine.load()["cache_bytes"] <= 300

    with_engine(work, cache_bytes=300)


def test_a_fault_nobody_foresaw_costs_one_answer_and_not_the_engine(monkeypatch: pytest.MonkeyPatch):
    async def work(engine: Engine) -> None:
        call = engine.supervisor.call

        async def faulty(*args: object, **named: object) -> object:
            monkeypatch.setattr(engine.supervisor, "call", call)
            raise OSError("unforeseen")

        monkeypatch.setattr(engine.supervisor, "call", faulty)
        assert (await problem_of(ask(engine, "first"))).status == 500
        assert (await ask(engine, "second")).body

    with_engine(work)
