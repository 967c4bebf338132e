"""What answers cost against the estimates by which questions are refused: both in processor seconds
of the usual core. How slow this one is, is measured beside each answer, so noise cancels.
"""

import time

import torch

from app.api.cost import check_cost
from app.api.endpoint import endpoints
from app.compute.allocator import keep_freed_memory
from app.schema.questions import Question
from app.settings import Limits
from model import analyses
from model.core_speed import slowness
from tests.benchmarks.timing import Row

SMALL = {"seeds": 1}
TRANSLATOR = {"model": "translator", "source": "i am cold"}
LONG_SOURCE = "I have a black cat in my house and you want to see the dog ."
SHAKESPEARE = {"model": "shakespeare", "text": "The king is in the house. " * 9}
INDUCTION = {"model": "induction-2", "text": "abcdefgh" * 8}
BETWEEN = {"toward": "you are hot", "away": "we are ill"}
GOAL, FLOOR = 1.5, 0.1
"""The factor by which an estimate may be wrong, and the seconds below which none matters."""
# A word, and questions of which the first is small and the last large.
POINTS: dict[str, tuple[dict, ...]] = {
    "amplification": (SMALL, {"depths": [2, 4, 64], "d_model": 128}),
    "add-or-concatenate": (SMALL, {"tokens": 48}),
    "attribution": (
        TRANSLATOR | {"steps": 17},
        TRANSLATOR | {"source": LONG_SOURCE},
        TRANSLATOR | {"source": LONG_SOURCE, "steps": 1025},
        INDUCTION,
        SHAKESPEARE,
        SHAKESPEARE | {"text": SHAKESPEARE["text"] * 2},
    ),
    "basis": (SMALL, {"seeds": 16}),
    "circuit": (
        INDUCTION | {"part": "composition"},
        SHAKESPEARE,
        TRANSLATOR | {"part": "weights"},
        TRANSLATOR,
    ),
    "circuits-theory": (SMALL, {"seeds": 16}),
    "claims": ({},),
    "complexity": (
        SMALL,
        {"measure": True, "seeds": 1},
        {"measure": True, "seeds": 1, "lengths": [1000, 1024, 900], "d_model": 128},
        {"d_model": 128, "seeds": 8},
    ),
    "decoding": (SMALL, {"vocabulary": 4, "length": 4, "beams": 8}),
    "dependency": (SMALL, {"layers": 12, "d_model": 128}),
    "effects": (
        INDUCTION,
        TRANSLATOR | {"draws": 1},
        TRANSLATOR | {"ablation": "mean"},
        {"model": "digits", "image": "one"},
        SHAKESPEARE | {"unit": "position"},
        TRANSLATOR | {"source": LONG_SOURCE, "unit": "neurons", "groups": 32},
    ),
    "gradients": (SMALL, {"stack": "decoder", "d_model": 128}),
    "head-split": (SMALL, {"seeds": 16}),
    "heads": (
        {"model": "induction-2", "examples": 4},
        {"model": "translator"},
        {"model": "shapes", "examples": 24},
        {"model": "translator", "examples": 8},
    ),
    "kv-cache": (SMALL, {"tokens": 32, "seeds": 2}),
    "memory": (SMALL, {"stack": "encoder", "text": "my good lord " * 100}),
    "norms": (SMALL, {"stack": "decoder", "depth": 64, "d_model": 128}),
    "padding": (SMALL, {"sentences": 8, "pads": 16}),
    "patching": (
        TRANSLATOR | {"clean": "i am tall"},
        {"model": "digits", "image": "one", "clean": "two"},
        INDUCTION | {"clean": "abcdefgx" * 8},
        TRANSLATOR | {"source": LONG_SOURCE, "clean": LONG_SOURCE.replace("black", "white")},
        SHAKESPEARE | {"clean": SHAKESPEARE["text"].replace("king", "queen")},
    ),
    "performer": (SMALL, {"features": 1, "length": 96, "orthogonal": True}),
    "positions": (
        {"length": 512},
        {"scheme": "rope", "length": 512, "d_model": 512},
        {"scheme": "sinusoidal", "length": 512, "d_model": 512, "board": True},
    ),
    "probes": (SMALL, {"weights": "fresh"}),
    "pixels": (SMALL, {"seeds": 16}),
    "recurrence": (SMALL, {"text": "a" * 20, "length": 20, "seeds": 16}),
    "scaling": (SMALL, {"keys": 64}, {"keys": 64, "pairs": 1000, "seeds": 1}),
    "scores": (SMALL, {"d_head": 256, "keys": 16, "seeds": 16}),
    "steering": (
        INDUCTION | {"text": "abcabc", "toward": "abab", "away": "cdcd"},
        TRANSLATOR | BETWEEN,
        SHAKESPEARE | BETWEEN | {"draws": 1},
        SHAKESPEARE | BETWEEN | {"draws": 4, "max_new_tokens": 60},
    ),
    "several-heads": (SMALL, {"steps": 300, "seeds": 8}),
    "warmup": (SMALL, {"layers": 8, "steps": 10, "seeds": 8}),
}


def cost(word: str, question: Question) -> float:
    """Processor seconds of the usual core that one answer takes."""
    before = slowness()
    begun = time.process_time()
    analyses.answer(word, question.arguments())
    seconds = time.process_time() - begun
    return seconds / ((before + slowness()) / 2)


def estimated(name: str, question: type[Question]) -> Row:
    """The estimate that is farthest from what was measured, as a factor; what takes less than
    FLOOR counts as that.
    """
    cost(name, question(**POINTS[name][0]))  # what is loaded once
    points = []
    for asked in POINTS[name]:
        given = question(**asked)
        found, guess = cost(name, given), given.estimated_seconds()
        both = max(found, FLOOR), max(guess, FLOOR)
        points.append((max(both) / min(both), found, guess, asked))
    worst, found, guess, asked = max(points, key=lambda point: point[0])
    said = "&".join(f"{name}={str(value)[:20]}" for name, value in asked.items())
    note = f"{found:.3g} s, estimated {guess:.3g} s: {said}"
    what = f"estimate of /{name}: wrong by a factor of, above {FLOOR:g} s"
    return Row(what, worst, GOAL, note=note)


def checked(question: Question, calls: int = 10_000) -> float:
    """Microseconds that the check of an accepted question takes."""
    most = Limits().work_seconds
    begun = time.process_time()
    for _ in range(calls):
        check_cost(question, most)
    return 1e6 * (time.process_time() - begun) / calls


def rows() -> list[Row]:
    torch.set_num_threads(1)
    keep_freed_memory()  # as the worker does
    words = {word.name: word.question for word in endpoints() if word.name in POINTS}
    slowest = max(checked(words[name](**POINTS[name][0])) for name in words)
    return [
        *(estimated(name, question) for name, question in words.items()),
        Row("the check of a question's work, the slowest", slowest, 20, unit=" µs"),
    ]
