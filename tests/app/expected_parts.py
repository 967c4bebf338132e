"""What /positions and /masks should answer, in NumPy: tables by the formula, masks cell by cell,
reach by walking, runs by the reading.
"""

import numpy as np

from tests.app.expected_run import ExpectedRun
from tests.model.support import position_reading
from tests.model.support.numpy_reading import END, Reading, softmax

QUANTILES = (0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0)
NOISE = 1e-5


def sinusoids(length: int, d_model: int, base: float) -> np.ndarray:
    table = np.zeros((length, d_model))
    for position in range(length):
        for channel in range(d_model):
            angle = position / base ** (2 * (channel // 2) / d_model)
            table[position, channel] = np.cos(angle) if channel % 2 else np.sin(angle)
    return table


def scheme(name: str, length: int, d_model: int, **settings) -> dict:
    """A scheme's answer: its table or its biases, what is asked of any, and how it goes on to twice
    the length.
    """
    options = position_reading.DEFAULTS[name] | settings
    head = options.pop("head", 0)
    longer = position_reading.identifiers(name, 2 * length, length, d_model, options)
    norms = np.full(2 * length, -np.inf)
    norms[: len(longer)] = np.sqrt((longer**2).sum(axis=-1))
    tensors = {
        "identifier_norm": norms,
        "profile": position_reading.profile(name, length, d_model, head, **options),
    }
    facts = position_reading.requirements(name, length, d_model, **options)
    if name in position_reading.RELATIVE:
        bias = position_reading.biases(name, length, d_model, options)
        laid_out = [[bias[head, q - p + length - 1] for q in range(length)] for p in range(length)]
        tensors |= {"bias": bias, "similarity": np.array(laid_out)}
        if name == "shaw":
            tensors["encoding"] = np.array(
                [
                    position_reading.shaws_vector(k, d_model, options)
                    for k in range(1 - length, length)
                ]
            )
    else:
        table = position_reading.identifiers(name, length, length, d_model, options)
        tensors |= of_a_table(table)
        facts = table_facts(table) | facts
        if name == "sinusoidal":
            facts, waves = (
                wave_facts(table, options["base"])[0] | facts,
                wave_facts(table, options["base"])[1],
            )
            tensors |= waves
    return {
        "axes": {},
        "tensors": tensors,
        "facts": listed(facts),
        "length": length,
        "d_model": d_model,
        **options,
    }


def board(length: int, d_model: int) -> list[dict]:
    """Every scheme's line, with its own parameters."""
    rows = {
        name: listed(position_reading.requirements(name, length, d_model))
        for name in position_reading.DEFAULTS
    }
    return [
        {"name": name, "own": position_reading.DEFAULTS[name], "facts": facts}
        for name, facts in rows.items()
    ]


def listed(facts: dict) -> list[dict]:
    return [{"name": name, "value": value} for name, value in facts.items()]


def of_a_table(table: np.ndarray) -> dict:
    return {
        "encoding": table,
        "similarity": table @ table.T,
        "position_norm": np.sqrt((table**2).sum(axis=-1)),
    }


def table_facts(table: np.ndarray) -> dict:
    length = len(table)
    similarity = table @ table.T
    apart = [np.sqrt(((table[p] - table[q]) ** 2).sum()) for p in range(length) for q in range(p)]
    inner = [(p, k) for p in range(length) for k in range(1, length) if k <= p < length - k]
    return {
        "largest_value": np.abs(table).max(),
        "nearest_distance": min(apart),
        "offset_spread": max(np.ptp(np.diagonal(similarity, k)) for k in range(length)),
        "oddness": max(
            (abs(similarity[p, p + k] - similarity[p, p - k]) for p, k in inner), default=0.0
        ),
    }


def wave_facts(table: np.ndarray, base: float) -> tuple[dict, dict]:
    """What sines and cosines promise, and the tensors it is read off."""
    length, d_model = table.shape
    kernel = table @ table[0]
    wavelength = 2 * np.pi * base ** (2 * np.arange(d_model // 2) / d_model)
    facts = {
        "squared_norm": d_model / 2,
        "shift_error": 0.0,
        "shift_error_float32": lambda error: 0 <= error < NOISE,
        "shift_crookedness": 0.0,
        "rises": float(sum(kernel[k + 1] - kernel[k] > 1e-9 * d_model for k in range(length - 1))),
        "shortest_wavelength": wavelength[0],
        "longest_wavelength": wavelength[-1],
    }

    def errors(found: np.ndarray) -> bool:
        exact, noisy = found
        return found.shape == (2, length - 1) and (exact < 1e-9).all() and (noisy < NOISE).all()

    return facts, {"wavelength": wavelength, "shift_error": errors}


def own_positions(run: ExpectedRun) -> dict:
    """The table the translator adds, beside the sizes of its embeddings."""
    d_model = run.config["d_model"]
    length = run.config["max_length"]
    table = sinusoids(length, d_model, 10000.0)
    facts, waves = wave_facts(table, 10000.0)
    facts |= table_facts(table) | {"change_with_length": 0.0}
    whole = {
        "tensors": of_a_table(table) | waves,
        "facts": listed(facts),
        "length": length,
        "d_model": d_model,
        "base": 10000.0,
    }
    norms = np.sqrt((run.weights["embedding.token"] ** 2).sum(axis=-1) * d_model)
    whole["tensors"] |= {
        "token_norm.source": norms[run.source],
        "token_norm.target": norms[run.target],
    }
    quantiles = [{"quantile": q, "value": np.quantile(norms, q)} for q in QUANTILES]
    return whole | {"axes": run.axes, "vocabulary_norm": quantiles}


def reached(allowed: np.ndarray) -> np.ndarray:
    """The fewest layers from each key to each query, by walking; -inf where there is no way."""
    n = len(allowed)
    fewest = np.full((n, n), -np.inf)
    for query in range(n):
        reached_keys, layers = {query}, 0
        fewest[query, query] = 0
        while True:
            new = {key for q in reached_keys for key in range(n) if allowed[q, key]} - reached_keys
            if not new:
                break
            layers += 1
            fewest[query, list(new)] = layers
            reached_keys |= new
    return fewest


def mask(
    allowed: np.ndarray,
    layers: int,
    facts: list[dict],
    opened: int = 0,
    closed: int = 0,
    **parameters,
) -> dict:
    """`allowed` is [query, key], or [sequence, query, key]."""
    each = allowed if allowed.ndim == 3 else allowed[None]
    needed = np.stack([reached(row) for row in each]).reshape(allowed.shape)
    reach = ((needed >= 0) & (needed <= layers)).astype(int)
    blind = np.argwhere(~allowed.astype(bool).any(axis=-1))
    return {
        "axes": {},
        "tensors": {"allowed": allowed.astype(int), "reach": reach, "layers_needed": needed},
        "length": allowed.shape[-1],
        "layers": layers,
        "visible": int(allowed.sum()),
        "opened": opened,
        "closed": closed,
        "blind_rows": (blind if allowed.ndim == 3 else blind[:, 0]).tolist(),
        "reachable": int(reach.sum()),
        "facts": facts,
        **parameters,
    }


def others(id: int, size: int) -> list[int]:
    """Four ordinary pieces other than `id`, spread over the vocabulary, of which the first three
    are special.
    """
    return [3 + (max(id - 3, 0) + size // 5 * k) % size for k in (1, 2, 3, 4)]


def under_mask(run: ExpectedRun, stack: str, layer: int, allowed: np.ndarray) -> dict:
    """The translator with `allowed` in the place of the mask of `stack`: tensors, losses and facts,
    to lie over those of the mask.
    """
    reading: Reading = run.reading
    text = {"encoder": run.source, "decoder": run.target}[stack]
    unit = {"encoder": "encoder.2.residual.out", "decoder": "logits"}[stack]

    def values(ids: list[int]) -> dict[str, np.ndarray]:
        source, target = (ids, run.target) if stack == "encoder" else (run.source, ids)
        return reading.translate(source, target, {stack: allowed.astype(bool)})

    now = values(text)
    leak = np.zeros((len(text), len(text)))
    for key, id in enumerate(text):
        for other in others(id, run.config["vocabulary_size"] - 3):
            changed = values([*text[:key], other, *text[key + 1 :]])[unit]
            leak[:, key] = np.maximum(leak[:, key], np.abs(changed - now[unit]).max(axis=-1))
    scope = f"{stack}.{layer}.attention"
    multiplied = (softmax(now[f"{scope}.scores"]) * allowed).sum(axis=-1)
    sums = np.stack([now[f"{scope}.pattern"].sum(axis=-1), multiplied])
    expected = [*run.target[1:], END]
    loss = np.stack(
        [-np.log(softmax(v["logits"])[range(len(expected)), expected]) for v in (run.values, now)]
    )
    return {
        "axes": {"query": {"ids": text}, "key": {"ids": text}},
        "tensors": {
            "trained": run.allowed(f"{stack}.attention"),
            f"{scope}.pattern": now[f"{scope}.pattern"],
            "leak": leak,
            "row_sum": sums,
            "loss": loss,
        },
        "loss": {"trained": loss[0].mean(), "chosen": loss[1].mean()},
        "layer": layer,
        "expected_from": 0,
        "facts": [
            {"name": "leak_outside_reach", "value": lambda leak: leak == 0},
            {"name": "row_sum_error", "value": lambda error: 0 <= error < NOISE},
            {"name": "smallest_multiplied_row_sum", "value": multiplied.min()},
        ],
    }
