"""Serves the product below a path of a proxy. The path is removed from what is asked, whether or
not the proxy has removed it.
"""

import hmac

from starlette.types import ASGIApp, Receive, Scope, Send

from app.errors import Problem
from app.http.security import security_headers


class RootPathMiddleware:
    """Reads `/vitrine/attention` as `/attention` if `root_path` is `/vitrine`. With `only` nothing
    else is answered, and no answer to whoever does not know the path says it.
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
