"""Measurements on position vectors: their similarity and their norms."""

from typing import TYPE_CHECKING, Any

import numpy as np

from app.captions import Question, axes
from app.captions.facts import to_rows
from app.captions.text import label, number, tick
from app.figures.axis_scales import counted, linear
from app.figures.marks import Bar, Look, Records, Scale
from app.figures.plot import Panel, Plot, Row, figure
from app.figures.position_marks import (
    frame,
    if_nothing,
    point,
    tensor_meta,
    texts_of,
    with_tensor_meta,
    within,
)
from app.figures.traces import fill, heat_map, line
from model.labels import label as in_words

if TYPE_CHECKING:
    from model.answers.answer import Answer

MEETING = {
    "added to the token": ("Similarity", "position p", "position q", "PE({0}) · PE({1})"),
    "turns queries and keys": (
        "The score depends only on the offset",
        "query p",
        "key q",
        "R({0})x · R({1})x",
    ),
    "added to the score": ("Added to the score", "query p", "key q", "bias({0}, {1})"),
}
"""By kind of scheme: the title of its similarity, its axes, and the name of an entry."""


def similarity(answer: "Answer", question: Question) -> Plot:
    """The similarity of positions, or the bias of each pair, with the row of one position."""
    values = answer.tensors["similarity"].data.numpy()
    n = len(values)
    p = within(question.get("position", 4), 0, n - 1)
    how = answer.fields.get("how", "added to the token")
    title, rows, columns, meets = MEETING.get(how, MEETING["added to the token"])
    head = f" of head {question.get('head') or 0}" if "heads" in answer.fields else ""
    q_minus_p = [[tick(q - r) for q in range(n)] for r in range(n)]
    hover = f"{meets.format('%{y}', '%{x}')}{head} = <b>%{{z:.3g}}</b><br>at offset %{{customdata}}"
    colours = heat_map(values, hover, "signed", customdata=q_minus_p)
    map_of_all = Panel(
        counted(columns, 0, n, side="top"),
        counted(rows, 0, n, down=True),
        [colours],
        if_nothing(values),
        [frame(-0.5, n - 0.5, p - 0.5, p + 0.5)],
    )
    grid = answer.fields.get("grid")
    below = on_grid(values, p, grid, meets) if grid else as_curve(values[p], p, meets)
    description = f"{meets.format('p', 'q')}{head} for {n} positions; below, p = {p}."
    shares = (Row(1, 0.58), Row(1, 0.42))
    drawing = figure(map_of_all, below, description=description, rows=shares)
    return with_tensor_meta(
        drawing,
        answer,
        "similarity",
        title=title,
        caption=f"{meets.format('p', 'q')}{head} for all pairs; below, the row for position p",
        facts=to_rows(answer, SIMILARITY_FACTS),
        aligned=not grid,
    )


def as_curve(row: np.ndarray, p: int, meets: str) -> Panel:
    """The row of one position, over the offsets from it."""
    offsets = np.arange(-p, len(row) - p)
    hover = f"{meets.format(p, '%{customdata}')} = <b>%{{y:.3g}}</b><br>at offset %{{x}}"
    keys = list(range(len(row)))
    what = meets.format(p, "q")
    curve = line(offsets, row, what, "position", hover, dots=False, legend=False, customdata=keys)
    itself = point(0, row[p], what, "ink", hover, customdata=[p])
    low, high = min(0.0, float(row.min())), max(0.0, float(row.max()))
    high = high if low < high else 1.0
    room = 0.04 * (high - low)
    up = linear(what, [], low=low and low - room, high=high + room, wanted=4)
    return Panel(
        counted("offset k = q − p", -p, len(row), sign=True),
        up,
        [curve, itself],
    )


def on_grid(values: np.ndarray, p: int, side: int, meets: str) -> Panel:
    """The row of one patch, arranged like the patches; [CLS], which precedes them, is omitted."""
    first = len(values) - side * side
    patches = values[p, first:].reshape(side, side)
    names = (first + np.arange(side * side)).reshape(side, side)
    hover = (
        f"{meets.format(p, '%{customdata}')} = <b>%{{z:.3g}}</b>"
        "<br>patch in row %{y}, column %{x}"
    )
    most = float(np.abs(values).max()) or 1.0
    colours = heat_map(
        patches, hover, "signed", (-most, most), customdata=names.tolist(), showscale=False
    )
    patch = p - first
    here = (
        [frame(patch % side - 0.5, patch % side + 0.5, patch // side - 0.5, patch // side + 0.5)]
        if patch >= 0
        else []
    )
    return Panel(
        counted("column of q", 0, side),
        counted(f"{meets.format(p, 'q')}, row of q", 0, side, down=True),
        [colours],
        shapes=here,
        even=True,
    )


def lengths(answer: "Answer") -> dict[str, tuple[list[str], np.ndarray]]:
    """The tokens of all sequences with the norms of their embeddings, and of their positions."""
    texts = texts_of(answer)
    tokens = [name for text in texts for name in axes.labels(answer, text)]
    token = np.concatenate([answer.tensors[f"token_norm.{text}"].data.numpy() for text in texts])
    norm = answer.tensors["position_norm"].data.numpy()
    position = np.concatenate([norm[: answer.axes[text].size] for text in texts])
    return {"token": (tokens, token), "position": (tokens, position)}


def quantiles(answer: "Answer") -> dict[float, float]:
    """The quantiles of the norms of the vocabulary's embeddings, if it has any."""
    return {row["quantile"]: row["value"] for row in answer.fields.get("vocabulary_norm", [])}


def bars_of(answer: "Answer", question: Question) -> list[Bar]:
    """The norms of the position vectors, compared with those of the tokens they are added to."""
    kinds, median = {"token": "embedding", "position": "position"}, quantiles(answer).get(0.5)
    return [
        Bar(
            i,
            name,
            length,
            f"{kinds[series]} of {label(name)}",
            kinds[series],
            series,
            stroke=median if series == "token" else None,
        )
        for series, (names, of) in lengths(answer).items()
        for i, (name, length) in enumerate(zip(names, of.tolist(), strict=True))
    ]


def vocabulary(answer: "Answer", question: Question) -> list[dict[str, Any]]:
    """A band from 5 to 95% of the vocabulary."""
    shares, (names, _) = quantiles(answer), lengths(answer)["token"]
    return [fill("select", -0.5, len(names) - 0.5, shares[0.05], shares[0.95])] if shares else []


def longest(answer: "Answer", question: Question) -> Scale:
    most = max(float(of.max()) for _, of in lengths(answer).values())
    high = 1.08 * max(most, quantiles(answer).get(0.95, 0.0))
    return Scale("norm", "units of the residual stream", low=0, high=high)


MEDIAN = "vocabulary median"
NORMS = Records(
    bars_of,
    places=lambda answer, _: ", then ".join(texts_of(answer)),
    lengths=longest,
    stroke=Look(MEDIAN, "ink", hover=f"{MEDIAN}<br>norm <b>%{{y:.3g}}</b>"),
    shapes=vocabulary,
    hover="%{customdata}<br>norm <b>%{y:.3g}</b>",
)


def of_norms(answer: "Answer", question: Question) -> dict[str, Any]:
    tensor = answer.tensors[name := f"token_norm.{texts_of(answer)[0]}"]
    token, position = (span(of) for _, of in lengths(answer).values())
    band = "; band: 5% to 95%" if quantiles(answer) else ""
    return {
        **tensor_meta(answer, name),
        "description": f"Norms of the token embeddings ({token}) and of the positions"
        f" ({position}).",
        "caption": f"{answer.model}: {tensor.formula} and |PE(p)|{band}",
        "facts": to_rows(answer, NORM_FACTS),
    }


def span(values: np.ndarray) -> str:
    """The minimum and maximum of some numbers; only one if both print alike."""
    low, high = number(float(values.min())), number(float(values.max()))
    return low if low == high else in_words(" to ").join((low, high))


SIMILARITY_FACTS = {
    "same_size_change": "Interpolated to its own size",
    "squared_norm": "|PE|²",
    "distinct": "Distinct vectors",
    "offset_spread": "Spread of similarity over p",
    "score_spread": "Spread of the attention score over p",
    "rises": "Offsets where similarity rises",
}
NORM_FACTS = {
    "squared_norm": "|PE|²",
    "largest_value": "Largest value",
    "change_with_length": "Change with length",
    "nearest_distance": "Nearest two positions",
}
