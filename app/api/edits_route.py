"""/api/v1/logits/edits and /api/v1/logits/edit: the row of edits in the bar, and the menu for
making one. They belong to the page and are not part of the API document.
"""

from collections.abc import Callable
from typing import Annotated, Any

import orjson
from fastapi import Query
from pydantic import Field, create_model
from starlette.requests import Request
from starlette.responses import Response

from app.api.answering import answered
from app.api.endpoint import endpoints
from app.api.strict_routes import StrictRequest
from app.captions.arrangement import FIELDS as ARRANGING
from app.captions.arrangement import arrangement_fields
from app.compute.engine import Engine
from app.compute.messages import Numbers
from app.errors import Problem
from app.experiments.generate import Generate
from app.limits import SharedLimits
from app.responses import Document, conditional
from app.schema.bounds import body_model, query_model
from app.schema.edits import AboutRun
from app.schema.questions import Name, Question, Text
from app.site.edit_effect import QUERY, writes_after_reading
from app.site.edit_menu import FIELDS
from app.site.services import ServicesDep

OF_A_RUN = ("edits", "beside", "seed", *ARRANGING)
"""The fields of a question that change the run of its input."""
REFUSALS = ("invalid", "unknown")
"""Problem codes meaning that an edit is invalid, not that the server is busy."""
WRITING = ("model", "source", "edits", "seed", *ARRANGING)
"""The fields that a model's own generation depends on: all except a given target."""


def edited_words() -> list[str]:
    """The words that support edited runs: those whose question takes edits."""
    return [endpoint.name for endpoint in endpoints() if issubclass(endpoint.question, AboutRun)]


def edits_handler(limits: SharedLimits) -> Callable[..., Any]:
    """Answers with the row."""
    Row: Any = query_model(AboutRun, limits)
    Writing: Any = body_model(Generate, limits)

    async def edits(
        request: StrictRequest, services: ServicesDep, question: Annotated[Row, Query()]
    ) -> Response:
        """The chips, and the model's output with and without the edits."""
        arguments, pages, engine = question.arguments(), services.pages, services.engine
        plain = await logits(request, engine, question, without_edits(arguments))
        address_fields = arguments | {"edits": orjson.dumps(arguments.get("edits", [])).decode()}
        try:
            edited = await logits(request, engine, question, arguments)
        except Problem as problem:
            if problem.code not in REFUSALS:
                raise
            return await sent(request, pages.edits_refused(address_fields, plain, problem))
        generated = None
        if writes_after_reading(pages.card(question.model), plain):
            fields = {name: arguments[name] for name in WRITING if name in arguments}
            generated = await text(request, engine, question, Writing(**fields).arguments())
        return await sent(request, pages.edits_row(address_fields, plain, edited, generated))

    return edits


def edit_handler(limits: SharedLimits) -> Callable[..., Any]:
    """Answers with the menu."""
    fields: dict[str, Any] = {
        name: (Text | None if name == "from" else Name | None, Field(None)) for name in FIELDS
    }
    Choices: Any = query_model(create_model("EditMenu", __base__=AboutRun, **fields), limits)

    async def edit(
        request: StrictRequest, services: ServicesDep, question: Annotated[Choices, Query()]
    ) -> Response:
        """The menu after a choice, with the resulting edit. It numbers tokens in
        reading order.
        """
        arguments = question.arguments()
        chosen = {name: arguments.pop(name) for name in FIELDS if name in arguments}
        plain = without_edits(arguments)
        try:
            read = await logits(
                request, services.engine, question, plain | arrangement_fields(arguments)
            )
        except Problem as problem:
            if problem.code not in REFUSALS:
                raise
            read = await logits(request, services.engine, question, plain)
        return await sent(request, services.pages.edit_menu(arguments, read, chosen))

    return edit


def without_edits(arguments: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in arguments.items() if name not in OF_A_RUN}


async def logits(
    request: Request, engine: Engine, question: Question, arguments: dict[str, Any]
) -> dict[str, Any]:
    """The answer of /logits to these arguments; raises Problem."""
    fields = {**arguments, **QUERY}
    reply, _ = await answered(request, engine, "logits", question, Numbers(), fields)
    return orjson.loads(reply.body)


async def text(
    request: Request, engine: Engine, question: Question, arguments: dict[str, Any]
) -> dict[str, Any] | Problem:
    """The answer of /generate, or why no text can be generated; raises other Problems."""
    try:
        reply, _ = await answered(request, engine, "generate", question, Numbers(), arguments)
    except Problem as problem:
        if problem.code not in REFUSALS:
            raise
        return problem
    return orjson.loads(reply.body)


async def sent(request: Request, body: dict[str, Any]) -> Response:
    return await conditional(request, Document(orjson.dumps(body), "application/json"), {})


FRAGMENTS = {"/logits/edits": edits_handler, "/logits/edit": edit_handler}
