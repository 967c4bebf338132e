"""Upper bounds by name. A field names the limit that bounds it; an application puts in the number.

`/limits` lists every limit, and in the OpenAPI document each bound carries the name of its limit as
`x-limit`. A bound that no setting could move says why instead, as `x-fixed`.
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

annotated: Any = Annotated  # for types that are values here


@dataclass(frozen=True)
class Keyword:
    """One more keyword in the JSON schema of what it stands beside."""

    name: str
    value: str

    def __get_pydantic_json_schema__(self, core: Any, handler: Callable[[Any], dict]) -> dict:
        return {**handler(core), self.name: self.value}


@dataclass(frozen=True)
class Limited(GroupedMetadata):
    """A bound that a setting moves: one that many fields share, by its name, or the field's own.
    Without an application it has the default of the limit.
    """

    constraint: Callable[[Any], object]
    limit: str | Limit
    value: float | None = None

    @property
    def name(self) -> str:
        return self.limit.name if isinstance(self.limit, Limit) else self.limit

    @property
    def default(self) -> float:
        own = self.limit if isinstance(self.limit, Limit) else SharedLimits.model_fields[self.limit]
        return own.default

    def __iter__(self) -> Iterator[object]:
        yield self.constraint(self.default if self.value is None else self.value)
        yield Keyword("x-limit", self.name)


@dataclass(frozen=True)
class Fixed(GroupedMetadata):
    """A bound that follows from what the field is, with the reason."""

    constraint: object
    reason: str

    def __iter__(self) -> Iterator[object]:
        yield self.constraint
        yield Keyword("x-fixed", self.reason)


def up_to(limit: str | Limit) -> Limited:
    """At most as large as this limit."""
    return Limited(Le, limit)


def below(limit: str | Limit) -> Limited:
    """Smaller than this limit, as numbers are that count from 0."""
    return Limited(Lt, limit)


def at_most_long(limit: str | Limit) -> Limited:
    """A text or a list at most as long as this limit."""
    return Limited(MaxLen, limit)


def own_limits(annotation: Any) -> Iterator[Limit]:
    """The limits that fields declare themselves, of a question or of any type in it."""
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
    """What an address carries for a value that has no simple form there, as a JSON schema."""

    schema: tuple[tuple[str, str], ...]


def body_model(question: type[Model], limits: SharedLimits) -> type[Model]:
    """`question` as a JSON body asks it: bounded by `limits`, and no text is taken for a number."""
    return with_limits(question, limits, address=False)


def query_model(question: type[Model], limits: SharedLimits) -> type[Model]:
    """`question` as an address asks it: bounded by `limits`; all values are texts, none is null."""
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
    """The default of a field. Where a limit is lower than it there is none: the field is needed."""
    if default is None or default is PydanticUndefined:
        return default
    try:
        TypeAdapter(annotation).validate_python(default)
    except ValidationError:
        return PydanticUndefined
    return default


def bound(annotation: Any, limits: SharedLimits, address: bool = False) -> Any:
    """The annotation with the numbers of `limits` in the place of their names, however deep."""
    kind, inner = get_origin(annotation), get_args(annotation)
    if kind is Annotated:
        first, *more = inner
        metadata = [of for one in more for of in bound_metadata(one, limits, address)]
        return annotated[(bound(first, limits, address), *metadata)]
    if kind in (Union, UnionType):
        inner = [one for one in inner if not (address and one is NoneType)]
        return reduce(or_, (bound(one, limits, address) for one in inner))
    if kind in (list, dict):
        return GenericAlias(kind, tuple(bound(one, limits, address) for one in inner))
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return body_model(annotation, limits)  # an object is JSON, in an address too
    return annotation


def bound_metadata(one: object, limits: SharedLimits, address: bool) -> list:
    match one:
        case Limited():
            return [replace(one, value=getattr(limits, one.name))]
        case QuerySchema():
            return [WithJsonSchema(dict(one.schema))] if address else []
        case BeforeValidator(json_schema_input_type=nested) if nested is not PydanticUndefined:
            taken = PydanticUndefined if address else bound(nested, limits)
            return [replace(one, json_schema_input_type=taken)]
    return [one]
