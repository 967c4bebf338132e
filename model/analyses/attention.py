"""Attention: scores, masked scores, or patterns of the requested layers and heads; for a long text,
the pattern of one head by tiles.
"""

import math
from collections.abc import Iterator
from typing import Any, Literal, cast

import torch
from jaxtyping import Float
from torch import Tensor

from model.activations.site import Site
from model.answers.answer import Answer, Axis, Labelled, Section, numbered
from model.checks import check_head, check_layer, check_position, interval
from model.display_limits import BLOCKS, DEEP, OVERVIEW
from model.errors import InvalidInput
from model.interpretability.heads.attention_tiles import (
    Map,
    Tile,
    largest,
    next_peak,
    places_of,
    tile,
)
from model.interpretability.heads.measures import MARGIN, scores_of_run
from model.interpretability.heads.roles import EVERY
from model.interpretability.masks.key_removal import Removal
from model.interpretability.value_path import removal_of, value_path
from model.layers.relative_positions import offsets
from model.runs.long_text import LongText
from model.runs.run import Run, RunWithoutMaps

Stage = Literal["scores", "masked_scores", "pattern"]
SUBLAYERS = {"self": "attention", "cross": "cross_attention", "rows": "row_attention"}


def attention(
    run: Run,
    *,
    kind: Literal["self", "cross", "rows"] | None = None,
    stack: str | None = None,
    layer: int | None = None,
    head: int | None = None,
    stage: Stage = "pattern",
    decimals: int | None = None,
    forward: int | None = None,
    rows: str | None = None,
    columns: str | None = None,
    position: int | None = None,
    after: int | None = None,
    find: str | None = None,
) -> Answer:
    """The requested attention maps, each [head, query, key], with their masks (1 allows), and the
    entropy and distance of every head of every map.

    `entropy` is the mean over queries of -sum p ln p, in nats; `entropy_limit` is the entropy of
    uniform weights over the visible keys. `distance` is the mean over queries of sum p |query -
    key|, in positions, if queries and keys belong to the same sequence. `decimals` rounds only the
    maps. With the query `forward`, the answer includes what its weights in the one requested head
    are used for (`value_path`). For a deep model, `roles` lists the heads that have each role in
    this run, if all layers and heads are requested. Raises InvalidInput for a layer, head, query,
    or attention that the model does not have, and for fields that require a `level`
    (`attention_by_tiles`).
    """
    check_by_level(rows=rows, columns=columns, position=position, after=after, find=find)
    sites = sites_of(run, kind, stack, layer)
    if head is not None:
        check_head(run.model.id, head, run.config.n_heads)
    heads = slice(None) if head is None else slice(head, head + 1)
    by_site = {site.scope: measures(run, site.scope, heads) for site in sites}
    fields = {
        "stage": stage,
        "decimals": decimals,
        "entropy": {name: m["entropy"] for name, m in by_site.items()},
        "entropy_limit": {site.scope: entropy_limit(run.masks[mask_of(site)]) for site in sites},
        "distance": {name: m["distance"] for name, m in by_site.items()},
        "expected": run.expected,
        "expected_from": run.target_start,
    }
    deep = any(run.config.layers(name) > DEEP for name in run.config.stacks)
    if deep and layer is None and head is None:
        fields["roles"] = [*heads_of_each_role(run)]
    axes = {} if head is None else {"head": numbered("head", [head], "head", ids=[head])}
    maps = {f"{site.scope}.{stage}": map_of(run, site, stage, heads, decimals) for site in sites}
    whole = Section(axes, maps | masks_of(run, sites), fields)
    if forward is not None:
        run.check_unedited("forward")
        whole |= used_for(run, sites, head, forward)
    return run.answer(whole.tensors, whole.fields, whole.axes)


LISTED = 20
"""The number of keys listed for a row."""


def attention_by_tiles(
    run: RunWithoutMaps,
    *,
    level: str,
    layer: int | None = None,
    head: int | None = None,
    rows: str | None = None,
    columns: str | None = None,
    position: int | None = None,
    after: int | None = None,
    find: str | None = None,
    **others: object,
) -> Answer:
    """The visible part of one head's pattern for a long text, in blocks of 2^level x 2^level
    entries: the mean and maximum of each, [row, column], and whether the mask allows any pair in
    it. `rows` and `columns` are intervals of positions such as "1024:2048", by default the whole
    sequence. The level "auto" is the finest with at most 128 blocks per side.

    For a part of the map, `whole` has the maxima of the entire map, in at most 32 blocks per side.
    `looks` has the largest weights of the query `position`, by default the last visible one, and
    `peak` is its next peak after the key `after`. `places` are the positions of the token `find`.
    Raises InvalidInput for anything that the sequence or the model does not have.
    """
    check_by_tiles(run, others)
    layer, head = layer or 0, head or 0
    check_layer("decoder", layer, run.config.layers("decoder"))
    check_head(run.model.id, head, run.config.n_heads)
    scope, n = f"decoder.{layer}.attention", run.inputs["text"].size
    ends = interval("rows", rows, n), interval("columns", columns, n)
    size = 2 ** (chosen := chosen_level(level, max(stop - start for start, stop in ends)))
    block = run.model.transformer.stack("decoder")[layer]
    map = Map(block.attention, run.trace[f"{scope}.q"], run.trace[f"{scope}.k"], head)
    found = tile(map, *ends, chosen)
    query = ends[0][1] - 1 if position is None else position
    check_position("text", query, n)
    weights, labels = map.row(query), run.inputs["text"].labels or []
    fields = {
        "name": scope,
        "head": head,
        "level": chosen,
        "tokens": n,
        "position": query,
        "rows": list(ends[0]),
        "columns": list(ends[1]),
        "looks": largest(weights, LISTED),
        "peak": next_peak(weights, -1 if after is None else after),
        "places": [] if find is None else places_of(labels, find),
    }
    axes = {
        "row": block_axis(labels, ends[0], size),
        "column": block_axis(labels, ends[1], size),
        "key": Axis("position", len(weights), labels[: len(weights)]),
    }
    tensors = blocks_of(scope, found, size)
    tensors[f"{scope}.row"] = Labelled(("key",), weights, f"pattern of query {query}")
    answered = Section(axes, tensors, {**UNMEASURED, "tile": fields})
    if ends != ((0, n), (0, n)):
        answered |= overview(cast(LongText, run.trace), map, layer, labels)
    return run.answer(answered.tensors, answered.fields, answered.axes)


def overview(text: LongText, map: Map, layer: int, labels: list[str]) -> Section:
    """An overview of the whole map, computed once per head."""
    size = 2 ** level_of(map.size, OVERVIEW)
    if (maxima := text.overviews.get((layer, map.head))) is None:
        maxima = tile(map, (0, map.size), (0, map.size), size.bit_length() - 1).maximum
        text.overviews[layer, map.head] = maxima
    name, formula = f"decoder.{layer}.attention.whole", f"maximum of each block of {size} x {size}"
    axes = {name: block_axis(labels, (0, map.size), size) for name in ("whole_row", "whole_column")}
    return Section(axes, {name: Labelled((*axes,), maxima, f"{formula} cells")}, {})


UNMEASURED = {
    "stage": "pattern",
    "decimals": None,
    **{name: {} for name in ("entropy", "entropy_limit", "distance")},
    "expected": [],
    "expected_from": 0,
}
"""The fields that apply only to whole maps."""


def chosen_level(level: str, size: int) -> int:
    """The level for so many visible positions. Raises InvalidInput if there would be too many
    blocks.
    """
    auto = level_of(size, BLOCKS)
    chosen = auto if level == "auto" else int(level)
    if chosen < auto:
        raise InvalidInput(
            "too-many-blocks",
            field="level",
            limit=auto,
            given=chosen,
            positions=size,
            blocks=size >> chosen,
            most=BLOCKS,
        )
    return chosen


def level_of(size: int, blocks: int) -> int:
    """The finest level at which `size` positions fit into `blocks` blocks."""
    return max(0, math.ceil(math.log2(size / blocks)))


def blocks_of(scope: str, found: Tile, size: int) -> dict[str, Labelled]:
    """The tensors of a tile."""
    grid, of = ("row", "column"), f"of the pattern in each block of {size} x {size} cells"
    return {
        f"{scope}.mean": Labelled(grid, found.mean, f"mean {of}"),
        f"{scope}.maximum": Labelled(grid, found.maximum, f"maximum {of}"),
        f"{scope}.seen": Labelled(
            grid, found.visible.to(torch.uint8), "1 where a query of the block may look"
        ),
    }


def check_by_level(**fields: object) -> None:
    """Raises InvalidInput for a field that requires a level when there is none."""
    for name, value in fields.items():
        if value is not None:
            raise InvalidInput("belongs-to-level", field=name)


def check_by_tiles(run: Run, others: dict[str, object]) -> None:
    """Raises InvalidInput unless the question is about the pattern of one self-attention layer."""
    pattern = {"kind": "self", "stack": "decoder", "stage": "pattern"}
    for name, value in others.items():
        if value is not None and value != pattern.get(name):
            raise InvalidInput("level-is-of-one-head", field=name, model=run.model.id)


def block_axis(labels: list[str], ends: tuple[int, int], size: int) -> Axis:
    """The blocks of an interval, each with its first position and its tokens from the first to the
    last.
    """
    starts = range(*ends, size)
    lasts = [min(start + size, ends[1]) - 1 for start in starts]
    names = [
        labels[first] if first == last else f"{labels[first]} {first} … {labels[last]} {last}"
        for first, last in zip(starts, lasts, strict=True)
    ]
    return Axis("block", len(starts), names, values=[*starts], title="position")


def sites_of(run: Run, kind: str | None, stack: str | None, layer: int | None) -> list[Site]:
    """The sites of the requested scores. Raises InvalidInput if there are none."""
    sites = score_sites(run, kind, stack)
    if layer is not None:
        for site in sites:
            assert site.stack is not None, "every attention belongs to a stack"
            check_layer(site.stack, layer, run.config.layers(site.stack))
        sites = [site for site in sites if site.layer == layer]
    if not sites:
        requested = {"kind": kind, "stack": stack}
        raise InvalidInput(
            "no-attention-there",
            field="kind" if kind else "stack",
            given=kind or stack,
            model=run.model.id,
            where="-".join(name for name, value in requested.items() if value) or "all",
            **requested,
        )
    return sites


def heads_of_each_role(run: Run) -> Iterator[dict[str, Any]]:
    """For each role that has keys for some query of the run: the head with the highest score, and
    the score of uniform weights there. Also, in decreasing order, all heads whose score is more
    than MARGIN of the way from that of uniform weights to 1.
    """
    names, roles, scores, even = scores_of_run(run)
    for i, role in enumerate(roles):
        known = scores[i].nan_to_num(-1)
        place, head = divmod(int(known.argmax()), known.shape[1])
        if known[place, head] >= 0:
            lift = (known - even[i, :, None]) / (1 - even[i, :, None])
            having = (lift > MARGIN).nonzero().tolist()
            yield {
                "role": role,
                **EVERY[role].words("", ""),
                "attention": names[place],
                "head": head,
                "score": float(known[place, head]),
                "chance": float(even[i, place]),
                "heads": [
                    {"attention": names[at], "head": head, "score": float(known[at, head])}
                    for at, head in sorted(having, key=lambda pair: -known[tuple(pair)])
                ],
            }


def map_of(run: Run, site: Site, stage: Stage, heads: slice, decimals: int | None) -> Labelled:
    """One attention map [head, query, key], rounded to `decimals` digits."""
    whole = run.tensor(f"{site.scope}.{stage}")
    values = whole.data[heads] if decimals is None else whole.data[heads].round(decimals=decimals)
    return Labelled(whole.axes, values, whole.formula, whole.masked)


def masks_of(run: Run, sites: list[Site]) -> dict[str, Labelled]:
    """The masks of the maps, each [query, key]: 1 allows."""
    found = {}
    for name in dict.fromkeys(map(mask_of, sites)):
        _, *grid = run.tensor(str(next(s for s in sites if mask_of(s) == name))).axes
        found[f"{name}.mask"] = Labelled(
            tuple(grid), run.masks[name].to(torch.uint8), "1 where a query may look"
        )
    return found


def used_for(run: Run, sites: list[Site], head: int | None, query: int) -> Section:
    """What the weights of one query in one head are used for."""
    return value_path(run, *query_of(run, sites, head, query))


def attention_removal(
    run: Run,
    *,
    kind: str | None = None,
    stack: str | None = None,
    layer: int | None = None,
    head: int | None = None,
    forward: int | None = None,
    **_: object,
) -> Removal | None:
    """The removal of keys needed to answer a question about `run`, or None. Raises the same errors
    as `attention`.
    """
    if forward is None or run.config.head.absent:
        return None
    sites = sites_of(run, kind, stack, layer)
    return removal_of(run, *query_of(run, sites, head, forward))


def query_of(run: Run, sites: list[Site], head: int | None, query: int) -> tuple[Site, int, int]:
    """The attention, head, and query to trace forward. Raises InvalidInput."""
    if head is None or len(sites) != 1:
        raise InvalidInput("forward-needs", field="forward", given=query)
    (site,) = sites
    axis = run.tensor(str(site)).axes[1]
    size = run.axes[axis].size
    if not 0 <= query < size:
        raise InvalidInput("no-such-query", field="forward", limit=size - 1, given=query, axis=axis)
    check_head(run.model.id, head, run.config.n_heads)
    return site, head, query


def score_sites(run: Run, kind: str | None, stack: str | None) -> list[Site]:
    """The sites of the scores of every attention of this kind in this stack; None means all kinds,
    or all stacks.
    """
    part = None if kind is None else SUBLAYERS[kind]
    return [
        site
        for site in map(Site.parse, run.vocabulary)
        if site.value == "scores" and (stack in (None, site.stack)) and (part in (None, site.part))
    ]


def mask_of(site: Site) -> str:
    """The name of the mask that an attention shares with that of other layers."""
    return site.of_stack.scope


def measures(run: Run, name: str, heads: slice) -> dict[str, list | None]:
    """Entropy and distance of every head. A head with a negative weight, which only an intervention
    can cause, has no entropy.
    """
    pattern = run.trace[f"{name}.pattern"][heads]
    _, query, key = run.tensor(f"{name}.pattern").axes
    same_text = key in (query, "recalled") and run.axes[query].kind == "position"
    return {
        "entropy": [
            value if shares else None
            for value, shares in zip(
                entropy(pattern).tolist(), (pattern >= 0).all(-1).all(-1).tolist(), strict=True
            )
        ],
        "distance": distance(pattern).tolist() if same_text else None,
    }


def entropy(pattern: Float[Tensor, "head query key"]) -> Float[Tensor, " head"]:
    """The entropy of each head in nats: -sum p ln p over the keys, with 0 ln 0 = 0, averaged over
    the queries.
    """
    return 0 - torch.xlogy(pattern, pattern).sum(-1).mean(-1)  # 0 - x, because -0.0 prints as -0.00


def entropy_limit(allowed: Tensor) -> float:
    """The entropy of a uniform pattern under the mask, in nats: the mean over queries of ln(number
    of visible keys).
    """
    return allowed.sum(-1).clamp(min=1).log().mean().item()


def distance(pattern: Float[Tensor, "head query key"]) -> Float[Tensor, " head"]:
    """The attention distance of each head in positions: sum p |query - key| over the keys, averaged
    over the queries. Remembered keys precede the first query.
    """
    return (pattern * offsets(*pattern.shape[-2:], pattern.device).abs()).sum(-1).mean(-1)
