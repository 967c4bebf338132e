"""/api/v1/explain/trail: answers of /explain along a derivation, as in the page's panel."""

from collections.abc import Callable
from typing import Annotated, Any

import orjson
from fastapi import Query
from pydantic import create_model
from starlette.responses import Response

from app.api.answering import answered
from app.api.cost import check_cost
from app.api.strict_routes import StrictRequest
from app.compute.messages import Numbers
from app.errors import Problem, error, sentence
from app.limits import SharedLimits
from app.responses import Document, conditional
from app.schema.bounds import query_model
from app.schema.edits import AboutRun
from app.schema.questions import Text
from app.site.services import ServicesDep
from app.site.trail import Answer, Place, explained_with, read

MAX_NUMBERS = 128  # per trail; each is a question to the worker
REFUSALS = ("invalid", "unknown")
"""Problem codes meaning that this run has no such number."""


def trail_handler(limits: SharedLimits) -> Callable[..., Any]:
    """Answers with a trail. It belongs to the page and is not part of the API document."""
    Fields: Any = query_model(create_model("Trail", __base__=AboutRun, trail=(Text, ...)), limits)

    async def trail(
        request: StrictRequest, services: ServicesDep, question: Annotated[Fields, Query()]
    ) -> Response:
        request.remember(question)
        check_cost(question, services.settings.work_seconds, slowness=services.engine.slowness)
        arguments = question.arguments()
        way = numbers(arguments.pop("trail"))
        end = way[-1]

        async def explained(place: Place) -> Answer:
            """The last number also includes what is computed from it."""
            direction = "forward" if place == end else "backward"
            fields = {"name": place.name, "at": place.indices, "direction": direction}
            form = Numbers(question.encoding)
            reply, _ = await answered(
                request, services.engine, "explain", question, form, arguments | fields
            )
            return orjson.loads(reply.body)

        refused = ""
        answers: list[Answer | None] = [None] * len(way)
        steps: list[Answer] = []
        try:
            answers = [None if place.is_leaf else await explained(place) for place in way]
            if not end.is_leaf:
                steps = [await explained(place) for place in explained_with(end)]
        except Problem as problem:
            if problem.code not in REFUSALS:
                raise
            refused = problem.detail
        body = services.pages.trail(question.model, way, answers, steps, refused)
        return await conditional(request, Document(orjson.dumps(body), "application/json"), {})

    return trail


def numbers(trail: str) -> list[Place]:
    """The numbers of a trail, at least one; raises Problem."""
    way = read(trail)
    if 0 < len(way) <= MAX_NUMBERS:
        return way
    entry = error("/trail", "invalid", sentence("name-numbers", most=MAX_NUMBERS), given=trail)
    raise Problem("invalid", "length-of-a-trail", errors=[entry], n=len(way), most=MAX_NUMBERS)


FRAGMENTS = {"/explain/trail": trail_handler}
