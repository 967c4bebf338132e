"""Whatever goes wrong anywhere in the application is told in the one shape."""

from collections.abc import Callable

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.errors import PROBLEMS, Problem, error, failure, nearest, short

CODE_OF_STATUS = {status: code for code, (status, _) in reversed(PROBLEMS.items())}


class Failures:
    """Outermost: an exception nobody expected is logged under an id and told as a 500 with that id, without a traceback."""

    def __init__(self, app: ASGIApp):
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = False

        async def watch(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await self.app(scope, receive, watch)
        except Exception as exception:
            if scope["type"] != "http" or started:
                raise
            await failure(exception).response()(scope, receive, send)


def install(app: FastAPI, missing_page: Callable[[Request], Response]) -> None:
    """Every exception that starlette or FastAPI raises gets the one shape; a browser that misses a page gets a page."""

    async def told(request: Request, problem: Problem) -> Response:
        return problem.response()

    async def http(request: Request, exception: HTTPException) -> Response:
        if exception.status_code == 404:
            if wants_html(request):
                return missing_page(request)
            return unknown_path(request).response()
        code = CODE_OF_STATUS.get(exception.status_code, "bad_request")
        if code == "method":
            allowed = ", ".join(sorted(methods_at(request)))
            return Problem(code, f"{request.method} is not allowed here; {allowed} are.", headers={"Allow": allowed}).response()
        return Problem(code, f"{exception.detail}.").response()

    async def validation(request: Request, exception: RequestValidationError) -> Response:
        entries = [error("/" + "/".join(map(str, e["loc"][1:])), e["type"], e["msg"]) for e in exception.errors()]
        return Problem("invalid", "The request does not have the form it should.", errors=entries).response()

    app.add_exception_handler(Problem, told)
    app.add_exception_handler(HTTPException, http)
    app.add_exception_handler(RequestValidationError, validation)


def wants_html(request: Request) -> bool:
    return "text/html" in request.headers.get("accept", "") and not request.url.path.startswith("/api/")


def methods_at(request: Request) -> set[str]:
    """What the routes that fit the path allow together; starlette names only those of the first. The router of the pages has no list."""
    fitting = [route for route in request.app.routes if route.matches(request.scope)[0] is not Match.NONE]
    return {method for route in fitting for method in getattr(route, "methods", None) or {"GET", "HEAD"}}


def unknown_path(request: Request) -> Problem:
    paths = request.app.openapi().get("paths", {})
    near = nearest(request.url.path, paths)
    hint = f" The nearest: {', '.join(near)}." if near else ""
    return Problem("unknown", f"There is nothing at {short(request.url.path)}.{hint}", nearest=near)
