"""What is so where /decoding says it, and its own fields once more."""

from tests.app.words.answered import cut, measured, with_fields
from tests.app.words.facts import Fact, Facts


def probability_of(name: str):
    return lambda a, _: cut(a, "probability", text=a.fields[name]).item()


def others(answer, when: str) -> float:
    """What the tokens without a name hold."""
    return 1 - cut(answer, when).sum().item()


def change(sign: int) -> Fact:
    """Whether these have more after the filter, or less."""
    return lambda a, _: sign * (others(a, "after") - others(a, "before")) > 0


def tries_all(answer, question) -> bool:
    """Whether each letter stands in each place."""
    texts = answer.axes["text"].labels
    return len(set(texts)) == len(texts) == len(set("".join(texts))) ** question["length"]


ORACLES = {
    "beam": lambda a, _: a.fields["beam"][-1][0],
    "greedy_probability": probability_of("greedy"),
    "best_probability": probability_of("best"),
    "kept": lambda a, _: round(measured(a, "kept")),
    "held_before": lambda a, _: cut(a, "before").sum().item(),
    "held_after": lambda a, _: cut(a, "after").sum().item(),
    "tokens": lambda a, _: ", ".join(a.axes["token"].labels),
}
QUESTIONS = (
    {"beams": 1, "length": 3},
    {"chain": "drawn"},
    {"chain": "drawn", "vocabulary": 4, "length": 4, "seed": 1},
    {"temperature": 0.5},
    {"temperature": 2.0},
    {"top_k": 1},
    {"chain": "drawn", "vocabulary": 2, "beams": 1},
)
MADE_UP = (lambda answer: with_fields(answer, greedy=answer.fields["best"]),)
"""Greedy misses on one of a hundred chains wherever it was tried."""
EVERY: dict[str, Fact] = {"all": tries_all}
FACTS: Facts = {
    "search": {
        "greedy": {"more": lambda a, q: probability_of("best")(a, q) == cut(a, "probability").max()}
    },
    "first_miss": {"none": {"none": lambda a, _: a.fields["greedy"] == a.fields["best"]}},
    "moved": {"gain": {"more tokens": change(1)}, "lose": {"less tokens": change(-1)}},
    "shown": {"filter": {"all": lambda a, _: others(a, "before") > -1e-6}},
    "tree": {"": EVERY},
    "tree.description": {"": EVERY},
}
RIGHT = ("beam_over_best",), lambda share: int(share > 0.99999)
