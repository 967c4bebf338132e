"""Positions: the table a scheme gives out, what it promises, and whether its numbers keep the promise."""

import math
from dataclasses import replace

import torch

from model.answer import Answer, Axis, Labelled
from model.errors import InvalidInput, UnknownName
from model.position_facts import Longer, general_facts, shift_errors, sinusoidal_facts, wavelengths
from model.positions import BASE, SCHEMES, Encoding
from model.run import TextInput, run
from model.zoo import Model, load_model

LENGTH, MAX_LENGTH = 64, 512
WIDTH, MAX_WIDTH = 128, 512
MAX_BASE = 1e9
QUANTILES = (0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0)


def positions(
    *,
    scheme: str | None = None,
    length: int | None = None,
    d_model: int | None = None,
    base: int | float | None = None,
    model: str | None = None,
    source: str | None = None,
    target: str | None = None,
    text: str | None = None,
    names: str | None = None,
) -> Answer:
    """`encoding` [position, channel], `similarity` [position, position] = PE(p) . PE(q), and `facts` measured on the table.

    Either a `scheme` with a `length`, a `d_model` and a `base`, or the table that a `model` adds to its embeddings; with an input
    also the norms of its tokens' embeddings. Norms are Euclidean, in units of the residual stream; wavelengths are in positions.
    `names` narrows what is sent to the tensors it lists, comma separated.
    """
    whole = of_question(scheme, length, d_model, base, model, TextInput(source, target, text))
    if names is None:
        return whole
    wanted = [name.strip() for name in names.split(",")]
    for name in wanted:
        if name not in whole.tensors:
            raise UnknownName("tensor of these positions", name, whole.tensors)
    tensors = {name: whole.tensors[name] for name in wanted}
    used = {axis for tensor in tensors.values() for axis in tensor.axes}
    return replace(whole, tensors=tensors, axes={name: axis for name, axis in whole.axes.items() if name in used})


def of_question(
    scheme: str | None, length: int | None, d_model: int | None, base: int | float | None, model: str | None, input: TextInput
) -> Answer:
    """A model's own table or a scheme's, each with the parameters it has."""
    if model is not None:
        refuse(f"belongs to a scheme; {model} has its own.", scheme=scheme, d_model=d_model, base=base)
        return own_table(load_model(model), length, input if input != TextInput() else None)
    refuse("needs a `model` to read it.", source=input.source, target=input.target, text=input.text)
    name = "sinusoidal" if scheme is None else scheme
    if name not in SCHEMES:
        raise UnknownName("scheme", name, SCHEMES)
    if "base" not in SCHEMES[name].parameters:
        refuse(f"is no part of the scheme {name}.", base=base)
    return of_a_scheme(name, LENGTH if length is None else length, WIDTH if d_model is None else d_model, BASE if base is None else base)


def of_a_scheme(name: str, length: int, d_model: int, base: int | float) -> Answer:
    row = SCHEMES[name]
    check_between("length", length, 2, MAX_LENGTH)
    check_between("d_model", d_model, 2, MAX_WIDTH)
    check_between("base", base, 1, MAX_BASE)
    if d_model % 2:
        raise InvalidInput(
            f"d_model is {d_model}; it has to be even: channels come in pairs of sine and cosine.", field="d_model", given=d_model
        )
    own = {"base": float(base)} if "base" in row.parameters else {}
    longer = row.encode(2 * length, d_model, dtype=torch.float64, **own)
    axes, tensors, fields = measured(longer[:length], longer, row.formula, own.get("base"))
    return Answer("analytic", axes, tensors, {"scheme": name, "length": length, "d_model": d_model, **own, **fields})


def own_table(model: Model, length: int | None, input: TextInput | None) -> Answer:
    """The model's table beside its embeddings: `token_norm` of an input's tokens, quantiles over the vocabulary."""
    name, most = model.config.positions, model.config.max_length
    length = most if length is None else length
    check_between("length", length, 2, most)
    longer = model.transformer.embedding.position(most).double()
    base = BASE if name == "sinusoidal" else None
    formula = SCHEMES[name].formula if name in SCHEMES else "W_P[p]"
    axes, tensors, fields = measured(longer[:length], longer, formula, base)
    kinds = dict.fromkeys(tensors, "analytic" if name in SCHEMES else model.kind)
    scaled = (model.transformer.embedding.token * math.sqrt(model.config.d_model)).norm(dim=-1)
    fields |= {"scheme": name, "length": length, "d_model": model.config.d_model} | ({"base": base} if base else {})
    fields["vocabulary_norm"] = [{"quantile": q, "value": scaled.quantile(q).item()} for q in QUANTILES]
    if input is None:
        return Answer(kinds["encoding"], axes, tensors, {**fields, "kinds": kinds}, model.id)
    shown = run(model, input)
    for text in shown.tokens:
        stack = "decoder" if text == "target" else model.config.stacks[0]
        norm = shown.trace[f"{stack}.embedding.token"].norm(dim=-1)
        tensors[f"token_norm.{text}"] = Labelled((text,), norm, "|W_E[id] sqrt(d_model)|")
        axes[text] = shown.axes[text]
        kinds[f"token_norm.{text}"] = model.kind
    notes = {"notes": shown.notes} if shown.notes else {}
    return Answer(kinds["encoding"], axes, tensors, {**fields, "kinds": kinds, **notes}, model.id, shown.input)


def measured(table: Encoding, longer: Longer, formula: str, base: float | None) -> tuple[dict, dict, dict]:
    """Axes, tensors and facts of a float64 table; `base` is None where there are no waves."""
    length, d_model = table.shape
    axes = {"position": Axis("position", length), "channel": Axis("channel", d_model)}
    tensors = {
        "encoding": Labelled(("position", "channel"), table.float(), formula),
        "similarity": Labelled(("position", "position"), (table @ table.mT).float(), "PE(p) . PE(q)"),
        "position_norm": Labelled(("position",), table.norm(dim=-1).float(), "|PE(p)|"),
    }
    facts = general_facts(table, longer)
    if base is not None:
        facts = sinusoidal_facts(table, longer, base) + facts
        axes["pair"] = Axis("channel", d_model // 2)
        axes["offset"] = Axis("position", length - 1, [str(k) for k in range(1, length)])
        axes["precision"] = Axis("step", 2, ["float64", "float32"])
        tensors["wavelength"] = Labelled(("pair",), wavelengths(longer), "2 pi base^(2i/d), read off the table")
        tensors["shift_error"] = Labelled(("precision", "offset"), shift_errors(table, base), "max |PE(p + k) - M_k PE(p)| over p")
    return axes, tensors, {"facts": facts}


def check_between(name: str, given: int | float, low: int | float, high: int | float) -> None:
    if not low <= given <= high:
        limit = high if given > high else low
        raise InvalidInput(f"{name} is {given:g}; it goes from {low:g} to {high:g}.", field=name, limit=limit, given=given)


def refuse(reason: str, **given: object) -> None:
    """Parameters that make no sense here are refused, not overlooked."""
    for name, value in given.items():
        if value is not None:
            raise InvalidInput(f"`{name}` {reason}", field=name, given=str(value)[:80])
