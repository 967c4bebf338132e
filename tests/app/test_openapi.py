"""The OpenAPI document: valid, typed, and true of the limits and of what the server takes."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from functools import cache
from threading import Event
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI
from openapi_spec_validator import validate

from app.api import routes
from app.api.endpoint import endpoints
from app.api.figure_routes import has_figures
from app.experiments import experiments
from app.http.application import create_app
from app.settings import Limits, Settings
from tests.app import loop
from tests.app.problems import assert_problem
from tests.app.serving import Running

FIGURES = ("/figures", "/figures/{figure}")
UPPER = ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties")
ALL_FORMS = "/api/v1/generate"
FIELDS = {"model": "translator", "source": "a" * 11}


@cache
def application(**settings: Any) -> FastAPI:
    """One for all tests that ask it and change nothing in it: it takes two seconds to make, and its
    document three.
    """
    return create_app(Settings(**settings))


@pytest.fixture(scope="module")
def api(house: Running) -> dict[str, Any]:
    """The document that the house has made for all who ask for it."""
    with house.client() as client:
        return client.get("/openapi.json").json()


def operations(api: dict) -> list[dict]:
    return [operation for path in api["paths"].values() for operation in path.values()]


def resolved(api: dict, schema: dict) -> dict:
    return api["components"]["schemas"][schema["$ref"].rpartition("/")[2]]


def schemas_within(schema: Any) -> Iterator[dict]:
    """The schema and every one inside it."""
    if isinstance(schema, dict):
        yield schema
        for inner in schema.values():
            yield from schemas_within(inner)
    elif isinstance(schema, list):
        for inner in schema:
            yield from schemas_within(inner)


def schemas_with_parts(api: dict, schema: dict) -> Iterator[dict]:
    """The schema, every one inside it, and those of the objects that it refers to."""
    for inner in schemas_within(schema):
        yield inner
        if "$ref" in inner:
            yield from schemas_with_parts(api, resolved(api, inner))


def schemas_of_questions(api: dict) -> Iterator[dict]:
    """Everything that a field may be, in an address, a path or a body."""
    for operation in operations(api):
        for parameter in operation.get("parameters", ()):
            yield from schemas_within(parameter["schema"])
        if "requestBody" in operation:
            body = operation["requestBody"]["content"]["application/json"]["schema"]
            for field in resolved(api, body)["properties"].values():
                yield from schemas_with_parts(api, field)


def send(app: FastAPI, method: str, path: str, **options: Any) -> httpx2.Response:
    """What the application answers without a server and without a worker."""

    async def ask() -> httpx2.Response:
        transport = httpx2.ASGITransport(app)
        async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client:
            return await client.request(method, path, **options)

    return loop.run(ask())


def test_the_document_is_valid(api: dict):
    """The same code makes the paths of all words, which are most of the document, and what is
    posted or answered is one of the schemas, which are all looked at.
    """
    of_one = {
        path: operations for path, operations in api["paths"].items() if path.startswith(ALL_FORMS)
    }
    validate({**api, "paths": of_one})
    assert api["security"] == []
    assert api["servers"]


@pytest.mark.thorough  # the same code as of the one word that is always looked at
def test_the_paths_of_all_words_are_valid(api: dict):
    validate(api)


def test_whoever_asks_for_the_document_while_it_is_made_waits_for_it(
    monkeypatch: pytest.MonkeyPatch,
):
    """FastAPI cannot make two documents of an application at a time: one of them is a KeyError."""
    app, apps, begun, go = create_app(Settings()), [], Event(), Event()

    def slowly(app: FastAPI) -> dict:
        apps.append(app)
        begun.set()
        assert go.wait(60)
        return {"paths": {}}

    monkeypatch.setattr(routes, "document", slowly)
    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(app.openapi)
        assert begun.wait(60)
        second = threads.submit(app.openapi)
        wait([second], timeout=0.05)
        go.set()
        assert first.result() == second.result() == {"paths": {}}
    assert len(apps) == 1, f"The document was made {len(apps)} times at once."


def test_every_endpoint_is_there_by_get_and_post_with_ids_of_its_own(api: dict):
    addresses = {
        f"{word.address}{path}" for word in endpoints() if has_figures(word) for path in FIGURES
    }
    addresses |= {f"{word.address}/drawing" for word in endpoints() if word.drawing}
    assert api["paths"].keys() == {endpoint.address for endpoint in endpoints()} | addresses
    assert {path.keys() == {"get", "post"} for path in api["paths"].values()} == {True}
    ids = [operation["operationId"] for operation in operations(api)]
    assert len(set(ids)) == len(ids)
    assert all(id.isidentifier() for id in ids)
    assert {"get_norms", "post_norms", "get_model", "get_models", "get_circuits_theory"} <= {*ids}


def test_the_example_of_a_figure_names_a_figure_of_its_word():
    for word in filter(has_figures, endpoints()):
        assert word.figure in experiments()[word.name].figures, f"/{word.name} has no such figure"


def test_every_answer_has_a_type_that_says_the_question_and_every_failure_is_a_problem(api: dict):
    assert {"Tensor", "Axis", "Finding", "Problem"} <= api["components"]["schemas"].keys()
    for operation in operations(api):
        responses = operation["responses"]
        answer = resolved(api, responses["200"]["content"]["application/json"]["schema"])
        assert answer["additionalProperties"] is False
        assert "question" in answer["required"] or answer["required"] == ["data", "layout"]
        (media_type, content), *more = responses["default"]["content"].items()
        assert (media_type, more) == ("application/problem+json", [])
        assert content["schema"]["$ref"].endswith("/Problem")


def test_what_streams_says_so(api: dict):
    streaming = {
        path
        for path, methods in api["paths"].items()
        if "text/event-stream" in methods["get"]["responses"]["200"]["content"]
    }
    computed = {
        word.address for word in endpoints() if word.local is None or word.followed is not None
    }
    words = {path.partition("/figures")[0].removesuffix("/drawing") for path in streaming}
    assert words == computed
    assert streaming >= {f"{word.address}/figures" for word in endpoints() if has_figures(word)}


def test_every_upper_bound_is_a_limit_that_is_listed_or_fixed_by_what_the_field_is(api: dict):
    limits = {limit["name"]: limit["value"] for limit in Settings().limits()}
    met = set()
    for schema in schemas_of_questions(api):
        bounds = [schema[name] for name in UPPER if name in schema]
        if "x-fixed" in schema:
            assert bounds[0] in (1, 2, 3, 7, 9, 63, 180, 2**31 - 1, 2**32)
        elif bounds:
            assert bounds == [limits[schema["x-limit"]]], schema
            met.add(schema["x-limit"])
    of_fields = {name for name in Limits.model_fields if name not in OF_THE_SERVICE}
    assert met == of_fields, "a limit of questions bounds a field"


# What bounds the server's work, rather than a field of a question.
OF_THE_SERVICE = {
    name
    for name in Limits.model_fields
    if list(Limits.model_fields).index(name) < list(Limits.model_fields).index("text_length")
}


def test_every_number_text_and_list_of_an_address_has_an_upper_bound(api: dict):
    for operation in operations(api):
        for parameter in operation.get("parameters", ()):
            for schema in schemas_within(parameter["schema"]):
                free = schema.get("type") in ("string", "integer", "number", "array")
                if free and "enum" not in schema and "contentMediaType" not in schema:
                    assert {*UPPER} & schema.keys(), parameter


HALVED = {
    name: max(1, int(value // 2)) if isinstance(value, int) else value / 2
    for name, value in Settings().model_dump().items()
    if name in Limits.model_fields and name not in OF_THE_SERVICE
} | {"depth": 8}
"""Other limits than the usual ones; that of the depth is below the default of /norms."""


def test_the_settings_of_the_application_are_the_bounds_of_its_fields_and_its_limits():
    small = application(**HALVED)
    listed = {limit["name"]: limit["value"] for limit in small.state.services.settings.limits()}
    named = [schema for schema in schemas_of_questions(small.openapi()) if "x-limit" in schema]
    assert {schema["x-limit"] for schema in named} == HALVED.keys()
    for schema in named:
        value = HALVED[schema["x-limit"]]
        assert [schema[name] for name in UPPER if name in schema] in ([value], []), schema
        assert listed[schema["x-limit"]] == value


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_text_is_as_long_as_the_settings_of_this_application_say(method: str):
    app = application(text_length=10)
    fields = {"params": FIELDS} if method == "GET" else {"json": FIELDS}
    problem = assert_problem(send(app, method, "/api/v1/tokens", **fields), 422, "string_too_long")
    assert problem["errors"][0]["limit"] == 10
    assert problem["errors"][0]["given"] == 11


def test_a_default_over_the_limit_is_no_default():
    app = application(**HALVED)
    assert_problem(send(app, "GET", "/api/v1/norms"), 422, "missing")
    assert_problem(send(app, "POST", "/api/v1/norms", json={}), 422, "missing")
    parameters = app.openapi()["paths"]["/api/v1/norms"]["get"]["parameters"]
    assert [field["name"] for field in parameters if field["required"]] == [
        "depth",
        "shortcut",
    ]


def test_a_field_of_a_query_has_a_sentence_and_no_null_and_a_list_is_one_field(api: dict):
    lists = []
    for operation in operations(api):
        for parameter in operation.get("parameters", ()):
            assert all(schema.get("type") != "null" for schema in schemas_within(parameter))
            assert parameter["description"].endswith("."), parameter
            if parameter["schema"].get("type") == "array":
                assert (parameter["style"], parameter["explode"]) == ("form", False)
                lists.append(parameter["name"])
    assert {"depths", "lengths"} == {*lists}


def test_the_document_is_kept_by_who_has_it(client: httpx2.Client):
    first = client.get("/openapi.json")
    assert "no-store" not in first.headers["cache-control"]
    again = client.get("/openapi.json", headers={"if-none-match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert client.head("/openapi.json").headers["etag"] == first.headers["etag"]
