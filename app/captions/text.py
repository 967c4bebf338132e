"""Tokens and numbers as readers see them: nothing invisible, nothing taken for markup, and one form
for each kind of number.

- A share of a whole, such as a weight or a probability: in a sentence two significant digits of a
  percentage, "60%" (`percent`); in a cell of a figure two decimals, ".60" (`weight`).
- A measured number, and a share that stands alone on the card of a point or in a list of a figure:
  three significant digits, "0.595" (`number`); in a cell decimals, "−0.44" (`decimals`).
- A minus is as long as a plus, "−" and not "-".
- A count is whole, in groups of three digits, "2,240,000" (`grouped`).
"""

import math
import re

from model.answers.laws import DIFFERENCE
from model.labels import label as in_words
from model.words import LANGUAGE, THOUSANDS

NAMED = {
    "\u00a0": "⍽",
    "\u00ad": "⟨SHY⟩",
    "\u061c": "⟨ALM⟩",
    "\u200b": "⟨ZWSP⟩",
    "\u200c": "⟨ZWNJ⟩",
    "\u200d": "⟨ZWJ⟩",
    "\u200e": "⟨LRM⟩",
    "\u200f": "⟨RLM⟩",
    "\u2028": "⟨LS⟩",
    "\u2029": "⟨PS⟩",
    "\u202a": "⟨LRE⟩",
    "\u202b": "⟨RLE⟩",
    "\u202c": "⟨PDF⟩",
    "\u202d": "⟨LRO⟩",
    "\u202e": "⟨RLO⟩",
    "\u2060": "⟨WJ⟩",
    "\u2066": "⟨LRI⟩",
    "\u2067": "⟨RLI⟩",
    "\u2068": "⟨FSI⟩",
    "\u2069": "⟨PDI⟩",
    "\ufeff": "⟨BOM⟩",
    "\t": "⇥",
    "\n": "⏎",
    "\r": "␍",
    "\u007f": "␡",
}
# Controls, spaces, fillers, and what Unicode lets a font leave out (Default_Ignorable_Code_Point).
# The space of "60 %" is seen between the two.
INVISIBLE = re.compile(
    "(?!(?<=[0-9])\u00a0%)"
    "[\u0000-\u001f\u007f-\u00a0\u00ad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f"
    "\u2000-\u200f\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0"
    "\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
# A space between two signs is seen as it is; at an edge, or beside another space, it is not.
SPACE_AT_AN_EDGE = re.compile(r"(?<!\S) | (?!\S)")
PLURAL = re.compile(
    r"^(nat|bit|token|cell|position|letter|second|time|layer|step|row|percentage point)s\b"
)
"""Units that are counted, at the beginning of a unit: nats a token."""
SINGULAR = {
    "en": re.compile("1"),
    "fr": re.compile(r"−?(?:[01](?:\.\d+)?|\d(?:\.\d+)? × 10⁻[⁰¹²³⁴⁵⁶⁷⁸⁹]+)"),
}
"""The printed numbers after which a unit is singular, by language."""
PLURAL_ENDING = {"en": PLURAL, "fr": re.compile(r"^(\w+)s\b")}
"""The plural at the beginning of a unit, and within it the singular, by language."""
LEAST, NEARLY_ALL = 0.01, 0.05  # percent
PERCENT = {"en": "%", "fr": "\u00a0%"}
"""What stands after a share of a whole, by language; French has a space that does not break."""
BEYOND = {"en": ("less than", "more than"), "fr": ("moins de", "plus de")}
"""What is said of a share that is nearly nothing or nearly all, by language."""
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
MARKUP = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})


def visible(token: str) -> str:
    """The token with a sign for each control, bidirectional and space character."""
    return INVISIBLE.sub(sign, SPACE_AT_AN_EDGE.sub("␣", token))


def sign(match: re.Match) -> str:
    code = ord(match[0])
    if code < 0x20 and match[0] not in NAMED:
        return chr(0x2400 + code)
    return NAMED.get(match[0], f"⟨U+{code:04X}⟩")


def shortened(token: str, most: int | None) -> str:
    """The visible token, cut where it has more than `most` letters."""
    text = visible(token)
    return text if most is None or len(text) <= most else f"{text[: most - 1]}…"


def excerpt(text: str, most: int = 60) -> str:
    """The beginning of a visible text in one line, with a stroke where one of its lines ends."""
    printed = " ".join(visible(" / ".join(line for line in text.split("\n") if line)).split())
    return printed if len(printed) <= most else f"{printed[:most].rstrip()} …"


def label(token: str) -> str:
    """The one escape for Plotly, which reads a subset of HTML in every label."""
    return visible(token).translate(MARKUP)


def number(value: float) -> str:
    """Three digits; powers of ten above 10^5 and below 10^-3; none for a masked score."""
    if not math.isfinite(value):
        return in_words("masked")
    if value == 0:
        return "0"
    size = abs(value)
    if float(value).is_integer() and size < 1e5:
        digits = str(int(value))
    elif size >= 1e5 or size < 1e-3:
        mantissa, power = f"{value:.2e}".split("e")
        digits = f"{mantissa} × 10{str(int(power)).translate(RAISED)}"
    else:
        digits = f"{value:.{max(0, 2 - math.floor(math.log10(size)))}f}"
    return digits.replace("-", "−")


def tick(value: float) -> str:
    """A round number beside a tick, without zeros at its end."""
    return (
        number(value)
        if abs(value) >= 1e5 or 0 < abs(value) < 1e-3
        else f"{value:g}".replace("-", "−")
    )


def decimals(value: float, digits: int = 2) -> str:
    """A number as it is printed in a cell, with as many decimals. What rounds to 0 is 0."""
    rounded = f"{value:.{digits}f}"
    return "0" if float(rounded) == 0 else rounded.replace("-", "−")


def power_of_ten(power: int) -> str:
    """10^power as people write it."""
    return {0: "1", 1: "10"}.get(power, f"10{str(power).translate(RAISED)}")


def weight(value: float, digits: int = 2) -> str:
    """A probability as it is printed in a cell: .37, 1, 0."""
    rounded = f"{value:.{digits}f}"
    if float(rounded) in (0, 1):
        return str(int(float(rounded)))
    return rounded.replace("0.", ".", 1).replace("-", "−")


def grouped(value: int) -> str:
    """A whole number in groups of three digits: 2,240,000."""
    return f"{value:,}".replace(",", THOUSANDS[LANGUAGE.get()])


def counted(n: int, singular: str, several: str = "") -> str:
    """How many of something, in groups of three digits: 1 layer, 2 layers, 1,200 entries."""
    return f"{grouped(n)} {in_words(singular if n == 1 else several or f'{singular}s')}"


def in_unit(digits: str, unit: str) -> str:
    """A printed number with its unit; a difference of fractions is in percentage points."""
    if unit.endswith(DIFFERENCE):
        unit = "percentage points"
    text = in_words(unit)
    if PLURAL.match(unit) and SINGULAR[LANGUAGE.get()].fullmatch(digits):
        text = PLURAL_ENDING[LANGUAGE.get()].sub(r"\1", text)
    return f"{digits} {text}".rstrip()


def points(value: float) -> str:
    """A difference of shares in percentage points, without the unit: 28, −4.1."""
    return percent(value).removesuffix(PERCENT[LANGUAGE.get()])


def percent(value: float) -> str:
    """A share of a whole with two significant digits: 60%, 4.1%, 0.41%. What is nearly nothing or
    nearly all is not said to be it.
    """
    size, sign = 100 * abs(value), PERCENT[LANGUAGE.get()]
    less, more = BEYOND[LANGUAGE.get()]
    if 0 < size < LEAST:
        return f"{less} {LEAST}{sign}"
    if 100 - NEARLY_ALL < size < 100:
        return f"{more} 99.9{sign}"
    if abs(size - round(size)) < 1e-6 or 9.95 <= size < 99 or size > 100:
        digits = 0
    else:
        digits = 1 if size > 1 else 1 - math.floor(math.log10(float(f"{size:.1e}")))
    return f"{'−' if value < 0 else ''}{size:.{digits}f}{sign}"
