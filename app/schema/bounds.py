"""Named upper bounds. A field names the limit that bounds it, and an application supplies the
number.

`/limits` lists every limit, and in the OpenAPI document each bound has the name of its limit as
`x-limit`. A bound that cannot be configured has the reason instead, as `x-fixed`.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache, reduce
from operator import or_
from types import GenericAlias, NoneType, UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin, get_type_hints

from annotated_types import GroupedMetadata, Le, Lt, MaxLen
from pydantic import (
    BaseModel,
    BeforeValidator,
    Field,
    TypeAdapter,
    ValidationError,
    WithJsonSchema,
    create_model,
)
from pydantic.fields import PydanticUndefined

from app.limits import Limit, SharedLimits

Model = TypeVar("Model", bound=BaseModel)

annotated: Any = Annotated  # for types computed at runtime


@dataclass(frozen=True)
class Keyword:
    """An additional keyword in a JSON schema."""

    name: str
    value: str

    def __get_pydantic_json_schema__(self, core: Any, handler: Callable[[Any], dict]) -> dict:
        return {**handler(core), self.name: self.value}


@dataclass(frozen=True)
class Limited(GroupedMetadata):
    """A configurable bound: one that fields share, by name, or the field's own. Without an
    application, it has the limit's default.
    """

    constraint: Callable[[Any], object]
    limit: str | Limit
    value: float | None = None

    @property
    def name(self) -> str:
        return self.limit.name if isinstance(self.limit, Limit) else self.limit

    @property
    def default(self) -> float:
        limit = self.limit
        return (limit if isinstance(limit, Limit) else SharedLimits.model_fields[limit]).default

    def __iter__(self) -> Iterator[object]:
        yield self.constraint(self.default if self.value is None else self.value)
        yield Keyword("x-limit", self.name)


@dataclass(frozen=True)
class Fixed(GroupedMetadata):
    """A bound that follows from the meaning of the field, with the reason."""

    constraint: object
    reason: str

    def __iter__(self) -> Iterator[object]:
        yield self.constraint
        yield Keyword("x-fixed", self.reason)


def up_to(limit: str | Limit) -> Limited:
    """At most this limit."""
    return Limited(Le, limit)


def below(limit: str | Limit) -> Limited:
    """Less than this limit, for numbers that count from 0."""
    return Limited(Lt, limit)


def at_most_long(limit: str | Limit) -> Limited:
    """A text or list with at most this length."""
    return Limited(MaxLen, limit)


def own_limits(annotation: Any) -> Iterator[Limit]:
    """The limits declared by fields themselves, in a question or any type in it."""
    if isinstance(annotation, Limited) and isinstance(annotation.limit, Limit):
        yield annotation.limit
    elif isinstance(annotation, type) and issubclass(annotation, BaseModel):
        for hint in get_type_hints(annotation, include_extras=True).values():
            yield from own_limits(hint)
    else:
        for inner in get_args(annotation):
            yield from own_limits(inner)


@dataclass(frozen=True)
class QuerySchema:
    """The JSON schema of a value that has no simple form in a query string."""

    schema: tuple[tuple[str, str], ...]


def body_model(question: type[Model], limits: SharedLimits) -> type[Model]:
    """`question` in a JSON body: bounded by `limits`, with strict types."""
    return with_limits(question, limits, address=False)


def query_model(question: type[Model], limits: SharedLimits) -> type[Model]:
    """`question` in a query string: bounded by `limits`; all values are text, none is null."""
    return with_limits(question, limits, address=True)


@cache
def with_limits(question: type[Model], limits: SharedLimits, *, address: bool) -> type[Model]:
    hints = get_type_hints(question, include_extras=True)
    fields: dict[str, Any] = {}
    for name, field in question.model_fields.items():
        annotation = bound(hints[name], limits, address)
        bounded = annotation != hints[name]
        default = within(field.default, annotation) if bounded else field.default
        fields[name] = (
            annotation,
            Field(default, description=field.description, examples=field.examples),
        )
    return create_model(
        question.__name__,
        __base__=question,
        __doc__=question.__doc__,
        __cls_kwargs__={"strict": not address},
        **fields,
    )


def within(default: Any, annotation: Any) -> Any:
    """The default of a field. If it is above a lowered limit, the field is required."""
    if default is None or default is PydanticUndefined:
        return default
    try:
        TypeAdapter(annotation).validate_python(default)
    except ValidationError:
        return PydanticUndefined
    return default


def bound(annotation: Any, limits: SharedLimits, address: bool = False) -> Any:
    """The annotation with the numbers of `limits` in place of their names, recursively."""
    kind, inner = get_origin(annotation), get_args(annotation)
    if kind is Annotated:
        first, *more = inner
        metadata = [of for item in more for of in bound_metadata(item, limits, address)]
        return annotated[(bound(first, limits, address), *metadata)]
    if kind in (Union, UnionType):
        inner = [kind_of for kind_of in inner if not (address and kind_of is NoneType)]
        return reduce(or_, (bound(inner_type, limits, address) for inner_type in inner))
    if kind in (list, dict):
        return GenericAlias(kind, tuple(bound(inner_type, limits, address) for inner_type in inner))
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return body_model(annotation, limits)  # an object is JSON, even in a query string
    return annotation


def bound_metadata(constraint: object, limits: SharedLimits, address: bool) -> list:
    match constraint:
        case Limited():
            return [replace(constraint, value=getattr(limits, constraint.name))]
        case QuerySchema():
            return [WithJsonSchema(dict(constraint.schema))] if address else []
        case BeforeValidator(json_schema_input_type=nested) if nested is not PydanticUndefined:
            taken = PydanticUndefined if address else bound(nested, limits)
            return [replace(constraint, json_schema_input_type=taken)]
    return [constraint]
