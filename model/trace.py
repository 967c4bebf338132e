"""The trace: every intermediate value passes through it by name, on its way to where it is used.

    pattern = trace("pattern", softmax(masked_scores))

`OFF` returns the value unchanged. A `Recorder` also stores it. A hook may change it: an edit,
dropout in training. So the code of a layer is only its equation, and no module stores activations.
`trace / "encoder" / 0` is the trace of a part; names recorded through it begin with "encoder.0.".
"""

from collections.abc import Callable, Container, Iterator, Mapping

from torch import Tensor

Hook = Callable[[str, Tensor], Tensor]
"""A function of the full name and the value of an activation. It returns the value that the network
goes on with.
"""


def identity(name: str, value: Tensor) -> Tensor:
    """An activation as it is."""
    return value


class Record(Mapping[str, Tensor]):
    """Activations by name, each written once, in the order of computation. A value that was given
    to `lazy` is computed when it is first read. `select` returns the part of an activation that is
    stored: all of it, or a view of one row of a batch.
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
    """Passes every value through `hooks`, one after another, and stores what they return in
    `record`, if there is one. The full names `include` are those of lazy values that pass the hooks
    too.
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
        """A value that nothing downstream uses: computed only if somebody asks for it."""
        if self.scope + name in self.include:
            self(name, compute())
        elif self.record is not None:
            self.record.write(self.scope + name, compute)


OFF = Trace()
"""Records nothing and changes nothing; it costs a call for each value."""


class Recorder(Trace):
    """A trace that stores every value in `values` and changes none."""

    def __init__(self, record: Record | None = None):
        self.values = Record() if record is None else record
        super().__init__(record=self.values)


TraceFactory = Callable[[Record], Trace]
"""A function that returns the trace of a run from its record: one without hooks, or one whose hooks
change values before they are stored.
"""


def unchanged(record: Record) -> Trace:
    """Every value is recorded as the model computed it."""
    return Trace(record=record)
