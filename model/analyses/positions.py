"""Positions: the table a scheme gives out, what it promises, and whether the numbers keep the promise."""

import torch
from jaxtyping import Float
from torch import Tensor

from model import positions as schemes
from model.answer import Answer, Axis, Kind, Labelled
from model.errors import InvalidInput, UnknownName
from model.positions import BASE, SCHEMES, Encoding, Scheme
from model.run import TextInput, run, text_axis
from model.zoo import Model, load_model

MAX_LENGTH = 512
MAX_WIDTH = 512
MAX_BASE = 1e9
LENGTH, WIDTH = 64, 128
EXACT, SERVED = 1e-9, 1e-6  # tolerances of a float64 identity and of the same in float32
QUANTILES = (0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0)


def positions(
    *,
    scheme: str | None = None,
    length: int | None = None,
    d_model: int | None = None,
    base: float | None = None,
    model: str | None = None,
    source: str | None = None,
    target: str | None = None,
    text: str | None = None,
) -> Answer:
    """`encoding` [position, channel], `similarity` [position, position] = PE(p) . PE(q), and `facts` measured on the table.

    Either a `scheme` of a `length`, a `d_model` and a `base`, or the table of a `model`; with an input too, `token_norm` and
    `position_norm` of its tokens. Norms are Euclidean, in units of the residual stream; wavelengths are in positions.
    """
    if model is not None:
        own = {"scheme": scheme, "d_model": d_model, "base": base}
        for name in (name for name, given in own.items() if given is not None):
            raise InvalidInput(f"Ask for a scheme or for {model}'s own table; `{name}` belongs to a scheme.", field=name, given=own[name])
        return own_table(load_model(model), length, TextInput(source, target, text))
    for name, given in {"source": source, "target": target, "text": text}.items():
        if given is not None:
            raise InvalidInput(f"`{name}` needs a `model` to read it.", field=name, given=given[:80])
    name = scheme or "sinusoidal"
    if name not in SCHEMES:
        raise UnknownName("scheme", name, SCHEMES)
    row, length, d_model = SCHEMES[name], check_length(length or LENGTH, MAX_LENGTH), check_width(d_model or WIDTH)
    if base is not None and "base" not in row.parameters:
        raise InvalidInput(f"The scheme {name} has no base.", field="base", given=base)
    own = {"base": check_base(BASE if base is None else base)} if "base" in row.parameters else {}
    table = row.encode(2 * length, d_model, dtype=torch.float64, **own)
    return Answer("analytic", *table_answer(name, row, table[:length], table, own), model=None)


def check_length(length: int, limit: int) -> int:
    if not 1 <= length <= limit:
        raise InvalidInput(f"length is {length}; it goes from 1 to {limit}.", field="length", limit=limit, given=length)
    return length


def check_width(d_model: int) -> int:
    if not 2 <= d_model <= MAX_WIDTH or d_model % 2:
        raise InvalidInput(
            f"d_model is {d_model}; it is an even number from 2 to {MAX_WIDTH}, because channels come in pairs of sine and cosine.",
            field="d_model", limit=MAX_WIDTH, given=d_model,
        )  # fmt: skip
    return d_model


def check_base(base: float) -> float:
    if not 1 < base <= MAX_BASE:
        raise InvalidInput(f"base is {base:g}; it is more than 1 and at most {MAX_BASE:g}.", field="base", limit=MAX_BASE, given=base)
    return float(base)
