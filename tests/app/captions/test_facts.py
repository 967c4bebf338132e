"""Facts beside a figure: what was expected and what was measured, in a sentence."""

import torch

from app.captions.facts import to_rows, typeset
from model.answers.answer import Answer
from model.answers.measurements import fact


def test_laws_are_set_as_in_print():
    formula = "n w - w (w - 1) / 2 = 12 x 3 = 33"
    assert typeset(formula) == "n w − w (w − 1) / 2 = 12 × 3 = 33"


def test_roots_powers_and_indices_are_set_and_x_stays_a_name():
    assert typeset("E |x_l|^2 <= sqrt(d_head)") == "E |xₗ|² ≤ √dₖ"
    assert typeset("at most 0.8^64 = 6.3e-7") == "at most 0.8⁶⁴ = 6.3 × 10⁻⁷"
    assert typeset("the new residual stream is x R") == "the new residual stream is x R"
    assert typeset("M_k^T M_k = 1, a / 2 x (b + 3 x 4)") == "Mₖᵀ Mₖ = 1, a / 2 × (b + 3 × 4)"


def test_only_facts_with_a_title_are_told_and_each_says_whether_it_holds():
    facts = [
        fact("visible", torch.tensor(78), "n^2", torch.tensor(True), "cells"),
        fact("error", torch.tensor(0.25), "0: no error is allowed", torch.tensor(False)),
        fact("other", torch.tensor(1), "1", torch.tensor(True)),
    ]
    answer = Answer("analytic", fields={"facts": facts})
    assert to_rows(answer, {"visible": "Open cells", "error": "Error"}) == [
        {
            "term": "Open cells",
            "value": "as expected",
            "law": "Expected n², measured 78 cells.",
            "holds": True,
        },
        {
            "term": "Error",
            "value": "not met",
            "law": "Expected 0, measured 0.250: no error is allowed.",
            "holds": False,
        },
    ]
