"""The trace: every intermediate value passes through it by name, on its way to where it is used.

    pattern = trace("pattern", softmax(masked_scores))

`OFF` hands the value back untouched. A `Recorder` also writes it down. A value may be changed on the way
(an edit, dropout in training), so the model's code stays the equation and nothing is kept on modules.
"""

from collections.abc import Callable

from torch import Tensor

Change = Callable[[str, Tensor], Tensor]


class Trace:
    """Records nothing, changes nothing, costs nothing."""

    def __truediv__(self, scope: str | int) -> "Trace":
        return self

    def __call__(self, name: str, value: Tensor) -> Tensor:
        return value

    def aside(self, name: str, compute: Callable[[], Tensor]) -> None:
        """A value that nothing downstream uses: computed only if somebody records."""


OFF = Trace()


class Changing(Trace):
    """Hands every value to `change(name, value)` and passes on what comes back."""

    def __init__(self, change: Change, scope: str = ""):
        self.change, self.scope = change, scope

    def __truediv__(self, scope: str | int) -> "Changing":
        return Changing(self.change, f"{self.scope}{scope}.")

    def __call__(self, name: str, value: Tensor) -> Tensor:
        return self.change(self.scope + name, value)


class Recorder(Trace):
    """Writes every value once under its full name, in the order of computation, after `change`, if any."""

    def __init__(self, values: dict[str, Tensor] | None = None, scope: str = "", change: Change | None = None):
        self.values = {} if values is None else values
        self.scope, self.change = scope, change

    def __truediv__(self, scope: str | int) -> "Recorder":
        return Recorder(self.values, f"{self.scope}{scope}.", self.change)

    def __call__(self, name: str, value: Tensor) -> Tensor:
        name = self.scope + name
        assert name not in self.values, f"{name} was recorded twice"
        if self.change is not None:
            value = self.change(name, value)
        self.values[name] = value
        return value

    def aside(self, name: str, compute: Callable[[], Tensor]) -> None:
        self(name, compute())
