"""The rows of the notes as the API and the pages serve them: every link lands on a page that knows
its state, and every number that settles a row is measured and supports it.
"""

import asyncio
import re
import time
from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any

import httpx2
import orjson
import pytest

from app.api.endpoints.notes import Notes, answers_of, endpoint_and_question, notes
from app.compute.backend import Job
from app.compute.engine import Engine
from app.compute.messages import Outcome
from app.errors import Problem
from app.settings import Settings
from app.site.notes_service import (
    Reference,
    cited,
    found,
    measurement,
    references,
    rows,
    select,
    terms,
)
from tests.app.engines import FakeBackend
from tests.app.landing import check_landing
from tests.rounding import same

ADDRESSES = sorted({row.page for row in rows()} | {term.page for term in terms()})
ANSWERS = answers_of(Notes(measured=True))


@pytest.mark.parametrize("address", ADDRESSES)
def test_a_link_lands_on_a_page_that_knows_its_state(client: httpx2.Client, address: str):
    check_landing(client, address)


def test_no_number_costs_more_than_a_question_may():
    assert (
        Notes().estimated_seconds()
        < 0.01
        < Notes(measured=True).estimated_seconds()
        <= Settings().work_seconds
    )


@pytest.mark.parametrize("key", ANSWERS, ids=lambda key: f"{key[0]}?{dict(key[1])}")
def test_every_number_of_an_answer_is_there_and_none_speaks_against_its_row(
    client: httpx2.Client, key: tuple[str, tuple[tuple[str, str], ...]]
):
    endpoint, _ = endpoint_and_question(ANSWERS[key])
    response = client.get(endpoint.address, params=dict(key[1]))
    assert response.status_code == 200, response.text
    measured = [
        (row, reference)
        for row in rows()
        for reference in references(row)
        if (reference.word, reference.question) == key
    ]
    assert measured
    for row, reference in measured:
        measured = measurement(reference, response.json())
        assert measured["supports"] is not False, (row.item, measured)
        if reference.among(response.json()).get("kind") != "statistical":
            assert measured["supports"] is True, (row.item, measured)


def test_a_source_that_is_a_reading_links_to_it(client: httpx2.Client):
    works = cited(select(items="Q12")[0])
    assert works == [("Xiong et al. 2020", "R3"), ("Liu L. et al. 2020", "R2")]
    html = client.get("/questions").text
    assert '<a href="/notes?section=readings#R3">Xiong et al. 2020</a>' in html
    items = {row.item for row in select("readings")}
    assert set(re.findall(r'readings#(\w+)"', html)) <= items
    assert cited(select(items="Q39")[0]) == [("The notes, study log", "")]


def test_a_row_is_served_with_its_number_when_it_is_asked_for(client: httpx2.Client):
    plain = client.get("/api/v1/notes", params={"items": "F6"}).json()["rows"]
    row, *others = client.get("/api/v1/notes?items=F6&measured=true").json()["rows"]
    assert not others
    assert plain[0]["number"] is None
    assert plain[0]["measured"] == []
    same([entry["number"] for entry in row["measured"]], [0.9**48, 1.1**48])
    assert row["number"] == row["measured"][0]["number"]
    assert row["page"] == "/norms?shortcut=0.9"


class Holding(FakeBackend):
    """A backend that answers with every finding of the notes, and holds the third answer back until
    it has been told `go`.
    """

    def __init__(self) -> None:
        self.held, self.go = asyncio.Event(), asyncio.Event()
        self.taken: list[bytes] = []
        self.cancelled: asyncio.Queue[bytes] = asyncio.Queue()
        findings = {reference.finding for row in rows() for reference in references(row)}
        fact = {"value": 1.0, "law": "1", "holds": True, "unit": ""}
        self.body = orjson.dumps({"facts": [{"name": name, **fact} for name in findings]})

    async def answer(self, job: Job) -> AsyncIterator[Outcome]:
        self.taken.append(job.request.key)
        job.begun = time.monotonic()
        if len(self.taken) == 3:
            self.held.set()
            await self.go.wait()
        yield self.body

    def cancel(self, job: Job) -> None:
        self.cancelled.put_nowait(job.request.key)


async def test_what_is_measured_by_the_deadline_is_kept_and_asking_again_goes_on():
    """The deadline is that of any question, however many answers the rows need."""
    settings, backend = Settings(deadline_seconds=0.05), Holding()
    services: Any = SimpleNamespace(settings=settings, engine=Engine(settings, backend))

    async def get_answer() -> dict | Problem:
        try:
            return await notes(services, Notes(measured=True), "")
        except Problem as late:
            return late

    first = await get_answer()
    assert first.code == "too_slow"
    assert re.search(
        rf"within 0.05 s, but \d of {len(ANSWERS)} measurements are done", first.detail
    )
    backend.go.set()
    while isinstance(answer := await get_answer(), Problem):
        assert answer.code == "too_slow"
    assert all(entry["said"] == "1" for row in answer["rows"] for entry in row["measured"])
    assert len(backend.taken) == len(set(backend.taken)) == len(ANSWERS), "each was asked once"
    assert backend.cancelled.empty()


async def test_who_leaves_takes_the_number_back_that_is_measured():
    settings, backend = Settings(), Holding()
    services: Any = SimpleNamespace(settings=settings, engine=Engine(settings, backend))
    asking = asyncio.ensure_future(notes(services, Notes(measured=True), ""))
    await backend.held.wait()
    asking.cancel()
    assert await backend.cancelled.get() == backend.taken[2]


def test_the_index_is_filtered_by_section_verdict_and_words(client: httpx2.Client):
    def items(**question: str) -> list[str]:
        answer = client.get("/api/v1/notes", params=question).json()
        return [row["item"] for row in answer["rows"]]

    assert len(items()) == 374
    assert "S35" in items(find="calibration")
    assert items(section="claims", find="niece") == ["C97"]
    assert items(section="claims", verdict="open") == []
    assert len(items(section="questions", verdict="open")) == 7


@pytest.mark.parametrize(
    "field", ["section=poems", "verdict=maybe", "colour=red", "measured=perhaps", "find=a&find=b"]
)
def test_what_the_index_does_not_know_is_refused_in_a_sentence(client: httpx2.Client, field: str):
    refused = client.get(f"/api/v1/notes?{field}")
    assert refused.status_code == 422
    assert refused.json()["detail"].endswith(".")


def test_a_finding_that_no_answer_has_is_an_error():
    with pytest.raises(LookupError, match="no finding 'speed'"):
        Reference("scaling", (), "speed").among({"findings": []})


def test_a_law_that_fails_supports_the_row_that_says_so():
    fact = {"name": "weight", "value": 63.0, "law": "at most 1", "holds": False, "unit": ""}
    says_so, denies = (Reference("positions", (), "weight", fails) for fails in (True, False))
    assert measurement(says_so, {"facts": [fact]})["supports"] is True
    assert measurement(denies, {"facts": [fact]})["supports"] is False
    undecided = {**fact, "holds": None, "verdict": "undecided"}
    assert measurement(says_so, {"facts": [undecided]})["supports"] is None


@pytest.mark.parametrize(
    ("verdict", "text"),
    [
        ("fails", ", not reproduced"),
        ("undecided", ", inconclusive"),
        ("not applicable", ""),
    ],
)
def test_a_measurement_is_told_with_its_law_and_its_verdict(verdict: str, text: str):
    finding = {"name": "w", "value": 2.5, "law": "at most 1.", "unit": "nats", "verdict": verdict}
    measured = measurement(
        Reference("positions", (), "w", False), {"facts": [{**finding, "holds": None}]}
    )
    assert measured["sentences"] == f"Measured: 2.50 nats{text}. Theory: at most 1."


@pytest.mark.parametrize(
    ("address", "rows_shown"),
    [
        ("/notes", 374),
        ("/notes?section=systems&verdict=included", 15),
        ("/notes?find=niece", 1),
        ("/notes?section=poems", 0),
        ("/claims?verdict=wrong&find=heads", 2),
        ("/questions?section=lecture", 25),
        ("/questions", 86),
    ],
)
def test_the_server_finds_the_rows_so_that_no_script_is_needed(
    client: httpx2.Client, address: str, rows_shown: int
):
    html = client.get(address).text
    assert html.count('<details class="entry"') == rows_shown
    assert '<button type="submit"' in html


def test_a_page_says_what_it_does_not_have():
    nothing = found(["lecture", "questions"], {"section": "claims"})
    assert nothing.rows == []
    assert nothing.sentence == "There is no such section here. Choose lecture, questions."
    assert found(["claims"], {}).sentence == "All 134 claims."
    more = {"model": "shakespeare", "find": "mask", "seed": "3"}
    assert found(["claims"], more).sentence.endswith(
        "claims. This page has no setting called seed."
    )
    assert found(["claims"], {"find": "zebra"}).sentence.startswith(
        "0 of 134 claims. Try fewer words"
    )


def test_the_glossary_shows_the_terms_that_hold_the_words(client: httpx2.Client):
    everything = client.get("/glossary").text
    some = client.get("/glossary?find=softmax").text
    assert everything.count('<div class="entry"') == len(terms())
    assert 1 <= some.count('<div class="entry"') < len(terms())
