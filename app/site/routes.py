"""The addresses beside the API's endpoints: health, documentation, static files and pages."""

import asyncio
from typing import Any

import orjson
from fastapi import APIRouter
from prometheus_client import CONTENT_TYPE_LATEST
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from app.errors import PROBLEMS
from app.site.docs import words
from app.site.pages import DOCS, FRONT_PAGE, SEARCH

router = APIRouter(include_in_schema=False)


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
async def readyz(request: Request) -> Response:
    """Says whether the worker answers."""
    worker = request.app.state.engine.supervisor
    ready = worker.state == "ready"
    return json(
        {"ready": ready, "worker": worker.state},
        200 if ready else 503,
        **({} if ready else {"retry-after": str(round(worker.warm_up_left))}),
    )


@get("/metrics")
async def metrics(request: Request) -> Response:
    """Returns the counters of answers, computations, cache, queue, worker and trainings."""
    text = request.app.state.engine.metrics.text()
    return Response(text, 200, {"cache-control": "no-store"}, CONTENT_TYPE_LATEST)


@get("/docs")
async def docs(request: Request) -> Response:
    """Returns the page of the API, made from its own OpenAPI document."""
    api = await asyncio.to_thread(request.app.openapi)
    return await request.app.state.pages.render(
        request, "docs.html", DOCS, words=words(api), problems=PROBLEMS
    )


@get("/search")
async def search(request: Request) -> Response:
    """Returns the page of what holds the words that are looked for."""
    return await request.app.state.pages.render(request, "search.html", SEARCH)


@get("/favicon.ico")
async def favicon(request: Request) -> Response:
    return await static(request, "", "favicon.svg")


@get("/static/{version}/{name:path}")
async def static(request: Request, version: str, name: str) -> Response:
    if (response := await request.app.state.assets.response(request, version, name)) is None:
        raise HTTPException(404)
    return response


@get("/")
async def front(request: Request) -> Response:
    return await request.app.state.pages.page(request, FRONT_PAGE)


@get("/{word}")
async def page(request: Request, word: str) -> Response:
    return await request.app.state.pages.page(request, word)
