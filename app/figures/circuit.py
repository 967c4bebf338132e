"""Figures of /circuit: the circuits of one head by token and position, and the composition of all
pairs of heads. Those of the paths are in circuit_paths.py.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from app.captions import Question
from app.captions.axes import labels, values
from app.captions.text import decimals, number, percent
from app.figures.axis_scales import AxisScale, Side, named
from app.figures.marks import Cells, Lines, Look, Marks, Of, Scale
from app.figures.plot import Row
from app.figures.traces import framed

if TYPE_CHECKING:
    from model.answers.answer import Answer

LONGEST = 14  # maximum characters of a token in a cell or next to a row
FEW = 16  # maximum heads named individually along an axis
BY = {"q": "queries", "k": "keys", "v": "values"}


def numpy(answer: "Answer", name: str, **places: str) -> np.ndarray:
    """A tensor of the answer, or a part of it, with NaN for masked entries."""
    found = answer.cut(name, **places).data.numpy()
    return np.where(np.isneginf(found), np.nan, found)


def rows_of(answer: "Answer", tensor: str) -> list[dict]:
    """The rows of a circuit, in the order of its tensor."""
    circuits = answer.fields["circuits"]
    return circuits["ov_of_input"] if tensor == "ov.input" else circuits[tensor]["rows"]


def in_words(tensor: str, rows: str, number: str, unit: str) -> Cells:
    """A token per row, with the words of its largest entries."""
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
        hover=f"%{{y}} → %{{customdata}}<br>{number}",
    )


RAISES = "<b>%{z:.3g}</b> added to the logit", "added to the logit"
OV = in_words("ov", "key token", *RAISES)
OV_OF_INPUT = in_words("ov.input", "key token", *RAISES)
QK = in_words("qk", "query token", "score <b>%{z:.3g}</b>", "score")

POSITIONS = Cells(
    "qk.positions",
    x="key_position",
    y="query_position",
    columns="key position",
    rows="query position",
    scale="signed",
    unit="score",
    even=True,
    hover="query at position %{y}, key at %{x}<br>score <b>%{z:.3g}</b>",
)
"""The score of each pair of positions, without tokens."""


def copying(name: str, title: str) -> Cells:
    """How much each head copies by this circuit; clicking a head selects it."""
    return Cells(
        f"{name}.copying",
        x="head",
        y="layer",
        columns=f"head ({title})",
        rows="layer",
        scale="signed",
        ends=(-1, 1),
        unit="Σ λ / Σ |λ|",
        text=decimals,
        pick={"head": "head"},
        pick_row={"layer": "layer"},
        chosen_row="layer",
        chosen_column="head",
        hover=f"layer %{{y}}, head %{{x}}<br>{title} <b>%{{z:.3g}}</b> (1: yes)",
    )


COPYING = Marks(
    [
        copying("ov", "OV: does a token raise its own logit?"),
        copying("qk", "QK: does a token attend to itself?"),
    ],
    across=True,
)


def attention_of(name: str, names: Sequence[str]) -> str:
    """The attention layer of a head named stack.layer.attention.head, as shown in a cell: "encoder
    0" or "cross 2", or "2" if all of `names` are in one stack.
    """
    stack, layer, attention, _ = name.split(".")
    kind = "cross" if attention == "cross_attention" else stack
    return layer if len({name.split(".")[0] for name in names}) == 1 else f"{kind} {layer}"


def short(name: str, names: Sequence[str]) -> str:
    """A head as shown in a cell: "encoder L0H1", or "L0H1" in a model with one stack."""
    kind, _, layer = attention_of(name, names).rpartition(" ")
    return f"{kind} L{layer}H{name.rpartition('.')[2]}".strip()


def pair_of(answer: "Answer", read: str, row: int, column: int, ends: np.ndarray) -> str:
    """The hover text of a pair, with the minimum and maximum of its random rotations."""
    names = labels(answer, "reader")
    low, high = (float(end[row, column]) for end in ends)
    rank = float(answer.cut("quantile", composition=read).data[row, column])
    verdict = (
        "composes: above all rotated pairs"
        if rank == 1
        else "avoids: below all rotated pairs"
        if rank == 0
        else f"above {percent(rank)} of the rotated pairs"
    )
    return (
        f"{short(names[column], names)} → {short(names[row], names)} through {BY[read]}; {verdict}"
        f" ({number(low)} to {number(high)})"
    )


def composed(answer: "Answer", question: Question, name: str = "composition") -> np.ndarray:
    return numpy(answer, name, composition=question["composition"])


def pairs(answer: "Answer", question: Question) -> list[list[str]]:
    """The hover text of every pair of heads."""
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
    """Frames around the pairs above all of their random rotations, if there are few heads."""
    if answer.axes["reader"].size > FEW:
        return []
    cells = np.argwhere(composed(answer, question, "quantile") == 1)
    return framed((row, column) for row, column in cells.tolist())


def heads(side: Side = None) -> Of:
    """Heads along an axis, each with a name or, if there are many, one name per attention layer."""

    def names(answer: "Answer", question: Question) -> AxisScale:
        every, down = labels(answer, "reader"), side is None
        title = f"later head, through {BY[question['composition']]}" if down else "earlier head"
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
            columns="earlier head",
            rows="later head",
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
                "turned at random": Look("randomly rotated", "ink-soft"),
            },
            dots=False,
            names="legend",
            hover="{name}<br><b>%{y:.3g}</b> of the pairs near %{x:.3g}",
            x_scale=bins,
            y=Scale("fraction of pairs"),
        ),
    ],
    rows=[Row(2, 1, wrap=True)],
)
"""The composition of every pair of heads; and the distribution of all compositions, compared with
random rotations.
"""
