"""Serves the product below a path of a proxy. The path is removed from what is asked, whether or
not the proxy has removed it.
"""

from starlette.types import ASGIApp, Receive, Scope, Send


class RootPathMiddleware:
    """Reads `/vitrine/attention` as `/attention` if `root_path` is `/vitrine`."""

    def __init__(self, app: ASGIApp, root_path: str):
        self.app, self.root_path = app, root_path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        root = self.root_path
        if root and scope["type"] == "http" and scope["path"].startswith(f"{root}/"):
            path, raw = scope["path"].removeprefix(root), scope.get("raw_path")
            scope = {**scope, "path": path, "raw_path": raw and raw[len(root) :]}
        await self.app(scope, receive, send)
