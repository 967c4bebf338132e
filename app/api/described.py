"""What the OpenAPI document says of an endpoint beside its question and its answer."""

from typing import Any

from app.api.endpoint import Endpoint
from app.schema.answers import Problem
from app.schema.questions import Question


def cost_limit(endpoint: Endpoint) -> dict[str, str]:
    """The limit of what an answer may cost, where that is estimated."""
    estimated = endpoint.question.estimated_seconds is not Question.estimated_seconds
    return {"x-work-limit": "work_seconds"} if estimated else {}


def responses(endpoint: Endpoint) -> dict[int | str, dict[str, Any]]:
    """What a response may be besides the answer itself."""
    problem = {"model": Problem, "description": "Why there is no answer."}
    if endpoint.local is not None and endpoint.followed is None:
        return {"default": problem}
    events = {"text/event-stream": {"schema": {"type": "string"}}}
    return {200: {"content": events}, "default": problem}


def example(endpoint: Endpoint, below: str = "") -> str:
    """An address to try, of the endpoint or of what lies below it."""
    path = endpoint.address.replace("{id}", "translator") + below
    return f"{path}?{endpoint.example}" if endpoint.example else path
