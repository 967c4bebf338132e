"""What answers cost on this machine, in seconds of the processor, against the estimates by which
questions are refused.
"""

import time

import torch

from app.api.cost import check_cost
from app.api.endpoint import endpoints
from app.schema.questions import Question
from app.settings import Limits
from model import analyses
from tests.benchmarks.timing import Row

SMALL = {"seeds": 1}
# A word, and questions of which the first is small and the last large.
POINTS: dict[str, tuple[dict, ...]] = {
    "amplification": (SMALL, {"depths": [2, 4, 64], "d_model": 128}),
    "add-or-concatenate": (SMALL, {"tokens": 48}),
    "basis": (SMALL, {"seeds": 16}),
    "circuits-theory": (SMALL, {"seeds": 16}),
    "claims": ({},),
    "complexity": (SMALL, {"d_model": 128, "seeds": 8}, {"measure": True, "seeds": 1}),
    "decoding": (SMALL, {"vocabulary": 4, "length": 4, "beams": 8}),
    "dependency": (SMALL, {"layers": 12, "d_model": 128}),
    "gradients": (SMALL, {"stack": "decoder", "d_model": 128}),
    "head-split": (SMALL, {"seeds": 16}),
    "kv-cache": (SMALL, {"tokens": 32, "seeds": 2}),
    "memory": (SMALL, {"stack": "encoder", "text": "my good lord " * 100}),
    "norms": (SMALL, {"stack": "decoder", "depth": 64, "d_model": 128}),
    "padding": (SMALL, {"sentences": 8, "pads": 16}),
    "performer": (SMALL, {"features": 1, "length": 96, "orthogonal": True}),
    "positions": (
        {"scheme": "rope", "length": 512, "d_model": 512},
        {"scheme": "sinusoidal", "length": 512, "d_model": 512, "board": True},
    ),
    "probes": (SMALL, {"weights": "fresh"}),
    "recurrence": (SMALL, {"text": "a" * 20, "length": 20, "seeds": 16}),
    "scaling": (SMALL, {"keys": 64}),
    "scores": (SMALL, {"d_head": 256, "keys": 16, "seeds": 16}),
    "several-heads": (SMALL, {"steps": 300, "seeds": 8}),
    "warmup": (SMALL, {"layers": 8, "steps": 10, "seeds": 8}),
}


def cost(word: str, question: Question) -> float:
    """Seconds of the processor that one answer takes."""
    begun = time.process_time()
    analyses.answer(word, question.arguments())
    return time.process_time() - begun


def estimated(name: str, question: type[Question]) -> Row:
    """The estimate that is farthest from what was measured, as a factor."""
    cost(name, question(**POINTS[name][0]))  # what is loaded once
    points = []
    for asked in POINTS[name]:
        given = question(**asked)
        found, guess = cost(name, given), given.estimated_seconds()
        points.append((max(found / guess, guess / found), found, guess, asked))
    worst, found, guess, asked = max(points, key=lambda point: point[0])
    said = "&".join(f"{name}={str(value)[:20]}" for name, value in asked.items())
    note = f"{found:.3g} s, estimated {guess:.3g} s: {said}"
    return Row(f"estimate of /{name}: wrong by a factor of", worst, 3, note=note)


def checked(question: Question, calls: int = 10_000) -> float:
    """Microseconds that the check of an accepted question takes."""
    most = Limits().work_seconds
    begun = time.process_time()
    for _ in range(calls):
        check_cost(question, most)
    return 1e6 * (time.process_time() - begun) / calls


def rows() -> list[Row]:
    torch.set_num_threads(1)
    words = {word.name: word.question for word in endpoints() if word.name in POINTS}
    slowest = max(checked(question()) for question in words.values())
    return [
        *(estimated(name, question) for name, question in words.items()),
        Row("the check of a question's work, the slowest", slowest, 20, unit=" µs"),
    ]
