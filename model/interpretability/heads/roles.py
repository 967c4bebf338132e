"""Head roles: what a head of a certain role would attend to, as a set of keys for each query. The
score of a head for a role is the share of its attention weight on those keys (Olsson et al. 2022;
Clark et al. 2019; Voita et al. 2019).
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from model.inputs.frame import Frame, among

Keys = Bool[Tensor, "*text query key"]
Allowed = Bool[Tensor, "query key"]
OfQueries = Int[Tensor, "*text query"]


@dataclass(frozen=True)
class AttentionContext:
    """What the queries and the keys of one attention of a run stand for, or of an attention that
    reads several texts of one length.

    `allowed` says which key each query may see. `queries` and `keys` are the ids of the tokens
    there, and `first` is the key at which the first query itself stands: 0, or the number of
    remembered tokens before it. `next_ids` are the ids that come after each query, or -1 where none
    does. `grid` has the rows and the columns of patches. `looked_for` are keys that the run itself
    names for each query: the patches in its box, or the rows of its class. `frame` is that of the
    tokenizer of a text.
    """

    allowed: Allowed
    queries: OfQueries
    keys: Int[Tensor, "*text key"]
    first: int = 0
    next_ids: OfQueries | None = None
    grid: tuple[int, int] = (0, 0)
    looked_for: Keys | None = None
    frame: Frame | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the keys of a role, [*text, query, key]."""
        return *self.keys.shape[:-1], *self.allowed.shape


def at_offset(context: AttentionContext, offset: int) -> Keys:
    """The key that stands `offset` places after the query itself."""
    places = torch.arange(context.allowed.shape[0])[:, None] + context.first + offset
    return (places == torch.arange(context.allowed.shape[1])).expand(context.shape)


def at_key(context: AttentionContext, key: int) -> Keys:
    """The key number `key`, for every query."""
    found = torch.zeros(context.shape, dtype=torch.bool)
    found[..., key] = True
    return found


def at_end(context: AttentionContext) -> Keys:
    """Every key that stands behind a text, for every query."""
    assert context.frame is not None, "a text has a frame"
    return among(context.frame.closing, context.keys)[..., None, :].expand(context.shape)


def duplicates(context: AttentionContext) -> Keys:
    """The other places of the query's own token."""
    return (context.queries[..., :, None] == context.keys[..., None, :]) & ~at_offset(context, 0)


def after_duplicates(context: AttentionContext) -> Keys:
    """What follows other places of the query's own token. All of them count."""
    same = duplicates(context)
    follows = torch.zeros_like(same)
    follows[..., 1:] = same[..., :-1]
    return follows


def equal_to(tokens: OfQueries | None, context: AttentionContext) -> Keys:
    """The keys of the same token as `tokens` has at the query. Signs such as <s> do not count."""
    assert tokens is not None, "an attention between two texts has tokens on both sides"
    assert context.frame is not None, "a text has a frame"
    same = tokens[..., :, None] == context.keys[..., None, :]
    return same & context.frame.is_text(tokens)[..., None]


def patch_at(context: AttentionContext, down: int, right: int) -> Keys:
    """The patch that is `down` rows and `right` columns from that of the query."""
    rows, columns = context.grid
    heads = (
        context.allowed.shape[0] - rows * columns
    )  # [CLS] stands before the patches, if anywhere
    number = torch.arange(rows * columns)
    row, column = number // columns, number % columns
    found = torch.zeros_like(context.allowed)
    found[heads:, heads:] = (row[:, None] + down == row) & (column[:, None] + right == column)
    return found


def named_keys(context: AttentionContext) -> Keys:
    """The keys that the run itself names."""
    assert context.looked_for is not None, "a run with boxes or classes names keys"
    return context.looked_for


@dataclass(frozen=True)
class Role:
    """A role: its name in one or two words, the keys that a head of this role would look at in
    words, and as a function. {first} and {last} stand for the signs of the model's frame.
    """

    name: str
    looks_at: str
    keys: Callable[[AttentionContext], Keys]

    def words(self, first: str, last: str) -> dict[str, str]:
        """The name and what the role looks at, where the signs `first` and `last` stand around a
        text; "" for a sign that a model does not have.
        """
        signs = {"first": f" ({first} in most texts)" if first else "", "last": last or "the end"}
        return {"name": self.name.format(**signs), "looks_at": self.looks_at.format(**signs)}


ITSELF = Role("itself", "the query’s own place", lambda context: at_offset(context, 0))
CLASS = Role("[CLS]", "[CLS], the first place", lambda context: at_key(context, 0))

TEXT = {
    "previous": Role("previous", "the token before", lambda context: at_offset(context, -1)),
    "second-previous": Role(
        "two before", "the token two places before", lambda context: at_offset(context, -2)
    ),
    "next": Role("next", "the token after", lambda context: at_offset(context, 1)),
    "second-next": Role(
        "two after", "the token two places after", lambda context: at_offset(context, 2)
    ),
    "itself": ITSELF,
    "first": Role("first", "the first token{first}", lambda context: at_key(context, 0)),
    "separator": Role("{last}", "{last}, the sign at the end", at_end),
    "duplicate": Role("duplicate", "other places of the same token", duplicates),
    "induction": Role("induction", "what follows other places of the same token", after_duplicates),
}
CROSS = {
    "written-token": Role(
        "token written",
        "the same token as the one that is written next",
        lambda context: equal_to(context.next_ids, context),
    ),
    "read-token": Role(
        "token read",
        "the same token as the one that is read",
        lambda context: equal_to(context.queries, context),
    ),
    "written-place": Role(
        "place written",
        "the place of the source with the number of the token that is written next",
        lambda context: at_offset(context, 1),
    ),
    "read-place": Role(
        "place read",
        "the place of the source with the number of the token that is read",
        lambda context: at_offset(context, 0),
    ),
    "first": TEXT["first"],
    "separator": TEXT["separator"],
}
PATCHES = {
    "itself": ITSELF,
    "left": Role("left", "the patch to the left", lambda context: patch_at(context, 0, -1)),
    "right": Role("right", "the patch to the right", lambda context: patch_at(context, 0, 1)),
    "above": Role("above", "the patch above", lambda context: patch_at(context, -1, 0)),
    "below": Role("below", "the patch below", lambda context: patch_at(context, 1, 0)),
}
BOXES = {"box": Role("box", "the patches in the query’s own box", named_keys)}
ROWS = {
    "itself": ITSELF,
    "same-class": Role("same class", "rows of the class that the model says", named_keys),
}
ROLES = {
    "text": TEXT,
    "cross": CROSS,
    "patches": PATCHES,
    "patches with a class": {**PATCHES, "class": CLASS},
    "boxes": BOXES,
    "queries": {"itself": ITSELF},
    "columns": {"itself": ITSELF},
    "columns with a class": {"itself": ITSELF, "class": CLASS},
    "rows": ROWS,
}
"""By what the queries and the keys of an attention are, the roles that its heads may have."""

EVERY = {name: role for roles in ROLES.values() for name, role in roles.items()}
"""Every role by its name. A role has the same name wherever it may be had."""
NAMES = tuple(EVERY)


def counted(keys: Keys, allowed: Allowed) -> Bool[Tensor, "*text query"]:
    """The queries that count for a role: those which may see a key of the role and another key that
    is none. A query without a choice says nothing about a head.
    """
    return (keys & allowed).any(-1) & (~keys & allowed).any(-1)


def score(
    pattern: Float[Tensor, "*text head query key"], keys: Keys, allowed: Allowed
) -> Float[Tensor, " head"]:
    """The share of each head's weight on `keys`, as the mean over the queries of all texts that
    count: 1 for a head that attends to nothing else. NaN if no query counts.
    """
    weight = (pattern * (keys & allowed)[..., None, :, :]).sum(-1)
    return weight.movedim(-2, 0)[:, counted(keys, allowed)].mean(-1)


def chance(keys: Keys, allowed: Allowed) -> Float[Tensor, ""]:
    """The score of a head with uniform weights over the keys that each query may see."""
    even = (allowed.double() / allowed.sum(-1, keepdim=True)).expand_as(keys)
    return score(even[..., None, :, :], keys, allowed)[0]
