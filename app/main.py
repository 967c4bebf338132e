"""The application: engine, words, pages and guards, put together."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI
from starlette.middleware.body_limit import RequestBodyLimitMiddleware
from starlette_compress import CompressMiddleware

from app import api, handlers, house, security
from app.assets import Assets
from app.engine import Engine
from app.pages import Pages
from app.settings import Settings
from app.streams import Streams
from app.trainings import Trainings


def create_app(settings: Settings | None = None, analyses: str = "model.analyses") -> FastAPI:
    """`analyses` is the module whose `answer` and `stream` the worker calls."""
    settings = settings or Settings()
    app = FastAPI(title="Vitrine", version="1", openapi_url=None, redirect_slashes=False, lifespan=lifespan)
    app.state.settings = settings
    app.state.assets = Assets()
    app.state.pages = Pages(settings, app.state.assets)
    app.state.engine = Engine(settings, analyses)
    app.state.streams = Streams(app.state.engine)
    app.state.trainings = Trainings(app.state.engine)
    # The last added is the outermost.
    app.add_middleware(RequestBodyLimitMiddleware, max_body_size=settings.body_bytes)
    # Brotli at 5 is a tenth smaller than zstd at 4, for pages and answers alike, and costs a page a millisecond.
    app.add_middleware(CompressMiddleware, minimum_size=settings.compress_bytes, zstd=False, brotli_quality=5)
    app.add_middleware(security.Gate, hosts=settings.allowed_hosts, body_bytes=settings.body_bytes)
    app.add_middleware(handlers.Failures)
    app.add_middleware(security.SecurityHeaders)
    handlers.install(app, app.state.pages.missing)
    api.register(app)
    app.include_router(house.router)
    return app


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    app.state.engine.start()
    preparing = asyncio.create_task(app.state.assets.prepare())
    yield
    preparing.cancel()
    close_streams(app)
    await app.state.engine.stop()


def close_streams(app: FastAPI) -> None:
    """Every stream ends with an event that says so."""
    app.state.streams.close()
    app.state.trainings.close()
