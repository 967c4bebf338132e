"""Decides by path, host and origin who may ask, and tells browsers what to do with an answer."""

import hmac
from collections.abc import Awaitable, Callable, Collection, Sequence

from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.errors import Problem, abbreviate, sentence
from app.host_names import host_name
from app.http.error_handlers import wants_html

POLICY = (
    "default-src 'none'; script-src 'self'; frame-src 'self'; style-src 'self' 'unsafe-inline';"
    " img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; form-action 'self';"
    " frame-ancestors 'self'"
)
HEADERS = {"x-content-type-options": "nosniff", "referrer-policy": "no-referrer"}
SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
READING = ("GET", "HEAD")
READ_SECONDS = 600


def security_headers(embed: Sequence[str]) -> dict[str, str]:
    """The headers of every response. Only the policy can name origins that may frame it; browsers
    that do not know it are told by the older header, which has no word for other origins.
    """
    policy = " ".join([POLICY, *embed])
    framing = {} if embed else {"x-frame-options": "SAMEORIGIN"}
    return {"content-security-policy": policy, **framing, **HEADERS}


PARTS = (b"text/javascript", b"text/css")
"""What is only ever a part of a document. Its document's policy holds for it, and a page of thirty
modules is 8 kB lighter when none of them says it again.
"""
RAW_HEADERS = [(name.encode(), value.encode()) for name, value in security_headers(()).items()]


class SecurityHeadersMiddleware:
    """Puts the security headers on every response, including failures; on scripts and sheets of
    styles only those that are not about documents.
    """

    def __init__(self, app: ASGIApp, embed: Sequence[str] = ()):
        self.app = app
        named = security_headers(embed)
        self.headers = [(name.encode(), value.encode()) for name, value in named.items()]
        self.of_parts = [(name.encode(), value.encode()) for name, value in HEADERS.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = message.get("headers", ())
                part = dict(headers).get(b"content-type", b"").startswith(PARTS)
                message["headers"] = [*headers, *(self.of_parts if part else self.headers)]
            await send(message)

        await self.app(scope, receive, with_headers)


class SharingMiddleware(CORSMiddleware):
    """Lets pages of the origins of `embed` read the API: GET and HEAD, without cookies. What may be
    asked at all is decided elsewhere.
    """

    def __init__(self, app: ASGIApp, embed: Sequence[str]):
        super().__init__(app, embed, READING, ["If-None-Match"], max_age=READ_SECONDS)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        shared = scope["type"] == "http" and scope["path"].startswith("/api/")
        await (super().__call__ if shared else self.app)(scope, receive, send)

    @staticmethod
    def allow_explicit_origin(headers: MutableHeaders, origin: str) -> None:
        """Starlette would name the headers that may be read to other origins too."""
        CORSMiddleware.allow_explicit_origin(headers, origin)
        headers["access-control-expose-headers"] = "ETag, Retry-After"


def shares(embed: Collection[str], method: str, headers: Headers) -> bool:
    """Whether a page of one of these origins reads, or asks whether it may."""
    target_method = headers.get("access-control-request-method") if method == "OPTIONS" else method
    return headers.get("origin") in embed and target_method in READING


class RootPathMiddleware:
    """Reads `/vitrine/attention` as `/attention` if `root_path`, below which a proxy serves the
    product, is `/vitrine`. The proxy may have removed it. With `only` nothing else is answered, and
    no answer to whoever does not know the path says it.
    """

    def __init__(self, app: ASGIApp, root_path: str, only: bool = False):
        self.app, self.root_path, self.only = app, root_path, only

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        root = self.root_path
        if not root or scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        begins = scope["path"][: len(root) + 1].encode()
        if hmac.compare_digest(begins, f"{root}/".encode()):
            path, raw = scope["path"].removeprefix(root), scope.get("raw_path")
            scope = {**scope, "path": path, "raw_path": raw and raw[len(root) :]}
        elif self.only:
            problem = Problem("unknown", "address-without-password", headers=security_headers(()))
            await problem.response()(scope, receive, send)
            return
        await self.app(scope, receive, send)


class HostOriginMiddleware:
    """Refuses unknown host names (DNS rebinding), requests of other sites, and bodies whose stated
    length is too large.
    """

    def __init__(
        self,
        app: ASGIApp,
        hosts: frozenset[str],
        body_bytes: int,
        refused_page: Callable[[Request, Problem, str], Awaitable[Response]],
        embed: Sequence[str] = (),
    ):
        self.app, self.hosts, self.body_bytes = app, hosts, body_bytes
        self.refused_page, self.embed = refused_page, frozenset(embed)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and (
            problem := self.refusal(scope["method"], scope["path"], Headers(scope=scope))
        ):
            await (await self.refused(problem, Request(scope)))(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    async def refused(self, problem: Problem, request: Request) -> Response:
        """A browser that was sent to a wrong name shows what to do; all others get the problem."""
        if problem.code == "host" and wants_html(request):
            return await self.refused_page(request, problem, "unknown_host.html")
        return problem.response()

    def refusal(self, method: str, path: str, headers: Headers) -> Problem | None:
        named = headers.getlist("host")
        if len(named) != 1 or host_name(named[0]) not in self.hosts:
            host = abbreviate(", ".join(named)) if named else sentence("nothing")
            return Problem("host", "host-not-known", given=host)
        if (
            path.startswith("/api/")
            and crosses_sites(headers)
            and not shares(self.embed, method, headers)
        ):
            return Problem("origin", "read-by-another-site")
        if method not in SAFE_METHODS and not same_site(headers, named[0]):
            return Problem("origin", "sent-by-another-site", method=method)
        length = headers.get("content-length", "0")
        if length.isdecimal() and int(length[:20]) > self.body_bytes:
            most = self.body_bytes
            return Problem("too_large", "body-too-large", bytes=length[:20], most=most)
        return None


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
