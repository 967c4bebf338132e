"""The cost of a question's edits, before any is made: seconds of one core, and the bytes of other
inputs' activations needed at the same time. The sizes are those of the run without edits.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from typing import Any

from model.activations.activation import input_axis
from model.activations.catalogue import activations
from model.edits.edit import Edits
from model.edits.editor import named_elsewhere, names_of
from model.inputs.input import Input
from model.runs.run import Run

PASS_A_NAME, PASS_A_NUMBER = 23e-6, 1.9e-9
"""Seconds of a pass for each recorded activation, and for each number in it; fitted, like the
others here, to the included models on one core of a two-core server.
"""
EDIT_A_NAME, EDIT_A_NUMBER = 1.9e-4, 4.5e-8
"""Seconds of an edit for each activation that it names, and for each number in it, which is read,
changed, checked, and compared.
"""
COPY_A_NUMBER = 2e-9
"""Seconds for each number that an edit reads from another input."""
WRITTEN_TOKEN = 4e-3
"""Seconds for each token generated with the cache, if an input has no target."""
CHOSEN_TOKEN = 3.8e-3
"""Seconds for each token in addition to the passes: choosing it, and generating and reading it
without edits.
"""
BYTES = 4


@dataclass(frozen=True)
class Price:
    seconds: float = 0.0
    bytes: int = 0


@dataclass(frozen=True)
class RunSizes:
    """How many numbers each activation of `run` has, and would have for another input or a longer
    text.
    """

    run: Run

    def numbers(self, name: str, longer: float = 1.0, along: str = "") -> float:
        """The size of the activation `name` if the input `along`, or every input if none is named,
        is `longer` by this factor.
        """
        axes, inputs = self.run.axes, self.run.inputs
        n = max(axis.size for axis in inputs.values())
        return (
            1.0
            * prod(
                axes[axis].size if axis in axes else n for axis in self.run.vocabulary[name].axes
            )
            * prod(
                longer
                for axis in self.run.vocabulary[name].axes
                if (axis in inputs or axis not in axes) and axis.startswith(along)
            )
        )

    def one_pass(self, *longer: Any) -> float:
        """The seconds of a recorded pass."""
        names = activations(self.run.config)
        numbers = sum(self.numbers(name, *longer) for name in names)
        return PASS_A_NAME * len(names) + PASS_A_NUMBER * numbers

    def edited_pass(self, edits: Edits, *longer: Any) -> float:
        """The seconds of a pass with edits. Checking that every computed number is finite takes as
        long as the pass. A patch without an input needs another pass before it.
        """
        plain = any(edit.op == "patch" and not edit.inputs for edit in edits)
        return (2 + plain) * self.one_pass(*longer) + sum(self.changes(edits, *longer), 0.0)

    def changes(self, edits: Edits, *longer: Any) -> Iterator[float]:
        """The seconds of each edit."""
        for edit in edits:
            names = names_of(self.run.config, edit)
            numbers = sum(self.numbers(name, *longer) for name in names)
            elsewhere = sum(map(self.longer, edit.inputs), 0.0) * numbers * COPY_A_NUMBER
            yield EDIT_A_NAME * len(names) + EDIT_A_NUMBER * numbers + elsewhere

    def longer(self, other: Input) -> float:
        """The ratio of the length of `other`'s input to this one, in characters, limited to what
        the model reads.
        """
        here, there = (
            sum(len(text or "") for text in (input.source, input.target, input.text))
            for input in (Input(**self.run.input), other)
        )
        n = max(axis.size for axis in self.run.inputs.values())
        return min(there / here, self.run.config.max_length / n) if here and there else 1.0

    def others(self, edits: Edits) -> Price:
        """The runs of the other inputs, and what is stored of them."""
        seconds, stored = 0.0, 0.0
        for other, names in named_elsewhere(self.run.config, edits).items():
            longer = self.longer(other)
            seconds += self.one_pass(longer) + self.writing_seconds(other, longer)
            stored += sum(self.numbers(name, longer) for name in names)
        return Price(seconds, round(BYTES * stored))

    def writing_seconds(self, input: Input, longer: float) -> float:
        """The seconds for generating the target of an input that has none."""
        if input.source is None or input.target is not None:
            return 0.0
        axis = input_axis(self.run.config, self.run.config.stacks[-1])
        return WRITTEN_TOKEN * longer * self.run.inputs[axis].size


def price_of_run(run: Run, edits: Edits) -> Price:
    """The price of one run with edits of the input of `run`, which has none."""
    sizes = RunSizes(run)
    others = sizes.others(edits)
    return Price(others.seconds + sizes.edited_pass(edits), others.bytes)


def price_of_text(run: Run, edits: Edits, rows: int, tokens: int) -> Price:
    """The price of generating `tokens` tokens with edits at every step, for `rows` texts at once,
    after the prompt of `run`. The best of several texts is read again.
    """
    sizes, others = RunSizes(run), RunSizes(run).others(edits)
    axis = input_axis(run.config, run.config.stacks[-1])
    read = 0 if run.config.cross else run.inputs[axis].size
    tokens = min(tokens, run.config.max_length - read)
    mean = min(run.config.max_length, read + tokens / 2) / run.inputs[axis].size
    passes = tokens * (rows + (rows > 1)) + 1
    seconds = tokens * CHOSEN_TOKEN + passes * sizes.edited_pass(edits, mean, axis)
    return Price(others.seconds + seconds, others.bytes)
