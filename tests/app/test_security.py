"""Who may ask: hosts, origins, methods, sizes; and that no path reaches the file system."""

import itertools
import re
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from tests.app.problems import assert_problem
from tests.app.serving import PLAIN, Running, running, wait_for

OURS = ["localhost", "127.0.0.1", "[::1]", "LOCALHOST", "localhost:1234", "[::1]:8000"]
OTHERS = [
    "evil.example",
    "127.0.0.1.evil.example",
    "localhost.evil.example",
    "0.0.0.0",
    "",
    "localhost:80:80",
    "[::1",
    "evil.example:8000",
    "*",
    "::1",
]
ROUTES = [
    "/",
    "/healthz",
    "/readyz",
    "/docs",
    "/openapi.json",
    "/api/v1/limits",
    "/api/v1/attention",
    "/static/x/js/api.js",
    "/nowhere",
]
METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW"]


def test_every_method_on_every_route(fakes: Running):
    with fakes.client() as client:
        for host, route, method in itertools.product(OURS[:2], ROUTES, METHODS):
            response = client.request(method, route, headers={"host": host})
            if method in ("PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW"):
                assert response.status_code in (404, 405), (route, method)
                assert response.status_code == 404 or "allow" in response.headers
            else:
                assert response.status_code in (200, 404, 405, 415, 422), (
                    host,
                    route,
                    method,
                    response.text,
                )


def test_no_route_and_no_method_answers_to_another_host(fakes: Running):
    """Every host meets every route and every method, and every route every method; not all three in
    every combination.
    """
    every_route = zip(itertools.product(OTHERS, ROUTES), itertools.cycle(METHODS), strict=False)
    every_method = itertools.product(zip(itertools.cycle(OTHERS), ROUTES, strict=False), METHODS)
    with fakes.client() as client:
        for (host, route), method in itertools.chain(every_route, every_method):
            response = client.request(method, route, headers={"host": host})
            assert response.status_code == 400, (host, route, method)
            assert method == "HEAD" or assert_problem(response, 400, "host")


def test_a_browser_that_was_sent_to_another_host_is_told_what_to_do(fake: httpx2.Client):
    headers = {"host": "<b>evil.example", "accept": "text/html,*/*;q=0.8"}
    for path in ("/room/ABCDE", "/nowhere"):
        page = fake.get(path, headers=headers)
        assert page.status_code == 400
        assert page.headers["content-type"].startswith("text/html")
        assert "Type the address exactly as shown on the projector" in page.text
        assert "&lt;b&gt;evil.example" in page.text
        assert not re.search(r"(src|href)=\"/", page.text), "it would be refused, too"
    assert_problem(fake.get("/api/v1/limits", headers=headers), 400, "host")


@pytest.mark.parametrize("host", OURS)
def test_the_server_answers_to_its_own_names(fake: httpx2.Client, host: str):
    assert fake.get("/healthz", headers={"host": host}).status_code == 200


def test_a_request_without_a_host_or_with_two_is_refused(fakes: Running):
    for hosts in (b"", b"Host: localhost\r\nHost: evil.example\r\n"):
        with fakes.socket() as connection:
            connection.sendall(b"GET /healthz HTTP/1.1\r\n" + hosts + b"Connection: close\r\n\r\n")
            answer = b"".join(iter(lambda: connection.recv(65536), b""))
        assert answer.startswith(b"HTTP/1.1 400 ")
        assert b"application/problem+json" in answer


ORIGINS = {
    "a program says nothing": ({}, True),
    "its own page": ({"sec-fetch-site": "same-origin"}, True),
    "typed by the user": ({"sec-fetch-site": "none"}, True),
    "another site": ({"sec-fetch-site": "cross-site"}, False),
    "another port of the same machine": ({"sec-fetch-site": "same-site"}, False),
    "a form of another port": (
        {"sec-fetch-site": "same-site", "sec-fetch-mode": "navigate"},
        False,
    ),
    "a form of another site": (
        {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"},
        False,
    ),
    "an old browser on its own page": ({"origin": "http://localhost:8000"}, True),
    "an old browser elsewhere": ({"origin": "http://evil.example"}, False),
    "an old browser on another port": ({"origin": "http://localhost:9000"}, False),
    "a sandboxed frame": ({"origin": "null"}, False),
    "both, at odds": ({"sec-fetch-site": "same-origin", "origin": "http://evil.example"}, False),
}


@pytest.mark.parametrize(("headers", "allowed"), ORIGINS.values(), ids=ORIGINS)
def test_another_site_cannot_post(fake: httpx2.Client, headers: dict, allowed: bool):
    for method in ("POST", "PUT", "DELETE"):
        response = fake.request(
            method, "/api/v1/limits", headers={"host": "localhost:8000", **headers}, json={}
        )
        if allowed:
            assert response.status_code == (200 if method == "POST" else 405)
        else:
            assert_problem(response, 403, "origin")
    response = fake.get("/healthz", headers={"host": "localhost:8000", **headers})
    assert response.status_code == 200


def test_a_body_over_the_limit_is_refused(fakes: Running, fake: httpx2.Client):
    body = b'{"model": "' + b"x" * 300_000 + b'"}'
    headers = {"content-type": "application/json"}
    assert_problem(fake.post("/api/v1/attention", content=body, headers=headers), 413, "too_large")
    chunks = (body[i : i + 10_000] for i in range(0, len(body), 10_000))
    assert_problem(
        fake.post("/api/v1/attention", content=chunks, headers=headers), 413, "too_large"
    )


def test_a_hundred_megabytes_are_refused_before_they_are_read(fakes: Running):
    with fakes.socket() as connection:
        connection.sendall(
            b"POST /api/v1/attention HTTP/1.1\r\nHost: localhost\r\nContent-Type:"
            b" application/json\r\nContent-Length: 100000000\r\n\r\n"
        )
        assert connection.recv(12) == b"HTTP/1.1 413"


PATHS = [
    "/static/x/../../app/main.py",
    "/static/x/%2e%2e/%2e%2e/pyproject.toml",
    "/static/x/..%2f..%2fpyproject.toml",
    "/static/x//etc/passwd",
    "/static/x/%2fetc%2fpasswd",
    "/static/..%5c..%5cpyproject.toml",
    "/static/x/js",
    "/static/x/",
    "/static/",
    "/static",
    "/static/x/js/../../x",
    "/..%2fpyproject.toml",
    "/pages%2foverview",
    "/overview.html",
    "/base",
    "/404",
    "/overview",
    "/%00",
    "/static/%00/x",
    "/api/v1/models/..%2f..%2fx",
    "/api/v1/models/%2e%2e",
    "/api/v1/models/.",
    "/api/v1/models/translator%00",
    "/api/v1/models/translator/card.json",
    "/_partials/bar",
]


def test_no_path_reaches_the_file_system(fakes: Running):
    for path in PATHS:
        with fakes.socket() as connection:  # a client library would tidy the path up
            connection.sendall(
                f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode()
            )
            answer = b"".join(iter(lambda: connection.recv(65536), b""))
        known = path.startswith("/api/v1/models/") and path.count("/") == 4
        assert answer.startswith(b"HTTP/1.1 404 ") or known, (path, answer[:200])
        assert b"[build-system]" not in answer
        assert b"root:" not in answer


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
@pytest.mark.parametrize("mode", ["no-cors", "cors", "same-origin", "websocket"])
def test_a_page_of_another_site_asks_the_api_nothing_in_the_background(
    fake: httpx2.Client, site: str, mode: str
):
    headers = {"sec-fetch-site": site, "sec-fetch-mode": mode}
    for accept in ("*/*", "text/event-stream"):
        response = fake.get("/api/v1/limits", headers={**headers, "accept": accept})
        assert_problem(response, 403, "origin")


def test_a_link_to_an_answer_may_be_followed_from_anywhere(fake: httpx2.Client):
    headers = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
    assert fake.get("/api/v1/limits", headers=headers).status_code == 200


@pytest.mark.thorough  # a server and a worker of its own
def test_behind_a_trusted_proxy_the_client_is_whom_the_proxy_names(
    tmp_path: Path, embedded: httpx2.Client
):
    """Each has streams of its own; a client that is no proxy cannot name another address."""
    limits = {"proxies": "127.0.0.1", "streams_per_client": 1}
    with running(tmp_path, **limits) as server, server.until_ready().client() as behind:
        for client, allowed in ((behind, True), (embedded, False)):
            with (
                followed(client, "198.51.100.7") as first,
                followed(client, "198.51.100.8") as second,
            ):
                assert first.status_code == 200
                assert (second.status_code == 200) is allowed


def followed(client: httpx2.Client, address: str):
    """A long stream, asked for by a proxy for this address."""
    question = {"model": "m", "source": f"sleep 0.5 {address}", "max_new_tokens": 60}
    headers = {"accept": "text/event-stream", "x-forwarded-for": address}
    return client.stream("GET", "/api/v1/generate", params=question, headers=headers)


CHOSEN = "https://lectures.example"


@pytest.fixture(scope="module")
def embedded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx2.Client]:
    """A server that the pages of two origins may embed and those of every port of a third frame,
    and on which a client may follow one stream.
    """
    named = f"{CHOSEN}, http://localhost:8888, http://127.0.0.1:*"
    limits = {"embed": named, "streams_per_client": 1}
    with (
        running(tmp_path_factory.mktemp("embed"), **limits) as server,
        httpx2.Client(base_url=server.address, timeout=400, verify=PLAIN) as client,
    ):
        wait_for(lambda: client.get("/readyz").status_code == 200)
        yield client


def from_page(origin: str, **headers: str) -> dict[str, str]:
    """What a browser says of a question that a page of another site asks in the background."""
    site = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "cors"}
    return {"origin": origin, **site, **headers}


@pytest.mark.parametrize("path", ["/", "/scaling", "/api/v1/limits", "/nowhere"])
def test_only_the_origins_that_are_named_may_frame(
    embedded: httpx2.Client, fake: httpx2.Client, path: str
):
    headers = embedded.get(path).headers
    ancestors = f"frame-ancestors 'self' {CHOSEN} http://localhost:8888 http://127.0.0.1:*"
    assert headers["content-security-policy"].endswith(ancestors)
    assert "x-frame-options" not in headers  # it has no word for another origin
    closed = fake.get(path).headers
    assert closed["content-security-policy"].endswith("frame-ancestors 'self'")
    assert closed["x-frame-options"] == "SAMEORIGIN"


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_a_page_of_a_named_origin_reads_the_api(embedded: httpx2.Client, method: str):
    response = embedded.request(method, "/api/v1/limits", headers=from_page(CHOSEN))
    assert response.status_code == 200
    assert response.headers["access-control-allow-origin"] == CHOSEN
    assert "access-control-allow-credentials" not in response.headers
    assert "Origin" in ", ".join(response.headers.get_list("vary"))
    refused = embedded.request(method, "/api/v1/limits?nothing=1", headers=from_page(CHOSEN))
    assert refused.status_code == 422
    assert refused.headers["access-control-allow-origin"] == CHOSEN


def test_a_page_of_a_named_origin_may_ask_whether_it_may(embedded: httpx2.Client):
    preflight = {"access-control-request-method": "GET", "access-control-request-headers": "accept"}
    response = embedded.options("/api/v1/limits", headers=from_page(CHOSEN, **preflight))
    assert response.status_code == 200
    assert response.headers["access-control-allow-origin"] == CHOSEN
    assert response.headers["access-control-allow-methods"] == "GET, HEAD"


@pytest.mark.parametrize(
    "origin",
    [
        *("https://other.example", f"{CHOSEN}:8443", f"http://{CHOSEN[8:]}", "null"),
        *(f"{CHOSEN}.evil.example", "http://localhost", "http://127.0.0.1:8888"),
    ],
)
def test_an_origin_that_is_not_named_reads_nothing(embedded: httpx2.Client, origin: str):
    assert_problem(embedded.get("/api/v1/limits", headers=from_page(origin)), 403, "origin")
    headers = from_page(origin, **{"access-control-request-method": "GET"})
    assert_problem(embedded.options("/api/v1/limits", headers=headers), 403, "origin")
    old = embedded.get("/api/v1/limits", headers={"origin": origin})  # its browser looks by itself
    assert not [name for name in old.headers if name.startswith("access-control-")]


def test_a_named_origin_begins_nothing(embedded: httpx2.Client):
    for method in ("POST", "PUT", "DELETE"):
        response = embedded.request(method, "/api/v1/limits", headers=from_page(CHOSEN), json={})
        assert_problem(response, 403, "origin")
    headers = from_page(CHOSEN, **{"access-control-request-method": "POST"})
    assert_problem(embedded.options("/api/v1/limits", headers=headers), 403, "origin")


def test_a_named_origin_does_not_make_another_host_ours(embedded: httpx2.Client):
    headers = from_page(CHOSEN, host="evil.example", **{"access-control-request-method": "GET"})
    for method in ("GET", "OPTIONS"):
        response = embedded.request(method, "/api/v1/limits", headers=headers)
        assert_problem(response, 400, "host")
