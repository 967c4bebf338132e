"""The routes of the API: GET, POST and HEAD for every endpoint, with the same fields."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from functools import partial
from threading import Lock
from typing import Annotated, Any

import orjson
from fastapi import Body, FastAPI, Path, Query
from pydantic import create_model
from starlette.requests import Request
from starlette.responses import Response

from app.api import derivation_route, edits_route
from app.api.answering import respond
from app.api.described import cost_limit, example, responses
from app.api.drawing_routes import drawing_routes
from app.api.endpoint import PREFIX, Endpoint, endpoints
from app.api.figure_routes import FIGURE, FIGURES, figure_routes, has_figures
from app.api.openapi import document
from app.api.strict_routes import Address, StrictRequest, StrictRoute
from app.limits import SharedLimits
from app.responses import Document, conditional
from app.schema.bounds import body_model, bound, query_model
from app.schema.described import shared
from app.schema.questions import Name, Question
from app.site.services import ServicesDep, services_of

Handler = Callable[..., Coroutine[Any, Any, Response]]

IdOfModel = Annotated[Name, Path(description=shared("id-of-model"))]

SCHEMA_SECONDS = 300


def register(app: FastAPI) -> None:
    """Adds every endpoint, bounded by this application's settings, and their document."""
    services = services_of(app)
    for endpoint in endpoints():
        app.router.routes.extend(addresses(endpoint, services.settings))
    app.router.routes.extend(fragments(services.settings))
    services.pages.know(edited=edits_route.edited_words())
    add_document(app)


def addresses(endpoint: Endpoint, limits: SharedLimits) -> Iterator[Address]:
    """The address of the endpoint, and those below it."""
    yield Address(endpoint.address, partial(word_routes, endpoint, limits))
    if has_figures(endpoint):
        for below in (FIGURES, FIGURE):
            path = endpoint.address + below
            yield Address(path, partial(figure_routes, endpoint, limits, below))
    if endpoint.drawing is not None:
        yield Address(f"{endpoint.address}/drawing", partial(drawing_routes, endpoint, limits))


def fragments(limits: SharedLimits) -> Iterator[Address]:
    """The addresses that belong to pages and are not part of the API document."""
    for below, make in (edits_route.FRAGMENTS | derivation_route.FRAGMENTS).items():
        yield Address(PREFIX + below, partial(fragment_routes, PREFIX + below, make, limits))


def fragment_routes(
    path: str, make: Callable[[SharedLimits], Handler], limits: SharedLimits
) -> list[StrictRoute]:
    return [StrictRoute(path, make(limits), methods=["GET"], include_in_schema=False)]


def word_routes(endpoint: Endpoint, limits: SharedLimits) -> list[StrictRoute]:
    """The routes of a word's numbers, with GET and POST."""
    query_schema = query_model(endpoint.question, limits)
    posted = body_model(endpoint.posted or endpoint.question, limits)
    id_of_model = bound(IdOfModel, limits)
    # The worker writes the bytes of an answer; FastAPI only describes them, without validation.
    answer = answer_model(endpoint, posted, limits)
    return [
        StrictRoute(
            endpoint.address,
            handler,
            methods=[method],
            operation_id=f"{method.lower()}_{endpoint.id}",
            summary=endpoint.sentence,
            tags=[endpoint.name],
            response_model=answer,
            responses=responses(endpoint),
            openapi_extra={"x-example": example(endpoint), **cost_limit(endpoint)},
        )
        for method, handler in (
            ("GET", get_handler(endpoint, query_schema, id_of_model)),
            ("POST", post_handler(endpoint, posted, id_of_model)),
        )
    ]


def get_handler(endpoint: Endpoint, Fields: Any, Id: Any) -> Handler:
    """Answers a question of the class `Fields`, whose fields are in the query string."""

    async def get(
        request: StrictRequest, services: ServicesDep, question: Annotated[Fields, Query()]
    ) -> Response:
        request.remember(question)
        return await respond(request, services, endpoint, question)

    async def get_by_id(
        request: StrictRequest, services: ServicesDep, id: Id, question: Annotated[Fields, Query()]
    ) -> Response:
        request.remember(question)
        return await respond(request, services, endpoint, question, id=id)

    return get_by_id if endpoint.path else get


def post_handler(endpoint: Endpoint, Fields: Any, Id: Any) -> Handler:
    """Answers a question of the class `Fields`, whose fields are in a JSON object."""

    async def post(
        request: StrictRequest, services: ServicesDep, question: Annotated[Fields, Body()]
    ) -> Response:
        return await respond(request, services, endpoint, question)

    async def post_by_id(
        request: StrictRequest, services: ServicesDep, id: Id, question: Annotated[Fields, Body()]
    ) -> Response:
        return await respond(request, services, endpoint, question, id=id)

    return post_by_id if endpoint.path else post


def answer_model(endpoint: Endpoint, question: type[Question], limits: SharedLimits) -> type:
    """The type of the endpoint's answer, including the question as bounded by this application."""
    if endpoint.path:
        id = bound(Name, limits)
        question = create_model(f"{question.__name__}ById", __base__=question, id=id)
    return create_model(
        endpoint.answer.__name__,
        __base__=endpoint.answer,
        __doc__=endpoint.answer.__doc__ or f"{endpoint.sentence}.",
        question=question,
    )


def add_document(app: FastAPI) -> None:
    """/openapi.json, built once and cached."""
    documents: list[Document] = []

    making = Lock()  # not thread-safe in FastAPI

    def openapi() -> dict[str, Any]:
        with making:
            if app.openapi_schema is None:
                app.openapi_schema = document(app)
        return app.openapi_schema

    async def openapi_json(request: Request) -> Response:
        """The API as a document for programs."""
        if not documents:
            # Building it takes most of a second; other requests are served meanwhile.
            body = orjson.dumps(await asyncio.to_thread(app.openapi))
            documents.append(Document(body, "application/json"))
        cached = {"cache-control": f"public, max-age={SCHEMA_SECONDS}"}
        return await conditional(request, documents[0], cached)

    app.openapi = openapi
    app.add_api_route(
        "/openapi.json", openapi_json, methods=["GET", "HEAD"], include_in_schema=False
    )
