"""The OpenAPI document: as FastAPI makes it, and what FastAPI has no word for."""

from collections.abc import Iterator
from functools import cache
from types import GenericAlias
from typing import Any, cast

from fastapi import FastAPI
from fastapi._compat import v2
from fastapi.dependencies import utils
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel

from app.api.address import routes_of

# FastAPI keeps the fields of 128 questions only and cannot describe more of them: it compares each
# field with the one that it made before by identity. Vitrine has more questions.
utils.get_cached_model_fields = cache(utils.get_cached_model_fields.__wrapped__)


def models_within(model: type[BaseModel], known_models: set[Any] | None = None) -> set[Any]:
    """The models of the fields of a model, and of theirs. FastAPI's own function makes a validator
    of each field to look at its type, which is 40 percent of the time that the document takes.
    """
    found = known_models or set()
    types = tuple(field.annotation for field in model.model_fields.values())
    return v2.get_flat_models_from_annotation(GenericAlias(tuple, types), known_models=found)


v2.get_flat_models_from_model = cast(Any, models_within)


def document(app: FastAPI) -> dict[str, Any]:
    """What the API offers, from the types of its questions and answers."""
    api = get_openapi(
        title=app.title,
        version=app.version,
        routes=routes_of(app),
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
