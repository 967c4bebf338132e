"""Claims: what a sentence has to say, rendered a second time without the product's words.

A claim is a template over named fields that a test reads off the answer itself. A text holds its
claims in their order, and outside of them it has no number, no quoted name, no colour and no word
that has an opposite, so that nothing is said which no field explains.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_HALF_EVEN, Decimal
from string import Formatter
from typing import Any

import numpy as np

from model.answers.answer import Answer, Labelled

RAISED = dict(zip("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹", strict=True))
OPPOSITES = (
    ("rise", "fall", "raise", "lower", "raises", "lowers", "rises", "falls", "raised", "lowered"),
    ("more", "less", "fewer", "most", "least", "many", "few", "best", "worst", "better", "worse"),
    ("larger", "smaller", "largest", "smallest", "high", "low", "higher", "highest", "lowest"),
    ("longer", "shorter", "longest", "shortest", "strongest", "likeliest", "nearest", "clearest"),
    ("above", "below", "before", "after", "first", "last", "then", "next", "second", "earlier"),
    ("gain", "lose", "gains", "loses", "loss", "with", "without", "for", "against", "same"),
    ("all", "every", "each", "none", "no", "not", "nothing", "only", "never", "any", "both"),
    ("row", "rows", "column", "columns", "left", "right", "up", "down", "diagonal"),
    ("query", "queries", "key", "keys", "value", "values", "source", "target"),
    ("encoder", "decoder", "clean", "corrupted", "patched", "self", "cross", "on", "off"),
    ("positive", "negative", "sum", "mean", "difference", "product", "average", "alone"),
    ("together", "too", "still", "orange", "blue", "grey", "green", "dark", "bright", "new"),
    ("reads", "writes", "looks", "from", "to", "into", "own", "other", "others", "itself"),
    ("nats", "distinct", "share", "length", "cosine", "accuracy", "probability", "score"),
    ("interval", "chance", "random", "cost", "costs", "less", "within", "outside", "at"),
)
"""Words that would say something else if another stood in their place."""
LOADED = re.compile(
    r"[0-9%“”«»√⁰¹²³⁴⁵⁶⁷⁸⁹]|(?<![\w’])(?:"
    + "|".join(sorted({word for group in OPPOSITES for word in group}))
    + r")(?![\w])",
    re.IGNORECASE,
)


def number(value: float) -> str:
    """Three significant digits; powers of ten from 10^5 on and below 10^-3."""
    exact = Decimal(float(value))
    if not exact.is_finite():
        return "masked"
    if exact == exact.to_integral_value() and abs(exact) < 100_000:
        return signed(str(int(exact)))
    power = exact.adjusted()
    if -3 <= power <= 4:
        return signed(str(exact.quantize(Decimal(1).scaleb(min(0, power - 2)), ROUND_HALF_EVEN)))
    mantissa = exact.scaleb(-power).quantize(Decimal("0.01"), ROUND_HALF_EVEN)
    if abs(mantissa) == 10:
        mantissa, power = mantissa / 10, power + 1
    raised = "".join(RAISED[sign] for sign in str(power))
    return signed(f"{mantissa:.2f} × 10{raised}")


def percent(value: float, digits: int = 0) -> str:
    """A share in percent, from 100 % on without decimals."""
    places = digits if abs(value) < 1 else 0
    share = Decimal(100 * float(value)).quantize(Decimal(1).scaleb(-places), ROUND_HALF_EVEN)
    return signed(f"{share} %")


def tick(value: float) -> str:
    """A round number without zeros at its end."""
    return signed(np.format_float_positional(value, 6, trim="-", fractional=False))


def grouped(value: int) -> str:
    """Groups of three digits with thin spaces."""
    return re.sub(r"(?<=\d)(?=(?:\d{3})+$)", "\u202f", str(value))


def signed(said: str) -> str:
    return said.replace("-", "−")


SIGNS = {"\n": "⏎", "\t": "⇥", "\u00a0": "⍽"}


def seen(token: str) -> str:
    """A token as a reader sees it: a sign for a line's end, and for a space at an edge."""
    out = []
    for at, one in enumerate(token):
        edge = at in (0, len(token) - 1) or " " in (token[at - 1], token[at + 1])
        out.append("␣" if one == " " and edge else SIGNS.get(one, one))
    return "".join(out)


def capital(said: str) -> str:
    return said[:1].upper() + said[1:]


def listed(names: Sequence[str]) -> str:
    """a, b and c."""
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


FORMATS = {
    "": str,
    "number": number,
    "percent": percent,
    "percent1": lambda value: percent(value, 1),
    "percent2": lambda value: percent(value, 2),
    "tick": tick,
    "grouped": grouped,
    "token": lambda token: f"“{seen(token)}”",
    "capital": capital,
    "listed": listed,
}


@dataclass(frozen=True)
class Claim:
    """A template and the fields that it names."""

    template: str
    fields: dict[str, Any]

    def parts(self) -> Iterator[tuple[str, str | None, str]]:
        """The words before each field, its name, and the field as it is written."""
        for words, name, form, _ in Formatter().parse(self.template):
            yield words, name, "" if name is None else FORMATS[form or ""](self.fields[name])

    def text(self) -> str:
        return "".join(words + said for words, _, said in self.parts())

    def fault(self, text: str) -> str:
        """Which of its fields stands in a text as something else."""
        pattern = "".join(
            re.escape(words) + ("" if name is None else "(.*?)") for words, name, _ in self.parts()
        )
        if not (found := re.search(pattern + r"(?!\w)", text)):
            return f"“{self.text()}” is not said in"
        wrong = [
            f"{name} is {self.fields[name]!r}, written “{said}”, and “{there}” is said"
            for (name, said), there in zip(
                [(name, said) for _, name, said in self.parts() if name is not None],
                found.groups(),
                strict=True,
            )
            if there != said
        ]
        return f"{'; '.join(wrong) or f'“{self.text()}” stands in another place'} in"


def says(template: str, **fields: Any) -> Claim:
    return Claim(template, fields)


def check(text: str, claims: Sequence[Claim], where: str) -> None:
    """That a text has its claims in their order, and nothing else that could be wrong."""
    at, rest = 0, []
    for claim in claims:
        begin = text.find(claim.text(), at)
        assert begin >= 0, f"{where}: {claim.fault(text[at:])} “{text}”"
        rest.append(text[at:begin])
        at = begin + len(claim.text())
    loose = [(part, found[0]) for part in [*rest, text[at:]] for found in LOADED.finditer(part)]
    nearest = sorted({name for claim in claims for name in claim.fields})
    assert not loose, (
        f"{where}: no claim explains “{loose[0][1]}” of “{loose[0][0].strip()}” in “{text}”; the"
        f" fields are {', '.join(nearest) or 'none'}"
    )


def of(answer: Answer, name: str, **where: Any) -> np.ndarray:
    """A tensor of the answer, cut at the labels, or at the indices, of some of its axes."""
    tensor = answer.tensors[name]
    at = []
    for axis in tensor.axes:
        chosen = where.get(axis, slice(None))
        at.append(
            (answer.axes[axis].labels or []).index(chosen) if isinstance(chosen, str) else chosen
        )
    return tensor.data.double().numpy()[tuple(at)]


def changed(answer: Answer, tensors: dict | None = None, **fields: Any) -> Answer:
    """The answer with other tensors, given as functions of theirs, and other fields."""
    other = {
        name: Labelled(was.axes, how(was.data.clone()), was.formula, was.masked)
        for name, how in (tensors or {}).items()
        for was in [answer.tensors[name]]
    }
    return replace(
        answer,
        tensors=answer.tensors | other,
        fields=answer.fields | fields,
        inputs=answer.axes,
    )


def shaken(answer: Answer, seed: int, keep: Sequence[str] = ()) -> Answer:
    """The answer with every real number of its tensors and fields drawn anew near itself, so that
    no two of them are alike.
    """
    rng = np.random.default_rng(seed)
    tensors = {
        name: (lambda data: data * data.new_tensor(np.exp(rng.normal(0, 0.4, tuple(data.shape)))))
        for name, one in answer.tensors.items()
        if one.data.is_floating_point() and name not in keep
    }
    fields = {
        name: value if name in keep else drawn(value, rng) for name, value in answer.fields.items()
    }
    return changed(answer, tensors, **fields)


def drawn(value: Any, rng: np.random.Generator) -> Any:
    """A field with every real number in it drawn anew."""
    if isinstance(value, dict):
        return {name: drawn(one, rng) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(drawn(one, rng) for one in value)
    if not isinstance(value, float):
        return value
    if 0 < value < 1:
        return value ** rng.uniform(0.6, 1.6)
    return (value or 1e-4) * rng.uniform(0.7, 1.5)
