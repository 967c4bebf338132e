"""The answer to a question, computed once in a process for all tests that ask it. A test that
changes the product, or looks at the computation itself, asks `model.analyses.answer`.
"""

import json
from functools import lru_cache

from model import analyses
from model.answers.answer import Answer


def answer(word: str, question: dict) -> Answer:
    """As `model.analyses.answer`; nobody may change what it returns. A refusal is not kept."""
    return kept(word, json.dumps(question))


@lru_cache(64)
def kept(word: str, question: str) -> Answer:
    return analyses.answer(word, json.loads(question))
