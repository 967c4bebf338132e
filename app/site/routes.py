"""The addresses beside the API's endpoints: health, documentation, static files and pages."""

import asyncio
from typing import Any

import orjson
from fastapi import APIRouter
from prometheus_client import CONTENT_TYPE_LATEST
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from app.errors import PROBLEMS, title
from app.site.docs import words
from app.site.pages import DOCS, FRONT_PAGE, MANUAL, SEARCH
from app.site.services import EngineDep, ServicesDep

router = APIRouter(include_in_schema=False)
PAGE, STATIC = "/{word}", "/static/{version}/{name:path}"


def get(path: str) -> Any:
    return router.api_route(path, methods=["GET", "HEAD"])


def json(value: object, status: int = 200, **headers: str) -> Response:
    """Returns a response that must not be kept, because it changes from moment to moment."""
    named = {"cache-control": "no-store", **headers}
    return Response(orjson.dumps(value), status, named, "application/json")


@get("/healthz")
async def healthz() -> Response:
    """Says that the web process lives."""
    return json({"alive": True})


@get("/readyz")
async def readyz(engine: EngineDep) -> Response:
    """Says whether the worker answers, and what is waited for until it does."""
    backend = engine.backend
    ready = backend.state == "ready"
    waits = {} if ready else {"detail": str(backend.warming)}
    return json(
        {"ready": ready, "worker": backend.state, **waits},
        200 if ready else 503,
        **({} if ready else {"retry-after": str(round(backend.warm_up_left))}),
    )


@get("/metrics")
async def metrics(engine: EngineDep) -> Response:
    """Returns the counters of answers, computations, cache, queue, worker and trainings."""
    text = engine.metrics.text()
    return Response(text, 200, {"cache-control": "no-store"}, CONTENT_TYPE_LATEST)


@get("/docs")
async def docs(request: Request, services: ServicesDep) -> Response:
    """Returns the page of the API, made from its own OpenAPI document."""
    api = await asyncio.to_thread(request.app.openapi)
    problems = {code: (status, title(code)) for code, status in PROBLEMS.items()}
    return await services.pages.render(
        request, "docs.html", DOCS, words=words(api), problems=problems
    )


@get("/manual")
@get("/manual/{name}")
async def manual(request: Request, services: ServicesDep, name: str = "") -> Response:
    """Returns a subject of the manual, or its index."""
    subjects = await asyncio.to_thread(lambda: services.pages.manual.subjects)
    if name not in subjects or request.url.path != subjects[name].path:
        raise HTTPException(404)
    return await services.pages.render(request, "manual.html", MANUAL, subject=subjects[name])


@get("/search")
async def search(request: Request, services: ServicesDep) -> Response:
    """Returns the page of what holds the words that are looked for."""
    return await services.pages.render(request, "search.html", SEARCH)


@get("/notebook.js")
async def notebook(request: Request, services: ServicesDep) -> Response:
    """Returns the script of the figures of a notebook, which every notebook holds once."""
    return await services.pages.notebook(request)


@get("/favicon.ico")
async def favicon(request: Request, services: ServicesDep) -> Response:
    return await static(request, services, "", "favicon.svg")


@get(STATIC)
async def static(request: Request, services: ServicesDep, version: str, name: str) -> Response:
    if (response := await services.assets.response(request, version, name)) is None:
        raise HTTPException(404)
    return response


@get("/")
async def front(request: Request, services: ServicesDep) -> Response:
    return await services.pages.page(request, FRONT_PAGE)


@get(PAGE)
async def page(request: Request, services: ServicesDep, word: str) -> Response:
    return await services.pages.page(request, word)
