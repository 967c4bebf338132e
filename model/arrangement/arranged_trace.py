"""The trace of an arranged pass: it changes a few activations as a whole, before any edit of theirs
is made, and hands everything on.
"""

from collections.abc import Callable, Mapping

from torch import Tensor

from model.trace import Recorder, Trace

Moves = Mapping[str, Callable[[Tensor], Tensor]]
"""What becomes of an activation, by its name."""

Moved = dict[str, tuple[Tensor, Tensor]]
"""The activations that were moved, each before and after."""


class ArrangedTrace(Trace):
    """Makes `moves`, on every row of a batch, and hands all values on to `inner`, which may edit
    them. `moved` has what `recorder` records of them, before and after.
    """

    def __init__(self, moves: Moves, moved: Moved, recorder: Recorder, inner: Trace):
        self.moves, self.moved, self.recorder, self.inner = moves, moved, recorder, inner

    def __truediv__(self, scope: str | int) -> "ArrangedTrace":
        return ArrangedTrace(self.moves, self.moved, self.recorder / scope, self.inner / scope)

    def __call__(self, name: str, value: Tensor) -> Tensor:
        full = self.recorder.scope + name
        if full in self.moves:
            before, value = value, self.moves[full](value)
            self.moved[full] = (
                self.recorder.select(full, before),
                self.recorder.select(full, value),
            )
        return self.inner(name, value)

    def lazy(self, name: str, compute: Callable[[], Tensor]) -> None:
        self.inner.lazy(name, compute)
