"""The routes of figures: all figures of a word, and single ones.

`/api/v1/<word>/figures` and `/api/v1/<word>/figures/<name>` take the fields of the word. In a
frame, which requests text/html, a figure is a page of its own.
"""

import re
from collections.abc import Callable
from typing import Annotated, Any, Literal
from urllib.parse import parse_qsl

from fastapi import Body, Path, Query
from pydantic import BaseModel, ConfigDict, Field, create_model
from starlette.requests import Request
from starlette.responses import Response

from app.api.answering import answered, check_cost_unless_kept, respond
from app.api.described import cost_limit, example, responses
from app.api.endpoint import Endpoint
from app.api.strict_routes import StrictRequest, StrictRoute
from app.compute.messages import HTML, JSON, Figure, Figures, Shows, Standalone
from app.figures.provenance import file_name
from app.limits import SharedLimits
from app.responses import Document, accepted, conditional
from app.schema.answers import StrictModel, Words
from app.schema.bounds import body_model, bound, query_model
from app.schema.described import shared
from app.schema.edits import AboutRun
from app.schema.questions import OF_THE_FORM, Clinic, Name, Names, Question
from app.site.services import Services, ServicesDep
from model.words import LANGUAGE

NameOfFigure = Annotated[Name, Path(description=shared("name-of-figure"))]


class PlotlyFigure(BaseModel):
    """A Plotly figure, as read by `plotly.io.from_json`.

    `layout.meta` has its kind, formula, shape, source, model, weights, seed, and call.
    """

    model_config = ConfigDict(extra="forbid")

    data: list[dict[str, Any]]
    layout: dict[str, Any]


def figures_answer(endpoint: Endpoint, question: type[Question]) -> type[BaseModel]:
    """The answer type of a word with figures instead of its tensors."""
    definitions: dict[str, Any] = {
        name: (field.annotation, field)
        for name, field in endpoint.answer.model_fields.items()
        if name not in ("axes", "tensors")
    }
    if issubclass(endpoint.question, Clinic):
        definitions |= {
            "words": (Words, ...),
            "reading": (
                str,
                Field(description=shared("figure-reading")),
            ),
            "finding_titles": (dict[str, str], Field(description=shared("figure-finding-titles"))),
        }
    if endpoint.captions:
        definitions["words"] = (endpoint.captions, ...)
    definitions["question"] = (question, ...)
    definitions["figures"] = (dict[str, PlotlyFigure], Field(description=shared("figure-tensors")))
    return create_model(
        f"{endpoint.answer.__name__.removesuffix('Answer')}FiguresAnswer",
        __base__=StrictModel,
        __doc__="The endpoint’s answer, with figures instead of its tensors.",
        **definitions,
    )


def has_figures(endpoint: Endpoint) -> bool:
    return bool(endpoint.figure)


ONE_NAME = r"[^,]*[^,\s][^,]*"
ALL_OF_THEM: dict[str, Any] = {
    "figures": (
        Annotated[Names, Field(pattern=f"^({ONE_NAME}(,{ONE_NAME})*)?$")] | None,
        Field(
            None,
            description=shared("figure-figures"),
        ),
    )
}
ONE_OF_THEM: dict[str, Any] = {
    "standalone": (
        bool,
        Field(
            False,
            description=shared("figure-standalone"),
        ),
    ),
    "theme": (
        Literal["light", "dark", "projector"] | None,
        Field(
            None,
            description=shared("figure-theme"),
        ),
    ),
}


SHOWS: dict[str, Any] = {
    "shows": (
        Shows,
        Field(
            "edited",
            description=shared("figure-shows"),
        ),
    )
}
"""What the figures of an edited run show."""


def view(question: Any) -> tuple[Any, Shows, str]:
    """Which part of the answer is shown, which of its numbers, and in which language."""
    return question.displayed(), shows(question), LANGUAGE.get()


def shows(question: Any) -> Shows:
    """What is shown; the same for all questions without edits, whose figures are cached once."""
    return question.shows if isinstance(question, AboutRun) and question.changed else "edited"


FIGURES, FIGURE = "/figures", "/figures/{figure}"


def figure_routes(endpoint: Endpoint, limits: SharedLimits, below: str) -> list[StrictRoute]:
    """The routes of all figures of a word, or of one, with GET and POST. They take the fields of
    the word and those that select what is shown.
    """
    several = below == FIGURES
    what = "Figures" if several else "Figure"
    base = endpoint.figure_query or endpoint.question
    question: type[Question] = create_model(
        f"{endpoint.question.__name__}{what}",
        __base__=base,
        **(ALL_OF_THEM if several else ONE_OF_THEM),
        **(SHOWS if issubclass(base, AboutRun) else {}),
    )
    query_schema: Any = query_model(question, limits)
    posted: Any = body_model(question, limits)
    answer = figures_answer(endpoint, posted) if several else PlotlyFigure
    handler = figures_handler if several else figure_handler
    path = "/figures" if several else f"/figures/{endpoint.figure}"
    sentence = endpoint.sentence[0].lower() + endpoint.sentence[1:]
    return [
        StrictRoute(
            endpoint.address + below,
            handler(endpoint, fields, bound(NameOfFigure, limits)),
            methods=[method],
            operation_id=f"{method.lower()}_{what.lower()}_of_{endpoint.id}",
            summary=f"{'Figures' if several else 'One figure'}: {sentence}",
            tags=[endpoint.name],
            response_model=answer,
            responses=responses(endpoint) if several else one_of(responses(endpoint)),
            openapi_extra={
                "x-example": example(endpoint, path),
                **cost_limit(endpoint),
            },
        )
        for method, fields in (
            ("GET", Annotated[query_schema, Query()]),
            ("POST", Annotated[posted, Body()]),
        )
    ]


def figures_handler(endpoint: Endpoint, Fields: Any, NameOf: Any) -> Callable[..., Any]:
    """Answers with the named figures, or all."""

    async def figures(request: StrictRequest, services: ServicesDep, question: Fields) -> Response:
        remember(request, question)
        named = question.figures
        names = tuple(name.strip() for name in named.split(",")) if named else None
        form = Figures(question.encoding, names, *view(question))
        return await respond(request, services, endpoint, question, form)

    return figures


def figure_handler(endpoint: Endpoint, Fields: Any, NameOf: Any) -> Callable[..., Any]:
    """Answers with one figure: as JSON, as a page for a frame, or as an HTML file."""

    async def one_figure(
        request: StrictRequest, services: ServicesDep, question: Fields, figure: NameOf
    ) -> Response:
        remember(request, question)
        if question.standalone:
            check_cost_unless_kept(services, endpoint, question)
            form = Standalone(figure, *view(question))
            arguments = question.arguments()
            reply, headers = await answered(
                request, services.engine, endpoint.name, question, form, arguments
            )
            name_parts = (getattr(question, name, None) for name in ("model", "source", "text"))
            file = file_name(endpoint.name, *name_parts, figure)
            headers |= {"content-disposition": f'attachment; filename="{file}.html"'}
            script = b"<script>%b</script>" % services.assets.table["plotly.min.js"].content
            whole = reply.body.replace(Standalone.SCRIPT, script, 1)
            document = Document(whole, HTML, reply.etag, reply.in_flight)
            return await conditional(request, document, headers)
        if wants_page(request):
            return await page_of(request, services, endpoint, question, figure)
        form = Figure(figure, question.encoding, *view(question))
        return await respond(request, services, endpoint, question, form)

    return one_figure


ONE_FIGURE = re.compile(r"/api/v1/[^/]+/figures/[^/]+")


def wants_page(request: Request) -> bool:
    """Whether a browser requests a figure to display it, in a frame or by its address."""
    media_type = accepted(request.headers.get("accept", ""), (JSON, HTML))
    return (
        media_type == HTML
        and request.method in ("GET", "HEAD")
        and ONE_FIGURE.fullmatch(request.url.path) is not None
    )


async def page_of(
    request: StrictRequest, services: Services, endpoint: Endpoint, question: Any, figure: str
) -> Response:
    """One figure as a page; raises Problem."""
    check_cost_unless_kept(services, endpoint, question)
    form = Figure(figure, "base64", *view(question))
    reply, headers = await answered(
        request, services.engine, endpoint.name, question, form, question.arguments()
    )
    fields = [
        (name, value)
        for name, value in parse_qsl(request.url.query, keep_blank_values=True)
        if name == "shows" or name not in OF_THE_FORM
    ]
    return await services.pages.figure(
        request, endpoint.name, figure, fields, reply.body, question.theme, headers
    )


def one_of(described: dict[int | str, dict[str, Any]]) -> dict[int | str, dict[str, Any]]:
    """The possible responses for one figure besides JSON: a page for a frame, or a file."""
    content = {**described[200]["content"], HTML: {"schema": {"type": "string"}}}
    return {**described, 200: {**described[200], "content": content}}


def remember(request: StrictRequest, question: Question) -> None:
    if request.method != "POST":
        request.remember(question)
