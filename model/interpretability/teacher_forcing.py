"""Teacher forcing: the network reads a reference instead of its own output, and predicts the next
token at every position at once.
"""

import torch
from jaxtyping import Float
from torch import Tensor

from model.runs.run import Run

TOP = 5


def teacher_forcing(
    forced: Run, reply: list[int], distributions: list[Float[Tensor, " vocabulary"]]
) -> dict:
    """The predictions of `forced`, a run over the reference, at each row, with the tokens of the
    generated `reply` and their `distributions`.

    Row t has read the reference up to token t. In the `shared` rows, generation had read exactly
    the same tokens, so both distributions must be equal; `largest_difference` is their largest
    difference. `first_difference` is the first row whose most probable token differs from the
    generated one, or at which generation had ended; None if there is none.
    """
    tokenizer, expected = forced.model.text_tokenizer, [token.id for token in forced.next_tokens]
    read = [tokenizer.frame.start, *expected[:-1]]
    p = forced.trace["probabilities"][forced.predicted].double()
    predicted = p.argmax(-1).tolist()
    shared = 1 + common_prefix(expected, reply)
    shared = min(shared, len(expected), len(reply))
    apart = [float((p[row] - distributions[row]).abs().max()) for row in range(shared)]

    def token(id: int, row: int) -> dict:
        return {"text": tokenizer.label(id), "id": id, "probability": float(p[row, id])}

    rows = [
        {
            "index": row,
            "read": tokenizer.label(read[row]),
            "expected": token(expected[row], row),
            "predicted": token(predicted[row], row),
            "written": token(reply[row], row) if row < len(reply) else None,
            "candidates": [
                token(id, row) for id in p[row].topk(min(TOP, p.shape[-1])).indices.tolist()
            ],
            "same_input": row < shared,
            "agrees": row < len(reply) and predicted[row] == reply[row],
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
    """The length of the longest common prefix of `a` and `b`."""
    return next(
        (i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b))
    )
