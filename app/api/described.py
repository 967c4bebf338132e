"""The OpenAPI description of an endpoint besides its question and answer."""

from typing import Any

from app.api.endpoint import Endpoint
from app.schema.answers import Problem
from app.schema.questions import Question


def cost_limit(endpoint: Endpoint) -> dict[str, str]:
    """The limit on the cost of an answer, if it is estimated."""
    estimated = endpoint.question.sizes is not Question.sizes
    return {"x-work-limit": "work_seconds"} if estimated else {}


def responses(endpoint: Endpoint) -> dict[int | str, dict[str, Any]]:
    """The possible responses other than the answer itself."""
    problem = {"model": Problem, "description": "Why there is no answer."}
    if endpoint.local is not None and endpoint.followed is None:
        return {"default": problem}
    events = {"text/event-stream": {"schema": {"type": "string"}}}
    return {200: {"content": events}, "default": problem}


def example(endpoint: Endpoint, below: str = "") -> str:
    """An example address of the endpoint, or of one below it."""
    path = endpoint.address.replace("{id}", "translator") + below
    return f"{path}?{endpoint.example}" if endpoint.example else path
