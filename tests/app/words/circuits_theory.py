"""What is so where /circuits-theory says it, and the fields of its own."""

from tests.app.words.answered import cut, measured
from tests.app.words.facts import Facts, between


def virtual(answer, question) -> float:
    first, second = answer.fields["pair"]
    chosen = question["composition"]
    return cut(answer, "composition", composition=chosen, second=second, first=first).item()


def of_random(answer, question) -> float:
    return cut(answer, "baseline", composition=question["composition"], statistic="mean").item()


def ways(answer, question, tensor: str):
    return cut(answer, tensor, position=int(question["position"]))


def part(answer, question) -> float:
    first, second = answer.fields["pair"]
    at = int(question["position"])
    if "score" in question["figures"]:
        return cut(answer, "score_paths", position=at, query="past", key=first).item()
    return cut(answer, "logit_paths", position=at, way_2=second, way_1="past").item()


def rest(answer, question) -> float:
    tensor = "score_paths" if "score" in question["figures"] else "logit_paths"
    return ways(answer, question, tensor).sum() - part(answer, question)


def letters(answer, question, first: int, end: int) -> str:
    """Letters counted from the chosen position of the repetition."""
    text = answer.fields["letters"]
    at = len(text) - answer.axes["position"].size - 1 + int(question["position"])
    return text[at + first : at + end]


ORACLES = {
    "sequence": lambda a, _: a.fields["letters"].removeprefix(a.fields["letters"][0]),
    "read": lambda a, q: letters(a, q, -1, 1),
    "following": lambda a, q: letters(a, q, 1, 2),
    "part": part,
    "rest": rest,
    "over": lambda a, q: virtual(a, q) / of_random(a, q),
    "logit_total": lambda a, q: ways(a, q, "logit_paths").sum(),
    "score_total": lambda a, q: ways(a, q, "score_paths").sum(),
}


def carries(heads: slice, least: float):
    """Whether the paths through heads of layer 1 alone carry so much of the logit."""

    def so(answer, _) -> bool:
        logits = cut(answer, "logit_paths").mean(0)
        return bool(logits[heads, 0].sum() > least * logits.sum())

    return so


def carries_nothing(answer, _) -> bool:
    return measured(answer, "accuracy") < 0.15 and bool(
        cut(answer, "logit_paths").mean(0).max() < 1
    )


def like_random(answer, question) -> bool:
    """Whether no pair has three times the virtual weights of random pairs."""
    weights = cut(answer, "composition", composition=question["composition"])
    return bool((weights < 3 * of_random(answer, question)).all())


def reads_nothing(answer, question) -> bool:
    return question["weights"] != "constructed" or virtual(answer, question) == 0


def all_paths(answer, question) -> bool:
    """Whether there are 25 paths."""
    return ways(answer, question, "logit_paths").size == 25


QUESTIONS = (
    {"weights": "random", "composition": "q"},
    {"weights": "trained", "composition": "q"},
    {"weights": "trained", "step": 0},
    {"weights": "trained", "step": 150, "seed": 1, "seeds": 1},
    {"weights": "trained", "step": 200, "composition": "v"},
)
FACTS: Facts = {
    "state": {
        "constructed": {"only path": carries(slice(1, 2), 0.8)},
        "guessing": {"none path": carries_nothing, "all virtual": like_random},
        "learned": {"only layer-1": carries(slice(1, 5), 0.8)},
    },
    "composition": {"q": {"none": reads_nothing}, "v": {"none": reads_nothing}},
    "spared": {"yes": {"same layer-1": lambda a, _: measured(a, "ablated.2.0") > 0.5}},
    "shown": {
        "score": {"all": all_paths},
        "other": {"only path": all_paths, "all path": all_paths},
    },
}
RIGHT = ("share.logit",), between(0.2, 0.8)
