"""One step of a derivation, as the panel of the attention page shows it: an answer of /explain as
words, bars and equations in HTML.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from app.captions.plain_names import INDICES, NOTES, place_of, plain_formula, plain_name
from app.captions.sentences import of_derivations
from app.captions.text import grouped, number, visible
from model.labels import label

Answer = dict[str, Any]
Numbers = Sequence[float | None]

QUANTITIES = {
    r"\.q$|\.query\.": "query",
    r"\.k$|\.key\.": "key",
    r"\.(v|z)$|\.value\.": "value",
    r"\.embedding\.position$": "position",
    r"embedding\.": "embedding",
    r"\.cross_attention\.(out|head_out)$": "cross",
    r"\.attention\.(out|head_out)$": "attention",
    r"\.feed_forward\.": "feed-forward",
    r"\.residual\.|\.norm": "stream",
}
"""The colour that the numbers of a tensor have on every page."""

MAX_NAMES = 24  # tokens that have room under their bars


@dataclass(frozen=True)
class Strip:
    """A vector as bars. `index` leads from a bar one step further back, None where no bar leads
    further; `colour` is the name of a colour, or "" for orange above and blue below 0.
    """

    label: str
    whose: str
    name: str
    values: Numbers
    names: Sequence[str] | None = None
    colour: str = ""
    index: Sequence[Any] | None = None

    @property
    def visible_names(self) -> list[str] | None:
        return None if self.names is None else list(map(visible, self.names))

    @property
    def positive(self) -> bool:
        return all((value or 0) >= 0 for value in self.values)

    @property
    def largest(self) -> float:
        return max(abs(value or 0) for value in self.values)

    def path(self, above: bool) -> str:
        """The bars above 0, or those below, one unit wide each."""
        return "".join(
            f"M{i + 0.1:g} 0h.8V{-value:.6g}h-.8Z"
            for i, value in enumerate(self.values)
            if value is not None and (value >= 0) == above
        )


def quantity(name: str) -> str:
    """The name of the colour of a tensor."""
    found = (colour for pattern, colour in QUANTITIES.items() if re.search(pattern, name))
    return next(found, "")


def strips(answer: Answer) -> list[Strip]:
    """The vectors of an answer: its operands, and the steps that have a number for each member."""
    read = [
        Strip(
            plain_name(operand["short"]),
            operand["name"]
            if operand["token"] is None
            else of_derivations("of-token", token=visible(operand["token"])),
            operand["name"],
            operand["values"],
            answer["axes"][operand["axis"]].get("labels") if operand["axis"] else None,
            quantity(operand["name"]),
            operand["index"],
        )
        for operand in answer["operands"]
        if isinstance(operand["values"], list) and not isinstance(operand["values"][0], list)
    ]
    names = read[0].names if read else None
    return read + [
        Strip(
            called(step["name"]),
            plain_formula(step["formula"]),
            label(step["formula"]),
            step["values"],
            names,
        )
        for step in answer["intermediates"]
        if isinstance(step["values"], list)
    ]


def focus(answer: Answer, vectors: Sequence[Strip]) -> int:
    """The member to look at first: the cell's own, else the largest of the last vector."""
    if not vectors:
        return 0
    if answer["own"] is not None:
        return answer["own"]
    sizes = [abs(value or 0) for value in vectors[-1].values]
    return sizes.index(max(sizes))


def pointed_out(answer: Answer, vectors: Sequence[Strip]) -> str:
    """Which member of the vectors is marked at first, and why it is that one."""
    if not vectors:
        return ""
    at, last = focus(answer, vectors), vectors[-1]
    names = vectors[0].names
    token_id, word = answer["own"], answer["labels"].get("vocabulary")
    name = names[at] if names and at < len(names) else word if token_id is not None else None
    return of_derivations(
        "marked",
        member="channel" if name is None else "token",
        at=at,
        token=visible(name or ""),
        own="no" if token_id is None else "yes",
        name=last.label,
    )


def called(name: str) -> str:
    """A tensor or a step of an equation, also a step that only its own name tells."""
    return label(plain_name(name))


def reach(strip: Strip, vectors: Sequence[Strip]) -> float:
    """The end of the scale that all vectors of a kind have."""
    return (
        max(
            other.largest
            for other in vectors
            if (other.index is None) == (strip.index is None) and other.positive == strip.positive
        )
        or 1.0
    )


def crumb(answer: Answer) -> str:
    """The number in words: what it is, its index where no token tells it, and the token or the
    tokens that it belongs to. `answer` is an answer of /explain, or one of its readers.
    """
    labels, short = answer["labels"], plain_name(answer["short"])
    if "key" in labels:
        query, key = visible(labels["query"]), visible(labels["key"])
        return of_derivations("cell", query=query, key=key, name=short)
    position = labels.get("position", labels.get("query"))
    token = visible(position or "")
    if "vocabulary" in labels and position is not None:
        word = visible(labels["vocabulary"])
        return of_derivations("after", name=short, word=word, token=token)
    index = [
        f", {label(INDICES.get(role, role))} {i}"
        for i, role in zip(answer["at"], answer["roles"], strict=False)
        if position is None or role not in ("position", "query")
    ]
    whose = short if position is None else of_derivations("number-of", name=short, token=token)
    return whose + "".join(index)


def used_for(answer: Answer) -> list[dict[str, Any]]:
    """The later numbers that are computed from this one, by activation, as the page shows them."""

    def with_crumb(reader: Answer, group: Answer) -> Answer:
        return {**reader, "crumb": crumb({**reader, "short": group["short"]})}

    return [
        {
            "name": ", ".join(filter(None, [plain_name(group["short"]), place_of(group["name"])])),
            "whole": group["name"],
            "count": group["count"],
            "members": [with_crumb(reader, group) for reader in group["largest"]],
            "guess": group["first_guess"] and with_crumb(group["first_guess"], group),
        }
        for group in answer.get("readers", ())
    ]


def ending(answer: Answer) -> str:
    """What is said of a number from which nothing further is computed. The last numbers on the way
    to an answer are boxes and probabilities, whose ranks say which is the first guess.
    """
    if answer["name"] == "box.out":
        return of_derivations("box")
    if answer["name"] != "probabilities":
        return of_derivations("unread")
    (logits,) = (operand["values"] for operand in answer["operands"])
    rank = 1 + sum(other > logits[answer["own"]] for other in logits)
    word, place = (answer["labels"].get(role) for role in ("vocabulary", "position"))
    return of_derivations(
        "guess",
        word=visible(word or ""),
        rank=grouped(rank),
        count=grouped(len(logits)),
        placed="yes" if place else "no",
        token=visible(place or ""),
        first="yes" if rank == 1 else "no",
    )


def spoken(value: float | None) -> str:
    """A number that can be read aloud."""
    return "−∞" if value is None else number(value)


def exact(value: float | None) -> str:
    return label("−∞ (masked)") if value is None else repr(value)


def sign(formula_text: str) -> str:
    """What stands between the numbers of an equation; the formula of a step ends with =."""
    formula = formula_text.removesuffix(" =")
    return label(formula) + formula_text[len(formula) :]


def in_words(answer: Answer) -> Answer:
    """The answer with its formula, its sentence and the steps and signs of its equations in the
    language of who asks; the names of tensors stay.
    """
    words = {name: label(answer[name]) for name in ("written", "sentence")}
    equations = [
        [
            {**part, "sign": sign(part["sign"])}
            if "sign" in part
            else {**part, "name": label(part["name"])}
            if part["at"] is None
            else part
            for part in equation
        ]
        for equation in answer["equations"]
    ]
    return {**answer, **words, "equations": equations}


def step(answer: Answer) -> dict[str, Any]:
    """What the template of a step is filled with."""
    vectors = strips(answer)
    return {
        "answer": in_words(answer),
        "strips": [(strip, reach(strip, vectors)) for strip in vectors],
        "chosen": focus(answer, vectors),
        "pointed_out": pointed_out(answer, vectors),
        "note": label(NOTES.get(answer["rule"].removesuffix(".relative"), "")),
        "used_for": used_for(answer),
        "place": place_of(answer["name"]),
        "ending": ending(answer) if answer.get("readers") == [] else "",
        "plain_name": called,
        "spoken": spoken,
        "exact": exact,
        "visible": visible,
        "most_names": MAX_NAMES,
    }


def table(answer: Answer) -> dict[str, Any]:
    """All numbers of a step: a row for every member, then what was computed from them."""
    vectors = strips(answer)
    members = len(vectors[0].values) if vectors else 0
    names = (vectors[0].names if vectors else None) or [str(i) for i in range(members)]
    rows: list[list[Any]] = [
        [names[i], *(strip.values[i] if i < len(strip.values) else None for strip in vectors)]
        for i in range(members)
    ]
    parts = [part for equation in answer["equations"] for part in equation]
    single = {part["label"]: part["value"] for part in parts if "value" in part}
    return {
        "caption": f"{answer['name']}[{', '.join(map(str, answer['at']))}]",
        "head": ["", *([strip.label for strip in vectors] or [label("value")])],
        "rows": rows
        + [[label(name), value, *[""] * (len(vectors) - 1)] for name, value in single.items()],
    }
