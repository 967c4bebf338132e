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
    "residual.in": "stream into the layer",
    "attention.q": "queries",
    "attention.k": "keys",
    "attention.v": "values",
    "attention.pattern": "attention pattern",
    "attention.z": "output of a head",
    "attention.out": "attention output",
    "residual.after_attention": "stream after attention",
    "cross_attention.pattern": "cross-attention pattern",
    "cross_attention.z": "output of a cross-attention head",
    "cross_attention.out": "cross-attention output",
    "residual.after_cross_attention": "stream after cross-attention",
    "feed_forward.out": "feed-forward output",
    "residual.after_feed_forward": "stream after feed-forward",
    "row_attention.q": "row queries",
    "row_attention.k": "row keys",
    "row_attention.v": "row values",
    "row_attention.pattern": "row pattern",
    "row_attention.z": "output of a head between rows",
    "row_attention.out": "row attention output",
    "residual.after_row_attention": "stream after row attention",
    "row_feed_forward.out": "row feed-forward output",
    "residual.out": "stream out of the layer",
}
"""Sites by the names that the page gives them."""
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
"""Sites by what stands over a small map, where there is little room; a pointer tells the rest."""
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
"""Sites by what a narrow control calls them, where it has more room than a small map."""
WIDE = 24  # positions, from which on small maps stand one below the other
LONGEST = 10  # letters of a token beside a map
TITLE = 0.077  # of the height of a figure, for the title of a map


def shares(answer: "Answer", name: str) -> tuple[np.ndarray, str]:
    """What is restored, and how it is called; where nothing is to be restored, how far the metric
    is from that of the corrupted run.
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
    """Each site as a small map of layer by position; the chosen patch has a frame."""
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
            one,
            hover_text(answer, f"head {head}, {SITES.get(name, name)}"),
            pick=lambda layer, at: {"layer": layer, "position": at},
        )
        for name, values in zip(names, shares(answer, "_by_head")[0], strict=True)
        for head, one in enumerate(values)
    ]


def hover_text(answer: "Answer", title: str) -> Callable[[int, int], str]:
    known = tokens(answer)
    return lambda layer, at: f"{title}, layer {layer}, {known[at]} (position {at})"


def heading(layers: int, rows: int) -> float:
    """The height in cells of the title over a map, where so many rows of maps share the height:
    a line of text, and at most nearly a cell, or more where the cells of many layers are low.
    """
    return min(max(0.9, layers / 12), TITLE * rows * layers / (1 - min(TITLE * rows, 0.5)))


def small_maps(
    name: str, tiles: Callable[..., list[Tile]], most: Callable[["Answer"], int]
) -> Tiles:
    """Small maps with the layers beside them and the tokens over them, `most` of them side by side.
    A click on a cell chooses its patch.
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
    """What the model says then where it is not what the corrupted run says."""
    own, said = answer.fields["answer_corrupted"], answer.fields["pair_answers"]
    return [["" if one == own else one for one in row] for row in said]


PAIRS = Cells(
    "measured_by_pair",
    numbers=lambda answer, _: shares(answer, "_by_pair")[0],
    x="position",
    y="position",
    columns="position that is patched",
    rows="second position",
    scale="signed",
    ends=lambda answer, _: ends(answer),
    unit=lambda answer, _: shares(answer, "_by_pair")[1],
    words=new_answers,
    longest=LONGEST,
    says=lambda answer, _: [
        [label(visible(one)) for one in row] for row in answer.fields["pair_answers"]
    ],
    hover="%{y} and %{x}<br><b>%{z:.3g}</b> {unit}<br>the model says %{customdata}",
)
"""What two patches at once restore."""


RUNS = {"corrupted": "cross", "patched": "attention", "clean": "feed-forward"}
"""The runs, and the colours of their bars."""


def chances(answer: "Answer", _: Question) -> list[Bar]:
    """The most probable answers of the three runs: corrupted, with the patch, and clean."""
    every = [
        (run, one["text"], one["probability"])
        for run in RUNS
        for one in answer.fields[run]["answers"]
    ]
    at = {text: i for i, text in enumerate(dict.fromkeys(text for _, text, _ in every))}
    return [
        Bar(at[text], name, p, label(name), RUNS[run], run)
        for run, text, p in every
        for name in [shortened(text, LONGEST)]
    ]


ANSWERS = Records(
    chances,
    places="answer",
    lengths=Scale("probability", low=0, high=1),
    hover="{name} run: %{customdata}<br>probability <b>%{y:.3g}</b>",
)
