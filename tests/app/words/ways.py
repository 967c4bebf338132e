"""Every way through the selectors of a message, and what is said on it."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from fluent.syntax import ast

from app.captions.words import Words
from model.words import key_of, messages, target

Way = tuple[tuple[str, str], ...]
"""The selectors on a way and their variants."""
MARK = re.compile(r"⟦(\$?[\w-]+)⟧")
"""A term or, with a $, a field or a selector, as it stands in a text."""
SENTENCE = re.compile(r"(?<=[.?!;:])\s+")


def ids_of(words: Words, language: str) -> list[str]:
    """The messages and attributes of the file of a page, without its terms and without what the API
    says.
    """
    known = messages(words.page, language)
    names = [name for name, (file, _) in known.items() if file == words.page and name[0] != "-"]
    return [name for name in names if name not in of_the_api(names)]


def of_the_api(names: Iterable[str]) -> set[str]:
    """What a word answers, and what the fields of its classes mean."""
    return {name for name in names if name[0].isupper() or name == "-answers"}


def referred(words: Words, language: str) -> set[str]:
    """The messages that stand in others of the page."""
    known = messages(words.page, language)
    return {name for key in ids_of(words, language) for name in references(known[key][1])}


def references(node: Any) -> Iterator[str]:
    if isinstance(node, ast.MessageReference):
        yield target(node)
    for part in node if isinstance(node, list) else vars(node).values():
        if isinstance(part, list | ast.BaseNode):
            yield from references(part)


def ways(page: str, language: str, name: str) -> Iterator[tuple[Way, str]]:
    """The ways through a message, references followed: what it says, with a mark for each term and
    for each field. A way has one variant of a selector.
    """
    yield from through(page, language, messages(page, language)[name][1])


def through(page: str, language: str, pattern: ast.Pattern) -> Iterator[tuple[Way, str]]:
    paths: list[tuple[Way, str]] = [((), "")]
    for element in pattern.elements:
        match getattr(element, "expression", element):
            case ast.TextElement(value=text):
                more = [((), text)]
            case ast.StringLiteral() as literal:
                more = [((), literal.parse()["value"])]
            case ast.VariableReference(id=id):
                more = [((), f"⟦${id.name}⟧")]
            case ast.TermReference() as term:
                more = [((), f"⟦{target(term)[1:]}⟧")]
            case ast.MessageReference() as reference:
                more = list(ways(page, language, target(reference)))
            case ast.SelectExpression(selector=by, variants=variants):
                more = [
                    (((by.id.name, key_of(variant)), *way), text)
                    for variant in variants
                    for way, text in through(page, language, variant.value)
                ]
        paths = [
            (tuple(dict.fromkeys(way + on)), text + after)
            for way, text in paths
            for on, after in more
            if all(dict(way).get(by, key) == key for by, key in on)
        ]
    yield from paths


def selectors(page: str, language: str, name: str) -> Iterator[tuple[str, frozenset[str]]]:
    """Every selector that a message may come to, with the keys of its variants."""
    waiting: list = [messages(page, language)[name][1]]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.SelectExpression):
            yield node.selector.id.name, frozenset(map(key_of, node.variants))
        if isinstance(node, ast.MessageReference):
            waiting.append(messages(page, language)[target(node)][1])
        waiting += vars(node).values() if isinstance(node, ast.BaseNode) else ()
        waiting += node if isinstance(node, list) else ()
