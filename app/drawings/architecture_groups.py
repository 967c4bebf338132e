"""Layers in groups: a stack of many blocks is drawn as a few groups of them, one of which may be
open, so that a model of thirty layers can be seen as a whole and each of its blocks still be read.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from model.display_limits import DEEP


@dataclass(frozen=True)
class FoldedPart:
    """A sub-layer of every block of a group: the shapes are those in each of the blocks, `name` is
    that in the first block, and `names` are all of them.
    """

    names: list[str]
    kind: str
    inner: list[int]
    widths: list[int]
    after: list[int]

    @property
    def name(self) -> str:
        return self.names[0]


@dataclass(frozen=True)
class Group:
    """Blocks of a stack that follow each other and are drawn as one."""

    blocks: Sequence[Any]

    @property
    def first(self) -> str:
        """The name of the first block: it says which group this is."""
        return self.blocks[0].name

    @property
    def stack(self) -> str:
        return self.first.rpartition(".")[0]

    @property
    def label(self) -> str:
        return f"layers {self.blocks[0].index}–{self.blocks[-1].index}"

    @property
    def parts(self) -> list[FoldedPart]:
        columns = zip(*(block.parts for block in self.blocks), strict=True)
        return [
            FoldedPart([part.name for part in parts], first.kind, first.inner, first.widths, last)
            for parts in columns
            for first, last in [(parts[0], parts[-1].after)]
        ]


def groups(blocks: Sequence[Any]) -> list[Group]:
    """The blocks of a stack in groups; none where they are few, or where they are not alike. A
    group has about as many blocks as there are groups, and two groups differ by one block at most.
    """
    kinds = {
        tuple((part.kind, *part.inner, *part.widths) for part in block.parts) for block in blocks
    }
    if len(blocks) <= DEEP or len(kinds) > 1:
        return []
    count = -(-len(blocks) // math.isqrt(len(blocks)))
    ends = [-(-len(blocks) * i // count) for i in range(count + 1)]
    return [Group(blocks[i:j]) for i, j in pairwise(ends)]


def in_units(blocks: Sequence[Any], opened: str | None) -> Iterator[tuple[Any, Group | None]]:
    """What is drawn of the blocks of a stack: each group, or the blocks of the group that has the
    block named `opened`; with each block that has one the group that it is in.
    """
    for group in groups(blocks):
        if any(block.name == opened for block in group.blocks):
            yield from ((block, group) for block in group.blocks)
        else:
            yield group, group
    if not groups(blocks):
        yield from ((block, None) for block in blocks)
