"""What a text names: the labels of the cell that it stands at, its number, and words of the field.

A text becomes a template. What is the label of an axis at this cell becomes `{axis}`, its number
counted from 0 or 1 `{axis:0}` or `{axis:1}`, the number that is drawn `{value}`; of all other words
those stay that name something in `vocabulary`.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import unescape
from typing import Protocol

from tests.app.drawn.vocabulary import term

MOST = 12  # the most templates that are listed one by one
TENSOR = "tensor"  # the axis of the sources themselves: a tensor is named as a label is
Cell = Mapping[str, int]
RAISED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
NUMBER = re.compile(
    r"(?<![\w.])[+−-]?(?:\d{1,3}(?:[, ]\d{3})+|\d*\.?\d+)"
    r"(?: × 10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)?(?: ?%)?(?![\w]|\.\d)"
)
BRACKETED = re.compile("⟦([^⟧]*)⟧")
"""What of a text is called already, in `in_full`."""
TOKEN = re.compile(r"\x00\d+\x00|%\{[^}]*\}|[^\W\d_]+(?:[-’'][^\W\d_]+)*|\d+|[→·√²≤≥≈≠✗↑∅|/%#]")


@dataclass(frozen=True)
class Text:
    """A text where it stands: at a cell, beside its number."""

    text: str
    cell: Cell = field(default_factory=dict)
    value: float | None = None


class Forms(Protocol):
    """What the cells of an answer are called."""

    def __call__(self, axis: str, at: int) -> dict[str, str]:
        """Of an axis and a number on it: what it may be called there, by how it is called."""
        ...

    def beside(self, cell: Cell) -> dict[str, float]:
        """All numbers of the answer that stand at a cell."""
        ...


def templates(
    texts: Iterable[Text], forms: Forms, known: Mapping[str, float]
) -> dict[str, list[Text]]:
    """The texts by their template. A place in a template is one label in all its texts, or none."""
    groups: dict[str, list[tuple[Text, list[list[str]]]]] = {}
    for text in texts:
        skeleton, slots = taken_apart(text, forms, known)
        groups.setdefault(skeleton, []).append((text, slots))
    found: dict[str, list[Text]] = {}
    for skeleton, every in groups.items():
        names = []
        for slot, first in enumerate(every[0][1]):
            common = [name for name in first if all(name in slots[slot] for _, slots in every)]
            names.append(f"{{{common[0]}}}" if common else "{?}")
        template = re.sub("\x00(\\d+)\x00", lambda at, names=names: names[int(at[1])], skeleton)
        found.setdefault(template, []).extend(text for text, _ in every)
    return found


def apart(found: Mapping[str, list[Text]], forms: Forms, always: bool = False) -> dict[str, int]:
    """Templates, each with how many texts follow it; where there are several, or `always`, each
    with what stands still in the cells of its texts.
    """
    if len(found) == 1 and not always:
        return {template: len(every) for template, every in found.items()}
    counts: Counter[str] = Counter()
    sources = {text.cell.get(TENSOR) for every in found.values() for text in every}
    of_several = len(sources) > 1
    for template, every in found.items():
        common = set.intersection(*[set(text.cell.items()) for text in every])
        at = sorted(
            f"{axis}={called(forms, axis, i)}"
            for axis, i in common
            if axis not in ("seed", "tile") and (axis != TENSOR or of_several)
        )
        counts[f"{template or '-'}{' @ ' if at else ''}{', '.join(at)}"] += len(every)
    return dict(counts)


def many(found: Mapping[str, int]) -> str:
    """Templates in the order of the alphabet; of very many the first, and how many others."""
    keys = sorted(name or "-" for name in found)
    return " ; ".join(keys[:MOST]) + (f" ; and {len(keys) - MOST} more" if len(keys) > MOST else "")


def called(forms: Forms, axis: str, at: int) -> str:
    """What a number on an axis is called first."""
    names = forms(axis, at)
    return names.get("") or names.get("value") or names["0"]


def taken_apart(
    text: Text, forms: Forms, known: Mapping[str, float]
) -> tuple[str, list[list[str]]]:
    """The words of a text that name something, with a gap where a label or a number of its cell
    stands, and what may stand in each gap.
    """
    slots: list[list[str]] = []

    def gap(names: Sequence[str]) -> str:
        slots.append(list(names))
        return f"\x00{len(slots) - 1}\x00"

    left = BRACKETED.sub(lambda found: gap([found[1]]), text.text)
    left = unescape(re.sub("<[^>]*>", " ", left)).replace("\u00a0", " ")
    called: dict[str, list[str]] = {}
    for axis, at in text.cell.items():
        for form, name in forms(axis, at).items():
            if name and (which := f"{axis}:{form}" if form else axis) not in called.get(name, []):
                called.setdefault(name, []).append(which)

    if "layer" in text.cell and "head" in text.cell:
        layer = forms("layer", text.cell["layer"])
        number = layer.get("layer", layer["0"])
        called[f"{number}.{text.cell['head']}"] = ["layer.head"]
        called[f"L{number}H{text.cell['head']}"] = ["layer.head"]

    present = (name for name in called if name in left and not NUMBER.fullmatch(name))
    for name in sorted(present, key=len)[::-1]:
        edge = (
            (r"(?<![\w-])" if name[0].isalnum() else ""),
            (r"(?![\w-])" if name[-1].isalnum() else r"(?!\d)"),  # “.” is no part of .02
        )
        left = re.sub(
            f"{edge[0]}{re.escape(name)}{edge[1]}", lambda _, name=name: gap(called[name]), left
        )

    def number(found: re.Match) -> str:
        digits = found[0]
        names = list(called.get(digits.lstrip("+"), []))
        if text.value is not None and (rounds(text.value, digits) or is_nearly(text.value, digits)):
            names.append("value")
        if not re.fullmatch(r"\d", digits):
            beside = forms.beside(text.cell) if text.cell else {}
            names += [name for name, value in {**beside, **known}.items() if rounds(value, digits)]
        if names:
            return gap(names)
        return digits if re.fullmatch(r"\d{1,3}(?: ?%)?", digits) else " # "

    parts = re.split("(\x00\\d+\x00|%\\{[^}]*\\})", left)
    left = "".join(part if i % 2 else NUMBER.sub(number, part) for i, part in enumerate(parts))
    terms = [
        word
        for token in TOKEN.findall(left + (" # " if " # " in left else ""))
        if (word := term(token))
    ]
    order = [int(at) for at in re.findall("\x00(\\d+)\x00", " ".join(terms))]
    skeleton = " ".join(terms)
    for new, old in enumerate(order):
        skeleton = skeleton.replace(f"\x00{old}\x00", f"\x00n{new}\x00", 1)
    return skeleton.replace("\x00n", "\x00"), [slots[old] for old in order]


def rounds(number: float, printed: str) -> bool:
    """Whether a number that is said is this one, rounded to the digits that are said."""
    percent = printed.endswith("%")
    printed = printed.removesuffix("%").replace("−", "-").replace(",", "").replace(" ", "")
    digits, _, power = printed.partition("×10")
    unit = 10.0 ** (int(power.translate(RAISED)) if power else 0) * (0.01 if percent else 1)
    last = len(digits.partition(".")[2])
    if not last and not power and not percent and abs(number) < 1000 and number % 1:
        return len(digits.lstrip("+-")) > 2 and abs(number - float(digits) * unit) <= 0.5 * unit
    return abs(number - float(digits) * unit) <= (0.5000001 * 10.0**-last) * unit


def is_nearly(number: float, printed: str) -> bool:
    """Whether a number is printed as 0 or 1 that is so near to it."""
    return printed in ("0", "1") and abs(number - float(printed)) < 0.0051
