"""Misspellings by rule: adjacent keys, transposed letters, and letters that sound alike.

A rule returns every misspelling that it can make of a word, and one of them is sampled.
"""

import string
from collections.abc import Callable

import torch

Rule = Callable[[str], list[str]]

ROWS = {
    "qwertyuiop": 0.0,
    "asdfghjkl": 0.25,
    "zxcvbnm": 0.75,
}  # offset of each row to the right, in keys
KEYS = {
    key: (column + shift, row)
    for row, (keys, shift) in enumerate(ROWS.items())
    for column, key in enumerate(keys)
}
NEAR = 1.3  # keys: neighbors in the row, and touching keys above and below
NEIGHBOURS = {
    key: [
        other
        for other, (u, v) in KEYS.items()
        if other != key and (u - x) ** 2 + (v - y) ** 2 <= NEAR**2
    ]
    for key, (x, y) in KEYS.items()
}
VOWELS = "aeiou"
ALIKE = [
    *[
        ("ie", "ei"),
        ("ea", "ee"),
        ("ai", "ay"),
        ("ou", "ow"),
        ("oo", "u"),
        ("y", "i"),
        ("er", "or"),
        ("er", "ar"),
    ],
    *[
        ("able", "ible"),
        ("ance", "ence"),
        ("ant", "ent"),
        ("tion", "sion"),
        ("cian", "tion"),
        ("ph", "f"),
        ("ck", "k"),
    ],
    *[
        ("c", "k"),
        ("c", "s"),
        ("s", "z"),
        ("g", "j"),
        ("qu", "kw"),
        ("x", "ks"),
        ("sc", "s"),
        ("tch", "ch"),
        ("dge", "ge"),
    ],
]
SILENT = {"gh": "", "kn": "n", "wr": "r", "wh": "w", "mb": "m", "ps": "s"}
SOUNDS = [*ALIKE, *((b, a) for a, b in ALIKE), *SILENT.items()]


def put(word: str, at: int, instead: str, width: int = 1) -> str:
    """`word` with `instead` in place of the `width` letters at the index `at`."""
    return word[:at] + instead + word[at + width :]


def neighbour(word: str) -> list[str]:
    """Misspellings with a key next to the correct one."""
    return [
        put(word, i, key) for i, letter in enumerate(word) for key in NEIGHBOURS.get(letter, ())
    ]


def dropped(word: str) -> list[str]:
    """Misspellings without one letter."""
    return [put(word, i, "") for i in range(len(word))]


def doubled(word: str) -> list[str]:
    """Misspellings with one letter twice."""
    return [
        put(word, i, 2 * letter)
        for i, letter in enumerate(word)
        if letter in string.ascii_lowercase
    ]


def swapped(word: str) -> list[str]:
    """Misspellings with two adjacent letters swapped."""
    return [
        put(word, i, word[i + 1] + word[i], 2)
        for i in range(len(word) - 1)
        if word[i] != word[i + 1]
    ]


def inserted(word: str) -> list[str]:
    """Misspellings with one letter inserted."""
    return [
        put(word, i, letter, 0) for i in range(len(word) + 1) for letter in string.ascii_lowercase
    ]


def vowel(word: str) -> list[str]:
    """Misspellings with another vowel: unstressed vowels sound alike."""
    return [
        put(word, i, other)
        for i, letter in enumerate(word)
        if letter in VOWELS
        for other in VOWELS
        if other != letter
    ]


def sound(word: str) -> list[str]:
    """Misspellings with letters that sound alike (SOUNDS)."""
    return [
        put(word, i, b, len(a))
        for a, b in SOUNDS
        for i in range(len(word))
        if word.startswith(a, i)
    ]


RULES: dict[str, Rule] = {
    rule.__name__: rule for rule in (neighbour, dropped, doubled, swapped, inserted, vowel, sound)
}


def pick(options: list, draws: torch.Generator):
    """One of `options`, uniformly."""
    return options[int(torch.randint(len(options), (), generator=draws))]


def misspell(word: str, draws: torch.Generator) -> str:
    """`word` with one error, by a random rule among those that can change `word`."""
    while not (options := pick(list(RULES.values()), draws)(word)):
        pass
    return pick(options, draws)
