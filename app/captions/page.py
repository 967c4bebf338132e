"""What the pages about runs say in the same way: of a view, in a control, and in links."""

from collections.abc import Iterable, Mapping
from html import escape
from typing import Any
from urllib.parse import urlencode

from app.captions import Question
from app.captions.terms import explained_texts
from app.captions.text import visible
from app.captions.words import Words

Texts = dict[str, str]
"""What is said of a view: what there is to `see`, and what `more` follows from it."""

OF_THE_RUN = ("model", "source", "target", "text", "image", "row")
"""The fields of a question that say what is run: the model and its input."""


def with_terms(texts: Texts) -> dict[str, Any]:
    """Both texts of a view, and both with their terms explained."""
    html = explained_texts(*texts.values())
    return {**texts, "explained": dict(zip(texts, html, strict=True))}


def choices(usual: str, others: Iterable[tuple[Any, str]]) -> list[dict[str, str]]:
    """What a control offers: what holds where nothing is chosen, and values with their labels."""
    return [
        {"value": "", "label": usual},
        *({"value": str(value), "label": label} for value, label in others),
    ]


def indices(n: int) -> list[tuple[int, str]]:
    """The numbers from 0 on, as a control offers layers or heads."""
    return [(i, str(i)) for i in range(n)]


def numbered(tokens: Iterable[str]) -> list[tuple[int, str]]:
    """The tokens as a control offers them: the position, and beside it the token."""
    return [(i, f"{i} {visible(token)}") for i, token in enumerate(tokens)]


def chosen(question: Question, *names: str) -> dict[str, str]:
    """What the controls of these fields show; "" where nothing is chosen."""
    return {name: "" if question.get(name) is None else str(question[name]) for name in names}


def run_fields(question: Question, names: Iterable[str] = OF_THE_RUN) -> dict[str, Any]:
    """The fields with which another page shows the same run."""
    return {name: question[name] for name in names if question.get(name) is not None}


def link(page: str, state: Mapping[str, Any], text: str) -> dict[str, str]:
    """A link to a page in a state."""
    return {"href": f"{page}?{urlencode(state)}" if state else page, "text": text}


def anchor(id: str, href: str, text: str) -> str:
    """A link as HTML."""
    return f'<a id="{id}" href="{escape(href)}">{escape(text)}</a>'


def views(
    words: Words, names: Iterable[str], answer: Any, question: Question
) -> dict[str, dict[str, Any]]:
    """What is said in the view of each of these figures: what there is to see, which describes the
    figure, and what more follows from it. A figure with a title of its own has no such message.
    """
    parts = {"see": "description", "more": "more"}
    return {
        name: with_terms(
            {part: words(f"{name}.{says}", answer, question) for part, says in parts.items()}
        )
        for name in names
        if name in words
    }
