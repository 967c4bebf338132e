"""What /circuits-theory says of two heads that compose."""

from tests.app.said.answered import (
    asked,
    both,
    cut,
    found,
    measured,
    number,
    with_fields,
    with_finding,
    with_number,
)
from tests.app.said.sayings import Field, Fields, Pages, Says, When, always, only, results

BY = {"q": "queries", "k": "keys", "v": "values"}
RESTS_ON = ("accuracy", "share.layer_2", "over_baseline", "ablated.1.0")


def virtual(answer, question) -> float:
    first, second = answer.fields["pair"]
    chosen = question["composition"]
    return cut(answer, "composition", composition=chosen, second=second, first=first).item()


def of_random(answer, question) -> float:
    chosen = question["composition"]
    return cut(answer, "baseline", composition=chosen, statistic="mean").item()


def ways(tensor: str) -> Field:
    return lambda a, q: cut(a, tensor, position=int(q["position"]))


def logit_part(answer, question) -> float:
    _, second = answer.fields["pair"]
    at = int(question["position"])
    return cut(answer, "logit_paths", position=at, way_2=second, way_1="past").item()


def score_part(answer, question) -> float:
    first, _ = answer.fields["pair"]
    at = int(question["position"])
    return cut(answer, "score_paths", position=at, query="past", key=first).item()


def letters(answer, question, after: int) -> str:
    """The letters up to the chosen position of the repetition, or the one after it."""
    said = answer.fields["letters"]
    at = len(said) - answer.axes["position"].size - 1 + int(question["position"])
    return said[at + 1] if after else said[at - 1 : at + 1]


FIELDS: Fields = {
    "first": lambda a, _: a.fields["pair"][0],
    "second": lambda a, _: a.fields["pair"][1],
    "by": lambda _, q: BY[q["composition"]],
    "virtual": virtual,
    "random": of_random,
    "over": lambda a, q: virtual(a, q) / of_random(a, q),
    "right": number("accuracy"),
    "without.first": number("ablated.1.0"),
    "without.second": number("ablated.2.0"),
    "logit": logit_part,
    "logit.rest": lambda a, q: ways("logit_paths")(a, q).sum().item() - logit_part(a, q),
    "score": score_part,
    "score.rest": lambda a, q: ways("score_paths")(a, q).sum().item() - score_part(a, q),
    "read": lambda a, q: letters(a, q, 0),
    "following": lambda a, q: letters(a, q, 1),
    "paths": lambda a, _: cut(a, "logit_paths", position=0).size,
}


def state(kind: str) -> When:
    """How far the network has learned, by its accuracy and its findings."""

    def so(a, q) -> bool:
        right = measured(a, "accuracy")
        if q["weights"] == "constructed":
            return kind == "constructed"
        if q["weights"] == "random" or right < 0.5:
            return kind == ("random" if right < 0.15 else "beginning")
        learned = all(found(a, name).holds for name in RESTS_ON)
        return kind == ("learned" if learned else "learning")

    return so


def carries_nothing(answer, question) -> bool:
    """Whether the network is right no oftener than twice as often as a guess."""
    return state("random")(answer, question) and measured(answer, "accuracy") < 0.15


def like_random(answer, question) -> bool:
    """Whether no pair has three times the virtual weights of random pairs."""
    own = cut(answer, "composition", composition=question["composition"])
    return carries_nothing(answer, question) and bool((own < 3 * of_random(answer, question)).all())


def spares(answer, question) -> bool:
    return state("learned")(answer, question) and measured(answer, "ablated.2.0") > 0.5


def shows_score(is_so: bool) -> When:
    return lambda _, q: ("score" in q["figures"]) is is_so


large = "virtual weights from head {first} to the {by} of head {second} are {over:2} times as large"
SAYS: list[Says] = [
    *only(
        lambda _, q: q["weights"] != "trained",
        "One head passes on the letter before, and a second head predicts the next letter from it",
    ),
    *only(
        asked(weights="trained"), "Layer 1 predicts the next letter from what head {first} wrote"
    ),
    *always(
        "After “…{read}” comes “{following}”",
    ),
    *only(
        shows_score(True),
        "The key through head {first} adds {score:1} to the score of head {second}, and all other"
        " paths together add {score.rest:1}",
    ),
    *only(
        shows_score(False),
        "The path through head {second} alone adds {logit:1} to its logit, and all other paths"
        " together add {logit.rest:1}",
    ),
    *only(
        state("constructed"),
        "Head {second} is the first head of layer 1",
        "On the left, one of {paths} paths carries the next letter: the path through head {second}"
        " alone",
    ),
    *only(
        both(state("constructed"), asked(composition="k")),
        "On the right, one pair of heads stands out: head {second} reads what head {first} writes",
        "Choose “score” to see what head {first} is needed for",
    ),
    *only(
        lambda a, q: state("constructed")(a, q) and q["composition"] != "k" and not virtual(a, q),
        "On the right, the {by} of head {second} read nothing of what head {first} writes, so"
        " their cell is 0",
        "Choose keys, by which it does read it",
    ),
    *results(carries_nothing, "On the left, no path carries the next letter"),
    *results(
        like_random,
        "On the right, the virtual weights of all pairs are about as large as those of random"
        " matrices",
    ),
    *only(
        state("beginning"),
        "it predicts {right:%} of the letters",
        "On the left, the paths through layer 1 begin to carry the letter",
        "Choose a later step",
    ),
    *only(
        state("learning"),
        "it predicts {right:%} of the letters, and without head {first} it predicts"
        " {without.first:%}",
        f"On the right, the {large} as those of random pairs",
        "Choose a later step",
    ),
    *only(
        state("learned"),
        "On the left, the four paths through one head of layer 1 alone carry the letter",
        f"On the right, the {large} as those of random pairs",
    ),
    *only(
        spares,
        "Without head {second} the network still predicts {without.second:%} of the letters,"
        " because the other heads of layer 1 do the same",
    ),
]
NAMES = ("0.0", "0.1", "0.2", "0.3", "1.0", "1.1", "1.2", "1.3", *BY.values())


def of_constructed(_, question) -> tuple[str, ...]:
    if question["weights"] == "random":
        return ("accuracy", "share.score")
    return (*RESTS_ON, "ablated.2.0")


CLAIMS = {"One head passes on": of_constructed, "Layer 1 predicts": RESTS_ON}
QUESTIONS = (
    {"composition": "q"},
    {"composition": "v"},
    {"weights": "random"},
    {"weights": "trained"},
    {"weights": "trained", "step": 3000, "composition": "q"},
    {"weights": "trained", "step": 0},
)


def forced(pages: Pages) -> Pages:
    """A training that has only begun, and one that has not come to its end."""
    for question, answer in pages:
        if question["weights"] == "trained" and question["step"] is None:
            yield question, with_number(answer, "accuracy", 0.3)
            yield question, with_finding(answer, "over_baseline", verdict="fails", holds=False)
            yield question, with_fields(answer, pair=["0.1", "1.3"])
            for rate in (0.2, 0.9):
                yield question, with_number(answer, "ablated.2.0", rate)
