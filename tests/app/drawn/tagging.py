"""Every number of an answer becomes one of its own, so that a drawn number has one origin.

Figures are pure functions of an answer. A small change of each number, another one for each, leaves
what they draw as it was, and tells afterwards which cell of which tensor stands where.
"""

from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

import numpy as np
import torch

from model.answers.answer import Answer

LARGEST = 1e-3  # the largest change of a number, as a share of it
COUNTED = 1000  # smaller whole numbers are counts, layers or states
SETTINGS = ("quantile",)  # numbers of the fields by which others are looked up
NEAR = 2e-7  # numbers so near to one another, as a share, are the same in 32 bits


@dataclass(frozen=True)
class Source:
    """A tensor of an answer, or the numbers that its fields have under one path."""

    name: str
    axes: tuple[str, ...]


class Origins:
    """Where each number of an answer comes from."""

    def __init__(self) -> None:
        self.sources: list[Source] = []
        self.numbers: list[np.ndarray] = []
        self.places: list[tuple[int, np.ndarray]] = []

    def add(self, source: Source, numbers: np.ndarray, places: np.ndarray) -> None:
        if source not in self.sources:
            self.sources.append(source)
        self.numbers.append(numbers.astype(float))
        self.places.append((self.sources.index(source), places))

    def sort(self) -> None:
        if not self.numbers:
            self.add(Source("none", ()), np.zeros(0), np.zeros((0, 0), int))
        numbers = np.concatenate(self.numbers)
        of = np.concatenate([np.full(len(places), i) for i, places in self.places])
        widest = max(places.shape[1] for _, places in self.places)
        at = np.concatenate(
            [
                np.pad(places, ((0, 0), (0, widest - places.shape[1])), constant_values=-1)
                for _, places in self.places
            ]
        )
        order = np.argsort(numbers, kind="stable")
        self.known, self.of, self.at = numbers[order], of[order], at[order]

    def of_number(self, number: float) -> list[tuple[int, tuple[int, ...]]]:
        """All sources of a number, each with the place there."""
        slack = abs(number) * NEAR
        low, high = np.searchsorted(self.known, [number - slack, number + slack])
        return [(int(self.of[i]), tuple(map(int, self.at[i]))) for i in range(low, high)]


def tagged(answer: Answer) -> tuple[Answer, Origins]:
    """The answer with a number of its own in each cell, and where each number is from. What is 0,
    infinite, a whole number or no number stays as it is, and has no origin.
    """
    draw, origins = np.random.default_rng(0), Origins()
    tensors = {}
    for name, tensor in answer.tensors.items():
        data = tensor.data
        if data.dtype != torch.bool and not whole(data):
            data = data if data.is_floating_point() else data.double()
            shares = torch.from_numpy(draw.random(tuple(data.shape))).to(torch.float64)
            data = (data.double() * (1 - LARGEST * shares)).to(data.dtype)
            numbers = data.double().numpy().ravel()
            places = np.indices(tuple(data.shape)).reshape(data.dim(), -1).T
            taggable = np.isfinite(numbers) & (numbers != 0)
            origins.add(Source(name, tensor.axes), numbers[taggable], places[taggable])
        tensors[name] = replace(tensor, data=data)
    tagged_fields = changed(answer.fields, draw)
    found: dict[tuple[str, tuple[str, ...]], list[tuple[float, tuple[int, ...]]]] = {}
    for path, axes, at, number in leaves(tagged_fields):
        found.setdefault((path, axes), []).append((number, at))
    for (path, axes), cells in found.items():
        numbers = np.array([number for number, _ in cells])
        places = np.array([at for _, at in cells], dtype=int).reshape(len(cells), len(axes))
        origins.add(Source(path, axes), numbers, places)
    origins.sort()
    return replace(answer, tensors=tensors, fields=tagged_fields, inputs=answer.axes), origins


def changed(value: Any, draw: np.random.Generator) -> Any:
    """A part of the fields, each number that is not whole a little smaller."""
    if isinstance(value, float):
        return value if value.is_integer() or not np.isfinite(value) else smaller(value, draw)
    if isinstance(value, dict):
        return {
            key: inner if key in SETTINGS else changed(inner, draw) for key, inner in value.items()
        }
    if isinstance(value, list | tuple):
        return type(value)([changed(inner, draw) for inner in value])
    if is_dataclass(value) and not isinstance(value, type):
        return replace(
            value, **{item.name: changed(getattr(value, item.name), draw) for item in fields(value)}
        )
    return value


def whole(data: torch.Tensor) -> bool:
    """Whether a tensor counts: its numbers are whole, and say what would be lost by a change."""
    finite = data[torch.isfinite(data)]
    return bool((finite == finite.round()).all() and (finite.abs() < COUNTED).all())


def smaller(value: float, draw: np.random.Generator) -> float:
    return value * (1 - LARGEST * float(draw.random()))


def leaves(
    value: Any, path: str = "fields", axes: tuple[str, ...] = (), at: tuple[int, ...] = ()
) -> Iterator[tuple[str, tuple[str, ...], tuple[int, ...], float]]:
    """The numbers of the fields that are not whole: the path, the lists on the way, the places in
    them, the number.
    """
    if isinstance(value, float) and np.isfinite(value) and not value.is_integer():
        yield path, axes, at, value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, f"{path}.{key}", axes, at)
    elif isinstance(value, list | tuple):
        for i, inner in enumerate(value):
            name = inner.name if is_dataclass(inner) and hasattr(inner, "name") else None
            if name:
                yield from leaves(inner, f"{path}.{name}", axes, at)
            else:
                yield from leaves(inner, f"{path}[]", (*axes, path), (*at, i))
    elif is_dataclass(value) and not isinstance(value, type):
        for item in fields(value):
            yield from leaves(getattr(value, item.name), f"{path}.{item.name}", axes, at)
