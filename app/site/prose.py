"""The prose of templates in other languages. A template is written in English; before Jinja
compiles it for another language, each passage between the tags that begin a new line is replaced by
what the tables of `model/labels.py` have for it. A passage keeps its links, its expressions and its
conditions, so a translation may order and inflect them as it needs.
"""

import re
from collections.abc import Callable, Iterator

from jinja2.ext import Extension

from model.labels import table

TAGS = "a abbr b br code dfn em i kbd output q s small span strong sub sup var"
INLINE = frozenset(TAGS.split())
"""Tags within a line, and statements within a sentence: they belong to a passage."""
WITHIN = frozenset(["if", "elif", "else", "endif", "for", "endfor"])
TOKEN = re.compile(
    r"(?P<comment>\{#.*?#\}|<!--.*?-->)|(?P<raw><(script|style)\b.*?</\3>)"
    r'|(?P<statement>\{%(?:"[^"]*"|%(?!\})|[^"%])*%\})'
    r'|(?P<expression>\{\{(?:"(?:[^"\\]|\\.)*"|\}(?!\})|[^"}])*\}\})'
    r"|(?P<tag></?[a-zA-Z](?:\{\{.*?\}\}|\{%.*?%\}|\"[^\"]*\"|[^>\"])*?>)"
    r"|(?P<text>(?:(?!\{[#%{]|<!--|</?[a-zA-Z]).)+)",
    re.DOTALL,
)
ATTRIBUTE = re.compile(
    r"(?<=\s)(alt|aria-label|aria-description|placeholder|title|label|data-[\w-]+)"
    r'="((?:\{\{.*?\}\}|\{%.*?%\}|[^"{])*)"',
    re.DOTALL,
)
LITERAL = re.compile(r'(kind=)?"((?:[^"\\]|\\.)*)"')
"""A text in an expression; what a badge is called is a value of scripts and styles too."""
SENTENCE = re.compile(r"[A-Za-z’]\S* +\S*[A-Za-z]|^[A-Z][a-z]")
"""A literal of an expression that readers see: it has two words, or begins as a title does."""
DATA = re.compile(r'(?:\{\{ ")?[A-Z][^ ]* ')
LETTERS = re.compile(r"[^\W\d_]{2}")
NAME = re.compile(r"(?:</?|\{%[-+]?\s*)(\w+)")

Token = tuple[str, str]
"""The kind and the text of a part of a template."""
Say = Callable[[str], str]


class Prose(Extension):
    """Compiles the templates of one language. A name of it is bound by `prose_in`."""

    language = "en"

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        known = table(self.language)
        return "".join(translated(source, lambda text: known.get(text, text)))


def prose_in(language: str) -> type[Prose]:
    """The extension of a language."""
    return type(f"Prose_{language}", (Prose,), {"language": language})


def translated(source: str, say: Say) -> Iterator[str]:
    """The parts of a template, each passage as `say` has it."""
    for run in runs(source):
        first, last = trimmed(run)
        text = "".join(text for _, text in run[first:last])
        key = " ".join(text.split())
        translation = (
            say(key) if any(kind == "text" and LETTERS.search(part) for kind, part in run) else key
        )
        whole = [("said", translation)] if translation != key else run[first:last]
        yield from (spoken(token, say) for token in [*run[:first], *whole, *run[last:]])


def runs(source: str) -> Iterator[list[Token]]:
    """The tokens of a template, those of a passage together."""
    run: list[Token] = []
    for found in TOKEN.finditer(source):
        token = str(found.lastgroup), found[0]
        if belongs(token):
            run.append(token)
        else:
            yield from (*balanced(run), [token])
            run = []
    yield from balanced(run)


def belongs(token: Token) -> bool:
    """Whether a token may stand within a passage."""
    kind, _ = token
    return kind in ("text", "expression") or word(token) in (
        WITHIN if kind == "statement" else INLINE
    )


def word(token: Token) -> str:
    """The name of a tag or of a statement."""
    found = NAME.match(token[1]) if token[0] in ("tag", "statement") else None
    return found[1] if found else ""


def balanced(run: list[Token]) -> list[list[Token]]:
    """A run cut where a tag or a statement has its partner outside of it."""
    partners = partners_of(run)
    parts: list[list[Token]] = [[]]
    for i, token in enumerate(run):
        if i in partners:
            parts[-1].append(token)
        else:
            parts += [[token], []]
    return [part for part in parts if part]


def partners_of(run: list[Token]) -> dict[int, int]:
    """The place of what ends what begins at each place, and the own place of what does neither."""
    partners: dict[int, int] = {}
    opened: list[int] = []
    for i, token in enumerate(run):
        name, ends = word(token), token[1].startswith("</") or word(token).startswith("end")
        if not name or name in ("br", "else", "elif"):
            if not name or name == "br" or opened:
                partners[i] = i
        elif not ends:
            opened.append(i)
        elif opened and word(run[opened[-1]]) == name.removeprefix("end"):
            partners[opened.pop()] = i
            partners[i] = i
    return partners


def trimmed(run: list[Token]) -> tuple[int, int]:
    """The places between which a passage stands, without spaces and tags around all of it."""
    first, last, partners = 0, len(run), partners_of(run)
    while first < last:
        if not run[first][1].strip():
            first += 1
        elif not run[last - 1][1].strip():
            last -= 1
        elif first != last - 1 == partners.get(first) and run[first][0] == "tag":
            first, last = first + 1, last - 1
        else:
            break
    return first, last


def spoken(token: Token, say: Say) -> str:
    """A tag with its attributes, and an expression or a statement with its literals."""
    kind, text = token
    if kind == "tag":
        return ATTRIBUTE.sub(lambda found: f'{found[1]}="{attribute(*found.groups(), say)}"', text)
    if kind in ("expression", "statement"):
        return LITERAL.sub(lambda found: literal(*found.groups(), say), text)
    return text


def attribute(name: str, text: str, say: Say) -> str:
    """The value of an attribute; of data only what begins as a sentence does."""
    if name.startswith("data-") and not DATA.match(text):
        return text
    translation = say(text)
    return (
        translation
        if translation != text
        else LITERAL.sub(lambda found: literal(*found.groups(), say), text)
    )


def literal(kind: str | None, text: str, say: Say) -> str:
    """A text in an expression, between its quotation marks."""
    is_sentence = SENTENCE.search(text) and "\\" not in text and not kind
    return f'{kind or ""}"{say(text) if is_sentence else text}"'


def keys(source: str) -> list[str]:
    """The English of all passages of a template, and of the attributes and literals elsewhere."""
    found: dict[str, None] = {}

    def note(text: str) -> str:
        if LETTERS.search(text):
            found[text] = None
        return ""

    "".join(translated(source, note))
    return list(found)
