"""A quantity and its seeds: the line of all seeds together, and behind it a thin line for each."""

from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from app.figures.grammar import line, of_seeds
from app.figures.plot import Trace
from app.words import axes

if TYPE_CHECKING:
    from model.answers.answer import Answer


def with_seeds(
    answer: "Answer",
    tensor: str,
    x: ArrayLike,
    name: str,
    role: str,
    hover: str,
    at: tuple[int, ...] = (),
    **more: Any,
) -> list[Trace]:
    """The line of a tensor over `x`, after a thin line for each seed of `<tensor>.by_seed`.

    `at` are the places on the tensor's first axes, such as that of a placement, if the line is a
    row of it. `hover` tells x and y of a point; the names of line and seed come before it. `more`
    are options of the line.
    """
    together = answer.tensors[tensor].data[at].numpy()
    alone = answer.tensors[f"{tensor}.by_seed"].data[(slice(None), *at)].numpy()
    thin = of_seeds(x, alone, axes.values(answer, "seed"), name, role, hover)
    return [*thin, line(x, together, name, role, f"{name}<br>{hover}", **more)]
