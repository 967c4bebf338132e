"""Tokens and numbers as readers see them: nothing invisible, nothing taken for markup, and one form
for each kind of number.

- A share of a whole, such as a weight or a probability: in a sentence two significant digits of a
  percentage, "60 %" (`percent`); in a cell of a figure two decimals, ".60" (`weight`).
- A measured number, and a share that stands alone on the card of a point or in a list of a figure:
  three significant digits, "0.595" (`number`); in a cell decimals, "−0.44" (`decimals`).
- A minus is as long as a plus, "−" and not "-".
- A count is whole, in groups of three digits, "2 240 000" (`grouped`).
"""

import math
import re

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
INVISIBLE = re.compile(
    "[\u0000-\u001f\u007f-\u00a0\u00ad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f"
    "\u2000-\u200f\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0"
    "\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
# A space between two signs is seen as it is; at an edge, or beside another space, it is not.
SPACE_AT_AN_EDGE = re.compile(r"(?<!\S) | (?!\S)")
PLURAL = re.compile(r"^(nat|bit|token|cell|position|letter|second|time|layer|step)s\b")
"""Units that are counted, at the beginning of a unit: nats a token."""
LEAST, NEARLY_ALL = 0.01, 0.05  # percent
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


def listed(names: list[str]) -> str:
    """a, b and c."""
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def shortened(token: str, most: int | None) -> str:
    """The visible token, cut where it has more than `most` letters."""
    seen = visible(token)
    return seen if most is None or len(seen) <= most else f"{seen[: most - 1]}…"


def excerpt(text: str, most: int = 60) -> str:
    """The beginning of a visible text in one line, with a stroke where one of its lines ends."""
    seen = " ".join(visible(" / ".join(line for line in text.split("\n") if line)).split())
    return seen if len(seen) <= most else f"{seen[:most].rstrip()} …"


def label(token: str) -> str:
    """The one escape for Plotly, which reads a subset of HTML in every label."""
    return visible(token).translate(MARKUP)


def number(value: float) -> str:
    """Three significant digits; powers of ten above 10^5 and below 10^-3. A masked score has no
    number.
    """
    if not math.isfinite(value):
        return "masked"
    if value == 0:
        return "0"
    size = abs(value)
    if float(value).is_integer() and size < 1e5:
        said = str(int(value))
    elif size >= 1e5 or size < 1e-3:
        mantissa, power = f"{value:.2e}".split("e")
        said = f"{mantissa} × 10{str(int(power)).translate(RAISED)}"
    else:
        said = f"{value:.{max(0, 2 - math.floor(math.log10(size)))}f}"
    return said.replace("-", "−")


def tick(value: float) -> str:
    """A round number beside a tick, without zeros at its end."""
    return (
        number(value)
        if abs(value) >= 1e5 or 0 < abs(value) < 1e-3
        else f"{value:g}".replace("-", "−")
    )


def decimals(value: float, digits: int = 2) -> str:
    """A number as it is printed in a cell, with as many decimals. What rounds to 0 is 0."""
    said = f"{value:.{digits}f}"
    return "0" if float(said) == 0 else said.replace("-", "−")


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
    """A whole number in groups of three digits, with thin spaces as in print: 2 240 000."""
    return f"{value:,}".replace(",", "\u202f")


def counted(n: int, one: str, several: str = "") -> str:
    """How many of something, in groups of three digits: 1 layer, 2 layers, 1 200 entries."""
    return f"{grouped(n)} {one if n == 1 else several or f'{one}s'}"


def in_unit(said: str, unit: str) -> str:
    """A number that is written, and its unit, which is that of one where the number is 1."""
    if said == "1":
        unit = PLURAL.sub(r"\1", unit)
    return f"{said} {unit}".rstrip()


def percent(value: float) -> str:
    """A share of a whole with two significant digits: 60 %, 4.1 %, 0.41 %. What is nearly nothing
    or nearly all is not said to be it.
    """
    size = 100 * abs(value)
    if 0 < size < LEAST:
        return f"less than {LEAST} %"
    if 100 - NEARLY_ALL < size < 100:
        return "more than 99.9 %"
    if abs(size - round(size)) < 1e-6 or 9.95 <= size < 99 or size > 100:
        digits = 0
    else:
        digits = 1 if size > 1 else 1 - math.floor(math.log10(float(f"{size:.1e}")))
    return f"{'−' if value < 0 else ''}{size:.{digits}f} %"
