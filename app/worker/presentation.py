"""From a question to the bytes of its answer: the end of the worker's work, which a notebook can
also call without a server.
"""

import sys
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from app.compute import wire
from app.compute.messages import Drawing, Numbers, Representation

if TYPE_CHECKING:
    from model.answers.answer import Answer

Answers = Callable[..., "Answer"]
"""answer(word, question): `model.analyses.answer`, or one that caches its results. `fits` is called
with an answer of the same size as soon as the size is known.
"""


def present(
    word: str, question: dict, form: Representation, answer: Answers, most: int = sys.maxsize
) -> bytes:
    """The answer to a question in the requested form. Raises whatever `answer` raises,
    AnswerTooLarge above `most` bytes, and UnknownName for a figure that the word does not have.
    """
    from model.words import LANGUAGE

    LANGUAGE.set(getattr(form, "language", "en"))
    # torch and the figures are imported when needed, not with this module.
    if isinstance(form, Numbers):
        fits = partial(wire.check_size, encoding=form.encoding, most=most)
        return wire.encode(answer(word, question, fits=fits), form.encoding, question, most)
    if isinstance(form, Drawing):
        from app.drawings import render as drawings

        return drawings.render(word, answer(word, question), question, form, most)
    from app.worker import figures
    from model.analyses import same_token, without_edits

    if form.shows == "run":
        question = without_edits(question)
    source = figures.source_question(word, question)
    edited, unedited = answer(word, source), None
    if form.shows == "difference" or figures.marks_edits(word, question, form):
        unedited = answer(word, same_token(word, source, edited))
    return figures.render(word, edited, question, form, most, unedited)
