"""Figures of /effects: by how much the log-probability of the reply changes without each part, by
its place in the network, in order, and token by token.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from app.captions import Question
from app.captions.effects import chosen, group, long, short
from app.captions.text import decimals, label, visible
from app.captions.writers import WRITERS
from app.figures import theme
from app.figures.annotations import framed, outline
from app.figures.axis_scales import AxisScale, linear, named
from app.figures.panels import Panel, Row, figure
from app.figures.plot import Plot, changed
from app.figures.traces import bars, dots, heat_map

if TYPE_CHECKING:
    from model.answers.answer import Answer

MOST = 20
"""Bars in the view in order."""
BAR = 0.1
"""The share of the width that the last map has more than the others, for the scale beside it."""
BESIDE = 0.4
"""The width of a bar beside another."""
CHANGE, UNIT = "change of log-probability", "nats"
Numbered = list[tuple[int, dict[str, Any]]]


def groups_of(answer: "Answer") -> dict[str, Numbered]:
    """The units with their numbers, by the group that they are drawn in."""
    found: dict[str, Numbered] = {}
    for i, unit in enumerate(answer.fields["units"]):
        found.setdefault(group(answer.fields, unit), []).append((i, unit))
    return found


def by_place(answer: "Answer", question: Question) -> Plot:
    """All units where they stand: maps of layers by heads or groups of neurons, bars of sub-layers
    or positions.
    """
    fields = answer.fields
    if fields["unit"] == "sublayer":
        panels = [in_rows(answer, list(enumerate(fields["units"])), question)]
    elif fields["unit"] == "position":
        panels = [along(answer, name, of) for name, of in groups_of(answer).items()]
    else:
        panels = [layers(answer, name, of, question) for name, of in groups_of(answer).items()]
        for panel in panels[:-1]:
            for trace in panel.traces:
                trace["showscale"] = False  # all have the scale of the last
    if fields["unit"] != "head":
        return figure(*panels)
    n = len(panels)
    widths = [*[(1 - BAR) / n] * (n - 1), (1 - BAR) / n + BAR]
    return figure(*panels, rows=[Row(n, 1, widths=widths)])


def layers(answer: "Answer", name: str, of: Numbered, question: Question) -> Panel:
    """One map of layers (rows) by heads or groups of neurons (columns). All maps have one scale,
    whose middle is no change.
    """
    fields, change = answer.fields, answer.tensors["change"].data.numpy()
    most = float(np.abs(change).max()) or 1.0
    depths = list(dict.fromkeys(str(unit["layer"]) for _, unit in of))
    numbers = np.array([i for i, _ in of]).reshape(len(depths), -1)
    units = fields["units"]
    heads = fields["unit"] == "head"
    columns = [str(units[i]["indices"][0]) for i in numbers[0]]
    values = change[numbers]
    trace = heat_map(
        values,
        f"%{{customdata}}<br><b>%{{z:.3g}}</b> {UNIT}",
        "signed",
        (-most, most),
        f"change ({UNIT})",
        customdata=[[label(hover_text(answer, i)) for i in row] for row in numbers],
    )
    if heads:
        trace["text"] = [[decimals(z) for z in row] for row in values]
    trace["meta"] |= {
        "pick": {"chosen": [[units[i]["name"] for i in row] for row in numbers]},
    }
    here = chosen(fields, question)
    across = f"{name}: head" if heads else f"{name}: first neuron of each group"
    return Panel(
        named(across, columns, side="top"),
        named("layer", depths, down=True),
        [trace],
        shapes=framed(tuple(cell) for cell in np.argwhere(numbers == here)),
    )


def hover_text(answer: "Answer", i: int) -> str:
    """What a unit is, and what the model says without it where it is something else."""
    fields = answer.fields
    unit, loss = fields["units"][i], answer.tensors.get("loss")
    told = f"without {long(fields, unit)}"
    if loss is not None:
        told += f", loss {loss.data[i].item():.3g} nats"
    other = [
        f"{visible(a)} for {visible(b)}"
        for a, b in zip(unit["says"], fields["unedited"]["says"], strict=True)
        if a != b
    ]
    return f"{told}, says {', '.join(other)}" if other else told


def role(unit: dict[str, Any]) -> str:
    part = WRITERS.get(unit["part"].removesuffix(".sum"))
    return part.role if part else "embedding"


def on_axis(fields: dict[str, Any], unit: dict[str, Any]) -> str:
    """The unit with its number first: a narrow axis cuts the end of a name."""
    of = group(fields, unit)
    return f"{short(fields, unit).removeprefix(of).strip()} {of}"


def in_rows(answer: "Answer", of: Numbered, question: Question) -> Panel:
    """A bar for each of these units, the first on top, and dots for the same units as they are in
    other examples.
    """
    fields, change = answer.fields, answer.tensors["change"].data.numpy()
    numbers = [i for i, _ in of]
    hover = f"%{{customdata}}<br><b>%{{x:.3g}}</b> {UNIT}"
    told = [label(hover_text(answer, i)) for i in numbers]
    names = [fields["units"][i]["name"] for i in numbers]
    trace = bars(
        change[numbers],
        np.arange(len(numbers)),
        IN_PLACE[fields["ablation"]],
        role(of[0][1]),
        hover,
        legend=True,
        orientation="h",
        customdata=told,
    )
    roles = [role(unit) for _, unit in of]
    trace["marker"]["color"] = [theme.colour(one) for one in roles]
    trace["meta"] |= {"role": roles, "pick": {"chosen": names}}
    traces: list[Any] = [trace]
    values = change[numbers]
    if (drawn := answer.tensors.get("resampled")) is not None:
        resampled = drawn.data.numpy()[:, numbers]
        values = np.concatenate([values, resampled.ravel()])
        draws = answer.axes["draw"].labels or []
        marks = dots(
            resampled.ravel(),
            np.tile(np.arange(len(numbers)), len(resampled)),
            "taken from another example",
            "ink",
            hover,
            customdata=[
                label(f"{short(fields, unit)} as in {draw}") for draw in draws for _, unit in of
            ],
        )
        traces.append(changed(marks, showlegend=True))
    level, here = signed(values), chosen(fields, question)
    return Panel(
        level,
        named("turned off", [on_axis(fields, unit) for _, unit in of], down=True),
        traces,
        shapes=[
            outline("rule-strong", *level.range, row - 0.5, row + 0.5, 1)
            for row, i in enumerate(numbers)
            if i == here
        ],
    )


IN_PLACE = {"zero": "set to 0", "mean": "set to its mean", "resample": "mean over the draws"}


def signed(values: np.ndarray) -> AxisScale:
    """The axis of changes, which holds 0 and both ends."""
    low, high = float(min(0.0, values.min())), float(max(0.0, values.max()))
    margin = 0.04 * ((high - low) or 1)
    return linear(CHANGE, values, UNIT, low=low - margin, high=high + margin)


def along(answer: "Answer", name: str, of: Numbered) -> Panel:
    """A bar for each position of one text."""
    change = answer.tensors["change"].data.numpy()
    numbers = [i for i, _ in of]
    trace = bars(
        np.arange(len(numbers)),
        change[numbers],
        CHANGE,
        "embedding",
        f"%{{customdata}}<br><b>%{{y:.3g}}</b> {UNIT}",
        customdata=[label(hover_text(answer, i)) for i in numbers],
    )
    trace["meta"] |= {"pick": {"chosen": [unit["name"] for _, unit in of]}}
    tokens = named(f"{name}: embedding turned off at", [unit["token"] for _, unit in of])
    return Panel(tokens, signed(change), [trace])


def ranked(answer: "Answer", question: Question) -> Plot:
    """The units that change most, in order of their changes."""
    fields, change = answer.fields, answer.tensors["change"].data
    largest = set(change.abs().argsort(descending=True)[:MOST].tolist())
    of = [(i, fields["units"][i]) for i in fields["order"] if i in largest]
    panel = in_rows(answer, of, question)
    return figure(panel)


def by_token(answer: "Answer", question: Question) -> Plot:
    """The log-probability of each token of the reply, with everything on and without one unit."""
    fields = answer.fields
    here = chosen(fields, question)
    before = np.array(fields["unedited"]["by_token"])
    after = answer.tensors["log_probability"].data[here].numpy()
    tokens, off = fields["reply"]["tokens"], short(fields, fields["units"][here])
    places = np.arange(len(tokens))
    now = [
        f"{visible(token)}; now the likeliest: {visible(says)}"
        for token, says in zip(tokens, fields["units"][here]["says"], strict=True)
    ]
    traces = [
        bars(
            places + aside,
            values,
            name,
            colour,
            f"%{{customdata}}<br>log-probability <b>%{{y:.3g}}</b> {UNIT}",
            legend=True,
            width=BESIDE,
            customdata=[label(one) for one in told],
        )
        for aside, values, name, colour, told in (
            (-BESIDE / 2, before, "everything on", "ink-soft", [visible(one) for one in tokens]),
            (BESIDE / 2, after, f"without {off}", role(fields["units"][here]), now),
        )
    ]
    both = np.concatenate([before, after])
    low = float(min(both.min(), -1e-6)) * 1.04
    panel = Panel(
        named("token of the answer", tokens),
        linear("log-probability", both, UNIT, low=low, high=0.0),
        traces,
    )
    return figure(panel)
