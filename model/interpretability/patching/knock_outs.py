"""Knock-outs: the parts of a run that can be turned off one at a time, and the edits that do it.

    head        the slice of one head of z, before the output projection mixes the heads
    sublayer    the whole output of an attention layer or a feed-forward network
    position    the embedding at one position, so that only other positions carry information on it
    neurons     a group of adjacent neurons of a feed-forward network, after the activation

    zero        replaces the part with 0
    mean        replaces it with its mean over all positions of all examples of the model
    resample    replaces it with its value in another example, position by position; positions
                beyond the other example's end get its last

The first is the crudest, because later parts may never have seen a 0 there. The second keeps what
the part contributes in every input, and the third what it contributes in one (Wang et al. 2023,
section 2.2; Chan et al. 2022).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from torch import Tensor

from model.activations.site import Site
from model.edits.cells import POSITIONS
from model.edits.edit import Edit, Edits
from model.errors import InvalidInput
from model.inputs.input import Input
from model.interpretability.stream.residual import steps
from model.runs.run import Run


@dataclass(frozen=True)
class Unit:
    """A part that is turned off: the `indices` along `axis` of the activation `name`, or all of it
    if `axis` is None.
    """

    name: str
    axis: str | None = None
    indices: tuple[int, ...] = ()

    @property
    def layer(self) -> int | None:
        """Its layer; None for a position, which is read before all layers."""
        return Site.parse(self.name).layer

    @property
    def where(self) -> tuple[tuple[str, tuple[int, ...]], ...]:
        return ((self.axis, self.indices),) if self.axis else ()


def heads(run: Run, groups: int) -> Iterator[Unit]:
    """Every head of every attention layer."""
    for name in run.vocabulary:
        if Site.parse(name).value == "z":
            for head in range(run.trace[name].shape[0]):
                yield Unit(name, "head", (head,))


def sublayers(run: Run, groups: int) -> Iterator[Unit]:
    """The output of every sub-layer, before it is added to the stream."""
    for stack in run.config.stacks:
        for step in steps(run.config, stack):
            if step.wrote and Site.parse(step.wrote).layer is not None:
                yield Unit(step.wrote)


def positions(run: Run, groups: int) -> Iterator[Unit]:
    """Every input position of each stack: the sum of token and position."""
    for stack in run.config.stacks:
        name = f"{stack}.embedding.sum"
        for at in range(run.trace[name].shape[0]):
            yield Unit(name, "position", (at,))


def neurons(run: Run, groups: int) -> Iterator[Unit]:
    """The neurons of every feed-forward network in `groups` of adjacent neurons of nearly equal
    size. Raises InvalidInput for a model without neurons, or with fewer of them than groups.
    """
    size = run.config.d_ff
    if not size:
        raise InvalidInput("no-neurons", field="unit", given="neurons", model=run.model.id)
    if groups > size:
        raise InvalidInput(
            "too-few-neurons", field="groups", limit=size, given=groups, model=run.model.id
        )
    for name in run.vocabulary:
        if Site.parse(name).value == "post":
            for group in range(groups):
                start, end = group * size // groups, (group + 1) * size // groups
                yield Unit(name, "hidden", tuple(range(start, end)))


UNITS: dict[str, Callable[[Run, int], Iterator[Unit]]] = {
    "head": heads,
    "sublayer": sublayers,
    "position": positions,
    "neurons": neurons,
}

ABLATIONS = ("zero", "mean", "resample")


def zero(unit: Unit) -> Edits:
    return (Edit("zero", unit.name, unit.where),)


def mean(unit: Unit, examples: Sequence[Input]) -> Edits:
    return (Edit("mean", unit.name, unit.where, inputs=tuple(examples)),)


def resample(run: Run, unit: Unit, other: Input, there: Mapping[str, Tensor]) -> Edits:
    """The edit that takes the unit from the run of `other`, whose activations are `there`."""
    at = next(i for i, role in enumerate(run.vocabulary[unit.name].index) if role in POSITIONS)
    role = run.vocabulary[unit.name].index[at]
    here, last = run.trace[unit.name].shape[at], there[unit.name].shape[at] - 1
    of_a_position = unit.axis == role
    places = unit.indices if of_a_position else range(here)
    return (
        Edit(
            "patch",
            unit.name,
            () if of_a_position else unit.where,
            inputs=(other,),
            positions=tuple((min(place, last), place) for place in places),
        ),
    )
