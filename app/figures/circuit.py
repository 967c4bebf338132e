"""Figures of /circuit: circuits of one head in words and positions, and the composition of all
pairs of heads. Those of the paths are in circuit_paths.py.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from app.captions import Question
from app.captions.axes import labels, values
from app.captions.text import decimals, number, percent
from app.figures.annotations import framed
from app.figures.axis_scales import AxisScale, Side, named
from app.figures.marks import Cells, Lines, Look, Marks, Of, Scale
from app.figures.panels import Row

if TYPE_CHECKING:
    from model.answers.answer import Answer

LONGEST = 14  # letters of a token in a cell or beside a row
FEW = 16  # heads that are named one by one along an axis
BY = {"q": "queries", "k": "keys", "v": "values"}


def numpy(answer: "Answer", name: str, **places: str) -> np.ndarray:
    """A tensor of the answer, or a part of it, in which what is masked is not a number."""
    found = answer.cut(name, **places).data.numpy()
    return np.where(np.isneginf(found), np.nan, found)


def rows_of(answer: "Answer", tensor: str) -> list[dict]:
    """The rows of a circuit, in the order of its tensor."""
    circuits = answer.fields["circuits"]
    return circuits["ov_of_input"] if tensor == "ov.input" else circuits[tensor]["rows"]


def in_words(tensor: str, rows: str, verb: str, unit: str) -> Cells:
    """A token in each row, and the words of its largest numbers."""
    return Cells(
        tensor,
        x="rank",
        y=f"{tensor}.row",
        first=1,
        longest=LONGEST,
        columns="rank among all tokens",
        rows=rows,
        unit=unit,
        words=lambda answer, _: [row["words"] for row in rows_of(answer, tensor)],
        text=decimals,
        hover=f"%{{y}} {verb} %{{customdata}}<br><b>%{{z:.3g}}</b> {unit}",
    )


RAISES = "added to the logit"
OV = in_words("ov", "token looked at", "raises", RAISES)
OV_OF_INPUT = in_words("ov.input", "token looked at", "raises", RAISES)
QK = in_words("qk", "token that looks", "scores", "score")

POSITIONS = Cells(
    "qk.positions",
    x="key_position",
    y="query_position",
    columns="position of the key",
    rows="of the query",
    scale="signed",
    unit="score",
    even=True,
    hover="query at position %{y}, key at %{x}<br>score <b>%{z:.3g}</b>",
)
"""The score of each position for each other, without any token."""


def copying(name: str, title: str) -> Cells:
    """How much a circuit of every head copies; a click on a head chooses it."""
    return Cells(
        f"{name}.copying",
        x="head",
        y="layer",
        columns=f"head: {title}",
        rows="layer",
        scale="signed",
        ends=(-1, 1),
        unit="Σ λ / Σ |λ|",
        text=decimals,
        pick={"head": "head"},
        pick_row={"layer": "layer"},
        chosen_row="layer",
        chosen_column="head",
        hover=f"layer %{{y}}, head %{{x}}<br><b>%{{z:.3g}}</b>: a token {title}",
    )


COPYING = Marks([copying("ov", "raises itself"), copying("qk", "looks for itself")], across=True)


def attention_of(name: str, names: Sequence[str]) -> str:
    """The attention of a head whose name is stack.layer.attention.head, as it stands in a cell:
    "encoder 0" or "cross 2", and "2" where all of `names` are of one stack.
    """
    stack, layer, attention, _ = name.split(".")
    kind = "cross" if attention == "cross_attention" else stack
    return layer if len({one.split(".")[0] for one in names}) == 1 else f"{kind} {layer}"


def short(name: str, names: Sequence[str]) -> str:
    """A head as it stands in a cell: "encoder 0.1", and "0.1" in a model of one stack."""
    return f"{attention_of(name, names)}.{name.rpartition('.')[2]}"


def pair_of(answer: "Answer", read: str, row: int, column: int, ends: np.ndarray) -> str:
    """What a cell says of its pair, beside the smallest and the largest of its random turns."""
    names = labels(answer, "reader")
    low, high = (float(end[row, column]) for end in ends)
    rank = float(answer.cut("quantile", composition=read).data[row, column])
    verdict = (
        "composes: above all turned pairs"
        if rank == 1
        else "avoids: below all turned pairs"
        if rank == 0
        else f"above {percent(rank)} of the turned pairs"
    )
    return (
        f"{short(names[row], names)} reads {short(names[column], names)} by {BY[read]}; {verdict}"
        f" ({number(low)} to {number(high)})"
    )


def composed(answer: "Answer", question: Question, name: str = "composition") -> np.ndarray:
    return numpy(answer, name, composition=question["composition"])


def pairs(answer: "Answer", question: Question) -> list[list[str]]:
    """What is said of every pair of heads."""
    read, rank = question["composition"], composed(answer, question, "quantile")
    ends = composed(answer, question, "random")
    return [
        [
            "" if np.isnan(share) else pair_of(answer, read, row, at, ends)
            for at, share in enumerate(shares)
        ]
        for row, shares in enumerate(rank)
    ]


def above_all(answer: "Answer", question: Question) -> list[dict[str, Any]]:
    """Frames around the pairs that lie above all of their random turns, where heads are few."""
    if answer.axes["reader"].size > FEW:
        return []
    cells = np.argwhere(composed(answer, question, "quantile") == 1)
    return framed((row, column) for row, column in cells.tolist())


def heads(side: Side = None) -> Of:
    """Heads along an axis: each has its name, or, where they are many, each attention has one."""

    def names(answer: "Answer", question: Question) -> AxisScale:
        every, down = labels(answer, "reader"), side is None
        title = f"reads, by {BY[question['composition']]}" if down else "writes"
        if len(every) <= FEW:
            return named(title, [short(name, every) for name in every], down=down, side=side)
        blocks = [attention_of(name, every) for name in every]
        first = {block: blocks.index(block) for block in blocks}
        middle = [at + (blocks.count(block) - 1) / 2 for block, at in first.items()]
        ends = (-0.5, len(every) - 0.5)
        return AxisScale(title, ends[::-1] if down else ends, middle, list(first), side=side)

    return names


def bins(answer: "Answer", question: Question) -> Scale:
    along = values(answer, "bin")
    return Scale("composition", low=min(along) - 1e-3, high=max(along) + 1e-3, ticks=4)


COMPOSITION = Marks(
    [
        Cells(
            "composition",
            numbers=composed,
            x=heads("top"),
            y=heads(),
            columns="writes",
            rows="reads",
            scale="signed",
            ends=lambda answer, _: (0, 2 * answer.fields["expected"]),
            unit="composition",
            empty="hatched",
            says=pairs,
            shapes=above_all,
            even=True,
            hover="%{customdata}<br>composition <b>%{z:.3g}</b>",
        ),
        Lines(
            "histogram",
            x="bin",
            by="pairs",
            at={"composition": "{composition}"},
            looks={
                "trained": Look("trained", "attention"),
                "turned at random": Look("turned at random", "ink-soft"),
            },
            dots=False,
            names="legend",
            hover="{name}<br><b>%{y:.3g}</b> of the pairs near %{x:.3g}",
            x_scale=bins,
            y=Scale("share of the pairs"),
        ),
    ],
    rows=[Row(2, 1, wrap=True)],
)
"""The composition of every pair of heads; and all pairs as shares by their composition, beside
their turns.
"""
