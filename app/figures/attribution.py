"""Figures of /attribution: the scores of every method, how well each agrees with removal, rollout
beside what the mask alone gives, and the logit as a sum.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from app.captions import Question
from app.captions.attribution import ROLES, TITLES, UNITS
from app.captions.text import decimals, label, number, percent, shortened
from app.figures.annotations import fill, note, outline
from app.figures.axis_scales import linear, named
from app.figures.meta import NoteLook
from app.figures.panels import Panel, figure
from app.figures.plot import Plot
from app.figures.traces import bars, heat_map, level_marks, line

if TYPE_CHECKING:
    from model.answers.answer import Answer

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


def scores(answer: "Answer", question: Question) -> Plot:
    """Every method a row, divided by its largest size; the number itself stands in the cell."""
    numbers, names = numpy(answer, "score"), answer.axes["method"].labels or []
    said = [
        [
            f"{TITLES[name]} of {place}: {number(float(value))} {UNITS[name]}".rstrip()
            for place, value in zip(places(answer), row, strict=True)
        ]
        for name, row in zip(names, numbers, strict=True)
    ]
    trace = heat_map(
        numpy(answer, "share"),
        "%{customdata}<br><b>%{z:.2f}</b> of the largest size in the row",
        "signed",
        (-1.0, 1.0),
        unit="share of the row’s largest size",
        customdata=said,
        text=[[decimals(float(value), digits(row)) for value in row] for row in numbers],
    )
    panel = Panel(
        named(kind(answer), tokens(answer), side="top"),
        named("method", [TITLES[name] for name in names], down=True),
        [trace],
        shapes=between_texts(answer, len(names)),
    )
    return figure(panel)


def digits(row: np.ndarray) -> int:
    """How many decimals show two digits of the largest number of a row."""
    largest = float(np.abs(row).max(initial=0))
    return 2 if largest == 0 else int(np.clip(1 - np.floor(np.log10(largest)), 2, MAX_DIGITS))


def agreement(answer: "Answer", question: Question) -> Plot:
    """The rank correlation of every method with removal: on this input, over the band of random
    orders; and the mean over held-out inputs with its interval.
    """
    panels = [here(answer)]
    if answer.fields["held_out"]:
        panels.append(elsewhere(answer))
    return figure(*panels, across=True)


def correlations(title: str) -> Any:
    return linear(title, [-1, 1], low=-1, high=1)


def here(answer: "Answer") -> Panel:
    rows, chance = answer.fields["agreement"], answer.fields["chance"]
    names = [row["method"] for row in rows]
    traces = [
        bars(
            [one["rank_correlation"] or 0.0],
            [i],
            TITLES[one["method"]],
            ROLES[one["method"]],
            "on this input<br>%{customdata}",
            orientation="h",
            customdata=[hover_text(one)],
        )
        for i, one in enumerate(rows)
    ]
    band = [fill("sunken", chance["low"], chance["high"], -0.5, len(rows) - 0.5)] if chance else []
    return Panel(
        correlations("rank correlation with removal, here"),
        named("method", [BESIDE[name] for name in names], down=True),
        traces,
        [at_bar(one["rank_correlation"], i) for i, one in enumerate(rows)],
        band,
    )


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


def elsewhere(answer: "Answer") -> Panel:
    rows, inputs = answer.fields["held_out"]["agreement"], answer.fields["held_out"]["inputs"]
    traces: list[Any] = []
    for i, one in enumerate(rows):
        name = TITLES[one["method"]]
        said = (
            f"{name}, mean of {inputs}<br><b>{number(one['mean'])}</b>"
            f" ({number(one['low'])} to {number(one['high'])}), {one['verdict']}"
        )
        traces.append(
            bars(
                [one["mean"]],
                [i],
                name,
                ROLES[one["method"]],
                "on held-out inputs<br>%{customdata}",
                orientation="h",
                customdata=[said],
            )
        )
        traces.append(
            line(
                [one["low"], one["high"]],
                [i, i],
                f"{name}, 95 % interval",
                "ink",
                "95 % interval of the mean<br><b>%{x:.2f}</b>",
                dots=False,
                legend=False,
            )
        )
    return Panel(
        correlations(f"mean over {inputs} held-out inputs"),
        named("method", [BESIDE[row["method"]] for row in rows], down=True),
        traces,
        [at_bar(one["mean"], i) for i, one in enumerate(rows)],
    )


def beside_uniform(answer: "Answer", question: Question) -> Plot:
    """Rollout, and the rollout of attention that looks at all it may see alike."""
    places_ = places(answer)
    own, uniform = numpy(answer, "score", method="rollout"), numpy(answer, "uniform")
    at = np.arange(len(own))
    traces = [
        bars(
            at,
            own,
            "rollout",
            "attention",
            "rollout of %{customdata}<br><b>%{y:.3g}</b>",
            legend=True,
            customdata=places_,
        ),
        level_marks(
            at,
            uniform,
            "uniform attention",
            "ink",
            "rollout of uniform attention, %{customdata}<br><b>%{y:.3g}</b>",
            0.84,
            customdata=places_,
        ),
    ]
    panel = Panel(
        named(kind(answer), tokens(answer)),
        linear("share of the answer’s stream", np.concatenate([own, uniform])),
        traces,
    )
    return figure(panel)


def logit(answer: "Answer", question: Question) -> Plot:
    """What each token brings into the logit directly, the rest, and their sum."""
    direct = answer.fields["direct"]
    parts = [*numpy(answer, "score", method="logit"), direct["rest"], direct["logit"]]
    titles = [*tokens(answer), "+ rest", "= logit"]
    said = [*(f"from {place}" for place in places(answer)), "the rest", "the logit, their sum"]
    roles = ["attention"] * len(tokens(answer)) + ["bias", "ink"]
    traces = [
        bars(
            [i],
            [value],
            what,
            role,
            "%{customdata}<br><b>%{y:.3g}</b> of the logit",
            customdata=[what],
        )
        for i, (value, what, role) in enumerate(zip(parts, said, roles, strict=True))
    ]
    panel = Panel(named(kind(answer), titles), linear("part of the logit", parts), traces)
    return figure(panel)


def has(name: str) -> Any:
    return lambda answer: name in (answer.axes["method"].labels or [])
