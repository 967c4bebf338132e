"""Facts beside a figure: the number with its unit and its law as in print."""

import torch

from app.figures.facts import told, typeset
from model.answers.answer import Answer
from model.answers.measurements import fact


def test_laws_are_set_as_in_print():
    written = "n w - w (w - 1) / 2 = 12 x 3 = 33"
    assert typeset(written) == "n w − w (w − 1) / 2 = 12 × 3 = 33"


def test_only_facts_with_a_title_are_told_and_each_says_whether_it_holds():
    facts = [
        fact("visible", torch.tensor(78), "n^2", torch.tensor(True), "cells"),
        fact("error", torch.tensor(0.25), "<= 0", torch.tensor(False)),
        fact("other", torch.tensor(1), "1", torch.tensor(True)),
    ]
    answer = Answer("analytic", fields={"facts": facts})
    assert told(answer, {"visible": "Open cells", "error": "Error"}) == [
        {"term": "Open cells", "value": "✓ 78 cells", "law": "n²", "holds": True},
        {"term": "Error", "value": "✗ 0.250", "law": "≤ 0", "holds": False},
    ]
