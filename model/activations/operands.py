"""Operands: which numbers make one cell of an activation, as text, and how that text is read.

An operand is the name of a tensor and one index for each of its axes, as in

    decoder.0.attention.q[head query *]

where the tensor is an activation, a parameter, a mask or a part of the input. An index is

    *                       the whole axis
    0                       that index
    query                   the index of the cell along the axis with this role
    (head head_channel)     head * d_head + head_channel: a channel of a head, where the heads lie
                            side by side; with `channel` inside, they are d_model apart
    (head *)                all channels of a head
    id:position             the id of the token at the cell's position
    type:position           the type of the text there: 1 in the second text of a pair, else 0
    patch:position          the patch there
    column:position         the column there, counted among those of its kind
    category:position       the category that stands in the column there
    reference:row           the reference row there

The roles are, outermost first:

    position, query, key    a place in the input; the activation's axes say in which input
    row                     a row of a table
    head                    a head
    kv_head                 the head whose keys and values a head uses; a group may share one
    head_channel            a channel of a head, of d_head
    channel                 a channel of the stream, of d_model
    hidden                  a hidden unit of the feed-forward network, of d_ff
    feature                 a random feature of FAVOR+
    vocabulary              a token of the vocabulary, or a class

and the names of the parts of an axis that consists of parts, such as `slot` and `memory`.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from model.activations.activation import Activation
from model.answers.answer import Axis
from model.config import Config
from model.errors import InvalidInput
from model.layers.embedding import text_types
from model.layers.masks import Allowed

OPERAND = re.compile(r"(?P<name>[\w.]+)\[(?P<index>.*)\]")
INDEX = re.compile(r"\(\s*(?P<head>\S+) (?P<inside>\S+)\s*\)|(?P<plain>\S+)")


@dataclass(frozen=True)
class Numbers:
    """All numbers of one run: activations, inputs, masks (True allows) by stack and attention, and
    parameters; also the tokens of every input and the axes of results. `edited` names the
    activations changed by interventions.
    """

    config: Config
    activations: Mapping[str, Tensor]
    inputs: Mapping[str, Tensor]
    masks: Mapping[str, Tensor]
    parameter: Callable[[str], Tensor]
    tokens: Mapping[str, Sequence[Any]]  # tokens, patches, columns, or table rows
    axes: Mapping[str, Axis]
    edited: Collection[str] = ()

    def find(self, name: str) -> tuple[str, Tensor]:
        """The tensor with this name, and its kind: activation, input, mask, or weight."""
        if name in self.activations:
            return "activation", self.activations[name]
        if name in self.inputs:
            return "input", self.inputs[name]
        attention, _, value = name.rpartition(".")
        if value == "mask":
            return "mask", additive(self.masks[attention])
        return "weight", self.parameter(name)


def additive(allowed: Allowed) -> Float[Tensor, "*batch query key"]:
    """The additive mask: 0 where a query may attend, -inf elsewhere."""
    return torch.zeros(allowed.shape).masked_fill(~allowed, -torch.inf)


@dataclass(frozen=True)
class Operand:
    """The operand of one entry: `values` is the tensor `name` at `index`. In `index`, None is a
    whole axis and a pair is a range [first, end).
    """

    name: str
    kind: str
    index: list[int | list[int] | None]
    values: Tensor


def cell_at(activation: Activation, shape: Sequence[int], at: str) -> dict[str, int]:
    """The indices of an entry by role, parsed from text such as "2,0,1". Raises InvalidInput if it
    is not an index of an activation of this shape.
    """
    try:
        index = [int(piece) for piece in at.split(",")]
    except ValueError:
        raise InvalidInput("at-not-numbers", field="at", given=at[:40]) from None
    if len(index) != len(shape):
        raise InvalidInput(
            "at-of-other-axes",
            field="at",
            limit=len(shape),
            given=len(index),
            activation=activation.name,
            axes=activation.index,
        )
    for role, size, i in zip(activation.index, shape, index, strict=True):
        if not 0 <= i < size:
            raise InvalidInput(
                "at-beyond",
                field="at",
                limit=size - 1,
                given=i,
                activation=activation.name,
                size=size,
                role=role,
            )
    return dict(zip(activation.index, index, strict=True))


def parts_at(
    activation: Activation, axes: Mapping[str, Axis], cell: dict[str, int]
) -> dict[str, int]:
    """For every axis made of parts, the part that contains the entry and the index within it."""
    found = {}
    for role, axis in zip(activation.index, activation.axes, strict=True):
        inside = cell[role]
        for part, size in (axes[axis].parts or {}).items():
            if 0 <= inside < size:
                found[part] = inside
            inside -= size
    return found


def read_operand(
    numbers: Numbers, activation: Activation, cell: dict[str, int], operand: str
) -> Operand:
    """The operand's values for one entry of an activation; `cell` holds indices by role and by
    part.
    """
    found = OPERAND.fullmatch(operand)
    assert found is not None, f"{operand} is no operand"
    name, text = found.group("name", "index")
    kind, tensor = numbers.find(name)
    index = [read_index(numbers, activation, cell, match) for match in INDEX.finditer(text)]
    values = tensor[
        tuple(slice(None) if i is None else slice(*i) if isinstance(i, list) else i for i in index)
    ]
    return Operand(name, kind, index, values)


def read_index(
    numbers: Numbers, activation: Activation, cell: dict[str, int], match: re.Match
) -> int | list[int] | None:
    """The value of one index of an operand: a number, a range of numbers, or None for a whole
    axis.
    """
    head, inside, plain = match.group("head", "inside", "plain")
    if head is not None:
        return channel_of_head(numbers.config, cell, head, inside)
    if plain == "*":
        return None
    if ":" in plain:
        what, role = plain.split(":")
        axis = activation.axes[activation.index.index(role)]
        if what == "type":
            ids = torch.tensor([token.id for token in numbers.tokens[axis]])
            return int(text_types(ids, numbers.config.embedding.separator)[cell[role]])
        return TOKEN_INDICES[what](numbers.tokens[axis][cell[role]])
    return int(plain) if plain.isdigit() else cell[plain]


def channel_of_head(
    config: Config, cell: dict[str, int], head: str, inside: str
) -> int | list[int]:
    """A channel of a head, or the range of all its channels, in a tensor of concatenated heads."""
    width = config.d_model if inside == "channel" else config.d_head
    if head == "kv_head":
        first = cell["head"] * config.kv_heads // config.n_heads * width
    else:
        first = cell[head] * width
    return [first, first + config.d_head] if inside == "*" else first + cell[inside]


TOKEN_INDICES: dict[str, Callable[[Any], int]] = {
    "id": lambda token: token.id,
    "patch": lambda patch: patch.id - 1,  # [CLS] is token 0, not a patch
    "column": lambda column: column.place,
    "category": lambda column: column.category,
    "reference": lambda row: row.id - 1,  # the row to classify is row 0, not a reference
}
"""The index of a token in a table of parameters or inputs."""
