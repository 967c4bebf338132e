"""What the page of /effects says of each view: what the model says, which part matters most to it,
and on which scale a change is to be read.
"""

import json
from typing import TYPE_CHECKING, Any

from app.captions import Question
from app.captions.page import Seen, choices, given, link, with_terms
from app.captions.text import number, visible
from app.captions.writers import WRITERS

if TYPE_CHECKING:
    from model.answers.answer import Answer

Fields = dict[str, Any]
Unit = dict[str, Any]

PLURAL = {
    "head": "heads",
    "sublayer": "sub-layers",
    "position": "positions",
    "neurons": "groups of neurons",
}
SINGULAR = {
    "head": "a head",
    "sublayer": "a sub-layer’s output",
    "position": "the embedding of a position",
    "neurons": "a group of neurons",
}
IS = {
    "zero": "set to 0",
    "mean": "set to its mean over all positions of the model’s examples",
    "resample": "taken from other examples of the model",
}
OF_REPLY = {
    "target": "the target",
    "next token": "the likeliest next token",
    "blanks": "the likeliest word at each blank",
    "class": "the likeliest class",
    "shapes": "the classes of the shapes that it finds",
}
JOINED = {"target": " ", "next token": " ", "blanks": ", ", "class": ", ", "shapes": ", "}
WRITES = ("target", "next token")
MARGIN = 1e-6
"""A change that is smaller is rounding."""


def captions(answer: "Answer", question: Question, seconds: float = 0) -> dict[str, Any]:
    """What the page says: of every view, in its controls, and where it leads on. The parts of all
    layers would take one core so many `seconds`.
    """
    fields, here = answer.fields, chosen(answer.fields, question)
    names = [unit["name"] for unit in fields["units"]]
    return {
        "views": {
            name: with_terms(some_layers(view(answer, here), fields, seconds))
            for name, view in (("map", overview), ("sorted", ranked), ("tokens", by_token))
        },
        "choices": {
            "chosen": choices(
                "largest loss", ((unit["name"], short(fields, unit)) for unit in fields["units"])
            )
        },
        "chosen": {"chosen": named if (named := question.get("chosen")) in names else ""},
        "links": links(fields, here, question),
    }


def chosen(fields: Fields, question: Question) -> int:
    """The number of the unit that the question names, or of the one whose loss is largest."""
    names = [unit["name"] for unit in fields["units"]]
    named = question.get("chosen")
    return names.index(named) if named in names else fields["order"][0]


def two_stacks(fields: Fields) -> bool:
    return len({unit["stack"] for unit in fields["units"]}) > 1


def group(fields: Fields, unit: Unit) -> str:
    """The units that are drawn together: encoder self, cross, decoder ffn, encoder."""
    stack = f"{unit['stack']} " if two_stacks(fields) else ""
    if fields["unit"] == "position":
        return stack.strip() or "input"
    part = WRITERS[unit["part"]].short
    return part if part == "cross" else f"{stack}{part}"


def short(fields: Fields, unit: Unit) -> str:
    """The unit in a word or two, for an axis: cross 2.1, encoder ffn 0, decoder 3 pas."""
    of, indices = group(fields, unit), unit["indices"]
    match fields["unit"]:
        case "head":
            return f"{of} {unit['layer']}.{indices[0]}"
        case "sublayer":
            return f"{of} {unit['layer']}"
        case "position":
            return f"{of} {indices[0]} {visible(unit['token'])}"
    return f"{of} {unit['layer']}: {indices[0]}–{indices[-1]}"


def long(fields: Fields, unit: Unit) -> str:
    """The unit in a sentence: head 1 of layer 2 of the decoder’s cross-attention."""
    indices = unit["indices"]
    whose = f"the {unit['stack']}’s "
    if fields["unit"] == "position":
        return f"position {indices[0]} of the {unit['stack']}, “{visible(unit['token'])}”"
    part = f"{whose}{WRITERS[unit['part']].title}"
    match fields["unit"]:
        case "head":
            return f"head {indices[0]} of layer {unit['layer']} of {part}"
        case "sublayer":
            return f"{part} of layer {unit['layer']}"
    return f"neurons {indices[0]} to {indices[-1]} of layer {unit['layer']} of {part}"


def quoted(fields: Fields, tokens: list[str]) -> str:
    return f"“{JOINED[fields['reply']['kind']].join(map(visible, tokens))}”"


def nats(value: float) -> str:
    return f"{number(value)} nats"


def measured(fields: Fields) -> str:
    """What every change is a change of."""
    reply = fields["reply"]
    return f"the log-probability of {OF_REPLY[reply['kind']]}, {quoted(fields, reply['tokens'])},"


def unedited(fields: Fields) -> str:
    """What it is in the run in which nothing is turned off."""
    return f"With every part on it is {nats(fields['unedited']['log_probability'])}."


def change_of(answer: "Answer", here: int) -> str:
    """What one unit changes: by how much, to what, and what the loss becomes."""
    fields = answer.fields
    by = answer.tensors["change"].data[here].item()
    before = fields["unedited"]
    if abs(by) < MARGIN:
        return "it does not change."
    loss = ""
    if before["loss"] is not None:
        after = answer.tensors["loss"].data[here].item()
        loss = f" The loss goes from {number(before['loss'])} to {nats(after)} a token."
    way = "falls" if by < 0 else "rises"
    return f"it {way} by {nats(abs(by))}, to {number(before['log_probability'] + by)}.{loss}"


def some_layers(seen: Seen, fields: Fields, seconds: float) -> Seen:
    """Where some layers alone were asked about: which, and what all would cost."""
    window = fields.get("window")
    if window is None:
        return seen
    first, last = window["first_layer"], window["first_layer"] + window["layers"] - 1
    layers = f"layer {first}" if first == last else f"layers {first} to {last}"
    left_out = (
        f" These are the {PLURAL[fields['unit']]} of {layers}, {len(fields['units'])} of"
        f" {window['of_units']}. All of them would take one core about {number(seconds)} s."
    )
    return {**seen, "more": seen["more"] + left_out}


def overview(answer: "Answer", here: int) -> Seen:
    """All units where they stand in the network."""
    fields = answer.fields
    worst = fields["order"][0]
    of = "cell" if fields["unit"] in ("head", "neurons") else "bar"
    by = answer.tensors["change"].data[worst].item()
    found = (
        f"It falls most without {long(fields, fields['units'][worst])}, by {nats(-by)}."
        if by < -MARGIN
        else "It falls in no case."
    )
    return {
        "see": (
            f"Each {of} shows by how much {measured(fields)} changes when"
            f" {SINGULAR[fields['unit']]} is {IS[fields['ablation']]}. {unedited(fields)} {found}"
        ),
        "more": scale(answer),
    }


def scale(answer: "Answer") -> str:
    """How large the changes are beside those that other examples make."""
    fields, change = answer.fields, answer.tensors["change"].data
    usual, n = fields["usual_change"], len(fields["units"])
    if usual is None:
        return "No other example was drawn to compare the changes with."
    draws = fields["draws"]
    examples = "one other example" if draws == 1 else f"{draws} other examples"
    plural = PLURAL[fields["unit"]]
    first = (
        f"For comparison: {SINGULAR[fields['unit']]} that is taken from {examples} changes it by"
        f" {nats(usual)} on average, up or down."
    )
    if fields["ablation"] == "resample":
        if "spread" not in answer.tensors:
            return f"{first} With one example there is no spread over examples."
        spread = answer.tensors["spread"].data
        clear = int((change.abs() > 2 * spread).sum())
        return (
            f"{first} For {clear} of the {n} {plural} the mean change is more than twice its"
            " standard deviation over the examples. The change of the others depends much on the"
            " example."
        )
    larger = int((change.abs() > usual).sum())
    return f"{first} Of the {n} {plural} here, {larger} change it by more than that."


def ranked(answer: "Answer", here: int) -> Seen:
    """The units in order."""
    fields, change = answer.fields, answer.tensors["change"].data
    down, up = int((change < -MARGIN).sum()), int((change > MARGIN).sum())
    n = len(fields["units"])
    dots = (
        " Each dot is the change when the same part is taken from another example."
        if fields["draws"]
        else ""
    )
    return {
        "see": (
            f"The bars show by how much {measured(fields)} changes without one part, the largest"
            f" changes in order. {unedited(fields)} It falls without {down} of the {n}"
            f" {PLURAL[fields['unit']]}, and rises without {up}.{dots}"
        ),
        "more": (
            f"The {n} changes sum to {nats(change.sum().item())}. Turning all parts off at once"
            " need not change it by as much: a part can take over the work of another, and two"
            " parts can need each other."
        ),
    }


def by_token(answer: "Answer", here: int) -> Seen:
    """What one unit does to each token of the reply."""
    fields = answer.fields
    unit, reply = fields["units"][here], fields["reply"]["tokens"]
    changes = answer.tensors["by_token"].data[here]
    worst = int(changes.argmin())
    other = sum(a != b for a, b in zip(unit["says"], fields["unedited"]["says"], strict=True))
    first = " (first draw)" if fields["ablation"] == "resample" else ""
    likeliest = (
        "the likeliest tokens after the target’s own tokens are"
        if fields["reply"]["kind"] == "target"
        else "the model says"
    )
    of_several = f": {other} of {len(reply)} differ{'s' if other == 1 else ''}"
    says = (
        f"Then{first} {likeliest} {quoted(fields, unit['says'])}"
        f"{of_several if len(reply) > 1 else ''}."
        if other
        else f"What the model finds likeliest stays the same{first}."
    )
    return {
        "see": (
            f"The bars compare {measured(fields)} token by token. {unedited(fields)} Without"
            f" {long(fields, unit)}, {change_of(answer, here)} {says}"
        ),
        "more": (
            f"“{visible(reply[worst])}” loses most: its log-probability falls by"
            f" {nats(-changes[worst].item())}."
            if changes[worst].item() < -MARGIN
            else "No token loses anything."
        ),
    }


def links(fields: Fields, here: int, question: Question) -> list[dict[str, str]]:
    """The pages that show a run without the unit, in the same state."""
    unit = fields["units"][here]
    edited = {**given(question), "edits": json.dumps(unit["edits"], ensure_ascii=False)}
    off = short(fields, unit)
    place = {}
    if fields["unit"] == "head":
        kind = {"cross_attention": "cross", "row_attention": "rows"}.get(unit["part"], "self")
        place = {
            "kind": kind,
            "stack": unit["stack"],
            "layer": unit["layer"],
            "head": unit["indices"][0],
        }
    found = [link("/attention", {**edited, **place}, f"Attention without {off}")]
    if fields["reply"]["kind"] in WRITES:
        free = {name: value for name, value in edited.items() if name != "target"}
        found.append(link("/generate", free, f"What the model writes without {off}"))
    return found
