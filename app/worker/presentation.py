"""From a question to the bytes that answer it: the end of the worker's work, and what a notebook
can call without a server.
"""

import sys
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from app.compute import wire
from app.compute.representations import Drawing, Numbers, Representation

if TYPE_CHECKING:
    from model.answers.answer import Answer

Answers = Callable[..., "Answer"]
"""answer(word, question): `model.analyses.answer`, or one that keeps what it has computed. `fits`
is shown an answer as large as the one asked for, as soon as its size is known.
"""


def present(
    word: str, question: dict, form: Representation, answer: Answers, most: int = sys.maxsize
) -> bytes:
    """The answer to a question in the form that is asked for. Raises what `answer` raises,
    AnswerTooLarge where there are more than `most` bytes, and UnknownName for a figure that the
    word has not.
    """
    # torch and what draws are imported where an answer is drawn, and not with this module.
    if isinstance(form, Numbers):
        fits = partial(wire.check_size, encoding=form.encoding, most=most)
        return wire.encode(answer(word, question, fits=fits), form.encoding, question, most)
    if isinstance(form, Drawing):
        from app.drawings import render as drawings

        return drawings.render(word, answer(word, question), question, form, most)
    from app.worker import figures
    from model.analyses import same_token, without_edits
    from model.words import LANGUAGE

    LANGUAGE.set(form.language)
    if form.shows == "run":
        question = without_edits(question)
    asked = figures.source_question(word, question)
    edited, unedited = answer(word, asked), None
    if form.shows == "difference" or figures.marks_edits(word, question, form):
        unedited = answer(word, same_token(word, asked, edited))
    return figures.render(word, edited, question, form, most, unedited)
