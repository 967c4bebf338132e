"""/api/v1/explain/step: an answer of /explain, with the HTML of it that the page shows."""

from collections.abc import Callable
from typing import Annotated, Any

import orjson
from fastapi import Query
from starlette.responses import Response

from app.api.answering import answered
from app.api.cost import check_cost
from app.api.endpoints.explain import Explain
from app.api.request_parsing import StrictRequest
from app.compute.representations import Numbers
from app.limits import SharedLimits
from app.responses import Document, conditional
from app.schema.bounds import query_model
from app.site.services import ServicesDep


def step_handler(limits: SharedLimits) -> Callable[..., Any]:
    """Answers with one step. It belongs to the page, so that the document of the API leaves it
    out.
    """
    Fields: Any = query_model(Explain, limits)

    async def step(
        request: StrictRequest, services: ServicesDep, question: Annotated[Fields, Query()]
    ) -> Response:
        request.remember(question)
        check_cost(question, services.settings.work_seconds)
        form, arguments = Numbers(question.encoding), question.arguments()
        reply, headers = await answered(
            request, services.engine, "explain", question, form, arguments
        )
        answer = orjson.loads(reply.body)
        body = orjson.dumps({**answer, **services.pages.step(answer)})
        return await conditional(request, Document(body, "application/json"), headers)

    return step


FRAGMENTS = {"/explain/step": step_handler}
