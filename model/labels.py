"""Translation of short texts and template prose. The English text in the code is the key of the
tables `templates/words/<language>/labels/*.toml`: `"attention weight" = "poids d’attention"`. In a
key, `{n}` stands for a number, `{T}` for a token, `{H}` for a head, and any other name in braces
for a text that is itself translated.

Texts without an entry stay in English; `make words` lists them.
"""

import re
import tomllib
from functools import cache, lru_cache

from model.words import FOLDER, LANGUAGE, THOUSANDS

PLACE = re.compile(r"(?<![\w{%\\^_}])\{(\w+)\}(?!\})")
"""A placeholder in a key, but not the braces of TeX, templates, or Plotly number formats."""
NUMBER = r"[−-]?[\d.,\u202f]+(?: × 10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)?"
FITS = dict.fromkeys(("n", "m", "low"), NUMBER) | {"H": r"L\d+H\d+"}
"""What some placeholders match: only a number, or only a head."""
LETTER = re.compile(r"[^\W\d_]|“")
CACHED = 16_384  # number of texts
TOGETHER = "\u00a0"  # no-break space


def label(text: str) -> str:
    """A text in the reader's language."""
    return in_language(text, LANGUAGE.get())


@lru_cache(CACHED)
def in_language(text: str, language: str) -> str:
    """A text in a language, from its exact entry or the first key whose pattern matches."""
    known = table(language)
    if not known or not LETTER.search(text):
        return text
    if text in known:
        return known[text]
    for key, translation in patterns(language):
        if found := key.fullmatch(text):
            parts = {name: value(name, part, language) for name, part in found.groupdict().items()}
            return PLACE.sub(lambda place, parts=parts: parts[place[1]], translation)
    return text


def value(name: str, text: str, language: str) -> str:
    """What stands for a placeholder in a language: a token and a head are not translated."""
    if name.isupper():
        return text
    return text.replace(",", THOUSANDS[language]) if name in FITS else in_language(text, language)


def lines(text: str) -> str:
    """A text whose lines, separated as in Plotly, are translated one by one."""
    return "<br>".join(map(line, text.split("<br>")))


def line(text: str) -> str:
    """A translated line; keeps no-break spaces."""
    if TOGETHER in text and " " not in text:
        return label(text.replace(TOGETHER, " ")).replace(" ", TOGETHER)
    return label(text)


@cache
def table(language: str, file: str = "*") -> dict[str, str]:
    """The entries of a language: of one file, or of all files except that of scripts, where a key
    such as "{right} of {all}" would match any text. Raises ValueError if two files disagree on an
    entry.
    """
    known: dict[str, str] = {}
    for path in sorted((FOLDER / language / "labels").glob(f"{file}.toml")):
        if path.stem == "scripts" != file:
            continue
        for english, text in tomllib.loads(path.read_text("utf-8")).items():
            if known.setdefault(english, text) != text:
                raise ValueError(f"{language}/labels/{path.name}: {english!r} has another text")
    return known


@cache
def patterns(language: str) -> list[tuple[re.Pattern[str], str]]:
    """The keys with placeholders as regular expressions, the most specific first, with their texts.
    A key without a letter, quotation mark, or digit of its own, such as `{title}: {number}`, would
    match almost any text.
    """
    with_places = [
        (english, text)
        for english, text in table(language).items()
        if (places := {*PLACE.findall(english)})
        and ("n" in places or LETTER.search(PLACE.sub("", english)))
    ]
    with_places.sort(key=lambda entry: -len(PLACE.sub("", entry[0])))
    return [(re.compile(expression(english), re.DOTALL), text) for english, text in with_places]


def expression(key: str) -> str:
    """A key as a regular expression with one group per placeholder."""
    parts = PLACE.split(key)
    return "".join(
        re.escape(part)
        if i % 2 == 0
        else f"(?P={part})"
        if part in parts[1:i:2]
        else f"(?P<{part}>{FITS.get(part, '.+?')})"
        for i, part in enumerate(parts)
    )
