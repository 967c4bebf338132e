"""Claims: what a sentence has to say, rendered a second time without the product's words.

A claim is a template over named fields that a test reads off the answer itself. A text holds its
claims in their order, and outside of them it has no number, no quoted name, no colour and no word
that has an opposite, so that nothing is said which no field explains.
"""

import re
from collections.abc import Iterator, Sequence
from colorsys import rgb_to_hls
from dataclasses import dataclass, replace
from string import Formatter
from typing import Any

import numpy as np

from model.answers.answer import Answer, Labelled
from tests.app.said.lexicon import WORDS
from tests.app.said.printed import forms, misprinted

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
    + "|".join(sorted(WORDS | {word for group in OPPOSITES for word in group}))
    + r")(?![\w])",
    re.IGNORECASE,
)


def tick(value: float) -> str:
    """A round number without zeros at its end."""
    return np.format_float_positional(value, 6, trim="-", fractional=False).replace("-", "−")


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


MORE_FORMS = {
    "tick": tick,
    "token": lambda token: f"“{seen(token)}”",
    "capital": capital,
    "listed": listed,
}
"""How a field is printed, besides the forms of numbers."""


@dataclass(frozen=True)
class Claim:
    """A template and the fields that it names, each with its form: {size:number}."""

    template: str
    fields: dict[str, Any]

    def parts(self) -> Iterator[tuple[str, str | None, set[str]]]:
        """The words before each field, its name, and how it may be written."""
        for words, name, form, _ in Formatter().parse(self.template):
            if name is None:
                yield words, None, {""}
            elif form in MORE_FORMS:
                yield words, name, {MORE_FORMS[form](self.fields[name])}
            else:
                yield words, name, forms(self.fields[name], form or "")

    def pattern(self) -> re.Pattern[str]:
        return re.compile(
            "".join(
                f"{re.escape(words)}(?:{'|'.join(map(re.escape, sorted(said)))})"
                for words, _, said in self.parts()
            )
        )

    def text(self) -> str:
        return "".join(words + min(said) for words, _, said in self.parts())

    def fault(self, text: str) -> str:
        """Which of its fields stands in a text as something else."""
        pattern = "".join(
            re.escape(words) + ("" if name is None else "(.*?)") for words, name, _ in self.parts()
        )
        if not (found := re.search(pattern + r"(?!\w)", text)):
            return f"“{self.text()}” is not said in"
        named = [(name, said) for _, name, said in self.parts() if name is not None]
        wrong = [
            f"{name} is {self.fields[name]!r}, written “{min(said)}”, and “{there}” is said"
            for (name, said), there in zip(named, found.groups(), strict=True)
            if there not in said
        ]
        return f"{'; '.join(wrong) or f'“{self.text()}” stands in another place'} in"


def says(template: str, **fields: Any) -> Claim:
    return Claim(template, fields)


def check(text: str, claims: Sequence[Claim], where: str) -> None:
    """That a text has its claims in their order, and nothing else that could be wrong."""
    assert not misprinted(text), f"{where}: {misprinted(text)} of “{text}”"
    at, rest = 0, []
    for claim in claims:
        found = claim.pattern().search(text, at)
        assert found, f"{where}: {claim.fault(text[at:])} “{text}”"
        rest.append(text[at : found.start()])
        at = found.end()
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


def changed(answer: Answer, tensors: dict | None = None, /, **fields: Any) -> Answer:
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


def colour_of(code: str) -> str:
    """The name that a reader gives a colour: its hue, and grey where it has none."""
    red, green, blue = (int(code[i : i + 2], 16) / 255 for i in (1, 3, 5))
    hue, _, saturation = rgb_to_hls(red, green, blue)
    if saturation < 0.12:
        return "grey"
    return next(name for end, name in HUES if 360 * hue < end)


HUES = (
    (12, "red"),
    (45, "orange"),
    (70, "yellow"),
    (165, "green"),
    (262, "blue"),
    (330, "violet"),
    (361, "red"),
)
