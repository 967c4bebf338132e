"""Figures of /patching: what each patch restores, as small maps of layer by position."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from app.captions import Question
from app.captions.text import decimals, label, shortened, visible
from app.figures.marks import Bar, Cells, Records, Scale, Tiles
from app.figures.mosaic import Tile

if TYPE_CHECKING:
    from model.answers.answer import Answer

SITES = {
    "residual.in": "residual stream into the layer",
    "attention.q": "queries",
    "attention.k": "keys",
    "attention.v": "values",
    "attention.pattern": "attention pattern",
    "attention.z": "output of a head",
    "attention.out": "attention output",
    "residual.after_attention": "residual stream after attention",
    "cross_attention.pattern": "cross-attention pattern",
    "cross_attention.z": "output of a cross-attention head",
    "cross_attention.out": "cross-attention output",
    "residual.after_cross_attention": "residual stream after cross-attention",
    "feed_forward.out": "feed-forward output",
    "residual.after_feed_forward": "residual stream after feed-forward",
    "row_attention.q": "row queries",
    "row_attention.k": "row keys",
    "row_attention.v": "row values",
    "row_attention.pattern": "row pattern",
    "row_attention.z": "output of a head between rows",
    "row_attention.out": "row attention output",
    "residual.after_row_attention": "residual stream after row attention",
    "row_feed_forward.out": "row feed-forward output",
    "residual.out": "residual stream out of the layer",
}
"""The page's names of the sites."""
SHORT = {
    "residual.in": "stream in",
    "attention.pattern": "pattern",
    "attention.z": "head",
    "attention.out": "attention",
    "residual.after_attention": "after att.",
    "cross_attention.pattern": "cross pat.",
    "cross_attention.z": "cross head",
    "cross_attention.out": "cross-att.",
    "residual.after_cross_attention": "after cross",
    "feed_forward.out": "feed-forw.",
    "residual.after_feed_forward": "after f.-f.",
    "row_attention.z": "row head",
    "row_attention.out": "row att.",
    "residual.after_row_attention": "after row",
    "row_feed_forward.out": "row f.-f.",
    "residual.out": "stream out",
}
"""The short names over small maps, with little room; the hover text has the full ones."""
OFFERED = {
    **SITES,
    **SHORT,
    "attention.z": "head output",
    "attention.out": "attention",
    "residual.after_attention": "after attention",
    "cross_attention.pattern": "cross pattern",
    "cross_attention.z": "cross head",
    "cross_attention.out": "cross-attention",
    "feed_forward.out": "feed-forward",
    "residual.after_feed_forward": "after feed-f.",
}
"""The names in a narrow control, which has more room than a small map."""
WIDE = 24  # minimum positions for small maps one below the other
LONGEST = 10  # maximum characters of a token next to a map
TITLE = 0.077  # fraction of a figure's height for the title of a map


def shares(answer: "Answer", name: str) -> tuple[np.ndarray, str]:
    """The fraction restored, and its name; if nothing can be restored, the difference of the metric
    from the corrupted run.
    """
    restored = answer.tensors.get(f"restored{name}")
    if restored is not None:
        return restored.data.numpy(), "restored"
    moved = answer.tensors[f"measured{name}"].data.numpy() - answer.fields["corrupted"]["value"]
    return moved, answer.fields["unit"]


def ends(answer: "Answer") -> tuple[float, float] | None:
    return (-1.0, 1.0) if answer.fields["nothing"] is not None else None


def tokens(answer: "Answer") -> list[str]:
    return [shortened(token, LONGEST) for token in answer.axes["position"].labels or []]


def grid(answer: "Answer", question: Question) -> list[Tile]:
    """Each site as a small map of layer by position; the selected patch has a frame."""
    names, chosen = answer.axes["site"].labels or [], answer.fields
    return [
        Tile(
            SHORT.get(name, SITES.get(name, name)),
            values,
            hover_text(answer, SITES.get(name, name)),
            pick=lambda layer, at, name=name: {"site": name, "layer": layer, "position": at},
            outlined=[(chosen["layer"], chosen["position"])] if name == chosen["site"] else [],
        )
        for name, values in zip(names, shares(answer, "")[0], strict=True)
    ]


def heads(answer: "Answer", question: Question) -> list[Tile]:
    """Each head as a small map of layer by position."""
    names = answer.axes["head_site"].labels or []
    return [
        Tile(
            f"{SHORT.get(name, name)} {head}",
            row,
            hover_text(answer, f"head {head}, {SITES.get(name, name)}"),
            pick=lambda layer, at: {"layer": layer, "position": at},
        )
        for name, values in zip(names, shares(answer, "_by_head")[0], strict=True)
        for head, row in enumerate(values)
    ]


def hover_text(answer: "Answer", title: str) -> Callable[[int, int], str]:
    known = tokens(answer)
    return lambda layer, at: f"{title}, layer {layer}, {known[at]} (position {at})"


def heading(layers: int, rows: int) -> float:
    """The height in cells of the title over a map, with this many rows of maps: a line of text,
    limited to about one cell, or more if the cells of many layers are low.
    """
    return min(max(0.9, layers / 12), TITLE * rows * layers / (1 - min(TITLE * rows, 0.5)))


def small_maps(
    name: str, tiles: Callable[..., list[Tile]], most: Callable[["Answer"], int]
) -> Tiles:
    """Small maps with layers on the left and tokens above, `most` of them side by side. Clicking a
    cell selects its patch.
    """

    def side_by_side(answer: "Answer", _: Question) -> int:
        return 1 if len(tokens(answer)) > WIDE else most(answer)

    def line(answer: "Answer", question: Question) -> float:
        layers, n = np.shape(tiles(answer, question)[0].values)
        rows = -(-len(tiles(answer, question)) // side_by_side(answer, question))
        return 10 * heading(layers, rows) / max(layers, n)

    def names(answer: "Answer", question: Question) -> tuple[list[str], list[str]]:
        layers = len(np.asarray(tiles(answer, question)[0].values))
        return [str(layer) for layer in range(layers)], tokens(answer)

    return Tiles(
        tiles,
        across=side_by_side,
        rows="layer",
        columns="position",
        what=lambda answer, _: shares(answer, name)[1],
        scale="signed",
        ends=lambda answer, _: ends(answer),
        unit=lambda answer, _: shares(answer, name)[1],
        names=names,
        text=decimals,
        line=line,
    )


GRID = small_maps("", grid, lambda answer: 3)
HEADS = small_maps("_by_head", heads, lambda answer: answer.axes["head"].size)


def new_answers(answer: "Answer", _: Question) -> list[list[str]]:
    """The model's predictions where they differ from those of the corrupted run."""
    corrupted, answers = answer.fields["answer_corrupted"], answer.fields["pair_answers"]
    return [["" if text == corrupted else text for text in row] for row in answers]


PAIRS = Cells(
    "measured_by_pair",
    numbers=lambda answer, _: shares(answer, "_by_pair")[0],
    x="position",
    y="position",
    columns="first patched position",
    rows="second patched position",
    scale="signed",
    ends=lambda answer, _: ends(answer),
    unit=lambda answer, _: shares(answer, "_by_pair")[1],
    words=new_answers,
    longest=LONGEST,
    says=lambda answer, _: [
        [label(visible(text)) for text in row] for row in answer.fields["pair_answers"]
    ],
    hover="%{y} and %{x}<br><b>%{z:.3g}</b> {unit}<br>the model predicts %{customdata}",
)
"""What two simultaneous patches restore."""


RUNS = {"corrupted": "cross", "patched": "attention", "clean": "feed-forward"}
"""The runs, and the colors of their bars."""


def chances(answer: "Answer", _: Question) -> list[Bar]:
    """The most probable predictions of the three runs: corrupted, patched, and clean."""
    every = [
        (run, entry["text"], entry["probability"])
        for run in RUNS
        for entry in answer.fields[run]["answers"]
    ]
    at = {text: i for i, text in enumerate(dict.fromkeys(text for _, text, _ in every))}
    return [
        Bar(at[text], name, p, label(name), RUNS[run], run)
        for run, text, p in every
        for name in [shortened(text, LONGEST)]
    ]


ANSWERS = Records(
    chances,
    places="output",
    lengths=Scale("probability", low=0, high=1),
    hover="{name} run: %{customdata}<br>probability <b>%{y:.3g}</b>",
)
