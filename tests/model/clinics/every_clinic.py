"""A small question for every clinic, so that what holds for all of them is tried on all of them."""

from functools import cache
from typing import NamedTuple

import pytest

from model import progress
from model.analyses import answer
from model.answers.answer import Answer
from model.clinics import CLINICS
from model.layers.choice_names import PLACEMENT_NAMES
from tests.thorough import mostly

SMALL: dict[str, dict] = {clinic: {} for clinic in CLINICS} | {
    "amplification": {"depths": [1, 2, 4], "d_model": 8},
    "add_or_concatenate": {"tokens": 4},
    "basis": {"norm": "layer"},
    "complexity": {"lengths": [2, 4], "d_model": 8},
    "decoding": {"length": 2, "beams": 2},
    "dependency": {"layers": 2, "d_model": 8},
    "kv_cache": {"tokens": 4},
    "gradients": {"depths": [1, 2, 3], "d_model": 8},
    "memory": {"stack": "encoder", "slots": 2},
    "norms": {"depth": 4, "d_model": 8},
    "padding": {"sentences": 2},
    "performer": {"length": 8, "features": 16},
    "probes": {"sentences": 8},
    "recurrence": {"text": "abc", "length": 3},
    "scaling": {"d_head": 4, "keys": 4, "pairs": 1000},
    "scores": {"d_head": 4, "keys": 4},
    "several_heads": {"steps": 50},
    "warmup": {"layers": 1, "steps": 6},
}
"""What is asked of each clinic besides its defaults, where they are no small question."""
assert SMALL.keys() == set(CLINICS)
SEEDS = 3
STACKS = ("encoder", "decoder")
OF_SEEDS = [clinic for clinic in SMALL if clinic != "claims"]  # claims counts its own seeds
PLACED = mostly(
    (cases := [pytest.param(name, stack) for stack in STACKS for name in PLACEMENT_NAMES]),
    *(case for case in cases if case.values in (("admin", "encoder"), ("b2t", "decoder"))),
)
"""Every placement in both stacks, as the arguments `placement` and `stack` of a test. Those whose
forward pass has more than a norm to put elsewhere are in `make test`, where every other is asked
as a choice of its page: tests/app/test_every_choice.py.
"""


def ask(clinic: str, **rest: object) -> Answer:
    return answer(clinic.replace("_", "-"), SMALL[clinic] | rest)


class ReportedAnswer(NamedTuple):
    """An answer, and what the computation told on the way: parts done, of how many."""

    answer: Answer
    reports: list[tuple[int, int]]


@cache
def reported_answer(clinic: str, seeds: int = SEEDS) -> ReportedAnswer:
    """A small question, computed once for all tests of one process, which share it
    (tests/scheduling.py).
    """
    reports = []
    with progress.reporting(lambda done, of: reports.append((done, of))):
        found = ask(clinic, **({"seeds": seeds} if clinic in OF_SEEDS else {}))
    return ReportedAnswer(found, reports)
