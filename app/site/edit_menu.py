"""The menu of edits: what may become of which numbers of a model, in plain words, and the edit that
a reader's choices make.
"""

import math
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

from app.captions import edited
from app.captions.arrangement import first_field
from app.site.arranging_menu import Tokens, arranging, offered
from app.site.menu_field import Choices, Field, Menu, one_of, translated
from model.labels import label


@dataclass(frozen=True)
class Part:
    """Numbers that can be changed. `at` is the name of the activation with {} for its layer; `axes`
    are its indices that can be chosen, each with the axis of the answer whose labels they have.
    """

    name: str
    at: str
    layers: int
    axes: tuple[tuple[str, str], ...]
    kind: str


@dataclass(frozen=True)
class What:
    """What becomes of the numbers: an operation, the kinds of parts that it makes sense for, and
    what it needs besides.
    """

    name: str
    op: str
    kinds: tuple[str, ...]
    needs: str = ""


FIELDS = (
    "what",
    "of",
    "layer",
    "head",
    "query",
    "key",
    "position",
    "hidden",
    "other",
    "value",
    "from",
    "how",
    "number",
    "mask",
)
"""The names of all controls that the menu may have."""

LINE = 24  # tokens that can be dragged in every menu; more only where their order is chosen
EVERY = ("head", "weight", "score", "vector", "neuron")
WHATS = {
    "off": What("turn off", "zero", ("head", "vector", "neuron")),
    "scale": What("multiply by", "scale", EVERY, "value"),
    "set": What("set to", "set", EVERY, "value"),
    "add": What("add", "add", EVERY, "value"),
    "mean": What("replace with the mean over positions", "mean", ("head", "vector", "neuron")),
    "mask": What("hide a key", "mask", ("score",)),
    "swap": What("swap with another head", "swap", ("head", "weight", "score"), "other"),
    "patch": What("copy from another input", "patch", EVERY, "from"),
    "freeze": What("freeze at its original value", "patch", EVERY),
}
"""What can be done, in the order of the menu."""


def parts(card: dict, axes: dict[str, Any]) -> dict[str, Part]:
    """The parts of a model that can change, by name. `axes` are an answer's about its input."""
    config, found = card["config"], []
    both = card["family"] == "encoder-decoder"
    for stack in ("encoder", "decoder"):
        layers = config[f"n_{stack}_layers"]
        if not layers:
            continue
        axis = axis_of(card, stack, axes)
        first = axis_of(card, "encoder", axes)
        attentions = [("attention", f"{stack} self-attention" if both else "attention", axis, axis)]
        if both and stack == "decoder":
            attentions += [("cross_attention", "cross-attention", axis, first)]
        if config.get("between_rows"):
            attentions += [("row_attention", "attention between rows", "table", "table")]
        for name, called, query, key in attentions:
            of = f"{stack}.{{}}.{name}"
            heads, cells = (("head", "head"),), (("head", "head"), ("query", query), ("key", key))
            found += [
                Part(f"{called}: a head", f"{of}.z", layers, heads, "head"),
                Part(f"{called}: a weight", f"{of}.pattern", layers, cells, "weight"),
                Part(f"{called}: a score", f"{of}.scores", layers, cells, "score"),
            ]
        found += vectors(stack, f"{stack} " if both else "", layers, axis, bool(config["d_ff"]))
    return {part.at: part for part in found}


def vectors(stack: str, of: str, layers: int, axis: str, widens: bool) -> list[Part]:
    """What is a vector for each position of a stack, and the neurons where it has some."""
    where = (("position", axis),)
    neurons = (*where, ("hidden", "hidden"))
    network, stream = f"{stack}.{{}}.feed_forward", f"{stack}.{{}}.residual.out"
    named = f"{of}feed-forward"
    return [
        *([Part(named, f"{network}.out", layers, where, "vector")] if widens else []),
        *(
            [Part(f"{named}: a neuron", f"{network}.post", layers, neurons, "neuron")]
            if widens
            else []
        ),
        Part(f"{of}stream after a layer", stream, layers, where, "vector"),
        Part(f"{of}embedding", f"{stack}.embedding.sum", 0, where, "vector"),
    ]


def axis_of(card: dict, stack: str, axes: dict[str, Any]) -> str:
    """The axis of a stack's positions in an answer."""
    names = {
        "encoder": ("source", "image", "row", "text"),
        "decoder": ("target", "queries", "text"),
    }
    return next((name for name in names[stack] if name in axes), "")


def menu(
    card: dict, axes: dict[str, Any], chosen: dict[str, str], tokens: Tokens | None = None
) -> Menu:
    """The menu after the choices of a reader; what cannot be chosen becomes the first choice.
    `tokens` are those of the input as it is read.
    """
    tokens = tokens or []
    of_input = offered(card)
    names = [*translated([(name, entry.name) for name, entry in WHATS.items()]), *of_input]
    what = known_or(chosen.get("what"), dict(names), "off")
    first = Field("what", "what", what, names)
    if what in dict(of_input):
        result = arranging(card, what, chosen, tokens)
        return replace(result, fields=[first, *result.fields], tokens=tokens)
    result = edit_menu(card, axes, chosen, first)
    return replace(result, tokens=tokens) if len(tokens) <= LINE else result


def edit_menu(card: dict, axes: dict[str, Any], chosen: dict[str, str], first: Field) -> Menu:
    """The menu of an edit of an activation, after the operation, which is chosen `first`."""
    known, what = parts(card, axes), first.value
    does = WHATS[what]
    fitting = {at: part for at, part in known.items() if part.kind in does.kinds}
    at = known_or(chosen.get("of"), fitting, first_like(fitting, chosen.get("of")))
    part = fitting[at]
    fields = [
        first,
        Field("of", "of", at, translated([(name, part.name) for name, part in fitting.items()])),
    ]
    if part.layers:
        fields.append(one_of("layer", "layer", numbers(part.layers), chosen))
    for role, axis in part.axes:
        called = {"hidden": "neuron"}.get(role, role)
        needed = (role == "head" and does.needs == "other") or (role == "key" and what == "mask")
        every = [] if needed else translated([("", "all")])
        if axis == "hidden":
            fields.append(Field(role, called, chosen.get(role, ""), kind="number"))
        else:
            fields.append(one_of(role, called, every + places(card, axes, role, axis), chosen))
    if does.needs == "other":
        fields.append(one_of("other", "with head", places(card, axes, "head", "head"), chosen))
    elif does.needs == "value":
        fields.append(Field("value", "number", chosen.get("value", ""), kind="number"))
    elif does.needs == "from":
        fields.append(Field("from", "other input", chosen.get("from", ""), kind="text"))
    edit, missing = build_edit(card, does, part, {field.name: field.value for field in fields})
    return Menu(fields, edit, missing or edited.label(edit))


def known_or(name: str | None, known: Collection[str], other: str) -> str:
    return name if name is not None and name in known else other


def first_like(fitting: dict[str, Part], wanted: str | None) -> str:
    """The part of the same attention or network as the one that was chosen, or of cross-attention,
    on which the pages open, or the first.
    """
    for name in (wanted or "", "decoder.{}.cross_attention.z"):
        scope = name.rpartition(".")[0]
        if same := [at for at in fitting if scope and at.startswith(f"{scope}.")]:
            return same[0]
    return next(iter(fitting))


def numbers(count: int) -> Choices:
    return [(str(n), str(n)) for n in range(count)]


def places(card: dict, axes: dict[str, Any], role: str, axis: str) -> Choices:
    """The indices along an axis: heads by their numbers, positions with their tokens."""
    if role == "head":
        return numbers(card["config"]["n_heads"])
    labels = (axes.get(axis) or {}).get("labels") or []
    return [(str(at), f"{at} {token}") for at, token in enumerate(labels)]


def build_edit(
    card: dict, does: What, part: Part, values: dict[str, str]
) -> tuple[dict[str, Any] | None, str]:
    """The edit that the values of the fields make, or what is missing in words."""
    where = {role: [int(values[role])] for role, _ in part.axes if values.get(role, "").isdecimal()}
    edit: dict[str, Any] = {"op": does.op, "at": part.at.format(values.get("layer", ""))}
    if does.needs == "other":
        if values["other"] == values["head"]:
            return None, label("Choose two different heads.")
        where["head"] = sorted([int(values["head"]), int(values["other"])])
    if where:
        edit["where"] = where
    if does.needs == "value":
        number = finite(values["value"])
        if number is None:
            return None, label("Type a number.")
        edit["value"] = number
    if does.needs == "from":
        if not values["from"].strip():
            missing = "Type another input for this model, or the name of an example."
            return None, label(missing)
        edit["from"] = {first_field(card): values["from"]}
    return edit, ""


def finite(typed: str) -> float | None:
    """The number that is typed; None for what is no finite number."""
    try:
        number = float(typed.replace(",", ".").replace("−", "-"))
    except ValueError:
        return None
    return number if math.isfinite(number) else None
