"""What a figure says as a whole, with the cell of the answer that each of its numbers is from.

The figure is drawn once more while numbers are printed in full: two numbers of an answer that look
alike with three digits are then told apart by the tags of `tagging`. Names are told apart by what
they are: a label of the answer stays as it is, and so does what stands in quotes.
"""

import math
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any

from app.captions import text as printing
from app.captions.fields import FORMATS
from app.captions.text import visible
from model.answers.answer import Answer
from tests.app.drawn import naming
from tests.app.drawn.naming import BRACKETED, TOKEN, Forms
from tests.app.drawn.slices import TURNED
from tests.app.drawn.tagging import Origins
from tests.app.drawn.vocabulary import term

PRINTERS = ("number", "weight", "decimals", "percent", "tick")
"""What prints a number in a sentence."""
NUMBER = re.compile(r"⟦(-?[\d.e+-]+)⟧")
UNPRINTED = re.compile(r"(?<![\w.⟦])(?:\d{1,3}(?:[,]\d{3})+|\d{4,}|\d*\.\d+)(?![\w⟧]|[.]\d)")
"""A number that no printer has printed: it counts, or is written out in the sentence."""
QUOTED = re.compile("“([^“”⟦⟧]*)”")
MOST = 5000  # numbers of a tensor whose sums are known
NAME = range(3, 40)  # signs of a label that is a name; a shorter one may be a word of the sentence


@contextmanager
def numbers_in_full() -> Iterator[None]:
    """Within, figures print each number with all its digits, between the signs ⟦ and ⟧. A whole
    number counts, has no tag, and is printed as ever.
    """
    printers = {name: getattr(printing, name) for name in PRINTERS}
    drawing = ("app.experiments", "app.figures", "app.captions")
    modules = [vars(module) for path, module in sys.modules.items() if path.startswith(drawing)]
    places = [
        (place, key, name)
        for place in (FORMATS, *modules)
        for name, printer in printers.items()
        for key in [key for key, value in place.items() if value is printer]
    ]
    for place, key, name in places:
        place[key] = partial(full, printers[name], "%" if name == "percent" else "")
    try:
        yield
    finally:
        for place, key, name in places:
            place[key] = printers[name]


def full(printed: Callable[..., str], unit: str, value: float, *digits: int) -> str:
    number = float(value)
    if not math.isfinite(number) or number.is_integer():
        return f"{number:.0f}{unit}" if abs(number) >= 1000 else printed(value, *digits)
    return f"⟦{number!r}⟧{unit}"


def with_names(
    text: str, forms: Forms, origins: Origins, known: Mapping[str, float], names: re.Pattern | None
) -> str:
    """A text in which each number is called what it is in the answer, and each name is kept."""
    protected: list[str] = []

    def keep(piece: str) -> str:
        protected.append(piece)
        return f"⟦#{len(protected) - 1}⟧"

    text = NUMBER.sub(lambda found: keep(origin(float(found[1]), forms, origins, known)), text)
    text = QUOTED.sub(lambda found: keep(f"“{found[1]}”"), text)
    if names:
        text = names.sub(lambda found: keep(found[0]), text)
    text = UNPRINTED.sub(lambda found: keep(unprinted(found[0], forms, origins)), text)
    return BRACKETED.sub(lambda found: f"⟦{protected[int(found[1][1:])]}⟧", text)


def origin(number: float, forms: Forms, origins: Origins, known: Mapping[str, float]) -> str:
    """Where a number of a sentence is from; `made` where it is made of several."""
    for turned, back in TURNED.items():
        if found := origins.of_number(back(number)):
            which, at = found[0]
            source = origins.sources[which]
            cell = ", ".join(
                called(forms, axis, i) for axis, i in zip(source.axes, at, strict=False)
            )
            return f"{turned}{source.name}" + (f"[{cell}]" if cell else "")
    same = (name for name, value in known.items() if math.isclose(value, number, rel_tol=1e-6))
    return next(same, "made")


def unprinted(digits: str, forms: Forms, origins: Origins) -> str:
    """A number that no printer has printed: a count with a tag is that of its cell."""
    if len(digits) < 10 or not origins.of_number(float(digits)):
        return digits
    return origin(float(digits), forms, origins, {})


def sums(answer: Answer, forms: Forms) -> dict[str, float]:
    """The sum of each tensor, and its sums at each label of one of its axes."""
    found: dict[str, float] = {}
    for name, tensor in answer.tensors.items():
        data = tensor.data.double()
        if not tensor.data.is_floating_point() or data.numel() > MOST or not data.isfinite().all():
            continue
        found[f"sum of {name}"] = float(data.sum())
        for i, axis in enumerate(tensor.axes if data.dim() > 1 else ()):
            others = [j for j in range(data.dim()) if j != i]
            for at, total in enumerate(data.sum(others).tolist()):
                found[f"sum of {name}[{called(forms, axis, at)}]"] = total
    return found


def called(forms: Forms, axis: str, at: int) -> str:
    if axis.startswith("fields."):
        return str(at)
    return naming.called(forms, axis, at)


def names_of(answer: Answer, question: Mapping[str, Any]) -> re.Pattern | None:
    """The labels and the short texts of an answer that no word of the field explains. What is asked
    is among them: head 1.2.
    """
    found = {label for axis in answer.axes.values() for label in axis.labels or ()}
    found |= {*texts(answer.fields), *texts(dict(question))}
    names = [
        re.escape(name)
        for name in sorted({visible(text) for text in found}, key=lambda text: (-len(text), text))
        if len(name) in NAME and not all(term(word) for word in TOKEN.findall(name))
    ]
    return re.compile(rf"(?<![\w⟦])(?:{'|'.join(names)})(?![\w⟧])") if names else None


def texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from texts(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from texts(inner)
