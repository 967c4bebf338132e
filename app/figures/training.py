"""Figures of /training: every head's map at one step of training, the loss of each letter, and head
roles or the loss over all steps.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from app.captions import Question
from app.captions.axes import labels, values
from app.captions.text import counted, decimals, label, visible, weight
from app.figures.axis_scales import linear, named
from app.figures.marks import EVEN, Lines, Look, Rule, Scale, Tiles
from app.figures.mosaic import Tile
from app.figures.plot import Panel, Plot, Trace, changed, figure
from app.figures.traces import end_of, line, upright
from model.labels import label as in_words

if TYPE_CHECKING:
    from model.answers.answer import Answer

ROLE = {"previous": "the previous letter", "induction": "the letter that followed"}
LINE = 2.2  # height of two lines over a map, in tenths of its cells, for the smallest maps
LINE_OF_ONE = 0.6  # and of one line
DASHED, DOTTED, OF_PREVIOUS = "7px,4px", "1px,4px", "3px,2px"


def maps(answer: "Answer", question: Question) -> list[Tile]:
    """Every head's map at one step, with a row for each layer of both models; or one head's, if
    `head` names it. Outlines mark the keys of the layer's role. Clicking a map shows it alone, and
    clicking again shows all.
    """
    at, chosen = step_of(answer, question), question.get("head")
    values = np.where(
        answer.tensors["mask"].data.numpy().astype(bool),
        answer.tensors["pattern"].data.numpy()[at],
        np.float32(np.nan),
    )
    return [
        Tile(
            short_name(answer, layer, head),
            values[layer, head],
            lambda q, k, layer=layer, head=head: hover_text(answer, layer, head, q, k),
            f"head:{head}",
            note(answer, at, layer, head),
            shortens=True,
            pick=lambda q, k, name=f"{layer}.{head}": {"head": "" if chosen else name},
            outlined=answer.tensors[f"{role_of(answer, layer)}.keys"].data.nonzero().tolist(),
        )
        for layer, head in np.ndindex(values.shape[:2])
        if chosen in (None, "", f"{layer}.{head}")
    ]


def letters(answer: "Answer", question: Question) -> tuple[Sequence[str], Sequence[str]]:
    """Those next to and over the map of one head, which is large enough for them."""
    names = labels(answer, "text") if question.get("head") else ()
    return names, names


MAPS = Tiles(
    maps,
    across=lambda answer, question: 1 if question.get("head") else answer.axes["head"].size,
    rows="query letter",
    columns="key letter",
    even=True,
    names=letters,
    line=lambda _, question: LINE_OF_ONE if question.get("head") else LINE,
)


def readout(answer: "Answer", question: Question) -> dict[str, Any]:
    """The page's text next to the maps: the steps and the selected one, the heads, the number to
    read off, and the numbers around the step at which the induction head has formed.
    """
    at = step_of(answer, question)
    return {
        "steps": steps_of(answer),
        "at": at,
        "heads": heads_of(answer),
        "beside": {"readout": reading(answer, at), **formed(answer)},
    }


def heads_of(answer: "Answer") -> list[dict[str, str]]:
    """Every head, layer by layer through both models, and its name."""
    return [
        {
            "value": f"{layer}.{head}",
            "label": (
                "one layer" if is_alone(answer, layer) else f"layer {own_layer(answer, layer)}"
            )
            + f", head {head}",
        }
        for layer in range(answer.axes["layer"].size)
        for head in range(answer.axes["head"].size)
    ]


def reading(answer: "Answer", at: int) -> str:
    """The repetition loss of both models at one step."""
    two, second_loss = answer.tensors["held_out.repeat_loss"].data[:, at].tolist()
    first, second = names(answer)
    sentence = in_words("mean loss on repeated letters: {n} nats ({first}), {m} nats ({second})")
    return sentence.format(first=first, n=decimals(two), second=second, m=decimals(second_loss))


def formed(answer: "Answer") -> dict[str, int | str]:
    """The steps between which the induction head forms, and the losses of both models there."""
    found, steps = answer.fields["formed"], steps_of(answer)
    if not found or not {found["before"], found["step"]} <= set(steps):
        return {}
    two, second_loss = answer.tensors["held_out.repeat_loss"].data.tolist()
    before, after = steps.index(found["before"]), steps.index(found["step"])
    return {
        "before": found["before"],
        "step": found["step"],
        "two-before": decimals(two[before]),
        "two": decimals(two[after]),
        "one-before": decimals(second_loss[before]),
        "one": decimals(second_loss[after]),
    }


def hover_text(answer: "Answer", layer: int, head: int, q: int, k: int) -> str:
    """A cell of a map in words."""
    letters = labels(answer, "text")
    read, looked_at = visible(letters[q]), visible(letters[k])
    role = role_of(answer, layer)
    found = bool(answer.tensors[f"{role}.keys"].data[q, k])
    reasons = {"previous": "the previous letter", "induction": f"followed an earlier {read}"}
    why = f" ({reasons[role]})" if found else ""
    return f"{short_name(answer, layer, head)}: {read} ({q}) → {looked_at} ({k}){why}"


def note(answer: "Answer", at: int, layer: int, head: int) -> str:
    """A head's total weight on the outlined cells of its layer."""
    role = role_of(answer, layer)
    share = float(answer.tensors[role].data[at, layer, head])
    return f"{in_words(role)}: {weight(share)}" if math.isfinite(share) else ""


def met_before(answer: "Answer", _: Question) -> list[tuple[float | None, ...]]:
    """Shading below the letters after one that occurred before."""
    met = answer.tensors["induction.keys"].data.any(dim=1).tolist()
    return [(i - 0.5, i + 0.5, None, None) for i in range(answer.axes["expected"].size) if met[i]]


LOSS = Lines(
    "loss",
    x="expected",
    by="model",
    at={"step": lambda *of: steps_of(of[0])[step_of(*of)]},
    looks={
        "induction-2": Look("2 layers", "ink"),
        "induction-1": Look("1 layer", "ink-soft", dash=DASHED, dots=False),
    },
    x_scale=Scale("actual letter", kind="named", says=label, **EVEN),
    y=Scale("loss", "nats", low=0, space=1.05, holds=("loss",)),
    rules=[
        Rule(
            "guessing",
            "guessing",
            "random guessing<br>%{y:.3g} nats",
            dash=DOTTED,
            law=True,
            last=True,
        )
    ],
    shaded=met_before,
    hover="{name}, %{customdata}<br><b>%{y:.3g}</b> nats",
)
"""The loss of each letter at one step, with two layers and with one, on a scale shared by all
steps. Letters after one that occurred before are shaded.
"""

OVER_TRAINING = replace(
    LOSS,
    tensor="held_out.repeat_loss",
    x="step",
    at={},
    x_scale=Scale(
        "step (not evenly spaced)",
        kind="named",
        says=lambda step: in_words(f"step {step}"),
        **EVEN,
    ),
    y=Scale("loss on the repetition", "nats per letter", low=0, space=1.05),
    shaded=None,
    upright=lambda *of: step_of(*of),
    pick={"step": "step"},
)
"""The repetition loss on held-out texts, over all steps."""


def roles(answer: "Answer", question: Question) -> Plot:
    """The weight of each head on the outlined letters, over all steps: thick for the best head of
    its layer at the end, dashed for the best head of the one-layer model, dotted for uniform
    attention.
    """
    steps = steps_of(answer)
    places = np.arange(len(steps))
    by_role = {role: answer.tensors[f"held_out.{role}"].data.numpy() for role in ROLE}
    chance = answer.fields["held_out"]["by_chance"]
    where = [in_words(f"step {step}") for step in steps]
    thin, thick = [], []
    for layer in range(answer.axes["layer"].size):
        role = role_of(answer, layer)
        curves = by_role[role][:, layer]
        best = int(curves[-1].argmax())
        for head in range(curves.shape[1]):
            if is_alone(answer, layer) and head != best:
                continue
            name, colour = short_name(answer, layer, head), f"head:{head}"
            dash = OF_PREVIOUS if role == "previous" else ""
            hover = f"{name}, %{{customdata}}<br><b>%{{y:.3g}}</b> of the weight on {ROLE[role]}"
            if is_alone(answer, layer):
                name, colour, dash = names(answer)[1], "ink-soft", DASHED
            trace = line(
                places,
                curves[:, head],
                name,
                colour,
                hover,
                dots=False,
                legend=False,
                dash=dash,
                customdata=where,
            )
            if head == best:
                thick.append(trace)
            else:
                thin.append(changed(trace, opacity=0.6, line={"width": 1}))
    levels = [
        line(
            places,
            [chance[role]] * len(places),
            "chance" if role == "induction" else "chance, previous",
            "ink-soft",
            f"uniform attention<br>%{{y:.3g}} of the weight on {ROLE[role]}",
            dash=DOTTED,
            law=True,
            legend=False,
        )
        for role in ("previous", "induction")
    ]
    traces = [*thin, levels[0], *thick, levels[1]]
    y = linear("weight on outlined letters", [], low=-0.02, high=1.02)
    return over_training(answer, question, y, traces, ends_of([*thick, levels[1]]))


def over_training(
    answer: "Answer", question: Question, y: Any, traces: list[Trace], ends: list[dict[str, Any]]
) -> Plot:
    """A figure over all steps, in which clicking a point selects its step."""
    steps = [str(step) for step in steps_of(answer)]
    for trace in traces:
        trace["meta"] |= {"pick": {"step": steps}}
    chosen = upright(step_of(answer, question))
    panel = Panel(named("step (not evenly spaced)", steps), y, traces, ends, [chosen])
    return figure(panel)


def ends_of(traces: Sequence[Trace]) -> list[dict[str, Any]]:
    return [end_of(trace) for trace in traces]


def steps_of(answer: "Answer") -> list[int]:
    """The steps in the answer."""
    return [int(step) for step in values(answer, "step")]


def step_of(answer: "Answer", question: Question) -> int:
    """The index of the selected step; by default, the one where the induction head formed."""
    steps = steps_of(answer)
    formed = answer.fields["formed"] or {"step": steps[-1]}
    wanted = question.get("at")
    wanted = formed["step"] if wanted is None else wanted
    return min(range(len(steps)), key=lambda i: abs(steps[i] - wanted))


def shown_step(answer: "Answer", question: Question) -> int:
    return steps_of(answer)[step_of(answer, question)]


def shown_head(answer: "Answer", question: Question) -> str:
    """The name of the head whose map is shown alone, "" if all are."""
    chosen = question["head"]
    return short_name(answer, *map(int, chosen.split("."))) if chosen else ""


def names(answer: "Answer") -> list[str]:
    """How many layers each model has."""
    layers = [name.split(".")[0] for name in labels(answer, "layer")]
    counts = [layers.count(model) for model in labels(answer, "model")]
    return [counted(count, "layer") for count in counts]


def own_layer(answer: "Answer", layer: int) -> int:
    """The index of a layer in its own model."""
    return int(labels(answer, "layer")[layer].split(".")[1])


def is_alone(answer: "Answer", layer: int) -> bool:
    """Whether the layer is the only one of its model."""
    model = labels(answer, "layer")[layer].split(".")[0]
    return f"{model}.1" not in labels(answer, "layer")


def role_of(answer: "Answer", layer: int) -> str:
    """The role that is outlined in a layer: the first of two layers gives each letter its
    predecessor, the others search for what followed.
    """
    first_of_two = own_layer(answer, layer) == 0 and not is_alone(answer, layer)
    return "previous" if first_of_two else "induction"


def short_name(answer: "Answer", layer: int, head: int) -> str:
    if is_alone(answer, layer):
        return f"one layer, H{head}"
    return f"L{own_layer(answer, layer)}H{head}"
