"""Turns every failure of the application into the one shape."""

from collections.abc import Awaitable, Callable
from posixpath import normpath
from urllib.parse import quote

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Match

from app.api.figure_routes import wants_page
from app.api.strict_routes import Address
from app.api.validation import validation_problem
from app.errors import PROBLEMS, Problem, abbreviate, nearest
from app.site import lecture
from app.site import routes as site
from app.site.services import services_of

CODE_OF_STATUS = {status: code for code, status in reversed(PROBLEMS.items())}


def install(
    app: FastAPI,
    missing_page: Callable[[Request], Awaitable[Response]],
    refused_page: Callable[[Request, Problem], Awaitable[Response]],
) -> None:
    """Registers handlers, so that every exception of starlette and FastAPI gets the one shape. A
    browser that asks for a missing page gets a page, and so does a frame that asks for a figure.
    """

    async def problem_response(request: Request, problem: Problem) -> Response:
        return await refused_page(request, problem) if wants_page(request) else problem.response()

    async def http(request: Request, exception: HTTPException) -> Response:
        if exception.status_code == 404:
            if (address := without_slash(request)) is not None:
                return RedirectResponse(address, 307)
            if wants_html(request):
                return await missing_page(request)
            return unknown_path(request).response()
        code = CODE_OF_STATUS.get(exception.status_code, "bad_request")
        if code == "method":
            allowed = sorted(methods_at(request))
            return Problem(
                code,
                "method-not-allowed",
                headers={"Allow": ", ".join(allowed)},
                method=request.method,
                allowed=allowed,
            ).response()
        return Problem(code, "of-the-library", detail=exception.detail).response()

    async def validation(request: Request, exception: RequestValidationError) -> Response:
        fields = getattr(request.scope.get("route"), "fields", ())
        return await problem_response(request, validation_problem(exception.errors(), fields))

    app.exception_handler(Problem)(problem_response)
    app.exception_handler(HTTPException)(http)
    app.exception_handler(RequestValidationError)(validation)


def without_slash(request: Request) -> str | None:
    """Where an address leads that somebody has typed with a slash at its end; None where nothing
    lies there either. It begins with the path of a page or a route, so no other server is meant.
    """
    scope, pages = request.scope, services_of(request.app).pages
    path = scope["path"].rstrip("/")
    if path == scope["path"] or normpath(path) != path or request.method not in ("GET", "HEAD"):
        return None
    page = pages.by_word.get(path.removeprefix("/"))
    page_scope = {**scope, "path": path}
    if not (page and page.path == path) and not any(
        route.matches(page_scope)[0] is Match.FULL
        for route in (*request.app.routes, *site.router.routes, *lecture.router.routes)
        if isinstance(route, Address | APIRoute) and route.path not in (site.PAGE, site.STATIC)
    ):
        return None
    query = scope["query_string"].decode("latin-1")
    return pages.url(quote(path)) + (f"?{query}" if query else "")


def wants_html(request: Request) -> bool:
    return "text/html" in request.headers.get("accept", "") and not request.url.path.startswith(
        "/api/"
    )


def methods_at(request: Request) -> set[str]:
    """Returns the methods that the routes of this path allow together. Starlette itself names only
    those of the first route, and the router of the pages has no list.
    """
    fitting = [
        route for route in request.app.routes if route.matches(request.scope)[0] is not Match.NONE
    ]
    return {
        method for route in fitting for method in getattr(route, "methods", None) or {"GET", "HEAD"}
    }


def unknown_path(request: Request) -> Problem:
    paths = {route.path for route in request.app.routes if isinstance(route, Address | APIRoute)}
    near = nearest(request.url.path, paths)
    path = abbreviate(request.url.path)
    return Problem("unknown", "nothing-there", nearest=near, path=path, near=near, n=len(near))
