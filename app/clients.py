"""Who asks: an address, and the cookie of a browser where it has one. Everything that is shared out
is shared first by address and then by cookie, because a cookie costs one request.

A client is one line of text, the address and after a space the cookie, so that it goes to other
processes as it is. A browser's first page gives it the cookie, so that a class behind one address
is many. New browsers of one address come at the pace of a class, and those beyond count as the
address itself. The cookie is a number drawn for it and this server's signature, ends with the
browser's session and says nothing else.
"""

import hmac
import secrets
import time
from collections.abc import Callable, Iterable
from http.cookies import CookieError, SimpleCookie
from ipaddress import IPv6Address, ip_address
from typing import Literal

from cachetools import LRUCache
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from model.words import LANGUAGE, languages, preferred

COOKIE = "vitrine_client"
CHOSEN = "vitrine_language"
NUMBER_BYTES = 9
NETWORK_BITS = 64
"""Whoever has one address of IPv6 has all that begin as it does: RFC 4291, 2.5.1."""
PACE_SECONDS = 120.0
KNOWN = 50_000
"""So many browsers and so many addresses are remembered, those that asked last."""

Share = Literal["", "own", "address", "all"]


def network_of(host: str) -> str:
    """The address that a host counts as: one of IPv6 counts as its /64."""
    if ":" not in host:
        return host
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if not isinstance(address, IPv6Address):
        return str(address)
    if address.ipv4_mapped:
        return str(address.ipv4_mapped)
    network = int(address) >> (128 - NETWORK_BITS) << (128 - NETWORK_BITS)
    return f"{IPv6Address(network)}/{NETWORK_BITS}"


def client_of(host: str, cookie: str = "") -> str:
    """The client at a host, as everything that is shared out knows it."""
    return f"{network_of(host)} {cookie}".rstrip()


def address_of(client: str) -> str:
    """The address of a client."""
    return client.partition(" ")[0]


def device_of(client: str) -> str:
    """The cookie of a client, which goes with its device; the address where it has none."""
    return client.rpartition(" ")[2]


def used_up(taken: Iterable[str], client: str, most: int, each: int) -> Share:
    """Whose share is used up where `client` asks for one more of `most` places, and `taken` has a
    client for each that is taken: its own of `each`, its address's, or all. Empty if it gets one.

    A fifth of all places, one at least, is kept for addresses that have fewer than `each`.
    """
    address, client_places, near, total = address_of(client), 0, 0, 0
    for other in taken:
        total += 1
        if address_of(other) == address:
            near += 1
            client_places += other == client
    if total >= most:
        return "all"
    if near >= each and near >= most - max(1, most // 5):
        return "address"
    return "own" if client_places >= each else ""


class Pace:
    """Lets the new browsers of one address in: `many` at once, and as many again in two minutes.
    Those known already are not new.
    """

    def __init__(self, many: int, now: Callable[[], float] = time.monotonic):
        self.many, self.now = many, now
        self.known: LRUCache[str, bool] = LRUCache(KNOWN)
        self.left: LRUCache[str, tuple[float, float]] = LRUCache(KNOWN)

    def knows(self, client: str) -> bool:
        """Whether a client counts as one; else it counts as its address alone."""
        if client in self.known:
            return self.known[client]  # it asked last
        address, now = address_of(client), self.now()
        left, then = self.left.get(address, (self.many, now))
        left = min(self.many, left + (now - then) * self.many / PACE_SECONDS)
        if left < 1:
            return False
        self.left[address] = left - 1, now
        self.known[client] = True
        return True


class ClientMiddleware:
    """Names the client in `scope["state"]["client"]` and the language that it reads, and gives a
    page that comes to a browser without a cookie of this server a new one.
    """

    def __init__(self, app: ASGIApp, root_path: str = "", secret: str = "", browsers: int = 250):
        """Without a `secret`, one is drawn: then no other server, and not this one after a restart,
        knows its cookies. `browsers` are as many as one address may have at once.
        """
        self.app, self.path = app, root_path or "/"
        self.pace = Pace(browsers)
        self.secret = secret.encode() or secrets.token_bytes(32)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        LANGUAGE.set(language_of(headers))
        host = scope["client"][0] if scope.get("client") else ""
        cookie = cookie_of(headers)
        known = self.is_ours(cookie)
        client = client_of(host, cookie if known else "")
        counts = known and self.pace.knows(client)
        scope.setdefault("state", {})["client"] = client if counts else client_of(host)

        async def with_cookie(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = message.get("headers", ())
                if dict(headers).get(b"content-type", b"").startswith(b"text/html"):
                    message["headers"] = [*headers, (b"set-cookie", self.new(scope).encode())]
            await send(message)

        await self.app(scope, receive, send if known else with_cookie)

    def new(self, scope: Scope) -> str:
        """A cookie for a browser that has none."""
        number = secrets.token_urlsafe(NUMBER_BYTES)
        secure = "; Secure" if scope["scheme"] == "https" else ""
        value = f"{number}.{self.signature(number)}"
        return f"{COOKIE}={value}; Path={self.path}; HttpOnly; SameSite=Strict{secure}"

    def is_ours(self, cookie: str) -> bool:
        """Whether this server has signed a cookie."""
        number, _, signature = cookie.partition(".")
        return hmac.compare_digest(self.signature(number).encode(), signature.encode())

    def signature(self, number: str) -> str:
        return hmac.digest(self.secret, number.encode(), "sha256").hex()[:24]


def language_of(headers: Headers) -> str:
    """The language that the reader chose, or else the one that the browser prefers."""
    chosen = cookie_of(headers, CHOSEN)
    return chosen if chosen in languages() else preferred(headers.get("accept-language", ""))


def cookie_of(headers: Headers, name: str = COOKIE) -> str:
    """A cookie as it was sent; empty where there is none that can be read."""
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(name)
    except CookieError:
        return ""
    return found.value if found else ""
