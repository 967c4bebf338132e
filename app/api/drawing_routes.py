"""The routes of drawings: beside each word that is drawn as SVG, `/api/v1/<word>/drawing` takes the
fields of the word and the room that there is.
"""

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import Body, Query
from pydantic import create_model
from starlette.responses import Response

from app.api.answering import answered, respond
from app.api.described import cost_limit, example, responses
from app.api.endpoint import Endpoint
from app.api.request_parsing import StrictRequest, StrictRoute
from app.compute.representations import Drawing
from app.limits import SharedLimits
from app.responses import conditional
from app.schema.answers import StrictModel
from app.schema.bounds import body_model, query_model
from app.schema.questions import Question
from app.site.services import ServicesDep


def drawing_answer(endpoint: Endpoint, question: type[Question]) -> type[StrictModel]:
    """The type of the answer of a word with a drawing in the place of its tensors."""
    assert endpoint.drawing_fields is not None, f"/{endpoint.name} has no drawing"
    fields = {**endpoint.answer.model_fields, **endpoint.drawing_fields.model_fields}
    kept: dict[str, Any] = {
        name: (field.annotation, field)
        for name, field in fields.items()
        if name not in ("axes", "tensors")
    }
    kept["question"] = (question, ...)
    return create_model(
        f"{endpoint.answer.__name__.removesuffix('Answer')}DrawingAnswer",
        __base__=StrictModel,
        __doc__="The answer of the word, with a drawing in the place of its tensors.",
        **kept,
    )


def drawing_routes(endpoint: Endpoint, limits: SharedLimits) -> list[StrictRoute]:
    """The routes of the drawing of a word, with GET and POST."""
    assert endpoint.drawing is not None, f"/{endpoint.name} has no drawing"
    asked: Any = query_model(endpoint.drawing, limits)
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
            ("GET", Annotated[asked, Query()]),
            ("POST", Annotated[posted, Body()]),
        )
    ]


def drawing_handler(endpoint: Endpoint, Fields: Any) -> Callable[..., Any]:
    """Answers with a drawing in the answer, or with a theme as a file."""

    async def drawing(request: StrictRequest, services: ServicesDep, question: Fields) -> Response:
        if request.method != "POST":
            request.remember(question)
        form = Drawing(question.displayed(), services.settings.root_path, question.theme)
        if question.theme is None:
            return await respond(request, services, endpoint, question, form)
        reply, headers = await answered(
            request, services.engine, endpoint.name, question, form, question.arguments()
        )
        file = f"vitrine-{endpoint.name}-{question.model}.svg"
        headers |= {"content-disposition": f'attachment; filename="{file}"'}
        return await conditional(request, reply, headers)

    return drawing
