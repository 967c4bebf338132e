"""Serves on a socket that is already listening, until told to stop; then lets what is under way finish."""

import asyncio
import contextlib
import signal
import socket
from collections.abc import Callable, Iterator
from functools import partial

import uvicorn

from app.main import close_streams, create_app
from app.protocol import Protocol
from app.settings import Settings


class Server(uvicorn.Server):
    """uvicorn's, which ends event streams before it waits for answers, and returns from a signal instead of dying of it."""

    def __init__(self, config: uvicorn.Config, drain: Callable[[], None], opened: Callable[[], None] | None):
        super().__init__(config)
        self.drain, self.opened = drain, opened

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.opened is not None:
            self.opened()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self.drain()
        await super().shutdown(sockets)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        loop = asyncio.get_running_loop()
        stops = (signal.SIGINT, signal.SIGTERM)
        for stop in stops:
            loop.add_signal_handler(stop, self.handle_exit, stop, None)
        try:
            yield
        finally:
            for stop in stops:
                loop.remove_signal_handler(stop)


def serve(
    settings: Settings, listener: socket.socket, *, opened: Callable[[], None] | None = None, analyses: str = "model.analyses"
) -> None:
    """Returns after SIGINT or SIGTERM, when what was asked is answered or its time is over; `opened` is called once listening."""
    app = create_app(settings, analyses)
    config = uvicorn.Config(
        app,
        http=partial(Protocol, settings=settings),
        ws="none",
        loop="asyncio",
        lifespan="on",
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=settings.keep_alive_seconds,
        timeout_graceful_shutdown=settings.drain_seconds,
        h11_max_incomplete_event_size=settings.head_bytes,
    )
    Server(config, partial(close_streams, app), opened).run(sockets=[listener])
