"""Counts and times every answer of the API for `/metrics`."""

import time

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.api.endpoint import PREFIX, endpoints
from app.compute.metrics import Metrics


class MeasuringMiddleware:
    """Counts each answer by its word and status. A path that is no endpoint counts as "unknown", so
    that nobody can create new labels.
    """

    def __init__(self, app: ASGIApp, metrics: Metrics):
        self.app, self.metrics = app, metrics
        self.words = {endpoint.name for endpoint in endpoints()}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not scope["path"].startswith(f"{PREFIX}/"):
            await self.app(scope, receive, send)
            return
        word = scope["path"].removeprefix(f"{PREFIX}/").partition("/")[0]
        word = word if word in self.words else "unknown"
        begun = time.perf_counter()

        async def counted(message: Message) -> None:
            if message["type"] == "http.response.start":
                self.metrics.answered(word, str(message["status"]), time.perf_counter() - begun)
            await send(message)

        await self.app(scope, receive, counted)
