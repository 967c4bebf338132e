"""Fields and conditions of words: what a sentence may name. A field is a value and its kind, which
is how it is printed; a condition names the variant that is said. Fields are made by few helpers,
each of which gives a field the name of what it reads.
"""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.captions import Question
from app.captions.findings import measured
from app.captions.text import decimals, excerpt, grouped, number, percent, points, tick, visible
from model.labels import label
from model.words import listed, quoted

Of = Callable[[Any, Question], Any]
"""Of an answer and its question; without an answer, of the question alone."""
FORMATS: dict[str, Callable[[Any], str]] = {
    "whole": str,
    "count": grouped,
    "number": number,
    "decimals": decimals,
    "tenths": lambda value: decimals(value, 1),
    "thousandths": lambda value: decimals(value, 3),
    "ratio": lambda value: number(value) if value >= 1 else f"1/{number(1 / value)}",
    "decimal": lambda value: f"{value:g}",
    "short": lambda value: f"{value:.3g}",
    "fraction": percent,
    "percent": percent,
    "points": points,
    "nats": lambda value: f"{number(value)} nats",
    "token": lambda value: quoted(visible(value)),
    "text": str,
    "name": label,
    "names": lambda values: ", ".join(map(label, values)),
    "spelled": grouped,
    "Spelled": grouped,
    "tick": tick,
    "tokens": lambda values: ", ".join(quoted(visible(value)) for value in values),
    "excerpt": lambda value: quoted(excerpt(value)),
}
"""How a value of each kind is printed. A fraction is between 0 and 1; "percent" need not be. A name
is one of ours, which every language says in its own way; a text is printed as it is.
"""
SPELLED = {
    "en": [
        *("zero", "one", "two", "three", "four", "five", "six"),
        *("seven", "eight", "nine", "ten", "eleven", "twelve"),
    ],
    "fr": [
        *("zéro", "un", "deux", "trois", "quatre", "cinq", "six"),
        *("sept", "huit", "neuf", "dix", "onze", "douze"),
    ],
}
"""Small whole numbers as words, by language."""
APART = {"en": "; ", "fr": "\u00a0; "}
"""What stands between sentences in a row, by language."""


@dataclass(frozen=True)
class Field:
    """A value of a kind. `labels` are those of the axes at which it is read, and `measured` says
    whether it is a measurement and no setting.
    """

    of: Of
    kind: str
    labels: tuple[str, ...] = ()
    measured: bool = True


@dataclass(frozen=True)
class Condition:
    """Which of the `variants` is said."""

    of: Of
    variants: tuple[str, ...]


def printed(kind: str, value: Any, language: str) -> str:
    """A value as a language prints its kind; what is Spelled or Listed begins with a capital."""
    if kind in ("spelled", "Spelled") and value < len(SPELLED.get(language, ())):
        word = SPELLED[language][value]
        return word.capitalize() if kind == "Spelled" else word
    if kind in ("listed", "Listed"):
        row = listed(list(map(label, value)), "and")
        return f"{row[:1].upper()}{row[1:]}" if kind == "Listed" else row
    return FORMATS[kind](value)


def identifier(name: str) -> str:
    """A name as Fluent can have it."""
    return re.sub(r"\W", "_", name)


def setting(kind: str, *names: str) -> dict[str, Field]:
    """Fields of the question."""
    return {
        name: Field(lambda _, question, name=name: question[name], kind, measured=False)
        for name in names
    }


def always(kind: str, **values: Any) -> dict[str, Field]:
    """Fields that are the same in every answer, as how many choices there are."""
    return {
        name: Field(lambda *_, value=value: value, kind, measured=False)
        for name, value in values.items()
    }


def counts(*names: str) -> dict[str, Field]:
    """Fields of the question that count something; `d_head` is named `d_head_count`."""
    return {f"{name}_count": field for name, field in setting("count", *names).items()}


def named(name: str, names: Mapping[Any, str]) -> dict[str, Field]:
    """What a value of the question is called; that of `placement` is named `placement_name`."""
    called = Field(lambda _, question: names[question[name]], "name", measured=False)
    return {f"{name}_name": called}


def called(path: str, names: Mapping[str, str]) -> dict[str, Field]:
    """What an entry of the answer is called, or the entry itself; in `site`, `site_name`."""

    def name(answer: Any, _: Question) -> str:
        value = entry(answer.fields, path)
        return names.get(value, value)

    return {f"{identifier(path)}_name": Field(name, "name", measured=False)}


def roots(*names: str) -> dict[str, Field]:
    """The square roots of fields of the question; that of `d_head` is named `d_head_root`."""
    return {
        f"{name}_root": Field(
            lambda _, question, name=name: math.sqrt(question[name]), "number", measured=False
        )
        for name in names
    }


def found(kind: str, *names: str) -> dict[str, Field]:
    """The numbers of findings: `entropy.scaled` becomes `entropy_scaled`, labeled `scaled`."""
    return {
        identifier(name): Field(
            lambda answer, _, name=name: measured(answer, name),
            kind,
            tuple(name.split(".")[1:]) or (name,),
        )
        for name in names
    }


def stated(kind: str, *names: str, **paths: str) -> dict[str, Field]:
    """Fields of the answer itself, and entries of those: `pair.0` is named `pair_0`. A path with a
    name of its own may have fields of the answer in braces, as `now="texts.{at}.text"`.
    """
    return {
        name: Field(
            lambda answer, _, path=path: entry(answer.fields, path.format_map(answer.fields)),
            kind,
            measured=False,
        )
        for name, path in ({identifier(name): name for name in names} | paths).items()
    }


def entry(whole: Any, path: str) -> Any:
    """What stands in records and lists at a path, as `chosen.neuron` or `pair.0`; in a list of
    records that have names, at a name, as `steps.add`. Raises KeyError where the answer has null in
    its place, or no such name.
    """
    name, _, rest = path.partition(".")
    if isinstance(whole, list) and not name.isdigit():
        whole = {record["name"]: record for record in whole}
    part = whole[int(name) if isinstance(whole, list) else name]
    if rest and part is None:
        raise KeyError(path)
    return entry(part, rest) if rest else part


def sizes(*tensors: str) -> dict[str, Field]:
    """How many numbers a tensor has; of `products`, named `products_size`."""
    return {
        f"{identifier(name)}_size": Field(
            lambda answer, _, name=name: answer.tensors[name].data.numel(), "whole", measured=False
        )
        for name in tensors
    }


def lengths(*axes: str) -> dict[str, Field]:
    """How many places an axis has; that of `layer` is named `layer_length`."""
    return {
        f"{axis}_length": Field(
            lambda answer, _, axis=axis: answer.axes[axis].size, "whole", measured=False
        )
        for axis in axes
    }


def lasts(kind: str, *axes: str) -> dict[str, Field]:
    """What the last place of an axis stands for; that of `depth` is named `depth_last`."""
    return {
        f"{axis}_last": Field(
            lambda answer, _, axis=axis: answer.axes[axis].values[-1], kind, measured=False
        )
        for axis in axes
    }


def largest(kind: str, tensor: str, **labels: Iterable[str]) -> dict[str, Field]:
    """The largest number of a tensor at each label of an axis; `largest("fraction", "pattern",
    score=("scaled",))` is named `largest_scaled`.
    """
    ((axis, names),) = labels.items()
    return {
        f"largest_{identifier(name)}": Field(
            lambda answer, _, name=name: answer.cut(tensor, **{axis: name}).data.max().item(),
            kind,
            (name,),
        )
        for name in names
    }


def means(
    kind: str,
    tensor: str,
    at: Mapping[str, str] | None = None,
    per: float = 1,
    **labels: Iterable[str],
) -> dict[str, Field]:
    """The mean of a tensor at each label of an axis, or the number that stands there alone, over
    `per`; `means("nats", "loss", {"step": "last"}, heads=("1", "4"))` has `loss_1` and `loss_4`. A
    place is a label, `first` or `last`, or a field of the question in braces.
    """
    ((axis, names),) = labels.items()

    def mean(answer: Any, question: Question, name: str) -> float:
        cut = answer.cut(tensor)
        data, left = cut.data.double(), list(cut.axes)
        for by, place in {**(at or {}), axis: name}.items():
            known = cut.along(by)
            label = {"first": known[0], "last": known[-1]}.get(place) or place.format_map(question)
            data = data.select(left.index(by), known.index(label))
            left.remove(by)
        return data.mean().item() / per

    return {
        f"{identifier(tensor)}_{identifier(name)}": Field(
            lambda *inputs, name=name: mean(*inputs, name), kind, (name,)
        )
        for name in names
    }


def choice(name: str, *variants: str) -> dict[str, Condition]:
    """The value of a field of the question."""
    return {name: Condition(lambda _, question: str(question[name]), variants)}


def where(name: str, holds: Callable[[Question], bool]) -> dict[str, Condition]:
    """Whether something is so of the question, "yes" or "no"."""
    return {name: Condition(lambda _, question: "yes" if holds(question) else "no", ("yes", "no"))}


def displayed(*figures: str) -> dict[str, Condition]:
    """The first of these figures that is shown, "other" where none is."""
    return {"shown": first_shown((*figures, "other"), "other")}


def sides(left: Sequence[str], right: Sequence[str]) -> dict[str, Condition]:
    """Of a page with two figures, on which of its `sides` one is shown, and on each the first of
    its figures that is. Where none is, the page opens with the first on both.
    """

    def side(_: Any, question: Question) -> str:
        here, there = (not {*names}.isdisjoint(question["figures"]) for names in (left, right))
        return "both" if here is there else "left" if here else "right"

    return {
        "sides": Condition(side, ("both", "left", "right")),
        "left": first_shown(left, left[0]),
        "right": first_shown(right, right[0]),
    }


def first_shown(figures: Sequence[str], otherwise: str) -> Condition:
    def first(_: Any, question: Question) -> str:
        displayed = (figure for figure in figures if figure in question["figures"])
        return identifier(next(displayed, otherwise))

    return Condition(first, tuple(map(identifier, figures)))


def answered(name: str, *variants: str) -> dict[str, Condition]:
    """A field of the answer, or an entry of one, as an identifier; of what is so or not, "yes" or
    "no". That of `reply.kind` is named `reply_kind`.
    """

    def of(answer: Any, _: Question) -> str:
        value = entry(answer.fields, name)
        return identifier(value if variants else "yes" if value else "no")

    return {identifier(name): Condition(of, variants or ("yes", "no"))}


def whether(name: str, holds: Callable[[Any, Question], bool]) -> dict[str, Condition]:
    """Whether something is so of the answer to the question, "yes" or "no"."""
    return {name: Condition(lambda *both: "yes" if holds(*both) else "no", ("yes", "no"))}
