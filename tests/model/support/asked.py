"""The answer to a question, computed once in a process for all tests that ask it. A test that
changes the product, or looks at the computation itself, asks `model.analyses.answer`.
"""

import json
from functools import lru_cache

from cachetools import LRUCache, cached

from model import analyses
from model.answers.answer import Answer
from model.arrangement.arrangement import UNARRANGED
from model.runs.run_model import run_model


def answer(word: str, question: dict) -> Answer:
    """As `model.analyses.answer`; nobody may change what it returns. A refusal is not kept."""
    return cached_answer(word, json.dumps(question))


@lru_cache(64)
def cached_answer(word: str, question: str) -> Answer:
    return analyses.answer(word, json.loads(question), runs=run_once)


unedited = cached(
    LRUCache(16), key=lambda model, input, maps=True: (model.transformer, input, maps)
)(run_model)
"""Makes the run that many questions are about once, as the worker does."""


def run_once(model, input, *, edits=(), arranged=UNARRANGED, maps=True):
    if edits or arranged != UNARRANGED:
        return run_model(model, input, edits=edits, arranged=arranged, maps=maps)
    return unedited(model, input, maps=maps)
