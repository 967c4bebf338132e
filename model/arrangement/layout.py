"""`Layout`: an arrangement applied to the tokens of one input. It determines which tokens a run
reads, how their vectors and positions change, and afterwards where each token is.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import torch
from torch import Tensor

from model.activations.catalogue import activations
from model.activations.site import Site
from model.answers.answer import Axis
from model.arrangement.arrangement import Arrangement
from model.edits.changes import EditReport, Stage, change_of, joined
from model.edits.invariants import broken
from model.errors import InvalidInput
from model.layers.embedding import Embedding
from model.runs.run import AnyToken, Run
from model.runs.text import NO_PADS, Pads
from model.trace import Hook
from model.zoo.models import Model

Moved = dict[str, tuple[Tensor, Tensor]]
"""The moved activations, each before and after."""


@dataclass(frozen=True)
class Layout:
    """`order` has, for each typed token, the one that is read in its place. The tokens are on the
    axis `axis`, which `stack` reads; the axis may continue with others, such as the target of a
    prefix model, which keep their places.
    """

    model: Model
    arranged: Arrangement
    stack: str
    axis: str
    order: tuple[int, ...]
    pads: Pads = NO_PADS

    @property
    def token(self) -> str:
        """The name of the activation with the token vectors."""
        return f"{self.stack}.embedding.token"

    def places(self, n: int) -> list[int | None]:
        """For each position of the arranged axis, the position in the original input of `n` tokens;
        None for padding. Raises InvalidInput if a text has continued into a segment with fewer
        tokens than are arranged.
        """
        if n < len(self.order):
            raise InvalidInput(
                "order-of-one-segment", field="order", ordered=len(self.order), tokens=n
            )
        rest = range(len(self.order), n)
        return [*[None] * self.pads.left, *self.order, *rest, *[None] * self.pads.right]

    def index(self, n_read: int) -> list[int]:
        """For each of `n_read` positions, including padding, the one whose token is read there."""
        places = self.places(n_read - self.pads.left - self.pads.right)
        return [at if place is None else self.pads.left + place for at, place in enumerate(places)]

    def padded(self, tokens: Sequence[AnyToken]) -> list[AnyToken]:
        """The tokens with the padding around them."""
        tokenizer = self.model.text_tokenizer
        pad = tokenizer.token(tokenizer.frame.pad)
        return [*[pad] * self.pads.left, *tokens, *[pad] * self.pads.right]

    def arranged_tokens(self, tokens: Sequence[AnyToken]) -> list[AnyToken]:
        """The tokens in reading order, with the padding around them."""
        padded = self.padded(tokens)
        return [padded[at] for at in self.index(len(padded))]

    @property
    def taken(self) -> int:
        """The number of positions that are unavailable for generation."""
        pads = 0 if self.model.config.cross else self.pads.left + self.pads.right
        learned = self.model.config.positions.absolute == "learned"
        return pads + (self.arranged.shift if learned else 0)

    def moving(self, moved: Moved, select: Hook) -> Hook:
        """A hook that arranges every row of a batch. `moved` gets the part selected by `select` of
        each changed activation, before and after.
        """
        moves = self.moves

        def move(name: str, value: Tensor) -> Tensor:
            if name not in moves:
                return value
            after = moves[name](value)
            moved[name] = select(name, value), select(name, after)
            return after

        return move

    @property
    def moves(self) -> Mapping[str, Callable[[Tensor], Tensor]]:
        """How an activation changes, by its name."""
        moves: dict[str, Callable[[Tensor], Tensor]] = {}
        if self.arranged.reordered:
            moves[self.token] = lambda x: x[..., self.index(x.shape[-2]), :]
        if self.arranged.positions != "on":
            moves |= {
                name: partial(self.arranged_positions, name) for name in position_activations(self)
            }
        return moves

    def arranged_positions(self, name: str, value: Tensor) -> Tensor:
        """The positions that replace `value`, which are added to the token vectors [position,
        channel], or in a relative scheme to the scores [head, query, key].
        """
        if self.arranged.positions == "off":
            return torch.zeros_like(value)
        n, embedding = value.shape[-2], embedding_of(self.model, name)
        if self.arranged.positions == "shift":
            check_last_position(self.model, self.arranged.shift + n - 1)
            return embedding.position(n, self.arranged.shift).to(value)
        listed = self.arranged.listed
        places = [*listed, *range(len(listed), n)]
        return embedding.position(max(n, *(p + 1 for p in places)))[places].to(value)

    def labelled(self, run: Run) -> Run:
        """The arranged run, with tokens and axes in reading order."""
        tokens = run.tokens[self.axis]
        n = len(tokens) - self.pads.left - self.pads.right
        remembered = run.axes["recalled"].size - len(tokens) if "recalled" in run.axes else 0
        moved, inputs = self.index(len(tokens)), dict(run.inputs)
        for name, axis in run.inputs.items():
            if name in (self.axis, f"{self.axis}_and_slots", "recalled"):
                inputs[name] = ordered(axis, moved, remembered if name == "recalled" else 0)
        places = self.places(n)
        read = [tokens[at] for at in moved]
        following = run.next_tokens
        aligned: dict[str, list[int | None]] = {}
        if following and self.axis == "text" and not self.is_prefix:
            following = read[self.pads.left + 1 : self.pads.left + n]
            predicts = places[self.pads.left : self.pads.left + n - 1]
            aligned["expected"] = [at if at is not None and at < n - 1 else None for at in predicts]
        for name, axis in inputs.items():
            if name in (self.axis, f"{self.axis}_and_slots"):
                behind = axis.size - len(tokens)
                aligned[name] = [*places, *range(n, n + behind)]
            elif name == "recalled":
                aligned[name] = [*range(remembered), *(shifted(at, remembered) for at in places)]
        return replace(
            run,
            inputs=inputs,
            tokens={**run.tokens, self.axis: read},
            next_tokens=following,
            aligned={
                name: index for name, index in aligned.items() if index != list(range(len(index)))
            },
            notes=[*run.notes, *self.notes],
        )

    @property
    def is_prefix(self) -> bool:
        return self.model.config.family == "prefix"

    def reports(self, run: Run, moved: Moved) -> Iterator[EditReport]:
        """The effect of each part of the arrangement."""
        arranged, width = self.arranged, self.model.config.d_model
        if arranged.pad is not None:
            added = (self.pads.left + self.pads.right) * width
            yield EditReport("pad", self.token, [self.token], added, None, [])
        if arranged.reordered:
            change = change_of(*moved[self.token])
            yield EditReport("order", self.token, [self.token], change.elements, change.largest, [])
        if arranged.positions != "on":
            names = [name for name in position_activations(self) if name in moved]
            changes = [change_of(*moved[name]) for name in names]
            sizes = [change.largest for change in changes if change.largest is not None]
            yield EditReport(
                "positions",
                ", ".join(names),
                names,
                sum(change.elements for change in changes),
                max(sizes, default=None),
                joined(
                    law
                    for name in names
                    for law in broken(run.vocabulary[name], *moved[name], run.masks)
                ),
            )

    def stages(
        self, moved: Moved, edited: Mapping[str, Sequence[Stage]]
    ) -> dict[str, Sequence[Stage]]:
        """The values of each changed activation, before and after each change: first its positions,
        and then the edits, whose stages are `edited`. The values of a moved token follow its
        formula there.
        """
        stages = dict(edited)
        for name, (before, after) in moved.items():
            if name != self.token and not torch.equal(before, after):
                moved_stage = Stage(None, "positions", before, after)
                stages[name] = [moved_stage, *stages.get(name, ())]
        return stages

    @property
    def notes(self) -> list[str]:
        """A sentence for each thing that a reader of the run should know."""
        config, notes = self.model.config, []
        what = {"source": "source", "image": "image", "row": "row"}.get(self.axis, "text")
        what = "source" if self.is_prefix else what
        if self.arranged.reordered:
            notes.append(
                f"The tokens of the {what} are read in another order, and their labels stand in"
                " that order. Each token is compared with itself in the run without edits."
            )
        if self.pads.left + self.pads.right:
            notes.append(
                "The padding mask hides the pads: no token attends to them."
                if self.arranged.hidden
                else "The pads are not hidden: every token that may see them attends to them."
            )
        turns = config.positions.relative == "rope"
        # Persistent slots are not rotated, so rotating queries further changes their scores.
        absolute = (
            config.positions_of(self.stack) != "none"
            or config.attention.score == "location"
            or (turns and config.attention.slots > 0)
        )
        if self.pads.left and absolute and self.arranged.positions in ("on", "shift"):
            although = ", although the pads are hidden" if self.arranged.hidden else ""
            notes.append(
                "The pads stand in front, and so every token is told a position that is"
                f" {self.pads.left} larger than without them: the numbers of the tokens change"
                f"{although}."
            )
        if self.pads.left and turns and not absolute:
            notes.append(
                "The pads stand in front, and so queries and keys are turned by positions that are"
                f" {self.pads.left} larger; the scores, which depend on offsets, stay."
            )
        if self.pads.right and config.positions_of(self.stack) == "normalised":
            notes.append(
                "Positions are told as shares of the length, which the pads are a part of: the"
                " numbers of the tokens change."
            )
        return notes


def position_activations(layout: Layout) -> list[str]:
    """The names of the activations that carry position information: what is added to the token
    vectors and, if positions are off, to the scores of a relative scheme. Listed positions apply to
    the typed tokens.
    """
    config, arranged = layout.model.config, layout.arranged
    names = [
        f"{stack}.embedding.position"
        for stack in config.stacks
        if config.positions_of(stack) != "none"
        and (arranged.positions != "listed" or stack == layout.stack)
    ]
    if arranged.positions == "off":
        names += [name for name in activations(config) if Site.parse(name).value == "relative"]
    return names


def check_last_position(model: Model, last: int, most: int | None = None) -> None:
    """Raises InvalidInput for a position beyond `most`, or beyond a learned table."""
    if model.config.positions.absolute == "learned":
        most = model.config.max_length - 1
    if most is not None and last > most:
        raise InvalidInput(
            "positions-go-beyond", field="positions", limit=most, given=last, model=model.id
        )


def embedding_of(model: Model, name: str) -> Embedding:
    """The module that computes the position activation `name`."""
    transformer = model.transformer
    return transformer.target_embedding if name.startswith("decoder.") else transformer.embedding


def ordered(axis: Axis, index: list[int], start: int) -> Axis:
    """The axis with its places from `start` on in the order `index`; later ones are unchanged."""
    moved = [*range(start), *(start + at for at in index), *range(start + len(index), axis.size)]

    def along(values: list | None) -> list | None:
        return None if values is None else [values[at] for at in moved]

    return replace(axis, labels=along(axis.labels), ids=along(axis.ids), value=along(axis.value))


def shifted(place: int | None, by: int) -> int | None:
    return None if place is None else place + by
