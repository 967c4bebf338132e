"""The API's descriptions of the fields of questions and answers."""

from typing import Any

from pydantic import BaseModel

from model.words import messages, text

SHARED = "api"


class Described(BaseModel):
    """Base of questions and answers. The description of a field is the attribute with its name in
    the message of its class, in the words file of the class's page, or in `api.ftl`.
    """

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        for name, field in cls.model_fields.items():
            field.description = field.description or description(cls, name)
        return handler(source)


def description(model: type[BaseModel], field: str) -> str | None:
    """The description of a field of a model or one of its bases, if there is one."""
    for owner in model.__mro__:
        file, name = file_of(owner.__module__), f"{owner.__name__}.{field}"
        if name in messages(file, "en"):
            return text(file, name, {}, "en")
    return None


def file_of(module: str) -> str:
    """The words file of the page that a module declares, or that of all other modules."""
    folder, _, page = module.rpartition(".")
    return page if folder == "app.experiments" else SHARED


def shared(message: str) -> str:
    """A message of `api.ftl`, by name, with or without dashes."""
    return text(SHARED, message.replace("_", "-"), {}, "en")
