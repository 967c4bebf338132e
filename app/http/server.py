"""Serves on a listening socket until told to stop; requests in progress may then finish."""

import asyncio
import contextlib
import ctypes
import gc
import logging
import resource
import signal
import socket
from collections import Counter
from collections.abc import Callable, Generator
from functools import partial
from typing import cast

import uvicorn

from app.compute import ANALYSES
from app.compute.allocator import give_large_blocks_back, loading
from app.http.application import close_streams, create_app
from app.http.protocol import Protocol
from app.logs import logging_of
from app.settings import Settings

log = logging.getLogger("vitrine")

CROWD = 100  # connections
OTHER_FILES = 200  # that a process has open beside its connections
LEAVING_TICKS = 50  # of a tenth of a second


class Server(uvicorn.Server):
    """The server of uvicorn, with three changes. It ends event streams before it waits for answers,
    returns after a signal, and gives memory back after a crowd has left.
    """

    def __init__(
        self, config: uvicorn.Config, drain: Callable[[], None], opened: Callable[[], None] | None
    ):
        super().__init__(config)
        self.drain, self.opened = drain, opened
        self.most_connections = 0

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.opened is not None:
            self.opened()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self.drain()
        await super().shutdown(sockets)

    async def on_tick(self, counter: int) -> bool:
        """Runs ten times a second and returns whether to stop. It gives memory back after a crowd
        of connections has left.
        """
        now = len(self.server_state.connections)
        self.most_connections = max(self.most_connections, now)
        left = self.most_connections >= CROWD and now < self.most_connections / 10
        if left and counter % LEAVING_TICKS == 0:
            self.most_connections = now
            give_memory_back()
        return await super().on_tick(counter)

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        loop = asyncio.get_running_loop()
        stops = (signal.SIGINT, signal.SIGTERM)
        for stop in stops:
            loop.add_signal_handler(stop, self.handle_exit, stop, None)
        try:
            yield
        finally:
            for stop in stops:
                loop.remove_signal_handler(stop)


def give_memory_back() -> None:
    """Collects garbage and returns free memory to the system, because glibc alone would keep it."""
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


def allow_connections(most: int) -> None:
    """Raises the number of files that this process may have open, of which each connection is one:
    where a system says 256 or 1,024, a class would have to wait.
    """
    wanted = most + OTHER_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return
    if hard != resource.RLIM_INFINITY and hard < wanted:
        log.warning("only %d files may be open here, for %d connections: ulimit -Hn", hard, most)
        wanted = hard
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def serve(
    settings: Settings,
    listener: socket.socket,
    *,
    opened: Callable[[], None] | None = None,
    analyses: str = ANALYSES,
) -> None:
    """Returns after SIGINT or SIGTERM, when what was asked is answered or its time is over.

    `opened` is called as soon as the server listens.
    """
    give_large_blocks_back()
    with loading():
        app = create_app(settings, analyses)
    clients: Counter[str] = Counter()
    protocol = partial(Protocol, settings=settings, clients=clients)
    config = uvicorn.Config(
        app,
        # uvicorn calls it like a class, and nothing else is done with it.
        http=cast(type[asyncio.Protocol], protocol),
        ws="none",
        loop="asyncio",
        lifespan="on",
        log_config=logging_of(settings),
        access_log=False,
        server_header=False,
        proxy_headers=bool(settings.proxies),
        forwarded_allow_ips=list(settings.proxies),
        timeout_keep_alive=settings.keep_alive_seconds,
        timeout_graceful_shutdown=settings.drain_seconds,
        h11_max_incomplete_event_size=settings.head_bytes,
    )
    allow_connections(settings.connections)
    Server(config, partial(close_streams, app), opened).run(sockets=[listener])
