"""Figures of /attribution: the scores of every method, how well each agrees with removal, rollout
beside what the mask alone gives, and the logit as a sum.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from app.captions import Question
from app.captions.axes import labels
from app.captions.text import decimals, label, number, percent, shortened
from app.figures.annotations import fill, note, outline
from app.figures.marks import Bar, Cells, Look, Marks, Of, Records, Scale
from app.figures.meta import NoteLook

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
"""The methods as the page calls them."""
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
LONGEST = 12  # letters of a token over a column
BESIDE = TITLES | {"integrated": "int. gradients"}  # beside half a figure
MAX_DIGITS = 5  # decimals of a number in a cell


def numpy(answer: "Answer", name: str, **places: str) -> np.ndarray:
    return answer.cut(name, **places).data.double().numpy()


def tokens(answer: "Answer") -> list[str]:
    """The tokens as they stand beside a figure."""
    return [shortened(token, LONGEST) for token in answer.fields["tokens"]]


def places(answer: "Answer") -> list[str]:
    """What each token is called where it is pointed at: the token, and its position in its text."""
    axis, said = answer.axes["token"], [label(token) for token in answer.fields["tokens"]]
    parts = axis.parts or {"": axis.size}
    where = [(name, i) for name, size in parts.items() for i in range(size)]
    values = axis.value or [""] * axis.size
    return [
        f"{token}{f' = {label(value)}' if value else ''} ({f'{name} ' if name else ''}{i})"
        for token, (name, i), value in zip(said, where, values, strict=True)
    ]


def kind(answer: "Answer") -> str:
    """What the columns are: tokens of one text or of two, patches, or columns of a table."""
    axis = answer.axes["token"]
    if axis.parts:
        return "source | target so far"
    return {"position": "token", "patch": "patch", "column": "column"}[axis.kind]


def between_texts(answer: "Answer", rows: int) -> list[dict[str, Any]]:
    """A line between the tokens of the source and those of the target."""
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
    unit="share of the row’s largest size",
    written=lambda answer, _: [
        [decimals(float(value), digits(row)) for value in row] for row in numpy(answer, "score")
    ],
    says=scores,
    shapes=lambda answer, _: between_texts(answer, answer.axes["method"].size),
    hover="%{customdata}<br><b>%{z:.2f}</b> of the largest size in the row",
)
"""Every method a row, divided by its largest size; the number itself stands in the cell."""


def digits(row: np.ndarray) -> int:
    """How many decimals show two digits of the largest number of a row."""
    largest = float(np.abs(row).max(initial=0))
    return 2 if largest == 0 else int(np.clip(1 - np.floor(np.log10(largest)), 2, MAX_DIGITS))


def here(answer: "Answer", _: Question) -> list[Bar]:
    return [
        Bar(
            i,
            BESIDE[one["method"]],
            one["rank_correlation"],
            hover_text(one),
            ROLES[one["method"]],
            "rank correlation",
        )
        for i, one in enumerate(answer.fields["agreement"])
    ]


def band(answer: "Answer", _: Question) -> list[dict[str, Any]]:
    """The middle 95 % of random orders."""
    rows, chance = answer.fields["agreement"], answer.fields["chance"]
    return [fill("sunken", chance["low"], chance["high"], -0.5, len(rows) - 0.5)] if chance else []


def elsewhere(answer: "Answer", _: Question) -> list[Bar] | None:
    if not (held_out := answer.fields["held_out"]):
        return None
    return [
        Bar(
            i,
            BESIDE[one["method"]],
            one["mean"],
            f"{TITLES[one['method']]}, mean of {held_out['inputs']}"
            f"<br><b>{number(one['mean'])}</b> ({number(one['low'])} to {number(one['high'])}),"
            f" {one['verdict']}",
            ROLES[one["method"]],
            "mean rank correlation",
            one["low"],
            one["high"],
        )
        for i, one in enumerate(held_out["agreement"])
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
        correlations(here, "rank correlation with removal, here", "this input", band),
        correlations(elsewhere, "mean over held-out inputs", "held-out inputs"),
    ],
    across=True,
)
"""The rank correlation of every method with removal: on this input, over the band of random orders;
and the mean over held-out inputs with its interval.
"""


def at_bar(value: float | None, row: int) -> dict[str, Any]:
    """The number of a bar, on the other side of 0."""
    said, right = ("not defined" if value is None else decimals(value)), (value or 0) < 0
    side: dict[str, Any] = (
        {"xanchor": "left", "xshift": 6} if right else {"xanchor": "right", "xshift": -6}
    )
    return note(NoteLook(kind="title", role="ink"), 0, row, said, **side)


def hover_text(one: dict[str, Any]) -> str:
    if one["rank_correlation"] is None:
        return f"{TITLES[one['method']]}: not defined"
    return (
        f"{TITLES[one['method']]}<br>rank correlation <b>{number(one['rank_correlation'])}</b>,"
        f" {one['verdict']}<br>{percent(one['chance_of_as_much'])} of random orders reach it"
    )


def shares(answer: "Answer", _: Question) -> list[Bar]:
    """The share of each token by rollout, and by the rollout of uniform attention."""
    both = (numpy(answer, "score", method="rollout"), numpy(answer, "uniform"))
    rows = enumerate(zip(tokens(answer), places(answer), *both, strict=True))
    return [
        Bar(i, name, y, said, "attention", "rollout", stroke=z) for i, (name, said, y, z) in rows
    ]


ROLLOUT = Records(
    shares,
    places=lambda answer, _: kind(answer),
    lengths=Scale("share of the answer’s stream"),
    stroke=Look(
        "uniform attention",
        "ink",
        hover="rollout of uniform attention, %{customdata}<br><b>%{y:.3g}</b>",
    ),
    hover="rollout of %{customdata}<br><b>%{y:.3g}</b>",
)
"""Rollout, and the rollout of attention that looks at all it may see alike."""


def parts(answer: "Answer", _: Question) -> list[Bar]:
    """What each token brings into the logit directly, the rest, and their sum."""
    direct, own = answer.fields["direct"], numpy(answer, "score", method="logit")
    rows = [
        (name, y, f"from {where}", "attention")
        for name, where, y in zip(tokens(answer), places(answer), own, strict=True)
    ]
    rows.append(("+ rest", direct["rest"], "the rest", "bias"))
    rows.append(("= logit", direct["logit"], "the logit, their sum", "ink"))
    return [Bar(i, *row, "part of the logit") for i, row in enumerate(rows)]


LOGIT = Records(
    parts,
    places=lambda answer, _: kind(answer),
    lengths=Scale("part of the logit"),
    hover="%{customdata}<br><b>%{y:.3g}</b> of the logit",
)


def has(name: str) -> Any:
    return lambda answer: name in (answer.axes["method"].labels or [])
