"""The trace: every intermediate value passes through it by name on the way to where it is used.

    pattern = trace("pattern", softmax(masked_scores))

`OFF` returns the value unchanged. A `Recorder` also stores it. A hook may replace it, as
interventions and dropout do. A layer's code is therefore only its equation, and no module stores
activations. `trace / "encoder" / 0` is the trace of a part: names recorded through it begin with
"encoder.0.".
"""

from collections.abc import Callable, Container, Iterator, Mapping

from torch import Tensor

Hook = Callable[[str, Tensor], Tensor]
"""A function of an activation's full name and value. The network continues with the value it
returns.
"""


def identity(name: str, value: Tensor) -> Tensor:
    """The activation itself."""
    return value


class Record(Mapping[str, Tensor]):
    """Activations by name, each written once, in the order of computation. Values passed to `lazy`
    are computed when first read. `select` returns the part of an activation to store: all of it, or
    a view of one row of a batch.
    """

    def __init__(self, select: Hook = identity):
        self.select = select
        self.entries: dict[str, Tensor | Callable[[], Tensor]] = {}

    def write(self, name: str, value: Tensor | Callable[[], Tensor]) -> None:
        assert name not in self.entries, f"{name} was recorded twice"
        self.entries[name] = self.select(name, value) if isinstance(value, Tensor) else value

    def __getitem__(self, name: str) -> Tensor:
        value = self.entries[name]
        if not isinstance(value, Tensor):
            value = self.entries[name] = self.select(name, value())
        return value

    def __iter__(self) -> Iterator[str]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)


class Trace:
    """Passes every value through `hooks` in order, and stores the result in `record`, if there is
    one. `include` holds the full names of lazy values that pass through the hooks too.
    """

    def __init__(
        self,
        *hooks: Hook,
        record: Record | None = None,
        include: Container[str] = (),
        scope: str = "",
    ):
        self.hooks, self.record, self.include, self.scope = hooks, record, include, scope

    def __truediv__(self, scope: str | int) -> "Trace":
        if self is OFF:
            return self
        scope = f"{self.scope}{scope}."
        return Trace(*self.hooks, record=self.record, include=self.include, scope=scope)

    def __call__(self, name: str, value: Tensor) -> Tensor:
        for hook in self.hooks:
            value = hook(self.scope + name, value)
        if self.record is not None:
            self.record.write(self.scope + name, value)
        return value

    def lazy(self, name: str, compute: Callable[[], Tensor]) -> None:
        """Registers a value that nothing downstream uses; it is computed only when read."""
        if self.scope + name in self.include:
            self(name, compute())
        elif self.record is not None:
            self.record.write(self.scope + name, compute)


OFF = Trace()
"""Records nothing and changes nothing, at the cost of one call per value."""


class Recorder(Trace):
    """A trace that stores every value in `values` and changes nothing."""

    def __init__(self, record: Record | None = None):
        self.values = Record() if record is None else record
        super().__init__(record=self.values)


TraceFactory = Callable[[Record], Trace]
"""A function that returns the trace of a run, given its record: without hooks, or with hooks that
change values before they are stored.
"""


def unchanged(record: Record) -> Trace:
    """Every value is stored as the model computed it."""
    return Trace(record=record)
