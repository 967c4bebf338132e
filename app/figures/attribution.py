"""Figures of /attribution: the scores of every method, their agreement with removal, rollout
compared with the effect of the mask alone, and the logit as a sum.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from app.captions import Question
from app.captions.axes import labels
from app.captions.text import decimals, label, number, percent, shortened
from app.figures.marks import Bar, Cells, Look, Marks, Of, Records, Scale
from app.figures.meta import NoteLook
from app.figures.traces import fill, note, outline

if TYPE_CHECKING:
    from model.answers.answer import Answer

TITLES = {
    "removal": "removal",
    "hiding": "hiding",
    "integrated": "integrated gradients",
    "gradient": "gradient × input",
    "logit": "direct logit",
    "attention": "mean attention",
    "rollout": "rollout",
    "flow": "flow",
    "uniform": "uniform rollout",
}
"""The methods' names on the page."""
UNITS = {
    "removal": "nats",
    "hiding": "nats",
    "integrated": "nats",
    "gradient": "nats",
    "logit": "of the logit",
    "attention": "",
    "rollout": "",
    "flow": "",
}
ROLES = {
    "hiding": "ink-soft",
    "integrated": "embedding",
    "gradient": "embedding",
    "logit": "stream",
    "attention": "attention",
    "rollout": "attention",
    "flow": "attention",
    "uniform": "rule-strong",
}
LONGEST = 12  # maximum characters of a token over a column
BESIDE = TITLES | {"integrated": "int. gradients"}  # for figures of half width
MAX_DIGITS = 5  # maximum decimals of a number in a cell


def numpy(answer: "Answer", name: str, **places: str) -> np.ndarray:
    return answer.cut(name, **places).data.double().numpy()


def tokens(answer: "Answer") -> list[str]:
    """The tokens as shown next to a figure."""
    return [shortened(token, LONGEST) for token in answer.fields["tokens"]]


def places(answer: "Answer") -> list[str]:
    """The hover text of each token: the token, and its position in its sequence."""
    axis, token_labels = answer.axes["token"], [label(token) for token in answer.fields["tokens"]]
    parts = axis.parts or {"": axis.size}
    where = [(name, i) for name, size in parts.items() for i in range(size)]
    values = axis.value or [""] * axis.size
    return [
        f"{token}{f' = {label(value)}' if value else ''} ({f'{name} ' if name else ''}{i})"
        for token, (name, i), value in zip(token_labels, where, values, strict=True)
    ]


def kind(answer: "Answer") -> str:
    """What the columns are: tokens of one or two sequences, patches, or table columns."""
    axis = answer.axes["token"]
    if axis.parts:
        return "source | target so far"
    return {"position": "token", "patch": "patch", "column": "column"}[axis.kind]


def between_texts(answer: "Answer", rows: int) -> list[dict[str, Any]]:
    """A line between source and target tokens."""
    parts = answer.axes["token"].parts
    if not parts:
        return []
    edge = next(iter(parts.values())) - 0.5
    return [outline("ink", edge, edge, -0.5, rows - 0.5, 2)]


def scores(answer: "Answer", _: Question) -> list[list[str]]:
    """Each score with its unit, and what it is the score of."""
    rows = zip(labels(answer, "method"), numpy(answer, "score"), strict=True)
    return [
        [
            f"{TITLES[name]} of {place}: {number(float(value))} {UNITS[name]}".rstrip()
            for place, value in zip(places(answer), row, strict=True)
        ]
        for name, row in rows
    ]


SCORES = Cells(
    "share",
    x=lambda answer, _: tokens(answer),
    y="method",
    columns=lambda answer, _: kind(answer),
    rows="method",
    names=TITLES,
    scale="signed",
    ends=(-1, 1),
    unit="relative to row maximum",
    cell_texts=lambda answer, _: [
        [decimals(float(value), digits(row)) for value in row] for row in numpy(answer, "score")
    ],
    says=scores,
    shapes=lambda answer, _: between_texts(answer, answer.axes["method"].size),
    hover="%{customdata}<br><b>%{z:.2f}</b> of the row’s largest magnitude",
)
"""One row per method, divided by its largest absolute score; cells show the score."""


def digits(row: np.ndarray) -> int:
    """The number of decimals that shows two digits of a row's largest number."""
    largest = float(np.abs(row).max(initial=0))
    return 2 if largest == 0 else int(np.clip(1 - np.floor(np.log10(largest)), 2, MAX_DIGITS))


def here(answer: "Answer", _: Question) -> list[Bar]:
    return [
        Bar(
            i,
            BESIDE[row["method"]],
            row["rank_correlation"],
            hover_text(row),
            ROLES[row["method"]],
            "rank correlation",
        )
        for i, row in enumerate(answer.fields["agreement"])
    ]


def band(answer: "Answer", _: Question) -> list[dict[str, Any]]:
    """The middle 95% of random orders."""
    rows, chance = answer.fields["agreement"], answer.fields["chance"]
    return [fill("sunken", chance["low"], chance["high"], -0.5, len(rows) - 0.5)] if chance else []


def elsewhere(answer: "Answer", _: Question) -> list[Bar] | None:
    if not (held_out := answer.fields["held_out"]):
        return None
    return [
        Bar(
            i,
            BESIDE[row["method"]],
            row["mean"],
            f"{TITLES[row['method']]}, mean of {held_out['inputs']}"
            f"<br><b>{number(row['mean'])}</b> ({number(row['low'])} to {number(row['high'])}),"
            f" {row['verdict']}",
            ROLES[row["method"]],
            "mean rank correlation",
            row["low"],
            row["high"],
        )
        for i, row in enumerate(held_out["agreement"])
    ]


def correlations(bars: Of, title: str, where: str, shapes: Of | None = None) -> Records:
    """The rank correlation of every method with removal."""
    return Records(
        bars,
        places="method",
        lengths=Scale(title, low=-1, high=1),
        level=True,
        legend=False,
        notes=lambda *of: [at_bar(bar.length, bar.at) for bar in bars(*of)],
        shapes=shapes,
        hover=f"on {where}<br>%{{customdata}}",
    )


AGREEMENT = Marks(
    [
        correlations(here, "rank correlation, this input", "this input", band),
        correlations(elsewhere, "mean over held-out inputs", "held-out inputs"),
    ],
    across=True,
)
"""The rank correlation of every method with removal: on this input, with the band of random orders;
and averaged over held-out inputs, with its interval.
"""


def at_bar(value: float | None, row: int) -> dict[str, Any]:
    """The number at a bar, on the opposite side of 0."""
    text, right = ("not defined" if value is None else decimals(value)), (value or 0) < 0
    side: dict[str, Any] = (
        {"xanchor": "left", "xshift": 6} if right else {"xanchor": "right", "xshift": -6}
    )
    return note(NoteLook(kind="title", role="ink"), 0, row, text, **side)


def hover_text(row: dict[str, Any]) -> str:
    if row["rank_correlation"] is None:
        return f"{TITLES[row['method']]}: not defined"
    return (
        f"{TITLES[row['method']]}<br>rank correlation <b>{number(row['rank_correlation'])}</b>,"
        f" {row['verdict']}<br>{percent(row['chance_of_as_much'])} of random orders do as well"
    )


def shares(answer: "Answer", _: Question) -> list[Bar]:
    """The fraction of each token by rollout, and by the rollout of uniform attention."""
    both = (numpy(answer, "score", method="rollout"), numpy(answer, "uniform"))
    rows = enumerate(zip(tokens(answer), places(answer), *both, strict=True))
    return [
        Bar(i, name, y, text, "attention", "rollout", stroke=z) for i, (name, text, y, z) in rows
    ]


ROLLOUT = Records(
    shares,
    places=lambda answer, _: kind(answer),
    lengths=Scale("fraction of output’s residual stream"),
    stroke=Look(
        "uniform attention",
        "ink",
        hover="uniform attention, %{customdata}<br><b>%{y:.3g}</b>",
    ),
    hover="rollout, %{customdata}<br><b>%{y:.3g}</b>",
)
"""Rollout, and the rollout of uniform attention."""


def parts(answer: "Answer", _: Question) -> list[Bar]:
    """The direct contribution of each token to the logit, the rest, and their sum."""
    direct, contributions = answer.fields["direct"], numpy(answer, "score", method="logit")
    rows = [
        (name, y, f"contribution of {where}", "attention")
        for name, where, y in zip(tokens(answer), places(answer), contributions, strict=True)
    ]
    rows.append(("+ rest", direct["rest"], "all other contributions", "bias"))
    rows.append(("= logit", direct["logit"], "logit, the sum", "ink"))
    return [Bar(i, *row, "contribution to logit") for i, row in enumerate(rows)]


LOGIT = Records(
    parts,
    places=lambda answer, _: kind(answer),
    lengths=Scale("contribution to logit"),
    hover="%{customdata}<br>logit <b>%{y:.3g}</b>",
)


def has(name: str) -> Any:
    return lambda answer: name in (answer.axes["method"].labels or [])
