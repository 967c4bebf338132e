"""Every number of /positions and /masks, recomputed in NumPy."""

import json

import numpy as np
import pytest

from tests.app.every_number import differences
from tests.app.expected_parts import board, mask, own_positions, scheme, under_mask
from tests.app.expected_run import ExpectedRun

SOURCE, TARGET = "i am cold", "j'ai très froid"


@pytest.fixture(scope="module")
def expected_run(reading):
    return ExpectedRun(reading, reading.source_ids(SOURCE), reading.target_ids(TARGET))


@pytest.mark.parametrize("encoding", ["json", "base64"])
@pytest.mark.parametrize(
    ("length", "d_model", "base"), [(40, 64, 10000.0), (7, 6, 100.0), (2, 2, 50.0)]
)
def test_sinusoidal_positions(ask, length, d_model, base, encoding):
    answer = ask(
        "positions",
        scheme="sinusoidal",
        length=length,
        d_model=d_model,
        base=base,
        encoding=encoding,
    )
    assert differences(answer, scheme("sinusoidal", length, d_model, base=base)) == {}


SCHEMES = {
    "none": {},
    "integer": {},
    "normalised": {},
    "sigmoid": {},
    "sine": {"period": 9.0},
    "learned": {"seed": 3},
    "shaw": {"most": 4, "seed": 1},
    "t5": {"heads": 3, "head": 2, "buckets": 8, "most": 9, "seed": 5},
    "rope": {"base": 100.0},
    "alibi": {"heads": 4, "head": 3},
}


@pytest.mark.parametrize("name", SCHEMES)
def test_every_other_scheme(ask, name):
    answer = ask("positions", scheme=name, length=12, d_model=6, **SCHEMES[name])
    assert differences(answer, scheme(name, 12, 6, **SCHEMES[name])) == {}


def test_the_board_of_all_schemes(ask):
    answer = ask("positions", scheme="none", length=9, d_model=4, board=True)
    assert differences(answer, scheme("none", 9, 4) | {"board": board(9, 4)}) == {}


def test_the_positions_of_the_translator(ask, expected_run):
    assert (
        differences(
            ask("positions", model="translator", source=SOURCE, target=TARGET),
            own_positions(expected_run),
        )
        == {}
    )


def visible(count: int) -> dict:
    return {"name": "visible", "value": float(count)}


def cells(n: int, sees) -> np.ndarray:
    """Cell by cell from the definition."""
    return np.array([[int(sees(query, key)) for key in range(n)] for query in range(n)])


PATTERNS = {
    "full": ({}, lambda q, k: True, []),
    "causal": ({}, lambda q, k: k <= q, []),
    "prefix": ({"prefix": 5}, lambda q, k: k <= q or k < 5, []),
    "window": (
        {"window": 3},
        lambda q, k: q - 3 < k <= q,
        [{"name": "widest_reach", "value": 9.0}],
    ),
    "padding": ({"lengths": [4]}, lambda q, k: k < 4, []),
}


@pytest.mark.parametrize("encoding", ["json", "base64"])
@pytest.mark.parametrize("pattern", PATTERNS)
def test_masks(ask, pattern, encoding):
    parameters, sees, facts = PATTERNS[pattern]
    allowed = cells(12, sees)
    fields = {
        name: ",".join(map(str, value)) if isinstance(value, list) else value
        for name, value in parameters.items()
    }
    answer = ask("masks", pattern=pattern, length=12, layers=4, encoding=encoding, **fields)
    assert (
        differences(answer, mask(allowed, 4, [visible(allowed.sum()), *facts], **parameters)) == {}
    )
    if pattern == "prefix":
        assert answer["visible"] == 88


def test_the_masks_of_a_padded_batch(ask):
    allowed = np.stack([cells(6, lambda q, k, length=length: k < length) for length in (6, 2, 0)])
    expected = mask(allowed, 2, [visible(48)], lengths=[6, 2, 0])
    assert (
        differences(ask("masks", pattern="padding", length=6, layers=2, lengths="6,2,0"), expected)
        == {}
    )


def test_painted_cells(ask):
    allowed = cells(5, lambda q, k: k <= q)
    allowed[1, 3:5], allowed[4, 0] = 1, 0
    answer = ask("masks", pattern="causal", length=5, layers=3, flip="1.3-4,4.0")
    assert differences(answer, mask(allowed, 3, [visible(15 + 2 - 1)], opened=2, closed=1)) == {}


def test_a_mask_of_any_cells_by_post(client):
    allowed = np.random.default_rng(0).integers(0, 2, (7, 7))
    allowed[2] = 0
    answer = client.post("/api/v1/masks", json={"cells": allowed.tolist(), "layers": 2}).json()
    assert differences(answer, mask(allowed, 2, [])) == {}
    assert answer["blind_rows"] == [2]


RUNS = {
    "a decoder that sees everything": ("decoder", 1, "full", lambda q, k: True, {}),
    "a decoder with a window": ("decoder", 0, "window", lambda q, k: q - 2 < k <= q, {"window": 2}),
    "an encoder that looks back only": ("encoder", 2, "causal", lambda q, k: k <= q, {}),
}


@pytest.mark.parametrize("name", RUNS)
def test_the_translator_under_another_mask(ask, expected_run, name):
    stack, layer, pattern, sees, parameters = RUNS[name]
    n = len(expected_run.source if stack == "encoder" else expected_run.target)
    allowed = cells(n, sees)
    answer = ask(
        "masks",
        model="translator",
        source=SOURCE,
        target=TARGET,
        pattern=pattern,
        stack=stack,
        layer=layer,
        **parameters,
    )
    facts = [visible(allowed.sum())] + [{"name": "widest_reach", "value": 4.0}] * (
        pattern == "window"
    )
    expected, run = (
        mask(allowed, 3, facts, **parameters),
        under_mask(expected_run, stack, layer, allowed),
    )
    expected["tensors"] |= run.pop("tensors")
    expected["facts"] = expected["facts"] + run.pop("facts")
    assert differences(answer, expected | run) == {}


def test_the_translator_with_a_token_that_may_look_nowhere(ask, expected_run):
    """The blind row is zeros, flagged, and everything after it is still finite and right."""
    n = len(expected_run.target)
    allowed = cells(n, lambda q, k: k <= q)
    allowed[1] = 0
    question = {
        "model": "translator",
        "source": SOURCE,
        "target": TARGET,
        "stack": "decoder",
        "layer": 0,
    }
    answer = ask("masks", **question, cells=json.dumps(allowed.tolist()))
    expected, run = mask(allowed, 3, []), under_mask(expected_run, "decoder", 0, allowed)
    expected["tensors"] |= run.pop("tensors")
    assert differences(answer, expected | run) == {}
    assert answer["blind_rows"] == [1]
    assert (np.array(answer["tensors"]["decoder.0.attention.pattern"]["data"])[:, 1] == 0).all()
