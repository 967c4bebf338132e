"""What answers cost against the estimates by which questions are refused: both in processor seconds
of the reference core. How slow this one is, is measured beside each answer, so noise cancels.
"""

import time
from collections.abc import Callable
from functools import partial

import torch

from app.api.cost import check_cost
from app.api.endpoint import endpoints
from app.api.endpoints.notes import Notes, chosen
from app.compute.allocator import keep_freed_memory
from app.schema.questions import Question
from app.settings import Limits
from app.site.notes_service import plain
from model import analyses
from model.core_speed import slowness
from tests.benchmarks.timing import Row

SMALL = {"seeds": 1}
DECODER = {"stack": "decoder"}
TRANSLATOR = {"model": "translator", "source": "i am cold"}
LONG_SOURCE = "I have a black cat in my house and you want to see the dog ."
LONG = TRANSLATOR | {"source": LONG_SOURCE}
SHAKESPEARE = {"model": "shakespeare", "text": "The king is in the house. " * 9}
SEGMENTED = {"model": "shakespeare-xl", "text": SHAKESPEARE["text"]}
INDUCTION = {"model": "induction-2", "text": "abcdefgh" * 8}
DIGIT = {"model": "digits", "image": "one"}
TABLE = {"model": "penguins-saint", "row": "adelie"}
BETWEEN = {"toward": "you are hot", "away": "we are ill"}
TIMES = 2
GOAL, FLOOR = 1.5, 0.1
"""The factor by which an estimate may be wrong, and the seconds below which none matters."""
# A word, and questions, of which the first is small. Each size that an included model has is above
# 0 in one of them at least.
POINTS: dict[str, tuple[dict, ...]] = {
    "amplification": (
        SMALL,
        {},
        SMALL | {"depths": [2, 4, 64], "d_model": 128},
        {"depths": [1, 2, 4], "d_model": 4, "seeds": 32},
        {"depths": [2, 4, 48], "d_model": 32, "seeds": 4},
        {"depths": [2, 4, 32], "d_model": 128, "seeds": 4, "placement": "b2t"},
        DECODER | {"depths": [2, 4, 48], "d_model": 32, "seeds": 2},
    ),
    "add-or-concatenate": (
        SMALL,
        {"tokens": 4, "seeds": 16},
        {"tokens": 48, "vectors": "fill-in"},
        {"tokens": 16, "seeds": 8, "vectors": "fill-in"},
    ),
    "attribution": (
        TRANSLATOR | {"steps": 17},
        LONG,
        LONG | {"steps": 1025},
        LONG | {"methods": "removal"},
        TRANSLATOR | {"methods": "integrated"},
        SHAKESPEARE,
        SHAKESPEARE | {"text": "The king is dead."},
        SHAKESPEARE | {"methods": "removal"},
        SHAKESPEARE | {"text": SHAKESPEARE["text"] * 2},
    ),
    "basis": (SMALL, {"seeds": 16}),
    "circuit": (
        INDUCTION | {"part": "composition"},
        SHAKESPEARE,
        TRANSLATOR | {"part": "weights"},
        TRANSLATOR,
        INDUCTION | {"part": "paths"},
        {"model": "induction-1", "part": "paths"},
        SHAKESPEARE | {"part": "weights"},
        SHAKESPEARE | {"part": "composition"},
        {"model": "speller", "source": "cat"},
    ),
    "circuits-theory": (SMALL, {"seeds": 16}, {"weights": "trained"}, {"weights": "random"}),
    "claims": ({},),
    "complexity": (
        SMALL,
        {"measure": True, "seeds": 1, "lengths": [1000, 1024, 900], "d_model": 128},
        {"measure": True, "seeds": 1, "lengths": [1000, 1024, 900], "d_model": 16},
        {"measure": True, "seeds": 1, "lengths": [64, 1024], "d_model": 128, "kernel": 31},
        {"d_model": 128, "seeds": 8},
        {"d_model": 16, "seeds": 16},
    ),
    "decoding": (
        SMALL,
        {"vocabulary": 4, "length": 4, "beams": 8},
        {"vocabulary": 2, "length": 2, "seeds": 16},
        {"vocabulary": 4, "length": 2, "beams": 8},
        {"vocabulary": 2, "length": 4},
    ),
    "dependency": (
        SMALL,
        {"layers": 12, "d_model": 128},
        {"layers": 12, "d_model": 32, "placement": "b2t"},
        {"layers": 1, "seeds": 16},
        DECODER | {"layers": 12, "d_model": 32, "seeds": 2},
        DECODER | {"layers": 4, "d_model": 128, "seeds": 2, "placement": "none"},
    ),
    "effects": (
        INDUCTION,
        TRANSLATOR | {"draws": 1},
        TRANSLATOR | {"ablation": "resample"},
        DIGIT | {"unit": "neurons", "groups": 32},
        SHAKESPEARE | {"unit": "position"},
        SHAKESPEARE,
        LONG | {"unit": "neurons", "groups": 32},
        SEGMENTED | {"text": "The king is dead."},
        TABLE,
    ),
    "fine-tuning": ({},),
    "generate": (
        TRANSLATOR | {"edits": [{"op": "zero", "at": "decoder.2.cross_attention.z"}]},
        SHAKESPEARE | {"edits": [{"op": "zero", "at": "decoder.2.attention.z"}]},
        INDUCTION | {"edits": [{"op": "zero", "at": "decoder.1.attention.z"}]},
        LONG | {"edits": [{"op": "zero", "at": "decoder.2.cross_attention.z"}], "strategy": "beam"},
    ),
    "gradients": (
        SMALL,
        SMALL | DECODER | {"d_model": 128},
        {"d_model": 128, "depths": [2, 4, 32]},
        {"d_model": 4, "depths": [1, 2, 3, 4, 5, 6, 7, 8]},
        {"d_model": 32, "placement": "admin", "seeds": 4},
        DECODER | {"d_model": 32, "depths": [2, 4, 32], "seeds": 4},
    ),
    "head-split": (SMALL, {"seeds": 16}),
    "heads": (
        {"model": "induction-2", "examples": 4},
        {"model": "induction-2", "examples": 30},
        {"model": "shapes", "examples": 24},
        {"model": "translator", "examples": 8},
        {"model": "digits", "examples": 8},
        {"model": "penguins-saint", "examples": 4},
    ),
    "kv-cache": (SMALL, {"tokens": 4, "seeds": 8}, {"tokens": 48, "seeds": 2}),
    "learned-positions": ({},),
    "memory": (
        SMALL,
        {"seeds": 8},
        {"text": "my good lord " * 100, "seeds": 1},
        {"stack": "encoder", "text": "my good lord " * 100},
        {"stack": "encoder", "text": "my lord", "seeds": 16},
    ),
    "norms": (
        SMALL,
        DECODER | {"depth": 64, "d_model": 128},
        {"depth": 64, "d_model": 32},
        {"depth": 2, "d_model": 128, "seeds": 1},
        {"depth": 64, "d_model": 128, "seeds": 1},
    ),
    "notes": ({},),
    "padding": (SMALL, {"sentences": 8, "pads": 16}, {"sentences": 2, "seeds": 16}),
    "patching": (
        TRANSLATOR | {"clean": "i am tall"},
        TRANSLATOR | {"clean": "i am tall", "heads": True},
        TRANSLATOR | {"clean": "i am tall", "sites": "residual.in"},
        DIGIT | {"clean": "two"},
        LONG | {"clean": LONG_SOURCE.replace("black", "white")},
        SHAKESPEARE | {"clean": SHAKESPEARE["text"].replace("king", "queen")},
        {"model": "speller", "source": "transform", "clean": "transfers"},
        TABLE | {"clean": "gentoo"},
    ),
    "performer": (
        SMALL,
        {"features": 1, "length": 96, "orthogonal": True},
        {"features": 64, "length": 4, "orthogonal": True},
        {"features": 512, "length": 96, "kernel": "trigonometric"},
        {"length": 4},
        SMALL | {"measure": True, "features": 512},
        SMALL | {"measure": True, "features": 16},
    ),
    "positions": (
        {"length": 512},
        {"scheme": "rope", "length": 512, "d_model": 512},
        {"scheme": "sinusoidal", "length": 512, "d_model": 512, "board": True},
        {"scheme": "sinusoidal", "length": 512, "d_model": 4},
        {"scheme": "rope", "length": 512, "d_model": 512, "board": True},
    ),
    "probes": (SMALL, {"weights": "fresh"}, {"sentences": 8, "seeds": 8}, {"weights": "trained"}),
    "pixels": (SMALL, {"seeds": 16}),
    "recurrence": (
        SMALL,
        {"text": "a" * 20, "length": 20, "seeds": 16},
        {"text": "a" * 20, "length": 2, "seeds": 1},
        {"text": "a", "length": 20, "seeds": 1},
        {"text": "a", "length": 2, "seeds": 16},
    ),
    "scaling": (
        SMALL,
        SMALL | {"keys": 64},
        SMALL | {"keys": 64, "pairs": 1000},
        {"keys": 2, "pairs": 1000, "d_head": 1, "seeds": 16},
        {"keys": 4, "seeds": 1},
    ),
    "scores": (
        SMALL,
        {"d_head": 256, "keys": 16, "seeds": 16},
        {"d_head": 1, "keys": 16, "seeds": 16},
        {"d_head": 1, "keys": 4, "seeds": 16},
    ),
    "steering": (
        INDUCTION | {"text": "abcabc", "toward": "abab", "away": "cdcd"},
        TRANSLATOR | BETWEEN,
        LONG | BETWEEN | {"draws": 2},
        TRANSLATOR | BETWEEN | {"draws": 1, "max_new_tokens": 1},
        SHAKESPEARE | BETWEEN | {"draws": 8, "max_new_tokens": 1},
        SHAKESPEARE | BETWEEN | {"text": "The king", "draws": 8, "max_new_tokens": 40},
        SHAKESPEARE | BETWEEN | {"text": "The king", "draws": 1, "max_new_tokens": 60},
        SHAKESPEARE | BETWEEN | {"draws": 4, "max_new_tokens": 60},
    ),
    "several-heads": (
        {"steps": 50, "seeds": 1},
        {"steps": 300, "seeds": 8},
        {"steps": 200, "seeds": 1},
    ),
    "warmup": (
        {"layers": 1, "steps": 10, "seeds": 1},
        {"layers": 8, "steps": 10, "seeds": 8},
        {"layers": 2, "steps": 30, "seeds": 2},
        {"layers": 4, "steps": 5, "seeds": 16, "placement": "none"},
        DECODER | {"layers": 2, "steps": 20, "seeds": 1},
        DECODER | {"layers": 4, "steps": 6, "seeds": 8, "placement": "branch"},
    ),
}


def rows_of_notes(query: dict) -> list[dict]:
    return [plain(row) for row in chosen(Notes(**query))]


ANSWERS: dict[str, Callable[[dict], object]] = {"notes": rows_of_notes}
"""What is no analysis: the web process answers it."""


def words() -> dict[str, type[Question]]:
    """The questions of POINTS."""
    return {word.name: word.question for word in endpoints() if word.name in POINTS}


def cost(word: str, question: Question) -> float:
    """Processor seconds of the reference core that one answer takes."""
    before = slowness()
    begun = time.process_time()
    ANSWERS.get(word, partial(analyses.answer, word))(question.arguments())
    seconds = time.process_time() - begun
    return seconds / ((before + slowness()) / 2)


def measured(word: str, question: type[Question]) -> list[tuple[Question, float]]:
    """The questions of a word, each with what it costs: the least of TIMES, as what other programs
    do meanwhile makes it only longer.
    """
    questions = [question(**fields) for fields in POINTS[word]]
    cost(word, questions[0])  # what is loaded once
    return [(each, min(cost(word, each) for _ in range(TIMES))) for each in questions]


def factor(found: float, guess: float) -> float:
    """By how much an estimate is wrong; what takes less than FLOOR counts as that."""
    both = max(found, FLOOR), max(guess, FLOOR)
    return max(both) / min(both)


def estimated(name: str, question: type[Question]) -> Row:
    """The estimate that is farthest from what was measured, as a factor."""
    points = [
        (factor(found, guess := each.estimated_seconds()), found, guess, fields)
        for (each, found), fields in zip(measured(name, question), POINTS[name], strict=True)
    ]
    worst, found, guess, fields = max(points, key=lambda point: point[0])
    text = "&".join(f"{name}={str(value)[:20]}" for name, value in fields.items())
    note = f"{found:.3g} s, estimated {guess:.3g} s: {text}"
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
    slowest = max(checked(question(**POINTS[name][0])) for name, question in words().items())
    return [
        *(estimated(name, question) for name, question in words().items()),
        Row("the check of a question's work, the slowest", slowest, 20, unit=" µs"),
    ]
