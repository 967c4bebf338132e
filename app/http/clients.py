"""Who asks, for all that is shared out. A browser is known by a cookie that its first page gives
it, so that a class behind one address is many; whoever has none is known by the address. New
browsers of one address come at the pace of a class, and those beyond count as the address itself.

The cookie is a number drawn for it and this server's signature, ends with the browser's session and
says nothing else.
"""

import hmac
import secrets
from http.cookies import CookieError, SimpleCookie

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.clients import Pace, client_of
from model.words import LANGUAGE, preferred

COOKIE = "vitrine_client"
NUMBER_BYTES = 9


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
        LANGUAGE.set(preferred(headers.get("accept-language", "")))
        host = scope["client"][0] if scope.get("client") else ""
        given = cookie_of(headers)
        known = self.is_ours(given)
        client = client_of(host, given if known else "")
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

    def is_ours(self, given: str) -> bool:
        """Whether this server has signed a cookie."""
        number, _, signature = given.partition(".")
        return hmac.compare_digest(self.signature(number).encode(), signature.encode())

    def signature(self, number: str) -> str:
        return hmac.digest(self.secret, number.encode(), "sha256").hex()[:24]


def cookie_of(headers: Headers) -> str:
    """The client's cookie as it was sent; empty where there is none that can be read."""
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
    except CookieError:
        return ""
    return found.value if found else ""
