"""Teacher forcing: the same network reads a reference instead of its own words, and predicts every
row at once.
"""

import torch
from jaxtyping import Float
from torch import Tensor

from model.inputs.text import START
from model.runs.run import Run

TOP = 5


def teacher_forcing(
    forced: Run, written: list[int], distributions: list[Float[Tensor, " vocabulary"]]
) -> dict:
    """What `forced`, a run over the reference, predicts at each row, beside what generation wrote
    with which distributions.

    Row t has read the reference's tokens up to t. `shared` rows have read exactly what generation
    had read, so they must be the same numbers: `largest_difference` is how far apart they are.
    `first_difference` is the first row whose most probable token is not the one generation wrote
    there, or where generation had ended; None if there is no such row.
    """
    tokenizer, expected = forced.model.tokenizer, [token.id for token in forced.next_tokens]
    read = [START, *expected[:-1]]
    p = forced.trace["probabilities"][forced.predicted].double()
    predicted = p.argmax(-1).tolist()
    shared = 1 + common_prefix(expected, written)
    shared = min(shared, len(expected), len(written))
    apart = [float((p[row] - distributions[row]).abs().max()) for row in range(shared)]

    def token(id: int, row: int) -> dict:
        return {"text": tokenizer.label(id), "id": id, "probability": float(p[row, id])}

    rows = [
        {
            "index": row,
            "read": tokenizer.label(read[row]),
            "expected": token(expected[row], row),
            "predicted": token(predicted[row], row),
            "written": token(written[row], row) if row < len(written) else None,
            "candidates": [
                token(id, row) for id in p[row].topk(min(TOP, p.shape[-1])).indices.tolist()
            ],
            "same_input": row < shared,
            "agrees": row < len(written) and predicted[row] == written[row],
        }
        for row in range(len(expected))
    ]
    log_probability = p[torch.arange(len(expected)), expected].log().sum()
    return {
        "reference": forced.expected,
        "rows": rows,
        "shared": shared,
        "largest_difference": max(apart),
        "first_difference": next((row["index"] for row in rows if not row["agrees"]), None),
        "log_probability": float(log_probability),
    }


def common_prefix(a: list[int], b: list[int]) -> int:
    """How many tokens two texts have in common before they part."""
    return next(
        (i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b))
    )
