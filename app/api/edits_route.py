"""/api/v1/logits/edits and /api/v1/logits/edit: the row of edits in the bar, and the menu by
which a reader makes one. They belong to the page, so that the document of the API leaves them out.
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
from app.api.request_parsing import StrictRequest
from app.captions.arrangement import FIELDS as ARRANGING
from app.captions.arrangement import arrangement_fields
from app.compute.engine import Engine
from app.compute.representations import Numbers
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
"""The fields of a question that make a run another one than that of its input."""
REFUSALS = ("invalid", "unknown")
"""The codes of problems that say that an edit does not fit, and not that the server is busy."""
WRITING = ("model", "source", "edits", "seed", *ARRANGING)
"""The fields of a question that a model writes by itself from: all but a target that is given."""


def edited_words() -> list[str]:
    """The words that answer about edited runs: those whose question takes edits."""
    return [one.name for one in endpoints() if issubclass(one.question, AboutRun)]


def edits_handler(limits: SharedLimits) -> Callable[..., Any]:
    """Answers with the row."""
    Row: Any = query_model(AboutRun, limits)
    Writing: Any = body_model(Generate, limits)

    async def edits(
        request: StrictRequest, services: ServicesDep, question: Annotated[Row, Query()]
    ) -> Response:
        """The chips, and what the model answers without and with the edits."""
        asked, pages, engine = question.arguments(), services.pages, services.engine
        plain = await logits(request, engine, question, without_edits(asked))
        said = asked | {"edits": orjson.dumps(asked.get("edits", [])).decode()}
        try:
            edited = await logits(request, engine, question, asked)
        except Problem as problem:
            if problem.code not in REFUSALS:
                raise
            return await sent(request, pages.edits_refused(said, plain, problem))
        written = None
        if writes_after_reading(pages.card(question.model), plain):
            fields = {name: asked[name] for name in WRITING if name in asked}
            written = await text(request, engine, question, Writing(**fields).arguments())
        return await sent(request, pages.edits_row(said, plain, edited, written))

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
        """The menu after a choice, with the edit that it makes. Its positions are those of the
        tokens as they are read.
        """
        asked = question.arguments()
        chosen = {name: asked.pop(name) for name in FIELDS if name in asked}
        plain = without_edits(asked)
        try:
            read = await logits(
                request, services.engine, question, plain | arrangement_fields(asked)
            )
        except Problem as problem:
            if problem.code not in REFUSALS:
                raise
            read = await logits(request, services.engine, question, plain)
        return await sent(request, services.pages.edit_menu(asked, read, chosen))

    return edit


def without_edits(asked: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in asked.items() if name not in OF_A_RUN}


async def logits(
    request: Request, engine: Engine, question: Question, asked: dict[str, Any]
) -> dict[str, Any]:
    """What /logits answers to `asked`; raises Problem."""
    fields = {**asked, **QUERY}
    reply, _ = await answered(request, engine, "logits", question, Numbers(), fields)
    return orjson.loads(reply.body)


async def text(
    request: Request, engine: Engine, question: Question, asked: dict[str, Any]
) -> dict[str, Any] | Problem:
    """What /generate answers to `asked`, or why no text can be written; raises another Problem."""
    try:
        reply, _ = await answered(request, engine, "generate", question, Numbers(), asked)
    except Problem as problem:
        if problem.code not in REFUSALS:
            raise
        return problem
    return orjson.loads(reply.body)


async def sent(request: Request, body: dict[str, Any]) -> Response:
    return await conditional(request, Document(orjson.dumps(body), "application/json"), {})


FRAGMENTS = {"/logits/edits": edits_handler, "/logits/edit": edit_handler}
