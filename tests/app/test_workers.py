"""Several workers: what is about one input goes to one of them."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

from app.compute.backend import Job, Query
from app.compute.engine import Engine
from app.compute.local import LocalBackend
from app.compute.queueing import ServiceTimes
from app.compute.workers import Workers, place_of
from app.settings import Settings
from tests.app.engines import killed_and_replaced, until


def test_all_questions_about_one_input_go_to_one_worker_and_inputs_to_all():
    sentences = [{"model": "m", "source": f"sentence {number}"} for number in range(200)]
    places = [place_of(sentence) % 3 for sentence in sentences]
    for fields, place in zip(sentences, places, strict=True):
        question = {"layer": 2, **fields, "head": None, "text": None, "figures": "map"}
        assert place_of(question) % 3 == place
    assert min(Counter(places).values()) > 40


def test_questions_about_no_input_are_spread_too():
    places = {place_of({"seed": seed, "d_model": 8}) % 2 for seed in range(20)}
    assert places == {0, 1}


@asynccontextmanager
async def two_workers() -> AsyncIterator[tuple[Engine, LocalBackend, LocalBackend]]:
    settings = Settings(deadline_seconds=120, patience_seconds=120)
    make = partial(LocalBackend, settings, "tests.app.fake_analyses", ServiceTimes())
    engine = Engine(settings, Workers(make, 2))
    two = engine.backend.backends
    engine.start()
    try:
        await until(lambda: all(backend.supervisor.ready.is_set() for backend in two))
        yield engine, *two
    finally:
        await engine.stop()


def of(backend: LocalBackend, engine: Engine, word: str) -> dict:
    """A question with this source that goes to this worker."""
    for number in range(100):
        question = {"model": "m", "source": f"{word} {number}"}
        if engine.backend.of(Query("attention", question)) is backend:
            return question
    raise AssertionError("none of a hundred goes there")


async def test_two_workers_answer_at_once_and_one_that_ends_costs_its_own_question():
    async with two_workers() as (engine, first, other):
        questions = [of(backend, engine, "words") for backend in (first, other)]
        replies = await asyncio.gather(*(engine.ask("attention", each) for each in questions))
        assert all(reply.body for reply in replies)
        engine.backend.backends = [first]
        await killed_and_replaced(Engine(Settings(), first), 9)
        engine.backend.backends = [first, other]
        assert engine.backend.load().replaced == 1
        assert engine.load()["workers_replaced"] == 1


async def test_while_one_starts_again_the_other_answers_for_it():
    async with two_workers() as (engine, first, other):
        question = of(first, engine, "words")
        first.supervisor.state = "restarting"
        assert engine.backend.state == "ready"
        assert engine.backend.of(Query("attention", question)) is other
        assert (await engine.ask("attention", question)).body
        first.supervisor.state = "ready"
        assert engine.backend.of(Query("attention", question)) is first


async def test_what_is_taken_back_is_taken_from_whoever_has_it():
    async with two_workers() as (engine, first, other):
        request = Query("attention", of(other, engine, "words"))
        job = Job(request, asyncio.get_running_loop().create_future())
        first.dispatcher.cancel()
        other.dispatcher.cancel()
        engine.backend.answer(job)
        assert job in other.waiting
        engine.backend.cancel(job)
        assert job.dropped
        assert engine.backend.load().dropped == 1
