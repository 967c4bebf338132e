"""What /decoding says of greedy search, of beams and of what a filter keeps."""

import numpy as np

from tests.app.said.answered import (
    asked,
    both,
    cut,
    measured,
    not_asked,
    number,
    with_fields,
    with_number,
)
from tests.app.said.sayings import Field, Fields, Pages, Says, When, only


def probability_of(name: str) -> Field:
    return lambda a, q: cut(a, "probability", text=TEXTS[name](a)).item()


TEXTS = {
    "greedy": lambda a: a.fields["greedy"],
    "best": lambda a: a.fields["best"],
    "beam": lambda a: a.fields["beam"][-1][0],
}
FIELDS: Fields = {
    "beams": lambda _, q: q["beams"],
    "greedy": lambda a, _: TEXTS["greedy"](a),
    "best": lambda a, _: TEXTS["best"](a),
    "beam": lambda a, _: TEXTS["beam"](a),
    **{f"p.{name}": probability_of(name) for name in TEXTS},
    "tried": lambda a, _: a.fields["tried"],
    "misses": number("greedy_misses"),
    "kept": lambda a, _: int(measured(a, "kept")),
    "named": lambda a, _: a.axes["token"].size,
    "held.before": lambda a, _: cut(a, "before").sum().item(),
    "held.after": lambda a, _: cut(a, "after").sum().item(),
}


def sampling(_, question) -> bool:
    return "filter" in question["figures"] and "tree" not in question["figures"]


def search(answer, question) -> bool:
    return not sampling(answer, question)


def by_sign(sign: int) -> When:
    """Whether the tokens that are not named got more, as much or less of the probability."""

    def so(a, q) -> bool:
        others = FIELDS["held.before"](a, q) - FIELDS["held.after"](a, q)
        return sampling(a, q) and int(np.sign(others)) == sign

    return so


def found(is_so: bool) -> When:
    return lambda a, q: q["beams"] > 1 and (TEXTS["beam"](a) == TEXTS["best"](a)) is is_so


def missed(is_so: bool) -> When:
    return lambda a, q: q["chain"] != "stated" and (TEXTS["greedy"](a) != TEXTS["best"](a)) is is_so


SAYS: list[Says] = [
    *only(
        search,
        "The best letter each time is not the best text",
        "Every branch is a letter, and a thick branch is probable",
        "Greedy search takes the thickest branch each time",
        "Greedy writes {greedy} ({p.greedy:%})",
        "and the most probable text is {best} ({p.best:%})",
    ),
    *only(both(search, not_asked(beams=1)), "the beams find {beam}"),
    *only(asked(beams=1), "Choose two beams, and see whether the second finds a better text"),
    *only(
        found(True),
        "The beams kept another branch as well, and it leads to the most probable text",
    ),
    *only(
        found(False),
        "The beams keep other branches as well, and still miss the most probable text",
    ),
    *only(missed(True), "This is the first of {tried} random chains on which greedy misses"),
    *only(missed(False), "Greedy missed the best text of none of {tried} random chains"),
    *only(asked(chain="stated"), "This chain was written for the purpose"),
    *only(
        sampling,
        "keeps shares the whole probability",
        "Each bar is the probability of a token that the translator may write first, after"
        " temperature and filter, and each stroke its probability before",
        "The last bar is that of all other tokens together",
        "{kept:1 000} tokens can be drawn",
        "The {named} likeliest hold {held.after:%} of the probability; before temperature and"
        " filter they hold {held.before:%}",
    ),
    *only(lambda a, q: FIELDS["kept"](a, q) == 1, "{kept} token can be drawn"),
    *only(
        by_sign(1),
        "Here temperature and filter make the other tokens together more probable, so that a sample"
        " is often one of them",
    ),
    *only(
        by_sign(-1),
        "temperature and filter make the other tokens together less probable",
    ),
]
CLAIMS = {
    "What a filter keeps": ("renormalised",),
    "The best letter": ("greedy_misses",),
}
QUESTIONS = (
    {"beams": 1},
    {"chain": "drawn"},
    {"chain": "drawn", "vocabulary": 2},
    {"temperature": 0.5},
    {"temperature": 2.0},
    {"top_k": 1},
)


def forced(pages: Pages) -> Pages:
    """Chains on which the beams find the best text or miss it, and greedy too."""
    for question, answer in pages:
        texts = answer.axes["text"].labels or []
        for best in texts[:2]:
            for greedy in texts[:2]:
                beam = [[texts[0]], [texts[1], texts[0]]]
                told = with_fields(answer, best=best, greedy=greedy, beam=beam, tried=7)
                yield question, told
        for kept in (1.0, 1234.0):
            yield question, with_number(answer, "kept", kept)
