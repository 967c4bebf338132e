"""The addresses that are not words: health, documentation, static files and pages."""

from typing import Any

import orjson
from fastapi import APIRouter
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from app.docs import words
from app.errors import PROBLEMS
from app.pages import FRONT_PAGE, Page

router = APIRouter(include_in_schema=False)


def get(path: str) -> Any:
    return router.api_route(path, methods=["GET", "HEAD"])


def json(value: object, status: int = 200, **headers: str) -> Response:
    return Response(orjson.dumps(value), status, {"cache-control": "no-store", **headers}, "application/json")


@get("/healthz")
async def healthz() -> Response:
    """The web process lives."""
    return json({"alive": True})


@get("/readyz")
async def readyz(request: Request) -> Response:
    """The worker answers."""
    worker = request.app.state.engine.supervisor
    ready = worker.state == "ready"
    return json(
        {"ready": ready, "worker": worker.state},
        200 if ready else 503,
        **({} if ready else {"retry-after": str(round(worker.warm_up_left))}),
    )


@get("/openapi.json")
async def openapi(request: Request) -> Response:
    """The API as a document for programs."""
    return json(request.app.openapi())


@get("/docs")
async def docs(request: Request) -> Response:
    """The API, drawn from its own OpenAPI document."""
    page = Page(0, "docs", "API", "Notes")
    return request.app.state.pages.render(request, "docs.html", page, words=words(request.app.openapi()), problems=PROBLEMS)


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
    return request.app.state.pages.page(request, FRONT_PAGE)


@get("/{word}")
async def page(request: Request, word: str) -> Response:
    return request.app.state.pages.page(request, word)
