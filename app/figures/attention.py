"""Figures of /attention: one head's map, and every head at a glance."""

import numpy as np
import plotly.graph_objects as go

from app.figures.drawing import Drawn, Question
from app.figures.grammar import Panel, Tile, figure, heat_map, mosaic, named
from app.figures.text import number, weight
from model.activations.site import Site
from model.answers.answer import Answer, Axis

TITLES = {
    "encoder.attention": "encoder self-attention",
    "decoder.attention": "decoder self-attention",
    "decoder.cross_attention": "cross-attention",
    "encoder.row_attention": "attention between rows",
}
KINDS = {"attention": "self", "cross_attention": "cross", "row_attention": "rows"}
UNITS = {"pattern": "weight", "masked_scores": "score", "scores": "score"}


def one_head(answer: Answer, question: Question) -> go.Figure:
    """The map of the first head of the first attention that was asked for: rows are queries,
    columns are keys. A pattern is drawn from 0 to 1, scores around 0; masked cells are hatched.
    """
    stage = answer.fields["stage"]
    name, site = next(sites(answer, stage))
    values = shown(answer, name, stage)[0]
    _, query, key = answer.tensors[name].axes
    queries, keys = labels(answer.axes[query]), labels(answer.axes[key])
    pattern = stage == "pattern"
    hover = f"%{{y}} → %{{x}}<br><b>%{{z:.3g}}</b> {'of the weight' if pattern else 'score'}"
    trace = heat_map(
        values,
        hover,
        "cividis" if pattern else "signed",
        (0, 1) if pattern else None,
        UNITS[stage],
        hatched=True,
        text=[["" if np.isnan(z) else printed(z, pattern) for z in row] for row in values],
    )
    sums = [row_sum(i, row, len(keys)) for i, row in enumerate(values)] if pattern else []
    panel = Panel(
        named(f"key: {key} token", keys, above=True),
        named(f"query: {query} token", with_next(answer, site, query, queries), down=True),
        [trace],
        sums,
        [boundary(end) for end in ends_of_parts(answer.axes[key])],
    )
    said = f"{TITLES[group_of(site)]}, layer {site.layer}: {UNITS[stage]} of every query and key."
    return figure(panel, description=said[0].upper() + said[1:])


def every_head(answer: Answer, question: Question) -> go.Figure:
    """A small map for each head: rows are layers, columns are heads, a panel for each kind."""
    stage = answer.fields["stage"]
    groups: dict[str, list[tuple[str, Site]]] = {}
    for name, site in sites(answer, stage):
        groups.setdefault(group_of(site), []).append((name, site))
    panels = [panel_of(answer, stage, maps) for maps in groups.values()]
    said = ", ".join(TITLES[group] for group in groups)
    return figure(*panels, description=f"Every head of {said}: brighter is more.", across=True)


def panel_of(answer: Answer, stage: str, maps: list[tuple[str, Site]]) -> Panel:
    """The heads of one kind of attention, layer by layer."""
    tiles = []
    for name, site in maps:
        _, query, key = answer.tensors[name].axes
        queries, keys = labels(answer.axes[query]), labels(answer.axes[key])
        tiles += [
            Tile(
                f"{site.layer}.{head}",
                values,
                lambda q, k, queries=queries, keys=keys, site=site, head=head: (
                    f"layer {site.layer}, head {head}: {queries[q]} → {keys[k]}"
                ),
                f"head:{head}",
            )
            for head, values in enumerate(shown(answer, name, stage))
        ]
    across = len(tiles) // len(maps)
    pattern = stage == "pattern"
    ends = (0, 1) if pattern else None
    title = TITLES[group_of(maps[0][1])]
    return mosaic(
        tiles, across, title, "key", UNITS[stage], "cividis" if pattern else "signed", ends
    )


def sites(answer: Answer, stage: str):
    """The maps of the answer with their sites, encoder first, layer by layer."""
    found = [
        (name, Site.parse(name)) for name in answer.tensors if name.rpartition(".")[2] == stage
    ]
    order = list(TITLES)
    return iter(sorted(found, key=lambda one: (order.index(group_of(one[1])), one[1].layer)))


def group_of(site: Site) -> str:
    return site.of_stack.scope


def shown(answer: Answer, name: str, stage: str) -> np.ndarray:
    """The numbers of a map [head, query, key]; NaN where the mask hides a cell. Before the mask
    nothing is hidden.
    """
    values = answer.tensors[name].data.numpy()
    if stage == "scores":
        return values
    allowed = answer.tensors[f"{group_of(Site.parse(name))}.mask"].data.numpy().astype(bool)
    return np.where(allowed, values, np.float32(np.nan))


def labels(axis: Axis) -> list[str]:
    return axis.labels or [str(i) for i in range(axis.size)]


def with_next(answer: Answer, site: Site, query: str, queries: list[str]) -> list[str]:
    """The tokens of the rows, each with the token that is expected after it."""
    if query != "target" and (query != "text" or site.stack != "decoder"):
        return queries
    following = [""] * answer.fields["expected_from"] + list(answer.fields["expected"])
    following += [""] * (len(queries) - len(following))
    return [f"{q} → {n}" if n else q for q, n in zip(queries, following, strict=True)]


def printed(value: float, pattern: bool) -> str:
    return weight(value) if pattern else number(value)


def row_sum(row: int, values: np.ndarray, columns: int) -> dict:
    """What a row adds up to: 1, or 0 for a query that may look nowhere."""
    return {
        "x": columns - 0.5,
        "y": row,
        "xanchor": "left",
        "xshift": 6,
        "text": f"Σ {float(np.nansum(values)):.3f}",
        "name": "sum ink-soft",
        "showarrow": False,
    }


def ends_of_parts(axis: Axis) -> list[int]:
    """Where the parts of an axis end that is put together from several."""
    ends = np.cumsum(list((axis.parts or {}).values())[:-1])
    return [int(end) for end in ends if end]


def boundary(end: int) -> dict:
    return {
        "type": "line",
        "x0": end - 0.5,
        "x1": end - 0.5,
        "y0": 0,
        "y1": 1,
        "yref": "domain",
        "line": {"width": 2},
        "name": "boundary",
    }


FIGURES = {
    "map": Drawn("One head", one_head),
    "heads": Drawn("All heads", every_head),
}
