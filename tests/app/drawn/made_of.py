"""What the numbers of a trace are made of that shows no slice: the tensors whose change changes
them.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import torch

from app.figures.plot import Plot
from model.answers.answer import Answer
from tests.app.drawn.naming import Cell
from tests.app.drawn.shown import Trace

SPLIT = 12  # the most labels of an axis that are tried one by one, of which a number is made


def with_causes(traces: list[Trace], draw: Callable[[Answer], Plot], answer: Answer) -> list[Trace]:
    """The traces, those whose numbers are made of others with what they are made of: the tensors
    whose change changes them, and the one label of an axis without which nothing would.
    """
    open_ = [trace for trace in traces if not trace.slices and np.isfinite(trace.numbers).any()]
    if not open_:
        return traces
    found: dict[int, dict[str, Cell]] = {trace.number: {} for trace in open_}
    for name, tensor in answer.tensors.items():
        touched = changes(draw, answer, name, None, 0, open_)
        if not touched:
            continue
        moved: dict[int, dict[str, list[int]]] = {number: {} for number in touched}
        for i, axis in enumerate(tensor.axes):
            if answer.axes[axis].size <= SPLIT:
                for at in range(answer.axes[axis].size):
                    for number in changes(draw, answer, name, i, at, open_):
                        moved.setdefault(number, {}).setdefault(axis, []).append(at)
        for number in touched:
            still = {axis: at[0] for axis, at in moved[number].items() if len(at) == 1}
            found[number][name] = still
    return [replace(trace, made_of=found.get(trace.number, {})) for trace in traces]


def changes(
    draw: Callable[[Answer], Plot],
    answer: Answer,
    name: str,
    axis: int | None,
    at: int,
    traces: list[Trace],
) -> set[int]:
    """The traces whose numbers change where those of a tensor do, in a slice of it or in all."""
    tensor = answer.tensors[name]
    data = tensor.data.clone().double()
    part = data if axis is None else data.select(axis, at)
    part *= 0 if tensor.data.dtype == torch.bool else 0.97
    values = data > 0 if tensor.data.dtype == torch.bool else data
    other = replace(tensor, data=values.to(tensor.data.dtype))
    try:
        figure = draw(replace(answer, tensors={**answer.tensors, name: other}, inputs=answer.axes))
    except (KeyError, IndexError, ValueError, AssertionError, ZeroDivisionError):
        return set()  # a state that there is not; then nothing is made of it by arithmetic
    if len(figure["data"]) <= max(trace.number for trace in traces):
        return {trace.number for trace in traces}
    return {
        trace.number
        for trace in traces
        if not np.array_equal(
            np.asarray(figure["data"][trace.number][trace.of], dtype=float),
            trace.numbers,
            equal_nan=True,
        )
    }
