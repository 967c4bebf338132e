"""Windows of layers: the points of a deep stream that are shown in full, and the last point of
every window of the stack.
"""

from collections.abc import Sequence

from model.checks import check_at_least, check_between
from model.display_limits import DEEP
from model.interpretability.stream.residual import Step


def layers_shown(n_layers: int, first: int | None, count: int | None) -> range:
    """The layers of a window of `count` layers from `first` on, cut off at the end of the stack;
    all layers if neither is given. The default `count` is 8 and the default `first` is 0. Raises
    InvalidInput for a layer that does not exist.
    """
    if first is None and count is None:
        return range(n_layers)
    start, size = first or 0, DEEP if count is None else count
    check_between("first_layer", start, 0, n_layers - 1)
    check_at_least("layers", size, 1)
    return range(start, min(start + size, n_layers))


def in_layers(path: Sequence[Step], layers: range, n_layers: int) -> list[Step]:
    """The points of the stream in these layers. The embedding belongs to the first of the
    `n_layers` layers, and a final norm to the last.
    """
    return [step for step in path if layer_of(step, n_layers) in layers]


def layer_of(step: Step, n_layers: int) -> int:
    """decoder.3.residual.out is in layer 3, and decoder.norm.out in the last layer."""
    _, place, *_ = step.name.split(".")
    return int(place) if place.isdecimal() else n_layers - 1


def window_starts(path: Sequence[Step], count: int | None, n_layers: int) -> list[int]:
    """For each point, the first layer of its window. Consecutive windows of `count` layers, or 8,
    start at layer 0.
    """
    size = DEEP if count is None else count
    return [layer_of(step, n_layers) // size * size for step in path]


def ends(path: Sequence[Step], count: int | None, n_layers: int) -> dict[int, Step]:
    """The last point of every window, by the first layer of the window."""
    return dict(zip(window_starts(path, count, n_layers), path, strict=True))
