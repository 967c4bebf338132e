"""One shape for every failure, whatever raised it."""

from unittest.mock import AsyncMock

import httpx2
import pytest
from fastapi import FastAPI
from starlette.requests import Request
from starlette.types import Message, Receive, Scope, Send

from app.errors import ErrorMiddleware
from app.http import error_handlers as handlers
from tests.app.problems import assert_problem
from tests.app.serving import Running

FIELDS = {"model": "translator"}


def ask(
    client: httpx2.Client, source: str, word: str = "attention", **more: object
) -> httpx2.Response:
    return client.get(f"/api/v1/{word}", params={**FIELDS, "source": source, **more})


def test_a_failure_of_ours_has_an_id_and_no_traceback(fakes: Running, fake: httpx2.Client):
    response = ask(fake, "fail")
    problem = assert_problem(response, 500, "failure")
    assert "secret" not in response.text
    log = (fakes.calls.parent / "log").read_text()
    assert problem["id"] in log
    assert problem["id"] in problem["detail"]
    assert "RuntimeError: secret" in log


async def test_a_client_that_leaves_in_the_middle_of_its_body_is_no_failure(
    caplog: pytest.LogCaptureFixture,
):
    async def read(scope: Scope, receive: Receive, send: Send) -> None:
        await Request(scope, receive).body()

    async def left() -> Message:
        return {"type": "http.disconnect"}

    with caplog.at_level("DEBUG", "vitrine"):
        await ErrorMiddleware(read)({"type": "http"}, left, AsyncMock())
    assert [record.levelname for record in caplog.records] == ["DEBUG"]


def test_a_number_that_is_not_finite_is_a_failure_of_ours(fake: httpx2.Client):
    assert_problem(ask(fake, "nan"), 500, "failure")


def test_a_refusal_of_the_model_says_field_limit_and_what_was_given(fake: httpx2.Client):
    problem = assert_problem(ask(fake, "refuse"), 422, "refused")
    assert problem["detail"] == "The source is empty. Type at least one word."
    assert problem["errors"] == [
        {
            "pointer": "/source",
            "code": "refused",
            "limit": 3,
            "given": 4,
            "hint": "The source is empty. Type at least one word.",
        }
    ]


def test_an_unknown_name_offers_the_nearest(fake: httpx2.Client):
    assert assert_problem(ask(fake, "unknown"), 404, "unknown")["nearest"] == ["translator"]


def test_a_method_that_is_not_allowed_names_those_that_are(fake: httpx2.Client):
    response = fake.delete("/api/v1/attention")
    assert_problem(response, 405, "method")
    assert {"GET", "POST"} <= {name.strip() for name in response.headers["allow"].split(",")}


@pytest.mark.parametrize(
    "path", ["/api/v1/nothing", "/api/v1/", "/api/v2/attention", "/nothing", "/attention/x"]
)
def test_what_is_not_there_is_a_problem_for_programs(fake: httpx2.Client, path: str):
    assert_problem(fake.get(path), 404, "unknown")


def test_what_is_not_there_is_a_page_for_browsers(fake: httpx2.Client):
    response = fake.get("/nothing", headers={"accept": "text/html,*/*"})
    assert response.status_code == 404
    assert response.headers["content-type"].startswith("text/html")
    assert_problem(fake.get("/api/v1/nothing", headers={"accept": "text/html,*/*"}), 404, "unknown")


async def test_a_route_that_lets_fastapi_check_its_fields_has_the_same_shape():
    app = FastAPI()
    unasked = "nobody asked for a page"
    handlers.install(
        app, lambda request: pytest.fail(unasked), lambda request, problem: pytest.fail(unasked)
    )

    @app.get("/counted/{count}")
    def counted(count: int) -> int:
        return count

    transport = httpx2.ASGITransport(app)
    async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client:
        problem = assert_problem(await client.get("/counted/many"), 422, "int_parsing")
    assert problem["errors"][0]["pointer"] == "/count"
