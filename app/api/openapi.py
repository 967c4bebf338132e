"""The OpenAPI document: FastAPI's, with additions that FastAPI does not support."""

from collections.abc import Iterator
from functools import cache
from types import GenericAlias
from typing import Any, cast

from fastapi import FastAPI
from fastapi._compat import v2
from fastapi.dependencies import utils
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel

from app.api.strict_routes import routes_of

# FastAPI caches the fields of only 128 questions and cannot describe more, because it compares
# each field by identity with the one it made before. Vitrine has more questions.
utils.get_cached_model_fields = cache(utils.get_cached_model_fields.__wrapped__)


def models_within(model: type[BaseModel], known_models: set[Any] | None = None) -> set[Any]:
    """The models of a model's fields, recursively. FastAPI's own function builds a validator for
    each field to find its type, which takes 40% of the time for the document.
    """
    found = known_models or set()
    types = tuple(field.annotation for field in model.model_fields.values())
    return v2.get_flat_models_from_annotation(GenericAlias(tuple, types), known_models=found)


v2.get_flat_models_from_model = cast(Any, models_within)


def document(app: FastAPI) -> dict[str, Any]:
    """The API's document, from the types of its questions and answers."""
    api = get_openapi(
        title=app.title,
        version=app.version,
        routes=routes_of(app),
        servers=[{"url": "/", "description": "This server."}],
        separate_input_output_schemas=False,
    )
    api["security"] = []
    for operation in operations(api):
        for parameter in operation.get("parameters", ()):
            if parameter["schema"].get("type") == "array":
                # A list is one field with commas, not a repeated field.
                parameter |= {"style": "form", "explode": False}
        # FastAPI puts every response model under the media type of the answer.
        content = operation["responses"]["default"]["content"]
        content["application/problem+json"] = content.pop("application/json")
    return api


def operations(api: dict[str, Any]) -> Iterator[dict[str, Any]]:
    return (operation for path in api["paths"].values() for operation in path.values())
