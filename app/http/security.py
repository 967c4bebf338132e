"""Decides by host and origin who may ask, and tells browsers what they may do with an answer."""

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.errors import Problem, abbreviate

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:"
    " blob:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'self'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
}
RAW_HEADERS = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
SAFE_METHODS = ("GET", "HEAD", "OPTIONS")


class SecurityHeadersMiddleware:
    """Puts the security headers on every response, including failures."""

    def __init__(self, app: ASGIApp):
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *RAW_HEADERS]
            await send(message)

        await self.app(scope, receive, with_headers)


class HostOriginMiddleware:
    """Refuses unknown host names (DNS rebinding), requests of other sites, and bodies whose stated
    length is too large.
    """

    def __init__(self, app: ASGIApp, hosts: frozenset[str], body_bytes: int):
        self.app, self.hosts, self.body_bytes = app, hosts, body_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and (
            problem := self.refusal(scope["method"], scope["path"], Headers(scope=scope))
        ):
            await problem.response()(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    def refusal(self, method: str, path: str, headers: Headers) -> Problem | None:
        named = headers.getlist("host")
        if len(named) != 1 or host_name(named[0]) not in self.hosts:
            given = abbreviate(", ".join(named)) if named else "nothing"
            return Problem(
                "host",
                f"The Host header names {given}. VITRINE_HOSTS adds a name to those the server"
                " answers to.",
            )
        if path.startswith("/api/") and crosses_sites(headers):
            return Problem(
                "origin", "The API answers this server's own pages and programs, not other sites."
            )
        if method not in SAFE_METHODS and not same_site(headers, named[0]):
            return Problem(
                "origin",
                f"{method} is only accepted from this server's own pages and from programs, not"
                " from other sites.",
            )
        length = headers.get("content-length", "0")
        if length.isdecimal() and int(length[:20]) > self.body_bytes:
            return Problem(
                "too_large",
                f"The body has {length[:20]} bytes; at most {self.body_bytes} are read.",
            )
        return None


def host_name(host: str) -> str:
    """Returns the name of a host without its port, in lower case. An IPv6 address keeps its
    brackets.
    """
    name, colon, port = host.rpartition(":")
    return (name if colon and port.isdecimal() else host).lower()


def crosses_sites(headers: Headers) -> bool:
    """Returns whether a page of another site asks in the background. Following a link to an answer
    is a navigation, and allowed.
    """
    elsewhere = headers.get("sec-fetch-site") in ("cross-site", "same-site")
    return elsewhere and headers.get("sec-fetch-mode") != "navigate"


def same_site(headers: Headers, host: str) -> bool:
    """Returns whether the request comes from this server's own pages, by what the browser says.
    Programs say nothing, and are allowed: they cannot act for a reader.
    """
    site, origin = headers.get("sec-fetch-site"), headers.get("origin")
    if site is not None and site not in ("same-origin", "none"):
        return False
    return origin is None or origin.lower() in (f"http://{host.lower()}", f"https://{host.lower()}")
