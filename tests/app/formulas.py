"""A formula of a page, computed as it stands there: the number that its LaTeX comes to."""

import math
import re

WORDS = re.compile(
    r"\s*(?:(?P<number>\d+(?:\.\d+)?)"
    r"|(?P<name>\\[a-zA-Z]+|[a-zA-Z](?:_(?:\w|\{(?:[^{}]|\{\w+\})*\}))?'?)"
    r"|(?P<sign>[-+*/^(){}|]))"
)
SPACES = re.compile(r"\\[,;!]|\\left|\\right|\\text(?:style)?")
FUNCTIONS = {r"\sqrt": math.sqrt, r"\sin": math.sin, r"\cos": math.cos}
CONSTANTS = {"e": math.e, r"\pi": math.pi}


def value(formula: str, **variables: float) -> float:
    """The number of a formula for these values of its letters. An index is part of its letter, and
    `d_{\\text{ff}}` is `d_ff`. A product needs no sign, a fraction and a root have braces. Raises
    ValueError for what is not of this kind.
    """
    return Reading(formula, variables).whole()


class Reading:
    """Reads from left to right; every method leaves off where its part ends."""

    def __init__(self, formula: str, variables: dict[str, float]):
        self.formula, self.variables, self.at = formula, variables, 0
        self.words: list[str] = []
        rest = SPACES.sub(" ", formula).strip()
        while rest:
            found = WORDS.match(rest)
            if not found:
                raise ValueError(f"{formula} has {rest!r}, which is not read here.")
            self.words.append(found[0].strip())
            rest = rest[found.end() :].strip()

    @property
    def next(self) -> str:
        return self.words[self.at] if self.at < len(self.words) else ""

    def take(self, wanted: str = "") -> str:
        word, self.at = self.next, self.at + 1
        if wanted and word != wanted:
            raise ValueError(f"{self.formula} has {word!r} where {wanted!r} was expected.")
        return word

    def whole(self) -> float:
        found = self.sum()
        if self.next:
            raise ValueError(f"{self.formula} goes on with {self.next!r}.")
        return found

    def sum(self) -> float:
        total = self.product() if self.next not in ("+", "-") else 0.0
        while self.next in ("+", "-"):
            sign = 1 if self.take() == "+" else -1
            total += sign * self.product()
        return total

    def product(self) -> float:
        total = self.power()
        while self.next and self.next not in ("+", "-", ")", "}", "|"):
            if self.next == "/":
                self.take()
                total /= self.power()
            else:
                total *= self.power()
        return total

    def power(self) -> float:
        base = self.atom()
        if self.next != "^":
            return base
        self.take()
        return base ** self.atom()

    def atom(self) -> float:
        word = self.take()
        if word in ("(", "{"):
            found = self.sum()
            self.take({"(": ")", "{": "}"}[word])
            return found
        if word in (r"\frac", r"\tfrac"):
            over = self.atom()
            return over / self.atom()
        if word in FUNCTIONS:
            return FUNCTIONS[word](self.atom())
        if word in CONSTANTS:
            return CONSTANTS[word]
        if word[:1].isdigit():
            return float(word)
        name = re.sub(r"[{}\s]", "", word)
        if name not in self.variables:
            raise ValueError(
                f"{self.formula} has {name!r}, and only {list(self.variables)} are known."
            )
        return self.variables[name]
