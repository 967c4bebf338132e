"""`Frame`: the ids around a text. They belong to its tokenizer, and nothing that is typed becomes
one of them.

    an encoder reads     before  x1 … xn  after
    a decoder reads      start   y1 … ym
    and should write     y1 … ym  end

A decoder beside an encoder that reads other ids before a text, as BART does, reads them behind the
start. Some files say which id such a decoder writes first, whatever it finds most probable, and
which ids, or rows of ids, a decoder never writes.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Int
from torch import Tensor


@dataclass(frozen=True)
class Frame:
    """The ids of a frame. `pad` fills a row of a batch behind a shorter text. `before` and `after`
    stand around a text, `start` is what a decoder reads first, and each of `ends` ends a text that
    is written. `special` are all ids that are no text. `first` is the id that a text which is
    written behind a source begins with, if that is not left to the model, `never` are ids that are
    not written, and `never_rows` are rows of ids of which the last is not written behind the
    others.
    """

    pad: int
    before: tuple[int, ...]
    after: tuple[int, ...]
    start: int
    ends: frozenset[int]
    special: frozenset[int]
    first: int | None = None
    never: frozenset[int] = frozenset()
    never_rows: tuple[tuple[int, ...], ...] = ()

    @property
    def end(self) -> int:
        """The id that should be written behind a whole text: the first of `ends`."""
        assert self.ends, "a model that writes a target knows how it ends"
        return min(self.ends)

    @property
    def opening(self) -> tuple[int, ...]:
        """What a decoder reads in front of a target."""
        return self.start, *(id for id in self.before if id != self.start)

    @property
    def closing(self) -> frozenset[int]:
        """The ids that stand behind a text, be it read or written."""
        return self.ends | set(self.after)

    @property
    def signs(self) -> frozenset[int]:
        """The ids that stand in front of a text and behind it."""
        return self.closing | {self.start, *self.before}

    def around(self, ids: Iterable[int]) -> list[int]:
        """The ids of a text and of the frame around it."""
        return [*self.before, *ids, *self.after]

    def ended(self, ids: Int[Tensor, "*some"]) -> Bool[Tensor, "*some"]:
        """Which of `ids` end a text."""
        return among(self.ends, ids)

    def permits(self, id: int, step: int, before: Sequence[int]) -> bool:
        """Whether `id` may be token number `step` of a text that is written behind the ids
        `before`.
        """
        if step == 0 and self.first is not None:
            return id == self.first
        return id not in self.forbidden(before)

    def forbidden(self, before: Sequence[int]) -> frozenset[int]:
        """The ids that are not written behind the ids `before`."""
        rows = (row for row in self.never_rows if (*before[1 - len(row) :],) == row[:-1])
        return self.never.union(row[-1] for row in rows)

    def is_text(self, ids: Int[Tensor, "*some"]) -> Bool[Tensor, "*some"]:
        """Which of `ids` are text."""
        return ~among(self.special, ids)


def among(known: frozenset[int], ids: Int[Tensor, "*some"]) -> Bool[Tensor, "*some"]:
    return torch.isin(ids, torch.tensor(sorted(known), dtype=torch.long, device=ids.device))
