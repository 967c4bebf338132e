"""The OpenAPI document: as FastAPI makes it, and what FastAPI has no word for."""

from collections.abc import Iterator
from functools import cache
from typing import Any

from fastapi import FastAPI
from fastapi.dependencies import utils
from fastapi.openapi.utils import get_openapi

# FastAPI keeps the fields of 128 questions only and cannot describe more of them: it compares each
# field with the one that it made before by identity. Vitrine has more questions.
utils.get_cached_model_fields = cache(utils.get_cached_model_fields.__wrapped__)


def document(app: FastAPI) -> dict[str, Any]:
    """What the API offers, from the types of its questions and answers."""
    api = get_openapi(
        title=app.title,
        version=app.version,
        routes=app.routes,
        servers=[{"url": "/", "description": "The server that sent this document."}],
        separate_input_output_schemas=False,
    )
    api["security"] = []
    for operation in operations(api):
        for parameter in operation.get("parameters", ()):
            if parameter["schema"].get("type") == "array":
                # A list is one field with commas between its parts, not a repeated field.
                parameter |= {"style": "form", "explode": False}
        # FastAPI files every model of a response under the media type of the answer.
        content = operation["responses"]["default"]["content"]
        content["application/problem+json"] = content.pop("application/json")
    return api


def operations(api: dict[str, Any]) -> Iterator[dict[str, Any]]:
    return (operation for path in api["paths"].values() for operation in path.values())
