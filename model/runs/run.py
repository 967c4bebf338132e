"""A run: one input through one model, with everything that was computed on the way. `run_model`
makes them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor

from model.activations.activation import Activation
from model.activations.catalogue import activations
from model.activations.site import Site
from model.answers.answer import Answer, Axis, Kind, Labelled
from model.config import Config
from model.errors import UnknownName
from model.inputs.images import Patch
from model.inputs.table_rows import Column, Row
from model.inputs.text import Token
from model.zoo.models import Model

AnyToken = Token | Patch | Column | Row
"""What a position of an input holds: each kind has a `text`, its label, and an `id`."""


@dataclass(frozen=True)
class Run:
    """`tokens` and their `inputs` by the input's name, `trace` by activation, `masks` by stack and
    attention: True allows.

    `following` is what the input says comes next at each position of the stack that predicts: after
    the last, </s> for a target, and nothing where nothing comes next. Where one text is source and
    target, it begins at the target: at the position `expected_from`. `given` are numbers that were
    there before: the `patches` of an image, the `memory` of a layer; of a row of a table its
    `numbers`, which of them are `known`, and by layer the `references` that are beside it.
    """

    model: Model
    input: dict[str, str]
    inputs: dict[str, Axis]
    tokens: Mapping[str, Sequence[AnyToken]]
    trace: Mapping[str, Tensor]
    masks: dict[str, Tensor]
    following: list[Token] = field(default_factory=list)
    expected_from: int = 0
    notes: list[str] = field(default_factory=list)
    given: dict[str, Tensor] = field(default_factory=dict)

    @property
    def config(self) -> Config:
        return self.model.config

    @property
    def kind(self) -> Kind:
        return self.model.kind

    @property
    def vocabulary(self) -> dict[str, Activation]:
        return activations(self.config)

    @property
    def axes(self) -> dict[str, Axis]:
        """Every axis a tensor of this run can lie on."""
        return self.inputs | size_axes(self.config)

    @property
    def asked(self) -> slice:
        """The positions that are asked what comes next."""
        return slice(self.expected_from, self.expected_from + len(self.following))

    @property
    def expected(self) -> list[str]:
        return [token.text for token in self.following]

    def activation(self, name: str) -> Activation:
        if name not in self.vocabulary:
            raise UnknownName("activation", name, self.vocabulary)
        return self.vocabulary[name]

    def tensor(self, name: str) -> Labelled:
        """The activation `name` with its axes and formula."""
        row = self.activation(name)
        masked = Site.parse(name).value == "masked_scores"
        return Labelled(row.axes, self.trace[name], row.formula, masked=masked)

    def remembered(self, row: Activation) -> int:
        """How many positions that its layers remember come before the text, where `row` is of the
        text.
        """
        if "recalled" not in self.inputs or "text" not in row.axes:
            return 0
        parts = self.inputs["recalled"].parts
        assert parts is not None, "what is recalled is a part of its axis"
        return parts["memory"]

    def answer(
        self,
        tensors: dict[str, Labelled],
        fields: dict | None = None,
        axes: dict[str, Axis] | None = None,
    ) -> Answer:
        """Returns an answer about this run. It has the axes of its tensors and those of the input;
        `axes` adds those of the analysis.
        """
        notes = {"notes": self.notes} if self.notes else {}
        return Answer(
            self.kind,
            self.axes | (axes or {}),
            tensors,
            {**(fields or {}), **notes},
            self.model.id,
            self.input,
            inputs=self.tokens.keys(),
        )


def size_axes(config: Config) -> dict[str, Axis]:
    n_features = config.n_features * (2 if config.features == "trigonometric" else 1)
    sizes = {
        "head_channel": config.d_head,
        "channel": config.d_model,
        "hidden": config.d_ff,
        "feature": n_features,
    }
    width = config.n_tokens * config.d_model + config.n_numeric
    sizes |= {"inner1": 4 * width, "inner2": 2 * width}
    return {
        "head": Axis("head", config.n_heads),
        **{name: Axis("channel", size) for name, size in sizes.items()},
        "answer": Axis("answer", 1, ["the row"]),
        "vocabulary": Axis("vocabulary", config.vocabulary_size),
        "side": Axis("channel", len(SIDES), list(SIDES)),
    }


SIDES = ("x", "y", "width", "height")
"""Of a box: its centre and its size, as shares of the image."""


def id_tensor(tokens: Sequence[AnyToken]) -> Tensor:
    return torch.tensor([token.id for token in tokens])


def slot_axis(name: str, seen: Axis, slots: int) -> Axis:
    """The columns of a self-attention with persistent slots: what is `seen` of the text, under its
    name, then the slots.
    """
    assert seen.labels is not None, "every position of a text has a label"
    parts = (seen.parts or {name: seen.size}) | {"slot": slots}
    return Axis(
        "slot",
        seen.size + slots,
        [*seen.labels, *(f"slot {number}" for number in range(1, slots + 1))],
        parts=parts,
    )


def text_axis(tokens: Sequence[AnyToken], parts: dict[str, int] | None = None) -> Axis:
    return Axis(
        "position",
        len(tokens),
        [token.text for token in tokens],
        [token.id for token in tokens],
        parts=parts,
    )
