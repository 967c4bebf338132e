"""Positions: the vectors or biases with which a scheme encodes positions or offsets, its desirable
properties, and measurements of them.
"""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from model import progress
from model.activations.activation import input_axis
from model.analytic.position_comparison import COMPARED, SchemeValues, laid_out
from model.analytic.position_properties import (
    Longer,
    general_facts,
    requirements,
    shift_errors,
    sinusoidal_facts,
    wavelengths,
)
from model.answers.answer import Answer, Axis, Labelled, Section, counted, named, numbered
from model.answers.measurements import fact
from model.checks import check_between
from model.errors import InvalidInput, UnknownName
from model.inputs.input import Input
from model.layers.position_interpolation import interpolate
from model.layers.positional_encodings import BASE, SCHEMES, Encoding
from model.layers.positional_encodings import POSITIONS as ADDED
from model.runs.run_model import Runs, run_model
from model.zoo.models import Model, load_model
from model.zoo.resize_position_embedding import resize_positions

LENGTH, MAX_LENGTH = 64, 512
WIDTH, MAX_WIDTH = 128, 512
MAX_SIDE = 12  # patches
QUANTILES = (0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0)


def positions(
    runs: Runs = run_model,
    *,
    scheme: str | None = None,
    length: int | None = None,
    d_model: int | None = None,
    head: int | None = None,
    board: bool = False,
    interpolated: int | None = None,
    model: str | None = None,
    source: str | None = None,
    target: str | None = None,
    text: str | None = None,
    image: str | None = None,
    row: str | None = None,
    names: str | None = None,
    **parameters: int | float | None,
) -> Answer:
    """`encoding` [position, channel], `similarity` [position, position] = PE(p) . PE(q), and
    `facts` measured from them.

    A question names either a `scheme` with a `length`, a `d_model`, and `parameters`, listed with
    defaults in layers/position_parameters.py, or a `model`, whose own table is shown. With an
    input, the answer also has the norms of its token embeddings.

    A scheme that adds biases to scores has `bias` [head, offset] instead of `encoding`, and its
    `similarity` is the bias of one `head` for each pair of positions. `identifier_norm` and
    `profile` extend to twice the length. With `board`, every scheme is compared by the same
    requirements. A table with a vector per position can be `interpolated` to another number of
    positions, and a table of patches to another number of patches per side. Norms are Euclidean, in
    units of the residual stream; wavelengths are in positions. `names` selects tensors, separated
    by commas. Raises InvalidInput or UnknownName.
    """
    values = {name: value for name, value in parameters.items() if value is not None}
    input = Input(source, target, text, image, row)
    if model is not None:
        of_a_scheme = {"scheme": scheme, "d_model": d_model, "head": head, "board": board or None}
        refuse(of_a_scheme | values, "belongs-to-a-scheme", model=model)
        read = None if input == Input() else input
        whole = own_table(load_model(model), length, read, interpolated, runs)
    else:
        refuse(vars(input), "needs-a-model-to-read-it")
        length = LENGTH if length is None else length
        d_model = WIDTH if d_model is None else d_model
        name = scheme or "sinusoidal"
        whole = scheme_answer(name, length, d_model, values, head, board, interpolated)
    return replace(whole, tensors=named(whole.tensors, names))


def scheme_answer(
    name: str, length: int, d_model: int, args: dict, head: int | None, board: bool, to: int | None
) -> Answer:
    """The answer about the scheme `name` with this length and width; `args` are its own parameters,
    and `to` is the number of positions to interpolate its table to.
    """
    values = checked(name, length, d_model, args)
    scheme_values = COMPARED[name].values(length, d_model, **values)
    if to is not None:
        check_interpolated(name, to, head, board)
        section = between(scheme_values.known, scheme_values.formula, to)
        described = {"scheme": name, "d_model": d_model, **values, "how": scheme_values.how}
        fields = described | {"facts": section.facts} | section.fields
        return Answer(scheme_values.kind, section.axes, section.tensors, fields)
    if scheme_values.biases is None:
        refuse({"head": head}, "no-part-of-the-scheme", scheme=name)
        section = vectors_section(name, scheme_values, values, board)
    else:
        section = scores_section(scheme_values, head or 0)
    section |= twice_as_long(scheme_values, head or 0)
    facts = {fact.name: fact for fact in section.facts + requirements(scheme_values)}
    fields = {
        "scheme": name,
        "length": length,
        "d_model": d_model,
        **values,
        "how": scheme_values.how,
        "facts": list(facts.values()),
    }
    if board:
        fields["board"] = [
            row(other, length, d_model, values if other == name else COMPARED[other].defaults)
            for other in progress.steps(list(COMPARED), 0.6 if name == "sinusoidal" else 0)
        ]
    return Answer(scheme_values.kind, section.axes, section.tensors, fields)


def checked(name: str, length: int, d_model: int, values: dict) -> dict:
    """The parameters of the scheme `name`, completed with defaults. Raises UnknownName for the
    scheme, and InvalidInput for an invalid parameter, length, or width.
    """
    if name not in COMPARED:
        raise UnknownName("unknown-scheme", name, COMPARED)
    scheme = COMPARED[name]
    others = {name: value for name, value in values.items() if name not in scheme.defaults}
    refuse(others, "no-part-of-the-scheme", scheme=name)
    check_between("length", length, 2, MAX_LENGTH)
    check_between("d_model", d_model, 2, MAX_WIDTH)
    if d_model % 2:
        raise InvalidInput("channels-in-pairs", field="d_model", given=d_model)
    return scheme.checked(values)


def check_interpolated(name: str, to: int, head: int | None, board: bool) -> None:
    """Raises InvalidInput for a scheme without a table to interpolate, and for options that
    interpolation does not support.
    """
    if name not in (*SCHEMES, "learned"):
        raise InvalidInput("nothing-to-interpolate", field="interpolated", given=to, scheme=name)
    refuse({"head": head, "board": board or None}, "not-asked-of-an-interpolated-table")


def row(name: str, length: int, d_model: int, values: dict) -> dict:
    """The scheme's row on the board, with the parameters of the measurement."""
    scheme_values = COMPARED[name].values(length, d_model, **values)
    return {
        "name": name,
        "how": scheme_values.how,
        "kind": scheme_values.kind,
        "formula": scheme_values.formula,
        "own": values,
        "facts": requirements(scheme_values),
    }


def vectors_section(name: str, scheme_values: SchemeValues, values: dict, board: bool) -> Section:
    """The section about a scheme with a vector per position or offset. With `board`, it is only
    part of the work.
    """
    base = values.get("base") if name == "sinusoidal" else None
    symbol = "turned" if name == "rope" else "PE"
    with progress.part(0, 0.6 if board else 1):
        return measured(
            scheme_values.known, scheme_values.longer, scheme_values.formula, base, symbol
        )


def scores_section(scheme_values: SchemeValues, head: int) -> Section:
    """The section about a scheme that adds biases to scores: `bias` for every head and offset
    within the length, and the bias of one head for each pair of positions.
    """
    assert scheme_values.biases is not None, "only what is added to the scores comes here"
    check_between("head", head, 0, len(scheme_values.biases) - 1)
    length = len(scheme_values.known)
    within = slice(length, 3 * length - 1)
    bias = scheme_values.biases[:, within]
    axes = {
        "position": counted("position", length, "position"),
        "head": counted("head", len(bias), "head"),
        "offset": numbered("position", range(1 - length, length), "offset", "positions"),
    }
    tensors = {
        "bias": Labelled(("head", "offset"), bias.float(), scheme_values.formula),
        "similarity": Labelled(
            ("position", "position"),
            laid_out(bias[head], length).float(),
            f"bias[{head}, q - p] at query p and key q",
        ),
    }
    if scheme_values.vectors is not None:
        axes["channel"] = counted("channel", scheme_values.vectors.shape[1], "channel")
        tensors["encoding"] = Labelled(
            ("offset", "channel"), scheme_values.vectors[within].float(), "a[clip(offset)]"
        )
    return Section(axes, tensors)


def twice_as_long(scheme_values: SchemeValues, head: int) -> Section:
    """The section up to twice the length: the norm of every identifier, and the similarity of the
    last query with every key before it.
    """
    length, had = len(scheme_values.known), len(scheme_values.longer)
    norms = torch.full((2 * length,), -math.inf, dtype=torch.float64)
    norms[:had] = scheme_values.longer.norm(dim=-1)
    profile = torch.full((2, 2 * length), -math.inf, dtype=torch.float64)
    for end, query in enumerate((length - 1, 2 * length - 1)):
        if query < had:
            profile[end, : query + 1] = seen_from(scheme_values, query, head)
    axes = {
        "reached": counted("position", 2 * length, "position"),
        "query": numbered("position", [length - 1, 2 * length - 1], "position of the query"),
        "behind": counted("position", 2 * length, "distance of the key behind", "positions"),
    }
    tensors = {
        "identifier_norm": Labelled(
            ("reached",), norms.float(), "|identifier|; none beyond what a table holds", masked=True
        ),
        "profile": Labelled(
            ("query", "behind"),
            profile.float(),
            "similarity of the query with the key so many positions behind",
            masked=True,
        ),
    }
    return Section(axes, tensors)


def seen_from(scheme_values: SchemeValues, query: int, head: int) -> Float[Tensor, " behind"]:
    """The similarity of the position `query` with itself, the position before it, and so on to the
    first.
    """
    if scheme_values.biases is not None:
        return scheme_values.longer[: query + 1, head]
    return (scheme_values.longer[: query + 1] @ scheme_values.longer[query]).flip(0)


def between(table: Encoding, formula: str, to: int, patches: bool = False) -> Section:
    """The section about a table interpolated to `to` positions. With `patches`, the table has [CLS]
    first and one row per patch of a square, and is interpolated to `to` patches per side.
    """
    least, most = (1, MAX_SIDE) if patches else (2, MAX_LENGTH)
    check_between("interpolated", to, least, most)
    size = math.isqrt(len(table)) if patches else len(table)
    resized = resize_positions if patches else interpolate
    new, change = resized(table, to), (resized(table, size) - table).abs().max()
    law = "0: interpolated to its own size, the table is itself"
    unchanged = Section(
        {},
        {},
        {"length": len(new), "interpolated": to, "from": size},
        [fact("same_size_change", change, law, change == 0)],
    )
    return unchanged | measured(new, new, f"{formula}, interpolated", None)


def own_table(
    model: Model, length: int | None, input: Input | None, to: int | None, runs: Runs
) -> Answer:
    """A model's table, quantiles of the norms of its token embeddings, and `token_norm` of an
    input's tokens. A model with relative positions has no table; `relative` names its scheme. A
    long table is cut to MAX_LENGTH positions.
    """
    name, most = model.config.positions.absolute, min(model.config.max_length, MAX_LENGTH)
    length = most if length is None else length
    check_between("length", length, 2, most)
    position = model.transformer.embedding.position
    table, longer = position(length).double(), position(most).double()
    base = BASE if name == "sinusoidal" else None
    formula = SCHEMES[name].formula if name in SCHEMES else ADDED[name].formula
    patches = model.config.inputs == "patches"
    if to is None:
        section = measured(table, longer, formula, base)
        section |= Section({}, {}, {"base": base} if base else {})
    else:
        section = between(table, formula, to, patches)
    axes, tensors = section.axes, section.tensors
    kinds = dict.fromkeys(tensors, model.kind if name == "learned" else "analytic")
    fields: dict[str, Any] = {
        "facts": section.facts,
        "scheme": name,
        "length": length,
        "d_model": model.config.d_model,
    } | section.fields
    if patches:
        fields["grid"] = math.isqrt(fields["length"])
    if model.config.positions.relative != "none":
        fields["relative"] = model.config.positions.relative
    if model.config.inputs == "tokens":
        fields["vocabulary_norm"] = vocabulary_norm(model)
    if input is None:
        return Answer(kinds["encoding"], axes, tensors, {**fields, "kinds": kinds}, model.id)
    run = runs(model, input)
    for text, stack in {
        input_axis(model.config, stack): stack for stack in model.config.stacks
    }.items():
        norm = run.trace[f"{stack}.embedding.token"].norm(dim=-1)
        formula = run.activation(f"{stack}.embedding.token").formula
        tensors[f"token_norm.{text}"] = Labelled((text,), norm, f"|{formula}|")
        axes[text] = run.axes[text]
        kinds[f"token_norm.{text}"] = model.kind
    notes = {"notes": run.notes} if run.notes else {}
    return Answer(
        kinds["encoding"], axes, tensors, {**fields, "kinds": kinds, **notes}, model.id, run.input
    )


def vocabulary_norm(model: Model) -> list[dict]:
    """Quantiles of the norms of all token embeddings."""
    embedding = model.transformer.embedding
    norm = (embedding.token * embedding.factor).norm(dim=-1)
    return [{"quantile": q, "value": norm.quantile(q).item()} for q in QUANTILES]


def measured(
    table: Encoding, longer: Longer, formula: str, base: float | None, symbol: str = "PE"
) -> Section:
    """The section about a float64 table. `base` is the base of the wavelengths, None for a scheme
    without waves.
    """
    length, d_model = table.shape
    axes = {
        "position": counted("position", length, "position"),
        "channel": counted("channel", d_model, "channel"),
    }
    tensors = {
        "encoding": Labelled(("position", "channel"), table.float(), formula),
        "similarity": Labelled(
            ("position", "position"), (table @ table.mT).float(), f"{symbol}(p) . {symbol}(q)"
        ),
        "position_norm": Labelled(("position",), table.norm(dim=-1).float(), f"|{symbol}(p)|"),
    }
    facts = general_facts(table, longer)
    if base is not None:
        with progress.part(0, 0.5):
            facts = sinusoidal_facts(table, longer, base) + facts
        axes["pair"] = counted("channel", d_model // 2, "pair of channels")
        axes["offset"] = numbered("position", range(1, length), "offset", "positions")
        axes["precision"] = Axis("step", 2, ["float64", "float32"])
        tensors["wavelength"] = Labelled(
            ("pair",), wavelengths(longer), "2 pi base^(2i/d), read off the table"
        )
        with progress.part(0.5, 1):
            errors = shift_errors(table, base)
        tensors["shift_error"] = Labelled(
            ("precision", "offset"), errors, "max |PE(p + k) - M_k PE(p)| over p"
        )
    return Section(axes, tensors, facts=facts)


def refuse(fields: Mapping[str, object], message: str, **values: str) -> None:
    """Raises InvalidInput for the first field in `fields` that is not None."""
    for name, value in fields.items():
        if value is not None:
            raise InvalidInput(message, field=name, given=str(value)[:80], **values)
