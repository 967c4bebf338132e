"""Figures of /effects: how the log-probability of the reply changes without each part, by its place
in the network, in order, and token by token.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from app.captions import Question
from app.captions.text import decimals, label, visible
from app.captions.writers import WRITERS
from app.figures.axis_scales import AxisScale, linear, named
from app.figures.build import build
from app.figures.marks import Bar, Look, Records, Scale
from app.figures.plot import Panel, Plot, Row, figure
from app.figures.traces import bars, framed, heat_map
from model.labels import label as in_words

if TYPE_CHECKING:
    from model.answers.answer import Answer

MOST = 20
"""The number of bars in the ordered view."""
BAR = 0.1
"""The extra width of the last map for its color bar, as a fraction."""
CHANGE, UNIT = "change in log-probability", "nats"
Fields = dict[str, Any]
Unit = dict[str, Any]
Numbered = list[tuple[int, Unit]]


def chosen(fields: Fields, question: Question) -> int:
    """The index of the unit named in the question, or of the one with the largest loss."""
    names = [unit["name"] for unit in fields["units"]]
    named = question.get("chosen")
    return names.index(named) if named in names else fields["order"][0]


def group(fields: Fields, unit: Unit) -> str:
    """The units that are shown together: encoder self, cross, decoder ffn, encoder."""
    stack = f"{unit['stack']} " if len({unit["stack"] for unit in fields["units"]}) > 1 else ""
    if fields["unit"] == "position":
        return stack.strip() or "input"
    part = WRITERS[unit["part"]].short
    return part if part == "cross" else f"{stack}{part}"


def short(fields: Fields, unit: Unit) -> str:
    """The unit in a word or two, for an axis: cross L2H1, encoder ffn 0, decoder 3 pas."""
    of, indices = group(fields, unit), unit["indices"]
    match fields["unit"]:
        case "head":
            return f"{of} L{unit['layer']}H{indices[0]}"
        case "sublayer":
            return f"{of} {unit['layer']}"
        case "position":
            return f"{of} {indices[0]} {visible(unit['token'])}"
    return f"{of} {unit['layer']}: {indices[0]}–{indices[-1]}"


def long(fields: Fields, unit: Unit) -> str:
    """The unit in a sentence: head 1 in layer 2 of the decoder’s cross-attention."""
    indices = unit["indices"]
    whose = f"the {unit['stack']}’s "
    if fields["unit"] == "position":
        return f"position {indices[0]} of the {unit['stack']}, “{visible(unit['token'])}”"
    part = f"{whose}{WRITERS[unit['part']].title}"
    match fields["unit"]:
        case "head":
            return f"head {indices[0]} in layer {unit['layer']} of {part}"
        case "sublayer":
            return f"{part} in layer {unit['layer']}"
    return f"neurons {indices[0]} to {indices[-1]} in layer {unit['layer']} of {part}"


def groups_of(answer: "Answer") -> dict[str, Numbered]:
    """The units with their indices, by the group that they are shown in."""
    found: dict[str, Numbered] = {}
    for i, unit in enumerate(answer.fields["units"]):
        found.setdefault(group(answer.fields, unit), []).append((i, unit))
    return found


def by_place(answer: "Answer", question: Question) -> Plot:
    """All units by location: maps of heads or neurons; bars of sub-layers or positions."""
    fields = answer.fields
    if fields["unit"] == "sublayer":
        return build(SUBLAYERS, "", answer, question)
    if fields["unit"] == "position":
        panels = [along(answer, name, of) for name, of in groups_of(answer).items()]
    else:
        panels = [layers(answer, name, of, question) for name, of in groups_of(answer).items()]
        for panel in panels[:-1]:
            for trace in panel.traces:
                trace["showscale"] = False  # all share the scale of the last
    if fields["unit"] != "head":
        return figure(*panels)
    n = len(panels)
    widths = [*[(1 - BAR) / n] * (n - 1), (1 - BAR) / n + BAR]
    return figure(*panels, rows=[Row(n, 1, widths=widths)])


def layers(answer: "Answer", name: str, of: Numbered, question: Question) -> Panel:
    """One map of layers (rows) by heads or groups of neurons (columns). All maps share one scale,
    centered on no change.
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
    across = f"{name}: head" if heads else f"{name}: first neuron per group"
    return Panel(
        named(across, columns, side="top"),
        named("layer", depths, down=True),
        [trace],
        shapes=framed(tuple(cell) for cell in np.argwhere(numbers == here)),
    )


def hover_text(answer: "Answer", i: int) -> str:
    """What a unit is, and the model's prediction without it if that is different."""
    fields = answer.fields
    unit, loss = fields["units"][i], answer.tensors.get("loss")
    text = f"without {long(fields, unit)}"
    if loss is not None:
        text += f", loss {loss.data[i].item():.3g} nats"
    other = [
        in_words("{now} instead of {before}").format(now=visible(a), before=visible(b))
        for a, b in zip(unit["says"], fields["unedited"]["says"], strict=True)
        if a != b
    ]
    return f"{text}; predicts {', '.join(other)}" if other else text


def role(unit: dict[str, Any]) -> str:
    part = WRITERS.get(unit["part"].removesuffix(".sum"))
    return part.role if part else "embedding"


def on_axis(fields: dict[str, Any], unit: dict[str, Any]) -> str:
    """The unit with its number first: a narrow axis truncates the end of a name."""
    of = group(fields, unit)
    return f"{short(fields, unit).removeprefix(of).strip()} {of}"


def in_rows(numbers: Callable[["Answer"], Sequence[int]]) -> Records:
    """A bar for each unit, the first on top, and dots for it in other examples."""

    def bars(answer: "Answer", _: Question) -> list[Bar]:
        fields, change = answer.fields, answer.tensors["change"].data.tolist()
        resampled = answer.tensors.get("resampled")
        samples = resampled.data.T.tolist() if resampled else [()] * len(change)
        draws = answer.axes["draw"].labels or [] if resampled else []
        return [
            Bar(
                row,
                on_axis(fields, unit),
                change[i],
                label(hover_text(answer, i)),
                role(unit),
                IN_PLACE[fields["ablation"]],
                dots=[
                    (value, label(f"{short(fields, unit)} as in {draw}"))
                    for value, draw in zip(samples[i], draws, strict=True)
                ],
                pick=unit["name"],
            )
            for row, i in enumerate(numbers(answer))
            for unit in [fields["units"][i]]
        ]

    return Records(
        bars,
        places="part turned off",
        lengths=Scale(CHANGE, UNIT),
        level=True,
        dots=Look("value from another example", "ink"),
        pick="chosen",
        chosen=lambda *of: [*numbers(of[0])].index(chosen(of[0].fields, of[1])),
        hover=f"%{{customdata}}<br><b>%{{x:.3g}}</b> {UNIT}",
    )


def largest(answer: "Answer") -> list[int]:
    """The units with the largest changes, in order."""
    change = answer.tensors["change"].data
    most = set(change.abs().argsort(descending=True)[:MOST].tolist())
    return [i for i in answer.fields["order"] if i in most]


SUBLAYERS = in_rows(lambda answer: range(len(answer.fields["units"])))
RANKED = in_rows(largest)
IN_PLACE = {"zero": "set to 0", "mean": "set to its mean", "resample": "mean over samples"}


def signed(values: np.ndarray) -> AxisScale:
    """The axis of changes, which includes 0 and both ends."""
    low, high = float(min(0.0, values.min())), float(max(0.0, values.max()))
    margin = 0.04 * ((high - low) or 1)
    return linear(CHANGE, values, UNIT, low=low - margin, high=high + margin)


def along(answer: "Answer", name: str, of: Numbered) -> Panel:
    """A bar for each position of one sequence."""
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


def by_token(answer: "Answer", question: Question) -> list[Bar]:
    """The log-probability of each token of the reply, with everything on and without one unit."""
    fields, here = answer.fields, chosen(answer.fields, question)
    off, tokens = fields["units"][here], fields["reply"]["tokens"]
    off_texts = [
        f"{visible(token)}; most likely now: {visible(says)}"
        for token, says in zip(tokens, off["says"], strict=True)
    ]
    after = answer.tensors["log_probability"].data[here].tolist()
    series = (
        (
            "nothing turned off",
            "ink-soft",
            fields["unedited"]["by_token"],
            list(map(visible, tokens)),
        ),
        (f"without {short(fields, off)}", role(off), after, off_texts),
    )
    return [
        Bar(i, token, values[i], label(texts[i]), colour, name)
        for name, colour, values, texts in series
        for i, token in enumerate(tokens)
    ]


TOKENS = Records(
    by_token,
    places="output token",
    lengths=Scale("log-probability", UNIT, high=0),
    hover=f"%{{customdata}}<br>log-probability <b>%{{y:.3g}}</b> {UNIT}",
)
