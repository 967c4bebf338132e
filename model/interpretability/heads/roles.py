"""Head roles: the set of keys that a head with a certain role attends to, for each query. A head's
score for a role is the fraction of its attention weight on those keys (Olsson et al. 2022; Clark et
al. 2019; Voita et al. 2019).
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from model.inputs.text import Frame, among

Keys = Bool[Tensor, "*text query key"]
Allowed = Bool[Tensor, "query key"]
OfQueries = Int[Tensor, "*text query"]


@dataclass(frozen=True)
class AttentionContext:
    """What the queries and keys of one attention layer stand for, in one run or for several texts
    of the same length.

    `allowed` says which keys each query may attend to. `queries` and `keys` are token ids, and
    `first` is the index of the key at the first query's own position: 0, or the number of
    remembered tokens before it. `next_ids` are the ids after each query, or -1 if there is none.
    `grid` has the rows and columns of patches. `looked_for` are keys that the run itself defines
    for each query: the patches in its box, or the rows of its class. `frame` is that of the
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
        """The shape of a role's keys, [*text, query, key]."""
        return *self.keys.shape[:-1], *self.allowed.shape


def at_offset(context: AttentionContext, offset: int) -> Keys:
    """The key at the query's own position plus `offset`."""
    places = torch.arange(context.allowed.shape[0])[:, None] + context.first + offset
    return (places == torch.arange(context.allowed.shape[1])).expand(context.shape)


def at_key(context: AttentionContext, key: int) -> Keys:
    """The key number `key`, for every query."""
    found = torch.zeros(context.shape, dtype=torch.bool)
    found[..., key] = True
    return found


def at_end(context: AttentionContext) -> Keys:
    """Every key after the end of a text, for every query."""
    assert context.frame is not None, "a text has a frame"
    return among(context.frame.closing, context.keys)[..., None, :].expand(context.shape)


def duplicates(context: AttentionContext) -> Keys:
    """Other occurrences of the query's own token."""
    return (context.queries[..., :, None] == context.keys[..., None, :]) & ~at_offset(context, 0)


def after_duplicates(context: AttentionContext) -> Keys:
    """The tokens after other occurrences of the query's own token. All of them count."""
    same = duplicates(context)
    follows = torch.zeros_like(same)
    follows[..., 1:] = same[..., :-1]
    return follows


def equal_to(tokens: OfQueries | None, context: AttentionContext) -> Keys:
    """The keys with the same token as `tokens` has at the query. Special tokens such as <s> do not
    count.
    """
    assert tokens is not None, "an attention between two texts has tokens on both sides"
    assert context.frame is not None, "a text has a frame"
    same = tokens[..., :, None] == context.keys[..., None, :]
    return same & context.frame.is_text(tokens)[..., None]


def patch_at(context: AttentionContext, down: int, right: int) -> Keys:
    """The patch `down` rows and `right` columns away from that of the query."""
    rows, columns = context.grid
    heads = context.allowed.shape[0] - rows * columns  # [CLS], if there is one
    number = torch.arange(rows * columns)
    row, column = number // columns, number % columns
    found = torch.zeros_like(context.allowed)
    found[heads:, heads:] = (row[:, None] + down == row) & (column[:, None] + right == column)
    return found


def named_keys(context: AttentionContext) -> Keys:
    """The keys that the run itself defines."""
    assert context.looked_for is not None, "a run with boxes or classes names keys"
    return context.looked_for


@dataclass(frozen=True)
class Role:
    """A role: its name in one or two words, and the keys that a head with this role attends to, in
    words and as a function. {first} and {last} stand for the model's special tokens.
    """

    name: str
    looks_at: str
    keys: Callable[[AttentionContext], Keys]

    def words(self, first: str, last: str) -> dict[str, str]:
        """The name and the keys in words, for a text between the special tokens `first` and `last`,
        "" if the model does not have them.
        """
        signs = {"first": f" ({first} in most texts)" if first else "", "last": last or "the end"}
        return {"name": self.name.format(**signs), "looks_at": self.looks_at.format(**signs)}


ITSELF = Role("itself", "the query’s own position", lambda context: at_offset(context, 0))
CLASS = Role("[CLS]", "[CLS], the first position", lambda context: at_key(context, 0))

TEXT = {
    "previous": Role("previous", "the token before", lambda context: at_offset(context, -1)),
    "second-previous": Role(
        "two before", "the token two positions before", lambda context: at_offset(context, -2)
    ),
    "next": Role("next", "the token after", lambda context: at_offset(context, 1)),
    "second-next": Role(
        "two after", "the token two positions after", lambda context: at_offset(context, 2)
    ),
    "itself": ITSELF,
    "first": Role("first", "the first token{first}", lambda context: at_key(context, 0)),
    "separator": Role("{last}", "{last}, the end-of-text token", at_end),
    "duplicate": Role("duplicate", "other occurrences of the same token", duplicates),
    "induction": Role(
        "induction", "the tokens after other occurrences of the same token", after_duplicates
    ),
}
CROSS = {
    "written-token": Role(
        "next output token",
        "source tokens identical to the next output token (such as names and punctuation)",
        lambda context: equal_to(context.next_ids, context),
    ),
    "read-token": Role(
        "current token",
        "source tokens identical to the decoder’s current token",
        lambda context: equal_to(context.queries, context),
    ),
    "written-place": Role(
        "next output position",
        "the source position with the same index as the next output token",
        lambda context: at_offset(context, 1),
    ),
    "read-place": Role(
        "current position",
        "the source position with the same index as the decoder’s current token",
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
    "same-class": Role("same class", "rows of the class that the model predicts", named_keys),
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
"""The possible roles of an attention layer's heads, by what its queries and keys are."""

EVERY = {name: role for roles in ROLES.values() for name, role in roles.items()}
"""Every role by name. A role has the same name in every kind of attention layer."""
NAMES = tuple(EVERY)


def counted(keys: Keys, allowed: Allowed) -> Bool[Tensor, "*text query"]:
    """The queries that count for a role: those that may attend to a key of the role and to another
    key. A query without a choice reveals nothing about a head.
    """
    return (keys & allowed).any(-1) & (~keys & allowed).any(-1)


def score(
    pattern: Float[Tensor, "*text head query key"], keys: Keys, allowed: Allowed
) -> Float[Tensor, " head"]:
    """The fraction of each head's weight on `keys`, averaged over all queries that count: 1 for a
    head that attends to nothing else. NaN if no query counts.
    """
    weight = (pattern * (keys & allowed)[..., None, :, :]).sum(-1)
    return weight.movedim(-2, 0)[:, counted(keys, allowed)].mean(-1)


def chance(keys: Keys, allowed: Allowed) -> Float[Tensor, ""]:
    """The score of a head with uniform weights over the visible keys."""
    even = (allowed.double() / allowed.sum(-1, keepdim=True)).expand_as(keys)
    return score(even[..., None, :, :], keys, allowed)[0]
