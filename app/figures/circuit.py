"""Figures of /circuit: circuits of one head in words and positions, and the composition of all
pairs of heads. Those of the paths are in circuit_paths.py.
"""

from typing import TYPE_CHECKING

import numpy as np

from app.captions import Question
from app.captions.axes import labels, values
from app.captions.circuit import BY, attention_of, pair_of, short
from app.captions.text import decimals
from app.figures.annotations import framed
from app.figures.axis_scales import AxisScale, linear, named
from app.figures.marks import Cells, Marks
from app.figures.panels import Panel, Row, figure
from app.figures.plot import Plot
from app.figures.traces import heat_map, line

if TYPE_CHECKING:
    from model.answers.answer import Answer

LONGEST = 14  # letters of a token in a cell or beside a row
FEW = 16  # heads that are named one by one along an axis


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


def composition(answer: "Answer", question: Question) -> Plot:
    """The composition of every pair of heads, framed where it lies above all of its random turns;
    and all pairs as shares by their composition, beside their turns.
    """
    read = question["composition"]
    found, rank, ends = (
        numpy(answer, name, composition=read) for name in ("composition", "quantile", "random")
    )
    names, expected = labels(answer, "reader"), answer.fields["expected"]
    said = [
        [
            "" if np.isnan(rank[row, column]) else pair_of(answer, read, row, column, ends)
            for column in range(len(names))
        ]
        for row in range(len(names))
    ]
    trace = heat_map(
        found,
        "%{customdata}<br>composition <b>%{z:.3g}</b>",
        "signed",
        (0, 2 * expected),
        unit="composition",
        hatched=True,
        customdata=said,
    )
    cells = [(int(row), int(column)) for row, column in np.argwhere(rank == 1)]
    board = Panel(
        heads_axis("writes", names),
        heads_axis(f"reads, by {BY[read]}", names, down=True),
        [trace],
        shapes=framed(cells) if len(names) <= FEW else (),
        even=True,
    )
    return figure(
        board,
        shares(answer, read),
        rows=[Row(2, 1, wrap=True)],
    )


def heads_axis(title: str, names: list[str], down: bool = False) -> AxisScale:
    """An axis of heads: each has its name, or, where they are many, each attention has one."""
    if len(names) <= FEW:
        return named(
            title, [short(name, names) for name in names], down=down, side=None if down else "top"
        )
    blocks = [attention_of(name, names) for name in names]
    first = {block: blocks.index(block) for block in blocks}
    middle = [at + (blocks.count(block) - 1) / 2 for block, at in first.items()]
    ends = (-0.5, len(names) - 0.5)
    return AxisScale(
        title, ends[::-1] if down else ends, middle, list(first), side=None if down else "top"
    )


def shares(answer: "Answer", read: str) -> Panel:
    """Which share of the pairs has which composition, trained and turned at random."""
    counts, along = numpy(answer, "histogram", composition=read), values(answer, "bin")
    traces = [
        line(
            along,
            counts[i],
            name,
            role,
            f"{name}<br><b>%{{y:.3g}}</b> of the pairs near %{{x:.3g}}",
            dots=False,
        )
        for i, (name, role) in enumerate(
            (("trained", "attention"), ("turned at random", "ink-soft"))
        )
    ]
    return Panel(
        linear("composition", along, low=min(along) - 1e-3, high=max(along) + 1e-3, wanted=4),
        linear("share of the pairs", counts),
        traces,
    )
