"""Builds the application from engine, endpoints, pages and guards."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from fastapi import FastAPI
from starlette.middleware.body_limit import RequestBodyLimitMiddleware

from app.api import routes as api
from app.api.endpoint import PREFIX, endpoints
from app.clients import ClientMiddleware
from app.compute import ANALYSES
from app.compute.metrics import MeasuringMiddleware
from app.errors import ErrorMiddleware
from app.http import error_handlers, security
from app.settings import Settings
from app.site import lecture
from app.site import routes as site
from app.site.openings import answer_ahead
from app.site.services import make_services, services_of


def create_app(settings: Settings | None = None, analyses: str = ANALYSES) -> FastAPI:
    """The application. `analyses` is the module whose `answer` and `stream` the worker calls."""
    settings = settings or Settings()
    app = FastAPI(
        title="Vitrine",
        version="1",
        openapi_url=None,
        redirect_slashes=False,
        lifespan=lifespan,
    )
    services = app.state.services = make_services(settings, analyses)
    # The last added is the outermost.
    app.add_middleware(RequestBodyLimitMiddleware, max_body_size=settings.body_bytes)
    words = {endpoint.name for endpoint in endpoints()}
    metrics = services.engine.metrics
    app.add_middleware(MeasuringMiddleware, metrics=metrics, prefix=PREFIX, words=words)
    if settings.embed:
        app.add_middleware(security.SharingMiddleware, embed=settings.embed)
    app.add_middleware(
        security.HostOriginMiddleware,
        hosts=settings.allowed_hosts,
        body_bytes=settings.body_bytes,
        refused_page=services.pages.refused,
        embed=settings.embed,
    )
    app.add_middleware(ErrorMiddleware)
    app.add_middleware(security.SecurityHeadersMiddleware, embed=settings.embed)
    app.add_middleware(
        ClientMiddleware,
        root_path=settings.root_path,
        secret=settings.secret.get_secret_value() or services.rooms.secret,
        browsers=settings.browsers,
    )
    app.add_middleware(
        security.RootPathMiddleware, root_path=settings.root_path, only=settings.root_path_only
    )
    error_handlers.install(app, services.pages.missing, services.pages.refused)
    api.register(app)
    app.include_router(lecture.router)
    app.include_router(site.router)
    return app


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncGenerator[None]:
    services = services_of(app)
    services.engine.start()
    ahead = [asyncio.create_task(services.assets.prepare())]
    if services.settings.openings:
        settings = services.settings
        answering = answer_ahead(app, services.engine, settings.runs, settings.root_path)
        ahead.append(asyncio.create_task(answering))
    yield
    for task in ahead:
        task.cancel()
    close_streams(app)
    await services.engine.stop()


def close_streams(app: FastAPI) -> None:
    """Ends every stream with an event that says so."""
    services = services_of(app)
    for streams in (*services.streams, services.rooms):
        streams.close()
