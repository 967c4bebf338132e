"""The trace: every intermediate value passes through it by name, on its way to where it is used.

    pattern = trace("pattern", softmax(masked_scores))

`OFF` returns the value unchanged. A `Recorder` also stores it. Other traces change it: an edit,
dropout in training. So the code of a layer is only its equation, and no module stores activations.
`trace / "encoder" / 0` is the trace of a part; names recorded through it begin with "encoder.0.".
"""

from collections.abc import Callable, Iterator, Mapping

from torch import Tensor

Change = Callable[[str, Tensor], Tensor]


class Trace:
    """Records nothing, changes nothing, costs nothing."""

    def __truediv__(self, scope: str | int) -> "Trace":
        return self

    def __call__(self, name: str, value: Tensor) -> Tensor:
        return value

    def lazy(self, name: str, compute: Callable[[], Tensor]) -> None:
        """A value that nothing downstream uses: computed only if somebody asks for it."""


OFF = Trace()


class HookTrace(Trace):
    """Hands every value to `change(name, value)` and passes on what comes back."""

    def __init__(self, change: Change, scope: str = ""):
        self.change, self.scope = change, scope

    def __truediv__(self, scope: str | int) -> "HookTrace":
        return HookTrace(self.change, f"{self.scope}{scope}.")

    def __call__(self, name: str, value: Tensor) -> Tensor:
        return self.change(self.scope + name, value)


class Record(Mapping[str, Tensor]):
    """Activations by name, each written once, in the order of computation. A value that was given
    to `lazy` is computed when it is first read.
    """

    def __init__(self):
        self.written: dict[str, Tensor | Callable[[], Tensor]] = {}

    def write(self, name: str, value: Tensor | Callable[[], Tensor]) -> None:
        assert name not in self.written, f"{name} was recorded twice"
        self.written[name] = value

    def __getitem__(self, name: str) -> Tensor:
        value = self.written[name]
        if not isinstance(value, Tensor):
            value = self.written[name] = value()
        return value

    def __iter__(self) -> Iterator[str]:
        return iter(self.written)

    def __len__(self) -> int:
        return len(self.written)


class Recorder(Trace):
    """Writes every value down under its full name and hands it on."""

    def __init__(self, values: Record | None = None, scope: str = ""):
        self.values = Record() if values is None else values
        self.scope = scope

    def __truediv__(self, scope: str | int) -> "Recorder":
        return Recorder(self.values, f"{self.scope}{scope}.")

    def __call__(self, name: str, value: Tensor) -> Tensor:
        full = self.scope + name
        self.values.write(full, self.select(full, value))
        return value

    def lazy(self, name: str, compute: Callable[[], Tensor]) -> None:
        # The lambda must not refer to `self`: the recorder refers to the record, which holds the
        # lambda. In such a reference cycle the memory of a run is freed only when the garbage
        # collector runs.
        full, select = self.scope + name, self.select
        self.values.write(full, lambda: select(full, compute()))

    @staticmethod
    def select(name: str, value: Tensor) -> Tensor:
        """The part of `value` that is recorded under the full name `name`: here all of it. A
        recorder of a batch records a view of one row instead.
        """
        return value


Through = Callable[[Recorder], Trace]
"""A function that returns the trace of a run: the recorder itself, or a trace that changes values
and hands them on to the recorder.
"""


def unchanged(recorder: Recorder) -> Trace:
    """Every value goes to the recorder as the model computed it."""
    return recorder
