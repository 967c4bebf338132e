"""What is so where /scores says it, and what its own fields are."""

from model.layers.choice_names import SCORE_NAMES
from tests.app.words.answered import cut, found, measured
from tests.app.words.facts import Facts
from tests.rounding import is_same

FUNCTIONS = tuple(SCORE_NAMES.values())
CONTENT = len(FUNCTIONS) - 1  # location reads no key


def sharp(answer, _) -> list[str]:
    """The functions that have no gradient left in some draws."""
    names = {function: f"reach.{function.replace(' ', '_')}" for function in FUNCTIONS}
    return [function for function, name in names.items() if found(answer, name).premise]


def location_reads_nothing(answer, _) -> bool:
    return not cut(answer, "reach", function="location").any()


def same_for_all(answer, _) -> bool:
    """Each function gives as many weights to as many keys."""
    return len({cut(answer, name.replace(" ", "_")).shape for name in FUNCTIONS}) == 1


def bars(answer) -> int:
    """How many are a thousandth of the highest and more."""
    return int((cut(answer, "reach") > cut(answer, "reach").max() / 1000).sum())


def five_bars(answer, question) -> bool:
    return location_reads_nothing(answer, question) and bars(answer) == CONTENT


def fewer_bars(answer, question) -> bool:
    return location_reads_nothing(answer, question) and bars(answer) < CONTENT


def nothing_moves(answer, _) -> bool:
    return not cut(answer, "reach").any() and not cut(answer, "choice_reach").any()


def one_takes_all(answer, _) -> bool:
    return bool((cut(answer, "scaled_dot").max(-1) == 1).all())


def stays_soft(answer, _) -> bool:
    """The weights in a window are to one another as without the window."""
    soft, near = (cut(answer, "choices", choice="soft", span=i) for i in (0, 1))
    inside = soft * (near > 0)
    return is_same(near * inside.sum(-1, keepdims=True), inside)


def sums_of_values(answer, _) -> bool:
    looked_up = cut(answer, "scaled_dot") @ cut(answer, "values")
    return is_same(looked_up, cut(answer, "looked_up"))


ORACLES = {
    "sharp": sharp,
    "share": lambda a, _: cut(a, "scaled_dot", query=0).max().item(),
    "best": lambda a, _: int(cut(a, "scaled_dot", query=0).argmax()),
}


QUESTIONS = (
    {"temperature": 0.0},
    {"temperature": 0.003, "d_head": 64},
    {"temperature": 0.001, "d_head": 256},
    {"d_head": 1},
)
FACTS: Facts = {
    "patterns": {"": {"same": same_for_all}},
    "heat": {
        "warm": {"same weights": stays_soft},
        "cold": {
            "all bars": nothing_moves,
            "all weight": one_takes_all,
            "none weight": nothing_moves,
            "little weight": nothing_moves,
            "none key": nothing_moves,
        },
    },
    "bars": {"all": {"none location": five_bars}, "fewer": {"none Location": fewer_bars}},
    "moving": {"none": {"all functions": nothing_moves}},
    "shown": {
        "looked_up": {"same value": sums_of_values},
        "draws": {"less error": lambda a, _: measured(a, "sampling_slope") < 0},
    },
}
RIGHT = (
    tuple(f"reach.{name.replace(' ', '_')}" for name in FUNCTIONS),
    lambda *reached: {0: 0, CONTENT: 1, CONTENT + 1: 2}.get(sum(share > 0 for share in reached)),
)
