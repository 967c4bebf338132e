"""What /scores says of six score functions, of soft and hard attention, and of draws."""

from collections.abc import Callable

import numpy as np

from tests.app.said.answered import asks, both, cut, found, number
from tests.app.said.sayings import Field, Fields, Says, When, only, results

FUNCTIONS = {
    "dot": "dot",
    "scaled_dot": "scaled dot",
    "general": "general",
    "additive": "additive",
    "cosine": "cosine",
    "location": "location",
}


def cold(_, question) -> bool:
    return not question["temperature"]


def warm(_, question) -> bool:
    return bool(question["temperature"])


def beside(name: str) -> When:
    """Whether the page speaks of this figure: of the first of these that is shown."""
    order = ("choices", "looked_up", "draws")
    return lambda _, q: next((one for one in order if one in q["figures"]), "reach") == name


def reach(name: str) -> Field:
    return lambda a, _: cut(a, "reach", function=name).item()


def choice(name: str) -> Field:
    return lambda a, _: cut(a, "choice_reach", choice=name).max().item()


def none_moves(answer, _) -> bool:
    return not cut(answer, "reach").any()


def some_moves(answer, question) -> bool:
    return not none_moves(answer, question)


def bars(answer) -> int:
    """How many bars can be seen: those of a thousandth of the highest and more."""
    return int((cut(answer, "reach") > cut(answer, "reach").max() / 1000).sum())


def sharp(answer) -> list[str]:
    """The functions that have no gradient left in some draws."""
    return [said for name, said in FUNCTIONS.items() if found(answer, f"reach.{name}").premise]


def joined(answer, _) -> str:
    *some, last = sharp(answer)
    return f"{', '.join(some)} and {last}" if some else last


def sharpened(how_many: Callable[[int], bool]) -> When:
    return lambda a, q: warm(a, q) and how_many(len(sharp(a)))


FIELDS: Fields = {
    "temperature": asks("temperature"),
    "sharp": joined,
    **{f"reach.{name}": reach(name) for name in FUNCTIONS},
    "soft": choice("soft"),
    "hard": choice("hard"),
    "share": lambda a, _: cut(a, "scaled_dot", query=0).max().item(),
    "key": lambda a, _: int(np.argmax(cut(a, "scaled_dot", query=0))),
    "draws": lambda a, _: int(a.axes["draws"].labels[-1]),
    "error": lambda a, _: cut(a, "sampling_error", draws=-1).item(),
    "power": number("sampling_slope"),
}
SAYS: list[Says] = [
    *only(
        sharpened(lambda n: n == 0),
        "Five of six score functions read the keys, and location does not",
    ),
    *only(
        sharpened(lambda n: n == 1),
        "At temperature {temperature:g} the softmax is so sharp that in some draws {sharp} has no"
        " gradient left",
    ),
    *only(
        sharpened(lambda n: n > 1),
        "At temperature {temperature:g} the softmax is so sharp that in some draws {sharp} have no"
        " gradient left",
    ),
    *only(cold, "At temperature 0 no weight moves with any key"),
    *only(
        both(warm, beside("reach")),
        "The bars on the right say how far the weights move when a key changes",
    ),
    *results(
        lambda a, q: warm(a, q) and beside("reach")(a, q) and bars(a) == 5,
        "Five bars stand there; location has none, because it scores a place and not the key in"
        " this place",
    ),
    *results(
        lambda a, q: warm(a, q) and beside("reach")(a, q) and bars(a) < 5,
        "number over each tells those that are too low to be seen",
        "Location has none, because it scores a place and not the key in this place",
    ),
    *only(
        both(warm, beside("reach")),
        "Lower T: the weight in each row on the left gathers on one key",
        "Raise T: it spreads",
    ),
    *only(
        both(cold, beside("reach")),
        "a small change of a key does not change which one is best",
        "Each row on the left has one cell",
    ),
    *only(
        lambda a, q: cold(a, q) and beside("reach")(a, q) and not bars(a),
        "All six bars are missing on the right: each query gives all its weight to its best key",
    ),
    *only(
        both(cold, beside("choices")),
        "At temperature 0 soft attention is hard: each row gives all its weight to one key, and no"
        " weight moves when a key changes a little",
        "Raise T, and compare the soft maps with the hard ones",
    ),
    *only(
        both(warm, beside("choices")),
        "Soft or hard is one choice, global or local is another",
        "A window leaves keys out, and the weights inside it stay soft",
        "The number over each map says how far its weights move when a key changes",
    ),
    *only(
        beside("looked_up"),
        "In the right figure, each row of the last map is the sum of the rows of the middle map,"
        " each multiplied by its weight in the first map",
        "At temperature 0 a row has one weight, so it is a copy of one value",
        "Query 0 gives {share:%} of its weight to key {key}",
        "the value of this key has the same share in what the query looks up",
    ),
    *only(
        beside("draws"),
        "Each draw chooses one key at random, with the soft weights as probabilities",
        "The mean of n draws comes nearer to the soft weights along the dotted line 1/√n: with a"
        " hundred times as many draws the error is a tenth",
        "The mean of {draws:1 000} hard draws is {error:number} from the soft weights",
    ),
    *only(
        lambda a, q: beside("draws")(a, q) and FIELDS["power"](a, q) < 0,
        "the error falls with the number of draws to the power {power:2}",
    ),
    *only(
        beside("choices"),
        "The gradient of the weights with respect to the keys is {soft:number} for soft attention"
        " and {hard:number} for hard attention",
    ),
    *only(
        both(beside("reach"), some_moves),
        "The gradient of the weights with respect to the keys is {reach.dot:number} for the dot"
        " product and {reach.scaled_dot:number} for the scaled one",
    ),
    *only(
        both(beside("reach"), none_moves),
        "The gradient of the weights with respect to the keys is 0 for all six functions",
    ),
]
NAMES = (*FUNCTIONS.values(), "soft", "hard", "global", "local")
moving = tuple(f"reach.{name}" for name in FUNCTIONS)


def judged(answer, _) -> tuple[str, ...]:
    return tuple(name for name in moving if not found(answer, name).premise)


CLAIMS = {
    "Five of six": moving,
    "no weight moves": ("hard_reach", *moving),
    "so sharp": judged,
}
QUESTIONS = (
    {"temperature": 0.0},
    {"temperature": 0.003, "d_head": 64},
    {"temperature": 0.001, "d_head": 256},
    {"d_head": 1},
)
