"""What the API says of the fields of questions and answers: words, and no code."""

from typing import Any

from pydantic import BaseModel

from model.words import messages, text

SHARED = "api"


class Described(BaseModel):
    """Base of questions and answers. What a field means is the attribute of its name in the message
    of the class that has it, in the words of the page beside whose file the class stands, or in
    `api.ftl`.
    """

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        for name, field in cls.model_fields.items():
            field.description = field.description or description(cls, name)
        return handler(source)


def description(model: type[BaseModel], field: str) -> str | None:
    """What the words say of a field of a model, or of one that it extends, if anything."""
    for owner in model.__mro__:
        file, name = file_of(owner.__module__), f"{owner.__name__}.{field}"
        if name in messages(file, "en"):
            return text(file, name, {})
    return None


def file_of(module: str) -> str:
    """The file of words of the page that a module declares, or that of all other modules."""
    folder, _, page = module.rpartition(".")
    return page if folder == "app.experiments" else SHARED


def shared(message: str) -> str:
    """A message of `api.ftl`, by its name with any dashes."""
    return text(SHARED, message.replace("_", "-"), {})
