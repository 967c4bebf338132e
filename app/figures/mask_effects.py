"""Figures of /masks: what a mask does to a sentence that a model reads: what leaks, the weights and
the sums of their rows, the loss, and how many layers it takes from each input to each output.

Of several heads they show `head`; what is beyond the last is the last.
"""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from app.captions import Question
from app.captions.axes import labels as labels_of
from app.captions.facts import to_rows
from app.captions.text import counted, decimals, number, weight
from app.figures.annotations import at_end, note, row_sums
from app.figures.axis_scales import linear, named
from app.figures.masks import ALWAYS, matrices, numbers, positions, ways, with_explanation
from app.figures.meta import NoteLook
from app.figures.panels import Panel, figure
from app.figures.plot import Plot, six_digits
from app.figures.traces import heat_map, line

if TYPE_CHECKING:
    from model.answers.answer import Answer

MAX_ZEROS = 16  # rows of a matrix in which each exact zero is printed
SAME = 1e-5  # nats, between two runs of the same mask
ROWS = {
    "row_sum_error": "Largest distance of a row sum from 1",
    "smallest_multiplied_row_sum": "Smallest row sum after multiplying",
}

LEAK = {"leak_outside_reach": "Leak beyond the reach"}


def leak(answer: "Answer", question: Question) -> Plot:
    """How much each answer changes when each token is replaced; exact zeros are hatched."""
    values = answer.tensors["leak"].data.numpy()
    names, unit = positions(answer), answer.fields["unit"]
    trace = heat_map(
        np.where(values == 0, np.float32(np.nan), values),
        "replace %{x}: the answer at %{y}<br>changes by <b>%{customdata:.3g}</b>"
        f"{' logits' if unit == 'logits' else ' of the stream'} at most",
        ends=(0, float(values.max()) or 1.0),
        unit=unit,
        hatched=True,
        says_gaps=True,
        customdata=[[six_digits(value) for value in row] for row in values],
        text=[[decimals(value) if value else "" for value in row] for row in values],
    )
    trace["meta"] |= {"said": [[six_digits(value) for value in row] for row in values]}
    zeros = np.argwhere(values == 0) if len(names) <= MAX_ZEROS else []
    look = NoteLook(kind="cell", role="ink")
    notes = [note(look, int(k), int(q), "0", bold=True) for q, k in zeros]
    panel = Panel(
        named("token replaced", names, side="top"),
        named("answer at", names, down=True),
        [trace],
        notes,
        even=True,
    )
    drawn = figure(
        panel,
        description=f"How much each answer changes, in {unit}, when each token is replaced.",
    )
    return with_explanation(
        drawn,
        caption=f"change of the {unit} when a token is replaced",
        told=leaking(answer),
        summary=outcome(answer),
        facts=to_rows(answer, {**ALWAYS, **LEAK}),
    )


def weights(answer: "Answer", question: Question) -> Plot:
    """The attention weights of one head under the mask, with the sum of each row."""
    name, layer, head = pattern_of(answer), answer.fields["layer"], head_of(answer, question)
    tensor = answer.tensors[name]
    pattern = tensor.data.numpy()[head]
    names = positions(answer)
    axis = answer.axes[tensor.axes[-1]]
    keys = axis.labels or numbers(axis.size)
    first = (axis.parts or {}).get("memory", 0)
    may = np.ones(pattern.shape, dtype=bool)
    may[:, first : first + len(names)] = answer.tensors["allowed"].data.numpy().astype(bool)
    values = np.where(may, pattern, np.float32(np.nan))
    said = [
        [f"weight {number(z)}" if open_cell else "hidden: weight 0" for z, open_cell in row]
        for row in (zip(*rows, strict=True) for rows in zip(pattern, may, strict=True))
    ]
    trace = heat_map(
        values,
        "%{y} looks at %{x}<br><b>%{customdata}</b>",
        ends=(0, 1),
        unit="weight",
        hatched=True,
        says_gaps=True,
        customdata=said,
        text=[["" if np.isnan(z) else weight(z) for z in row] for row in values],
    )
    drawn = figure(
        Panel(
            named("key", keys, side="top"),
            named("query", names, down=True),
            [trace],
            row_sums(values),
            even=True,
        ),
        description=f"Attention weights of layer {layer}, head {head}, under the mask.",
    )
    return with_explanation(
        drawn,
        caption=f"layer {layer}, head {head}, under this mask",
        summary=outcome(answer),
        facts=to_rows(answer, {**ALWAYS, **ROWS}),
        formula=tensor.formula,
        axes=list(tensor.axes),
        shape=list(tensor.data.shape),
    )


def loss(answer: "Answer", question: Question) -> Plot:
    """The loss at each token, as trained and under this mask."""
    values, names = answer.tensors["loss"].data.numpy(), labels_of(answer, "predicted")
    means = answer.fields["loss"]
    panel = pair(
        values,
        names,
        ("as trained", "trained", "ink-soft"),
        ("under this mask", "now", "attention"),
        ("token to predict", "loss", "nats"),
        float(values.max()) * 1.05 or 1.0,
    )
    drawn = figure(
        panel,
        description=f"Loss at each token: mean {number(means['trained'])} nats as trained,"
        f" {number(means['chosen'])} under this mask.",
    )
    return with_explanation(
        drawn,
        caption="surprise at the token that comes next",
        told=helped(answer),
        summary=outcome(answer),
        facts=to_rows(answer, ALWAYS),
    )


def sums(answer: "Answer", question: Question) -> Plot:
    """The sums of the rows of one head: 1 where the mask is added before the softmax, less where it
    is multiplied after it.
    """
    layer, head = answer.fields["layer"], head_of(answer, question)
    values = answer.tensors["row_sum"].data.numpy()[:, head]
    panel = pair(
        values,
        positions(answer),
        ("added before the softmax", "added", "ink-soft"),
        ("multiplied after it", "multiplied", f"head:{head}"),
        ("query", "sum of the row’s weights", ""),
        1.05,
    )
    drawn = figure(
        panel,
        description=f"Row sums of layer {layer}, head {head}: 1 when the mask is added before the"
        " softmax, less when it is multiplied after.",
    )
    return with_explanation(
        drawn,
        caption=f"row sums of layer {layer}, head {head}",
        summary=outcome(answer),
        facts=to_rows(answer, {**ALWAYS, **ROWS}),
    )


def pair(
    values: np.ndarray,
    names: Sequence[str],
    before: tuple[str, str, str],
    after: tuple[str, str, str],
    titles: tuple[str, str, str],
    high: float,
) -> Panel:
    """Two lines over tokens, the first of them dashed: what each says of itself, its name at its
    end and its role.
    """
    across, what, unit = titles
    places, traces, ends = np.arange(len(names)), [], []
    for row, (said, name, role), dash in zip(values, (before, after), ("5px,4px", ""), strict=True):
        hover = f"{across} %{{x}}<br>{said}: <b>%{{y:.3g}}</b> {unit}".rstrip()
        traces.append(line(places, row, said, role, hover, legend=False, dash=dash))
        ends.append(at_end(float(places[-1]), float(row[-1]), name, role))
    up = linear(what, [], unit, low=0, high=high)
    return Panel(named(across, names), up, traces, ends)


def depth(answer: "Answer", question: Question) -> Plot:
    """The fewest layers from each input to each output; hatched where there is no way."""
    _, needed = matrices(answer, question)
    names = positions(answer)
    most = float(np.nanmax(needed, initial=0))
    said = [
        ["never" if np.isnan(z) else f"in {counted(int(z), 'layer')}" for z in row]
        for row in needed.tolist()
    ]
    trace = heat_map(
        needed,
        "%{x} reaches %{y}<br><b>%{customdata}</b>",
        ends=(0, 4 * max(1, math.ceil(most / 4))),
        unit="layers",
        hatched=True,
        says_gaps=True,
        customdata=said,
        text=[["" if np.isnan(z) else f"{z:.0f}" for z in row] for row in needed],
    )
    trace["meta"] |= {"said": [[way or "never" for way in row] for row in ways(needed)]}
    drawn = figure(
        Panel(
            named("input", names, side="top"),
            named("output", names, down=True),
            [trace],
            even=True,
        ),
        description="The fewest layers from each input to each output.",
    )
    return with_explanation(
        drawn,
        caption="from input to output; hatched: never",
        summary=outcome(answer),
        facts=to_rows(answer, ALWAYS),
    )


def head_of(answer: "Answer", question: Question) -> int:
    return min(question.get("head") or 0, answer.axes["head"].size - 1)


def pattern_of(answer: "Answer") -> str:
    return f"{answer.fields['stack']}.{answer.fields['layer']}.attention.pattern"


def leaking(answer: "Answer") -> str:
    """What to look for in the leak, for the mask that is drawn."""
    values, opened = answer.tensors["leak"].data.numpy(), answer.fields["opened"]
    zeros, future = int((values == 0).sum()), float(np.triu(values, 1).max(initial=0))
    if not zeros:
        return "No cell is 0: under this mask every answer changes with every token."
    hidden = answer.tensors["allowed"].data.numpy() == 0
    if not future and (reached := int((values[hidden] > 0).sum())):
        return (
            f"The mask hides {counted(int(hidden.sum()), 'cell')}, and of these {reached}"
            f" {'changes' if reached == 1 else 'change'} an answer all the same: what such a cell"
            " holds comes through several layers. Only a hatched cell is exactly 0."
        )
    if not future:
        return (
            "A hatched cell is exactly 0: its token does not reach this answer, so replacing it"
            " changes nothing, bit for bit. Press “Let a cell leak” to open one cell of the"
            " future, and see which rows change."
        )
    if opened == 1 and answer.fields["pattern"] == "causal":
        return (
            "One open cell of the future is enough: the answer in its row changes with a token that"
            " it has to predict, and so do the rows that look at this row."
        )
    return (
        f"{zeros} of {values.size} cells are exactly 0: there the mask lets nothing through all"
        " layers of the model. Coloured cells above the diagonal look ahead."
    )


def helped(answer: "Answer") -> str:
    """What to look for in the loss, for the mask that is drawn."""
    means = answer.fields["loss"]
    trained, chosen = means["trained"], means["chosen"]
    if abs(trained - chosen) < SAME:
        return (
            "Both lines are the same: this is the mask of the training. Choose the full mask, and"
            " compare them again."
        )
    more = "more" if chosen > trained else "less"
    return (
        f"Under this mask the mean loss is {number(chosen)} nats, {more} than the"
        f" {number(trained)} nats under the mask of the training. See at which tokens"
        " the lines part."
    )


def outcome(answer: "Answer") -> str:
    """What the mask costs, in a sentence."""
    means = answer.fields.get("loss")
    return (
        f"Mean loss {number(means['chosen'])} nats; under the mask of the training"
        f" {number(means['trained'])} nats."
        if means
        else ""
    )
