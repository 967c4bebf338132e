"""Whose turn it is: short questions that wait are computed together, and clients have turns."""

import asyncio
from pathlib import Path

import pytest

from app.compute import local
from app.compute.backend import Step
from app.compute.engine import Engine
from app.compute.messages import FOR_ALL
from app.errors import Problem
from tests.app.engines import ask, fresh_engine, has_paused, is_idle, problem_of, until, waiting

AHEAD = "tests.app.ahead_analyses"
LONG = 60.0
"""Seconds of a turn that has room for all, however slow the machine is."""


def later(engine: Engine, *sources: str, client: str = "") -> list[asyncio.Task]:
    """Questions that wait, in their order."""
    return [asyncio.ensure_future(ask(engine, source, client)) for source in sources]


async def held(engine: Engine, go: Path) -> asyncio.Task:
    """A question that the worker is at until `go` is there. It knows by now that such questions are
    short.
    """
    await ask(engine, "short")
    (first,) = later(engine, f"held {go}", client="first")
    await until(lambda: engine.backend.load().running)
    return first


@pytest.mark.embedded
async def test_questions_that_wait_are_computed_in_one_call_and_each_is_answered(
    begun, tmp_path: Path
):
    go, calls = tmp_path / "go", []
    async with fresh_engine(turn_seconds=LONG) as engine:
        first = await held(engine, go)
        method = engine.backend.supervisor.call

        async def call(function, *arguments, **more):
            calls.append(len(arguments[0]))
            return await method(function, *arguments, **more)

        engine.backend.supervisor.call = call
        replies = later(engine, *(f"words {number}" for number in range(8)), "refuse")
        await until(lambda: engine.backend.load().waiting == 9)
        go.touch()
        await first
        *answers, refused = await asyncio.gather(*replies, return_exceptions=True)
        assert [b"words %d" % number in answer.body for number, answer in enumerate(answers)] == [
            True
        ] * 8
        assert refused.status == 422
        assert engine.backend.supervisor.pulse.at.value == FOR_ALL, "it is at none of them now"
    assert calls == [9]
    assert begun()[2:] == [f"attention words {number}" for number in range(8)] + [
        "attention refuse"
    ]


async def test_a_poisoned_question_fails_alone(tmp_path: Path):
    go = tmp_path / "go"
    async with fresh_engine(turn_seconds=LONG) as engine:
        first = await held(engine, go)
        replies = later(engine, "before", "die", "after", "fail", "much later")
        await until(lambda: engine.backend.load().waiting == 5)
        go.touch()
        await first
        ends = await asyncio.gather(*replies, return_exceptions=True)
        statuses = [end.status if isinstance(end, Problem) else 200 for end in ends]
        assert statuses == [200, 503, 200, 500, 200]
        assert engine.backend.load().replaced == 1


@pytest.mark.embedded
async def test_steps_of_streams_go_on_in_one_call_and_a_poisoned_one_fails_alone(
    tmp_path: Path,
):
    go, calls = tmp_path / "go", []

    def step_of(engine: Engine, source: str, step: int = 0) -> asyncio.Task:
        question = {"model": "m", "source": source}
        return asyncio.ensure_future(engine.event(Step(source, "generate", question, step)))

    async def whole(engine: Engine, source: str) -> None:
        for step in range(3):
            assert await step_of(engine, source, step)

    async with fresh_engine(turn_seconds=LONG) as engine:
        await step_of(engine, "short")
        (first,) = later(engine, f"held {go}")
        await until(lambda: engine.backend.load().running)
        method = engine.backend.call

        async def call(jobs, *more):
            calls.append(len(jobs))
            return await method(jobs, *more)

        engine.backend.call = call
        replies = [step_of(engine, source) for source in ("before", "die", "after", "fail", "last")]
        question = later(engine, "a question between")
        await until(lambda: engine.backend.load().waiting == 6)
        replies[4].cancel()
        await until(lambda: engine.backend.load().waiting == 5)
        go.touch()
        await first
        ends = await asyncio.gather(*replies[:4], *question, return_exceptions=True)
        statuses = [end.status if isinstance(end, Problem) else 200 for end in ends]
        assert statuses == [200, 503, 200, 500, 200]
        assert engine.backend.load().replaced == 1
        assert calls[0] == 4
        calls.clear()
        await asyncio.gather(*(whole(engine, source) for source in "abc"))
    assert calls == [3, 3, 3]


@pytest.mark.embedded
async def test_runs_are_made_for_those_that_wait_for_a_later_turn_too(begun, tmp_path, monkeypatch):
    go = tmp_path / "go"
    monkeypatch.setattr(local, "TOGETHER", 3)
    async with fresh_engine(analyses=AHEAD, turn_seconds=LONG) as engine:
        first = await held(engine, go)
        replies = later(engine, *map(str, range(9)))
        await until(lambda: engine.backend.load().waiting == 9)
        go.touch()
        await asyncio.gather(first, *replies)
    begun_runs = [line for line in begun() if line.startswith("runs")]
    assert begun_runs == ["runs of 3 and 6", "runs of 3 and 3", "runs of 3 and 0"]


@pytest.mark.embedded
async def test_an_input_that_ends_the_worker_costs_those_that_are_run_beside_it_nothing(
    tmp_path: Path,
):
    go = tmp_path / "go"
    async with fresh_engine(analyses=AHEAD, turn_seconds=LONG) as engine:
        first = await held(engine, go)
        replies = later(engine, "before", "poison", "after")
        await until(lambda: engine.backend.load().waiting == 3)
        go.touch()
        await first
        ends = await asyncio.gather(*replies, return_exceptions=True)
        assert [getattr(end, "status", 200) for end in ends] == [200, 503, 200]
        assert engine.backend.load().replaced == 2


@pytest.mark.embedded
async def test_one_that_is_taken_back_costs_the_others_of_its_call_nothing(tmp_path: Path):
    go, hold = tmp_path / "go", tmp_path / "hold"
    async with fresh_engine(turn_seconds=LONG) as engine:
        first = await held(engine, go)
        replies = later(engine, "one", f"held {hold}", "two")
        await until(lambda: engine.backend.load().waiting == 3)
        go.touch()
        await first
        await until(lambda: engine.backend.load().running == 3)
        replies[1].cancel()
        hold.touch()
        assert (await replies[0]).body
        assert (await replies[2]).body
        await until(lambda: is_idle(engine))


@pytest.mark.embedded
async def test_a_long_question_is_computed_with_no_other_and_those_behind_it_go_first(begun):
    async with fresh_engine(turn_seconds=0.1) as engine:
        await ask(engine, "short")
        long = later(engine, "trials 0.02 40")
        await until(lambda: engine.backend.load().running == 1)
        await asyncio.gather(*long, *later(engine, "one", "two"))
    first, *others = begun()[1:]
    assert first == "attention trials 0.02 40"
    assert sorted(others) == ["attention one", "attention two"]


async def test_who_asks_a_lot_waits_behind_itself(begun, tmp_path: Path):
    go = tmp_path / "go"
    async with fresh_engine() as engine:
        engine.backend.service_times.record("attention", 1.0)
        (first,) = later(engine, f"held {go}")
        await until(lambda: engine.backend.load().running)
        much = later(engine, *(f"much {number}" for number in range(6)), client="flooder")
        await until(lambda: waiting(engine) == 6)
        students = [*later(engine, "b", client="b"), *later(engine, "c", client="c")]
        await until(lambda: waiting(engine) == 8)
        go.touch()
        await asyncio.gather(first, *much, *students)
    order = [line.removeprefix("attention ") for line in begun()[1:]]
    assert sorted(order[1:3]) == ["b", "c"], "after one of the six that came before them"


@pytest.mark.embedded
async def test_who_has_enough_that_waits_is_refused_while_others_wait(tmp_path: Path):
    go = tmp_path / "go"
    async with fresh_engine(questions_per_client=4) as engine:
        first = await held(engine, go)
        much = later(engine, *map(str, range(4)), client="flooder")
        await until(lambda: engine.backend.load().waiting == 4)
        single = later(engine, "nobody else waits", client="flooder")
        await until(lambda: engine.backend.load().waiting == 5)
        student = later(engine, "student", client="student")
        await until(lambda: engine.backend.load().waiting == 6)
        problem = await problem_of(ask(engine, "one more", client="flooder"))
        assert (problem.status, problem.code) == (503, "busy")
        go.touch()
        await asyncio.gather(first, *much, *single, *student)


async def test_long_questions_of_one_leave_room_for_those_of_others(tmp_path: Path):
    gates = [tmp_path / str(number) for number in range(4)]
    async with fresh_engine(turn_seconds=0.05, computations_per_client=2) as engine:
        (other,) = later(engine, f"trials-until {gates[0]}", client="other")
        await until(lambda: has_paused(engine))
        hog = later(engine, *(f"trials-until {gate}" for gate in gates[1:]), client="hog")
        await until(lambda: any(reply.done() for reply in hog))
        assert [reply.done() for reply in (other, *hog)] == [False, False, False, True]
        assert (await problem_of(hog[2])).status == 503
        for gate in gates[:3]:
            gate.touch()
        await asyncio.gather(other, *hog[:2])
