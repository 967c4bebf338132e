"""A browser is a client of its own, and whoever has no cookie of this server is its address."""

import asyncio

import pytest
from starlette.types import Message, Receive, Scope, Send

from app.clients import COOKIE, ClientMiddleware, Pace, address_of, client_of, used_up
from tests.app import loop


class Site:
    """Answers with a page, or in /api with JSON, and remembers who asked."""

    def __init__(self, secret: str = "") -> None:
        self.clients: list[str] = []
        self.app = ClientMiddleware(self, root_path="/vitrine", secret=secret)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.clients.append(scope["state"]["client"])
        kind = b"application/json" if scope["path"].startswith("/api") else b"text/html; charset"
        headers = [(b"content-type", kind)]
        await send({"type": "http.response.start", "status": 200, "headers": headers})

    def get(self, path: str, cookie: str = "", scheme: str = "http") -> str:
        """The cookie that came, or nothing."""
        sent: list[Message] = []

        async def send(message: Message) -> None:
            sent.append(message)

        scope = {
            "type": "http",
            "path": path,
            "scheme": scheme,
            "client": ("192.0.2.7", 5),
            "headers": [(b"cookie", cookie.encode())] if cookie else [],
        }
        loop.run(self.app(scope, asyncio.sleep, send))
        return dict(sent[0]["headers"]).get(b"set-cookie", b"").decode()


def test_a_page_gives_a_browser_a_cookie_once_and_knows_it_by_that():
    site = Site()
    cookie = site.get("/")
    value, *rest = cookie.split("; ")
    assert value.startswith(f"{COOKIE}=")
    assert rest == ["Path=/vitrine", "HttpOnly", "SameSite=Strict"]
    assert site.get("/attention", f"theme=dark; {value}") == ""
    other = site.get("/").split("; ")[0]
    assert other != value
    site.get("/api/v1/limits", value)
    site.get("/api/v1/limits", other)
    first, known, _, again, another = site.clients
    assert first == "192.0.2.7"
    assert known == again != another


@pytest.mark.parametrize(("secrets", "known"), [(("one", "one"), True), (("one", "other"), False)])
def test_web_processes_with_one_secret_know_each_other_s_cookies(secrets, known):
    first, second = map(Site, secrets)
    cookie = first.get("/").split("; ")[0]
    assert (second.get("/", cookie) == "") is known


def test_the_cookie_is_sent_over_tls_alone_where_the_page_was():
    assert Site().get("/", scheme="https").endswith("; Secure")


def test_an_answer_of_the_api_gives_no_cookie():
    site = Site()
    assert site.get("/api/v1/limits") == ""
    assert site.clients == ["192.0.2.7"]


@pytest.mark.parametrize("made_up", ["x", "x.y", ".", "", 'x"; Path=/', "x." + "0" * 24, "é.é"])
def test_a_cookie_that_this_server_did_not_sign_is_nobody(made_up):
    site = Site()
    assert site.get("/", f"{COOKIE}={made_up}")
    assert site.get("/", Site().get("/").split("; ")[0])
    assert set(site.clients) == {"192.0.2.7"}


def test_new_browsers_of_one_address_come_at_the_pace_of_a_class():
    clock = [0.0]
    pace = Pace(250, lambda: clock[0])
    crowd = [client_of("192.0.2.7", f"cookie-{number}") for number in range(700)]
    assert sum(map(pace.knows, crowd[:300])) == 250, "at once"
    assert pace.knows(crowd[0]), "known already"
    assert pace.knows(client_of("192.0.2.8", "cookie-299")), "another address"
    clock[0] = 120
    assert sum(map(pace.knows, crowd[300:500])) == 200, "the next class"


def test_a_browser_that_comes_too_fast_counts_as_its_address():
    site = Site()
    site.app.pace = Pace(1)
    cookies = [site.get("/").split("; ")[0] for _ in range(2)]
    for cookie in cookies:
        assert site.get("/", cookie) == "", "it keeps its cookie for later"
    assert site.clients[2:] == [f"192.0.2.7 {cookies[0].partition('=')[2]}", "192.0.2.7"]


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("unix:", "unix:"),
    ],
)
def test_an_address_of_ipv6_is_its_network(host, address):
    assert address_of(client_of(host, "cookie")) == address


def test_one_address_never_has_every_place_with_however_many_cookies():
    """Five places, two for each client: the trainings that run or wait."""
    taken: list[str] = []
    for client in ("hog 1", "hog 1", "hog 2", "hog 2"):
        assert used_up(taken, client, 5, 2) == ""
        taken.append(client)
    assert used_up(taken[:3], "hog 1", 5, 2) == "own"
    assert used_up(taken, "hog 3", 5, 2) == "address"
    assert used_up(taken, "student 1", 5, 2) == ""
    assert used_up([*taken, "student 1"], "other", 5, 2) == "all"
