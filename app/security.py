"""Who may ask, and what a browser may do with the answer: host names, origins, headers."""

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.errors import Problem, short

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
    "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'self'"
)
HEADERS = {"content-security-policy": POLICY, "x-content-type-options": "nosniff", "referrer-policy": "no-referrer"}
RAW_HEADERS = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
SAFE_METHODS = ("GET", "HEAD", "OPTIONS")


class SecurityHeaders:
    """Puts the headers on every response, the failures included."""

    def __init__(self, app: ASGIApp):
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *RAW_HEADERS]
            await send(message)

        await self.app(scope, receive, with_headers)


class Gate:
    """Refuses other host names (DNS rebinding), other sites' posts, and bodies that say they are too large."""

    def __init__(self, app: ASGIApp, hosts: frozenset[str], body_bytes: int):
        self.app, self.hosts, self.body_bytes = app, hosts, body_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and (problem := self.refusal(scope["method"], Headers(scope=scope))):
            await problem.response()(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    def refusal(self, method: str, headers: Headers) -> Problem | None:
        named = headers.getlist("host")
        if len(named) != 1 or host_name(named[0]) not in self.hosts:
            given = short(", ".join(named)) if named else "nothing"
            return Problem("host", f"The Host header names {given}. VITRINE_HOSTS adds a name to those the server answers to.")
        if method not in SAFE_METHODS and not same_site(headers, named[0]):
            return Problem("origin", f"{method} is only accepted from this server's own pages and from programs, not from other sites.")
        length = headers.get("content-length", "0")
        if length.isdecimal() and int(length[:20]) > self.body_bytes:
            return Problem("too_large", f"The body has {length[:20]} bytes; at most {self.body_bytes} are read.")
        return None


def host_name(host: str) -> str:
    """Without the port, in small letters; an IPv6 address keeps its brackets."""
    name, colon, port = host.rpartition(":")
    return (name if colon and port.isdecimal() else host).lower()


def same_site(headers: Headers, host: str) -> bool:
    """What the browser says of where a request comes from; programs say nothing, and are no danger to a reader."""
    site, origin = headers.get("sec-fetch-site"), headers.get("origin")
    if site is not None and site not in ("same-origin", "none"):
        return False
    return origin is None or origin.lower() in (f"http://{host.lower()}", f"https://{host.lower()}")
