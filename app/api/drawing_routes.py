"""The routes of drawings: for each word drawn as SVG, `/api/v1/<word>/drawing` takes the word's
fields and the available space.
"""

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import Body, Query
from pydantic import create_model
from starlette.responses import Response

from app.api.answering import answered, respond
from app.api.described import cost_limit, example, responses
from app.api.endpoint import Endpoint
from app.api.strict_routes import StrictRequest, StrictRoute
from app.compute.messages import Drawing
from app.limits import SharedLimits
from app.responses import conditional
from app.schema.answers import StrictModel
from app.schema.bounds import body_model, query_model
from app.schema.questions import Question
from app.site.services import ServicesDep
from model.words import LANGUAGE


def drawing_answer(endpoint: Endpoint, question: type[Question]) -> type[StrictModel]:
    """The answer type of a word with a drawing instead of its tensors."""
    assert endpoint.drawing_fields is not None, f"/{endpoint.name} has no drawing"
    fields = {**endpoint.answer.model_fields, **endpoint.drawing_fields.model_fields}
    definitions: dict[str, Any] = {
        name: (field.annotation, field)
        for name, field in fields.items()
        if name not in ("axes", "tensors")
    }
    definitions["question"] = (question, ...)
    return create_model(
        f"{endpoint.answer.__name__.removesuffix('Answer')}DrawingAnswer",
        __base__=StrictModel,
        __doc__="The endpoint’s answer, with a drawing instead of its tensors.",
        **definitions,
    )


def drawing_routes(endpoint: Endpoint, limits: SharedLimits) -> list[StrictRoute]:
    """The routes of a word's drawing, with GET and POST."""
    assert endpoint.drawing is not None, f"/{endpoint.name} has no drawing"
    query_schema: Any = query_model(endpoint.drawing, limits)
    posted: Any = body_model(endpoint.drawing, limits)
    return [
        StrictRoute(
            f"{endpoint.address}/drawing",
            drawing_handler(endpoint, fields),
            methods=[method],
            operation_id=f"{method.lower()}_drawing_of_{endpoint.id}",
            summary=f"Drawing: {endpoint.sentence[0].lower()}{endpoint.sentence[1:]}",
            tags=[endpoint.name],
            response_model=drawing_answer(endpoint, posted),
            responses=responses(endpoint),
            openapi_extra={"x-example": example(endpoint, "/drawing"), **cost_limit(endpoint)},
        )
        for method, fields in (
            ("GET", Annotated[query_schema, Query()]),
            ("POST", Annotated[posted, Body()]),
        )
    ]


def drawing_handler(endpoint: Endpoint, Fields: Any) -> Callable[..., Any]:
    """Answers with a drawing inside the answer or, with a theme, as a file."""

    async def drawing(request: StrictRequest, services: ServicesDep, question: Fields) -> Response:
        if request.method != "POST":
            request.remember(question)
        form = Drawing(
            question.displayed(), services.settings.root_path, question.theme, LANGUAGE.get()
        )
        if question.theme is None:
            return await respond(request, services, endpoint, question, form)
        reply, headers = await answered(
            request, services.engine, endpoint.name, question, form, question.arguments()
        )
        file = f"vitrine-{endpoint.name}-{question.model}.svg"
        headers |= {"content-disposition": f'attachment; filename="{file}"'}
        return await conditional(request, reply, headers)

    return drawing
